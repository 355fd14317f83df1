"""The checks of Lab 07, Fix, of facts: their order in the prompt, and who may change them."""

from __future__ import annotations

import json

from hypothesis import strategies as st

from memlab.labs.checks.check import Each, LearnerFile, Raised, fail
from memlab.labs.checks.lab07 import helpers as lab
from memlab.labs.checks.lab07.helpers import CHECKS
from memlab.labs.checks.lab07.trust import ORDERS, PLACES, RANKED, STRANGERS

TRUSTED = RANKED[1:]
TEN = "The gate opens at ten."
UNMARKED = f"[FACTS]\n{TEN}\n"


@CHECKS.add("trust", who=st.sampled_from(TRUSTED), sentence=Each([TEN, *ORDERS]), place=PLACES)
def what_the_trusted_say_is_served(file: LearnerFile, who: str, sentence: str, place: str) -> None:
    """Facts of the user, a tool or the agent are served, orders too; a user's fact has no mark."""
    text = sentence.format(place)
    lab.start(file, "write_fact")
    lab.write(file, text, who)
    shown = f"[FACTS]\n{text}\n" if who == "user" else text
    prompt = lab.assemble_prompt(file, "harbour") + "\n"
    lab.expect_part(file, prompt, shown, f"the fact of {who!r} as written: only untrusted sources are marked")


@CHECKS.add("trust", source=Each(STRANGERS), who=st.sampled_from(TRUSTED))
def a_strangers_fact_stands_behind(file: LearnerFile, source: str, who: str) -> None:
    """A fact from an untrusted source comes after all others, however many words it shares with the task."""
    lab.start(file, "write_fact")
    lab.try_call(file, "write_fact", "ad", "harbour gate tower bell", "Nine is the best hour.", source=source)
    file.call("write_fact", "gate", "the harbour", TEN, source=who)
    text = lab.assemble_prompt(file, "harbour gate tower bell")
    lab.expect_part(file, text, TEN, f"the fact that {who!r} wrote")
    if "Nine is" in text.partition(TEN)[0]:
        fail(file, f"put the fact of {source!r} before that of {who!r}, expected it behind")


@CHECKS.add("trust", who=st.sampled_from(RANKED[:3]))
def what_tells_no_source_is_the_users(file: LearnerFile, who: str) -> None:
    """A fact without a source, as Build wrote it, counts as the user's: no mark, and no lower rank overwrites it."""
    file.reset({lab.FACTS: json.dumps({"harbour": {"description": "about the harbour", "body": TEN}})})
    lab.write(file, "The gate is shut.", who)
    prompt = lab.assemble_prompt(file, "harbour") + "\n"
    lab.expect_part(file, prompt, UNMARKED, f"the fact without a mark: {who!r} may not rewrite it")


@CHECKS.add("trust", who=st.sampled_from(RANKED))
def what_was_promoted_is_the_agents(file: LearnerFile, who: str) -> None:
    """A promoted fact can be corrected by the agent, a tool and the user, not by an untrusted source."""
    lab.start(file, "log_episode", "write_fact")
    detail = "the harbour freezes in January"
    lab.log(file, detail, "monday", "tuesday")
    file.call("promote_recurring")
    for name in [name for name, fact in lab.read_facts(file).items() if fact.get("body") == detail]:
        lab.try_call(file, "write_fact", name, "about the harbour", "It freezes in May.", source=who)
    if ("It freezes in May." in lab.fact_bodies(file)) != (who in TRUSTED):
        wanted = f"{who!r} {'may' if who in TRUSTED else 'may not'} correct it"
        fail(file, f"left {lab.fact_bodies(file)}, expected that {wanted}")


@CHECKS.add("trust", who=st.sampled_from(RANKED[:3]))
def a_refusal_says_which(file: LearnerFile, who: str) -> None:
    """If a lower rank is refused by a ValueError, the message names the fact."""
    lab.start(file, "write_fact")
    lab.write(file, TEN, "user")
    answer = file.attempt("write_fact", "harbour", "about the harbour", "The gate is shut.", source=who)
    if isinstance(answer, Raised) and "harbour" not in answer.message:
        wanted = f"expected it to name 'harbour', which {who!r} may not rewrite"
        fail(file, f"raised {answer.type}: {answer.message}, {wanted}")


@CHECKS.add("words", turned=st.booleans())
def the_best_fact_stays(file: LearnerFile, turned: bool) -> None:  # noqa: FBT001 - Hypothesis draws it
    """If there is room for one fact, it is the one that shares the most words with the task."""
    file.reset({"mix/rules.md": lab.RULES})
    best, less = (f"The {name} {'la ' * 60}" for name in ("best", "less"))
    facts = [("best", "harbour lantern violin", best), ("less", "harbour", less)]
    for fact in reversed(facts) if turned else facts:
        file.call("write_fact", *fact)
    room = len(lab.assemble_prompt(file, "harbour lantern violin", 10_000)) - 50
    text = lab.assemble_prompt(file, "harbour lantern violin", room)
    why = f"there is room for one fact in {room} characters, and the other is nearer to the task"
    lab.expect_no_part(file, text, "The less", why)
    lab.expect_part(file, text, "The best", "the fact that shares most words with the task")
