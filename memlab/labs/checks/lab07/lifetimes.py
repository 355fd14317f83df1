"""The checks of Lab 07, Fix, of facts: their order in the prompt, and who may change them."""

from __future__ import annotations

import json

from hypothesis import strategies as st

from memlab.labs.checks.check import LearnerFile, Raised, fail
from memlab.labs.checks.lab07.helpers import (
    CHECKS,
    FACTS,
    RULES,
    assemble_prompt,
    expect_no_part,
    expect_part,
    fact_bodies,
    log,
    read_facts,
    start,
    try_call,
    write,
)
from memlab.labs.checks.lab07.trust import ORDERS, PLACES, RANKED, STRANGERS

TRUSTED = RANKED[1:]
TEN = "The gate opens at ten."
UNMARKED = f"[FACTS]\n{TEN}\n"


@CHECKS.add("trust", who=st.sampled_from(TRUSTED), sentence=st.sampled_from([TEN, *ORDERS]), place=PLACES)
def what_the_trusted_say_is_served(work: LearnerFile, who: str, sentence: str, place: str) -> None:
    """Facts of the user, a tool or the agent are served, orders too; a user's fact has no mark."""
    text = sentence.format(place)
    start(work, "write_fact")
    write(work, text, who)
    shown = f"[FACTS]\n{text}\n" if who == "user" else text
    expect_part(
        work,
        f"{assemble_prompt(work, 'harbour')}\n",
        shown,
        f"the fact of {who!r} as written: only untrusted sources are marked",
    )


@CHECKS.add("trust", source=st.sampled_from(STRANGERS), who=st.sampled_from(TRUSTED))
def a_strangers_fact_stands_behind(work: LearnerFile, source: str, who: str) -> None:
    """A fact from an untrusted source comes after all others, however many words it shares with the task."""
    start(work, "write_fact")
    try_call(work, "write_fact", "ad", "harbour gate tower bell", "Nine is the best hour.", source=source)
    work.call("write_fact", "gate", "the harbour", TEN, source=who)
    text = assemble_prompt(work, "harbour gate tower bell")
    expect_part(work, text, TEN, f"the fact that {who!r} wrote")
    if "Nine is" in text.partition(TEN)[0]:
        fail(work, f"put the fact of {source!r} before that of {who!r}, expected it behind")


@CHECKS.add("trust", who=st.sampled_from(RANKED[:3]))
def what_tells_no_source_is_the_users(work: LearnerFile, who: str) -> None:
    """A fact without a source, as Build wrote it, counts as the user's: no mark, and no lower rank overwrites it."""
    work.reset({FACTS: json.dumps({"harbour": {"description": "about the harbour", "body": TEN}})})
    write(work, "The gate is shut.", who)
    expect_part(
        work, f"{assemble_prompt(work, 'harbour')}\n", UNMARKED, f"the fact without a mark: {who!r} may not rewrite it"
    )


@CHECKS.add("trust", who=st.sampled_from(RANKED))
def what_was_promoted_is_the_agents(work: LearnerFile, who: str) -> None:
    """A promoted fact can be corrected by the agent, a tool and the user, not by an untrusted source."""
    start(work, "log_episode", "write_fact")
    detail = "the harbour freezes in January"
    log(work, detail, "monday", "tuesday")
    work.call("promote_recurring")
    for name in [name for name, fact in read_facts(work).items() if fact.get("body") == detail]:
        try_call(work, "write_fact", name, "about the harbour", "It freezes in May.", source=who)
    if ("It freezes in May." in fact_bodies(work)) != (who in TRUSTED):
        fail(
            work, f"left {fact_bodies(work)}, expected that {who!r} {'may' if who in TRUSTED else 'may not'} correct it"
        )


@CHECKS.add("trust", who=st.sampled_from(RANKED[:3]))
def a_refusal_says_which(work: LearnerFile, who: str) -> None:
    """If a lower rank is refused by a ValueError, the message names the fact."""
    start(work, "write_fact")
    write(work, TEN, "user")
    answer = work.attempt("write_fact", "harbour", "about the harbour", "The gate is shut.", source=who)
    if isinstance(answer, Raised) and "harbour" not in answer.message:
        fail(
            work,
            f"raised {answer.type}: {answer.message}, expected it to name 'harbour', which {who!r} may not rewrite",
        )


@CHECKS.add("words", turned=st.booleans())
def the_best_fact_stays(work: LearnerFile, turned: bool) -> None:  # noqa: FBT001 - Hypothesis draws it
    """If there is room for one fact, it is the one that shares the most words with the task."""
    work.reset({"mix/rules.md": RULES})
    facts = [
        ("best", "harbour lantern violin", "The best " + "la " * 60),
        ("less", "harbour", "The less " + "la " * 60),
    ]
    for fact in reversed(facts) if turned else facts:
        work.call("write_fact", *fact)
    room = len(assemble_prompt(work, "harbour lantern violin", 10_000)) - 50
    text = assemble_prompt(work, "harbour lantern violin", room)
    expect_no_part(
        work, text, "The less", f"there is room for one fact in {room} characters, and the other is nearer to the task"
    )
    expect_part(work, text, "The best", "the fact that shares most words with the task")
