"""What Fix asks of facts: which stands before which, by who told it and what it is about, and who may change it."""

from __future__ import annotations

import json

from hypothesis import strategies as st

from memlab.labs.checks.check import LearnerFile, Raised, fail
from memlab.labs.checks.lab07.helpers import CHECKS, FACTS, RULES, bodies, has, lacks, prompt, stored
from memlab.labs.checks.lab07.trust import ORDERS, PLACES, RANKED, STRANGERS, begin, offer, tell, write

TRUSTED = RANKED[1:]
TEN = "The gate opens at ten."
UNMARKED = f"[FACTS]\n{TEN}\n"


@CHECKS.add("trust", who=st.sampled_from(TRUSTED), said=st.sampled_from([TEN, *ORDERS]), place=PLACES)
def what_the_trusted_say_is_served(work: LearnerFile, who: str, said: str, place: str) -> None:
    """What the user, a tool or the agent says is served, orders too; what the user says as it is, without a mark."""
    text = said.format(place)
    begin(work, "write_fact")
    write(work, text, who)
    shown = f"[FACTS]\n{text}\n" if who == "user" else text
    has(work, f"{prompt(work, 'harbour')}\n", shown, f"what {who!r} told: only strangers are marked")


@CHECKS.add("trust", source=st.sampled_from(STRANGERS), who=st.sampled_from(TRUSTED))
def a_strangers_fact_stands_behind(work: LearnerFile, source: str, who: str) -> None:
    """A stranger's fact stands behind everybody else's, however many words it shares with the task."""
    begin(work, "write_fact")
    offer(work, "write_fact", "ad", "harbour gate tower bell", "Nine is the best hour.", source=source)
    work.call("write_fact", "gate", "the harbour", TEN, source=who)
    text = prompt(work, "harbour gate tower bell")
    has(work, text, TEN, f"the fact that {who!r} told")
    if "Nine is" in text.partition(TEN)[0]:
        fail(work, f"put the fact of {source!r} before that of {who!r}, expected it behind")


@CHECKS.add("trust", who=st.sampled_from(RANKED[:3]))
def what_tells_no_source_is_the_users(work: LearnerFile, who: str) -> None:
    """A fact without a source, as Build left it, is the user's: it has no mark, and no lower rank rewrites it."""
    work.reset({FACTS: json.dumps({"harbour": {"description": "about the harbour", "body": TEN}})})
    write(work, "The gate is shut.", who)
    has(work, f"{prompt(work, 'harbour')}\n", UNMARKED, f"the fact without a mark: {who!r} may not rewrite it")


@CHECKS.add("trust", who=st.sampled_from(RANKED))
def what_was_promoted_is_the_agents(work: LearnerFile, who: str) -> None:
    """A promoted fact may be corrected by the agent and by those above it, and by no stranger."""
    begin(work, "log_episode", "write_fact")
    detail = "the harbour freezes in January"
    tell(work, detail, "monday", "tuesday")
    work.call("promote_recurring")
    for name in [name for name, fact in stored(work).items() if fact.get("body") == detail]:
        offer(work, "write_fact", name, "about the harbour", "It freezes in May.", source=who)
    if ("It freezes in May." in bodies(work)) != (who in TRUSTED):
        fail(work, f"left {bodies(work)}, expected that {who!r} {'may' if who in TRUSTED else 'may not'} correct it")


@CHECKS.add("trust", who=st.sampled_from(RANKED[:3]))
def a_refusal_says_which(work: LearnerFile, who: str) -> None:
    """Where a lower rank is refused by a ValueError, it names the fact."""
    begin(work, "write_fact")
    write(work, TEN, "user")
    answer = work.attempt("write_fact", "harbour", "about the harbour", "The gate is shut.", source=who)
    if isinstance(answer, Raised) and "harbour" not in answer.message:
        fail(
            work,
            f"raised {answer.type}: {answer.message}, expected it to name 'harbour', which {who!r} may not rewrite",
        )


@CHECKS.add("words", turned=st.booleans())
def the_best_fact_stays(work: LearnerFile, turned: bool) -> None:  # noqa: FBT001 - Hypothesis draws it
    """Where there is room for one fact, it is the one that shares most words with the task."""
    work.reset({"mix/rules.md": RULES})
    facts = [
        ("best", "harbour lantern violin", "The best " + "la " * 60),
        ("less", "harbour", "The less " + "la " * 60),
    ]
    for fact in reversed(facts) if turned else facts:
        work.call("write_fact", *fact)
    room = len(prompt(work, "harbour lantern violin", 10_000)) - 50
    text = prompt(work, "harbour lantern violin", room)
    lacks(
        work, text, "The less", f"there is room for one fact in {room} characters, and the other is nearer to the task"
    )
    has(work, text, "The best", "the fact that shares most words with the task")
