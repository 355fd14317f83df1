"""The checks of Lab 07, Build, of the prompt and of promotion. The published design and every fixed one pass them."""

from __future__ import annotations

from hypothesis import strategies as st

from memlab.labs.checks.check import LearnerFile, expect, fail, is_same_value
from memlab.labs.checks.lab07.helpers import (
    CHECKS,
    RECITE,
    RULES_FILE,
    SENTENCES,
    TODO,
    WORDS,
    assemble_prompt,
    expect_no_part,
    expect_part,
    fact_bodies,
    fill_folder,
    log_twice,
    promote,
    read_facts,
)

TASK = "ship the labs page how does it ship"


@CHECKS.add("assemble", sentence=SENTENCES)
def the_published_prompt(work: LearnerFile, sentence: str) -> None:
    """In a fresh folder the prompt has the four sections that the lab shows, line by line."""
    work.reset(["scripts/deploy.sh"])
    work.call("set_task", "ship the labs page", ["smoke test", "deploy"])
    work.call("log_episode", "build", f"labs page built clean {sentence}")
    work.call("write_fact", "deploy-cmd", "how this project ships", "Run scripts/deploy.sh from the repo root.")
    rules = str(work.call("rules")).strip()
    text = assemble_prompt(work, TASK)
    expect_part(work, text, f"[RULES]\n{rules}", "the rules under their heading")
    expect_part(work, text, "\n\n[FACTS]\nRun scripts/deploy.sh from the repo root.", "the fact, behind the rules")
    expect_part(work, text, f"\n\n[RECENT]\nbuild: labs page built clean {sentence}", "the episode, behind the facts")
    scratchpad = "\n\n[WORKING] task=ship the labs page\ntodo: smoke test, deploy"
    expect_part(work, text, scratchpad, "the scratchpad, behind rules, facts and episodes")


@CHECKS.add("assemble")
def in_priority_order(work: LearnerFile) -> None:
    """Rules come first, then facts, then recent episodes, then the scratchpad."""
    work.reset()
    work.call("set_task", "tune the violin", ["fetch it"])
    work.call("log_episode", "note", "the violin is here")
    work.call("write_fact", "owner", "who owns the violin", "Mara owns it.")
    text = assemble_prompt(work, "tune the violin")
    headings = ("[RULES]", "[FACTS]", "[RECENT]", "[WORKING]")
    for heading in headings:
        expect_part(work, text, heading, f"the sections {', '.join(headings)}")
    found = sorted(headings, key=text.index)
    if found == list(headings) and not text.startswith("[RULES]"):
        fail(work, f"returned a prompt that begins with {text[:40]!r}, expected [RULES] in front")
    if found != list(headings):
        fail(work, f"returned the sections in the order {', '.join(found)}, expected {', '.join(headings)}")


@CHECKS.add(
    "assemble",
    about=st.lists(st.sampled_from(WORDS), min_size=1, max_size=5, unique=True),
    task_words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=3, unique=True),
)
def only_facts_about_the_task(work: LearnerFile, about: list[str], task_words: list[str]) -> None:
    """A fact is in the prompt only if its description shares a word with the task, in any letter case."""
    work.reset()
    for word in about:
        work.call("write_fact", f"keeper-{word}", f"keeper of {word}", f"Kepler-{word}-{len(word)}.")
    text = assemble_prompt(work, " ".join(task_words).capitalize())
    for word in about:
        body, shared = f"Kepler-{word}-{len(word)}.", word in task_words
        if shared:
            expect_part(work, text, body, f"the fact about the {word}, since the task names it")
        else:
            expect_no_part(work, text, body, f"the task does not name the {word}")


@CHECKS.add("assemble", count=st.integers(1, 7))
def latest_three_episodes(work: LearnerFile, count: int) -> None:
    """The prompt has the latest three episodes, the newest last."""
    work.reset()
    for word in WORDS[:count]:
        work.call("log_episode", "seen", f"a {word}")
    text = assemble_prompt(work, "look around")
    found = [word for word in WORDS if f"seen: a {word}" in text]
    if found != list(WORDS[:count][-3:]):
        fail(work, f"returned the episodes {found}, expected the latest three of {list(WORDS[:count])}")
    if found != sorted(found, key=lambda word: text.index(f"seen: a {word}")):
        fail(work, f"returned the episodes {found} in another order, expected the newest last")


@CHECKS.add("assemble")
def with_the_rules_of_today(work: LearnerFile) -> None:
    """If a rule and a fact change between two prompts, the second has the new ones."""
    work.reset({"mix/rules.md": "- Be slow.\n"})
    work.call("write_fact", "port", "the port of the violin server", "It is 3000.")
    assemble_prompt(work, "violin")
    work.write(RULES_FILE, "- Be quick.\n")
    work.calls.append("(a person writes '- Be quick.' into mix/rules.md instead)")
    work.call("write_fact", "port", "the port of the violin server", "It is 4000.")
    text = assemble_prompt(work, "violin")
    expect_part(work, text, "- Be quick.", "the rule that is now in mix/rules.md")
    expect_part(work, text, "It is 4000.", "the fact as it was written last")
    expect_no_part(work, text, "It is 3000.", "it was written again since")


@CHECKS.add("trim", todo=TODO)
def todo_recited_last(work: LearnerFile, todo: list[str]) -> None:
    """The open to-dos are the last line of the prompt, after an empty line, also after one is checked off."""
    work.reset()
    work.call("set_task", "ship", ["open the door", *todo])
    _expect_recital(work, ["open the door", *todo])
    work.call("check_off", "open the door")
    _expect_recital(work, todo)


def _expect_recital(work: LearnerFile, todo: list[str]) -> None:
    lines, wanted = assemble_prompt(work, "ship").strip().split("\n"), RECITE + ", ".join(todo)
    if lines[-1] != wanted:
        fail(work, f"ends with the line {lines[-1]!r}, expected {wanted!r}")
    if lines[-2].strip():
        fail(work, f"has the line {lines[-2]!r} right before the recital, expected an empty line")


@CHECKS.add("trim")
def nothing_to_recite(work: LearnerFile) -> None:
    """If no to-do is open, the prompt has no recital."""
    work.reset()
    expect_no_part(work, assemble_prompt(work, "ship"), "[RECITE", "no task was set")
    work.call("set_task", "ship", ["build"])
    work.call("check_off", "build")
    expect_no_part(work, assemble_prompt(work, "ship"), "[RECITE", "the only to-do is done")


@CHECKS.add("trim", facts=st.integers(8, 14), budget=st.sampled_from([800, 1200, 1600]))
def the_middle_is_trimmed(work: LearnerFile, facts: int, budget: int) -> None:
    """A prompt over budget_chars loses its middle: the rules stay at the start, task and to-do at the end."""
    fill_folder(work, facts, 300, ["fetch the can", "fill it"])
    rules = str(work.call("rules")).strip()
    text = assemble_prompt(work, "water the orchard", budget)
    if not text.startswith(f"[RULES]\n{rules}\n"):
        fail(work, f"returned a prompt that begins with {text[:40]!r}, expected all of the rules in front")
    expect_part(work, text, "[WORKING] task=water the orchard\ntodo: fetch the can", "the scratchpad untouched")
    lines = text.strip().split("\n")
    if (mark := "...[trimmed]...") in text and mark not in lines:
        fail(work, f"returned a prompt in which {mark} is part of another line, expected a line of its own")
    if not (last := lines[-1]).startswith(RECITE + "fetch the can"):
        fail(work, f"ends with the line {last!r}, expected the to-do recited")
    expect_about(work, text, budget)


@CHECKS.add("trim")
def twelve_hundred_unless_told(work: LearnerFile) -> None:
    """The default budget is about 1,200 characters, counted in characters and not in words."""
    fill_folder(work, 10, 300, ["fetch the can"])
    expect_about(work, assemble_prompt(work, "water the orchard"), 1200)


def expect_about(work: LearnerFile, text: str, budget: int) -> None:
    """Expect at most the budget, plus the trimming mark and the recital, which Build adds on top."""
    if len(text) > budget + 160:
        fail(work, f"returned {len(text):,} characters, expected about {budget:,}")


@CHECKS.add("trim", facts=st.integers(0, 6))
def what_fits_is_whole(work: LearnerFile, facts: int) -> None:
    """If everything fits, nothing is trimmed."""
    fill_folder(work, facts, 300, ["fetch the can", "fill it"])
    text = assemble_prompt(work, "water the orchard", 10_000)
    for number in range(facts):
        expect_part(work, text, f"end {number}.", f"all {facts} facts, since they fit in 10,000 characters")


HUB = "the labs hub lives at lab/index.html"


@CHECKS.add("promote", sentence=SENTENCES)
def what_recurs_becomes_a_fact(work: LearnerFile, sentence: str) -> None:
    """A detail that was logged twice becomes a fact, and promote_recurring returns (name, detail, count)."""
    work.reset(["lab/index.html"])
    detail = f"{HUB} {sentence}"
    log_twice(work, detail)
    value = promote(work, min_count=2)
    right = len(value) == 1 and is_same_value(value[0][1:], [detail, 2])
    if not right or not str(value[0][0]).startswith("learned-"):
        fail(work, f"returned {value!r}, expected [('learned-...', {detail!r}, 2)]")
    if (body := read_facts(work).get(value[0][0], {}).get("body")) != detail:
        fail(work, f"left {body!r} in mix/facts.json under {value[0][0]!r}, expected {detail!r}")


@CHECKS.add("promote", times=st.integers(1, 5), least=st.integers(2, 5))
def min_count_times(work: LearnerFile, times: int, least: int) -> None:
    """A detail is promoted once it was logged min_count times, and its count is returned."""
    work.reset()
    for _ in range(times):
        work.call("log_episode", "note", "the harbour freezes in January")
    found = [one[1:] for one in promote(work, min_count=least)]
    wanted = [["the harbour freezes in January", times]] if times >= least else []
    if not is_same_value(found, wanted):
        fail(work, f"promoted {found}, expected {wanted}: min_count is {least}, and the count {times}")


@CHECKS.add("promote")
def the_detail_counts(work: LearnerFile) -> None:
    """Only the detail counts, not the kind: two different details of one kind are no repetition."""
    work.reset()
    work.call("log_episode", "note", "the harbour freezes in January")
    work.call("log_episode", "note", "the meadow floods in April")
    expect(promote(work), [], "[]: no detail came twice", work)
    work.call("log_episode", "weather", "the meadow floods in April")
    found = [one[1:] for one in promote(work)]
    if not is_same_value(found, [["the meadow floods in April", 2]]):
        fail(work, f"promoted {found}, expected the detail that was logged twice")


@CHECKS.add("promote", path=st.sampled_from(["scripts/old_deploy.sh", "src/app.py", "docs/setup.md", "settings.json"]))
def the_stale_is_skipped(work: LearnerFile, path: str) -> None:
    """A detail that names a missing path is not promoted, and the problem is printed."""
    work.reset()
    detail = f"the harbour page is shipped by {path}"
    work.call("log_episode", "note", detail)
    work.call("log_episode", "note", detail)
    expect(promote(work), [], f"[]: {path} does not exist", work)
    wanted = [f"SKIP (stale, not promoted): {detail}", f"  - path does not exist: {path}"]
    skip, *problems = printed = work.printed.rstrip().split("\n")
    if skip != wanted[0] or not any(one.startswith("  - ") and path in one for one in problems):
        fail(work, f"printed {printed if work.printed else 'nothing'}, expected {wanted}")
    if detail in fact_bodies(work):
        fail(work, "wrote the stale detail into mix/facts.json, expected no such fact")


@CHECKS.add("promote")
def the_promoted_is_served(work: LearnerFile) -> None:
    """A promoted detail is a fact like any other: a later prompt contains it."""
    work.reset()
    detail = "the harbour freezes in January"
    for one in (detail, detail, "the first bell", "the second bell", "the third bell"):
        work.call("log_episode", "note", one)
    work.call("promote_recurring")
    text = assemble_prompt(work, f"learned from repeated episodes {detail}")
    expect_part(work, text, detail, "the fact that was promoted")
