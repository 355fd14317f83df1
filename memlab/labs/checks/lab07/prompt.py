"""What Build asks of the prompt and of promotion. The published design keeps it, and so does every mended one."""

from __future__ import annotations

from hypothesis import strategies as st

from memlab.labs.checks.check import LearnerFile, expect, fail, is_same_value
from memlab.labs.checks.lab07.helpers import (
    CHECKS,
    RECITE,
    RULES_FILE,
    SAID,
    TODO,
    WORDS,
    bodies,
    crowded,
    has,
    lacks,
    logged_twice,
    promotions,
    prompt,
    stored,
)

TASK = "ship the labs page how does it ship"


@CHECKS.add("assemble", said=SAID)
def the_published_prompt(work: LearnerFile, said: str) -> None:
    """In a fresh folder the prompt has the four sections of the lab, line by line."""
    work.reset(["scripts/deploy.sh"])
    work.call("set_task", "ship the labs page", ["smoke test", "deploy"])
    work.call("log_episode", "build", f"labs page built clean {said}")
    work.call("write_fact", "deploy-cmd", "how this project ships", "Run scripts/deploy.sh from the repo root.")
    rules = str(work.call("rules")).strip()
    text = prompt(work, TASK)
    has(work, text, f"[RULES]\n{rules}", "the rules under their heading")
    has(work, text, "\n\n[FACTS]\nRun scripts/deploy.sh from the repo root.", "the fact, behind the rules")
    has(work, text, f"\n\n[RECENT]\nbuild: labs page built clean {said}", "the episode, behind the facts")
    scratchpad = "\n\n[WORKING] task=ship the labs page\ntodo: smoke test, deploy"
    has(work, text, scratchpad, "the scratchpad, behind rules, facts and episodes")


@CHECKS.add("assemble")
def in_priority_order(work: LearnerFile) -> None:
    """Rules come first, then facts, then recent episodes, then the scratchpad."""
    work.reset()
    work.call("set_task", "tune the violin", ["fetch it"])
    work.call("log_episode", "note", "the violin is here")
    work.call("write_fact", "owner", "who owns the violin", "Mara owns it.")
    text = prompt(work, "tune the violin")
    headings = ("[RULES]", "[FACTS]", "[RECENT]", "[WORKING]")
    for heading in headings:
        has(work, text, heading, f"the sections {', '.join(headings)}")
    found = sorted(headings, key=text.index)
    if found == list(headings) and not text.startswith("[RULES]"):
        fail(work, f"gave a prompt that begins with {text[:40]!r}, expected [RULES] in front")
    if found != list(headings):
        fail(work, f"gave the sections in the order {', '.join(found)}, expected {', '.join(headings)}")


@CHECKS.add(
    "assemble",
    about=st.lists(st.sampled_from(WORDS), min_size=1, max_size=5, unique=True),
    asked=st.lists(st.sampled_from(WORDS), min_size=1, max_size=3, unique=True),
)
def only_facts_about_the_task(work: LearnerFile, about: list[str], asked: list[str]) -> None:
    """A fact is in the prompt if its description shares a word with the task, in capitals or not, and else not."""
    work.reset()
    for word in about:
        work.call("write_fact", f"keeper-{word}", f"keeper of {word}", f"Kepler-{word}-{len(word)}.")
    text = prompt(work, " ".join(asked).capitalize())
    for word in about:
        body, shared = f"Kepler-{word}-{len(word)}.", word in asked
        if shared:
            has(work, text, body, f"the fact about the {word}, since the task names it")
        else:
            lacks(work, text, body, f"the task does not name the {word}")


@CHECKS.add("assemble", count=st.integers(1, 7))
def latest_three_episodes(work: LearnerFile, count: int) -> None:
    """Of the log, the prompt has the latest three, the newest last."""
    work.reset()
    for word in WORDS[:count]:
        work.call("log_episode", "seen", f"a {word}")
    text = prompt(work, "look around")
    found = [word for word in WORDS if f"seen: a {word}" in text]
    if found != list(WORDS[:count][-3:]):
        fail(work, f"gave the episodes {found}, expected the latest three of {list(WORDS[:count])}")
    if found != sorted(found, key=lambda word: text.index(f"seen: a {word}")):
        fail(work, f"gave the episodes {found} in another order, expected the newest last")


@CHECKS.add("assemble")
def with_the_rules_of_today(work: LearnerFile) -> None:
    """A rule and a fact that are changed between two prompts are new in the second."""
    work.reset({"mix/rules.md": "- Be slow.\n"})
    work.call("write_fact", "port", "the port of the violin server", "It is 3000.")
    prompt(work, "violin")
    work.write(RULES_FILE, "- Be quick.\n")
    work.calls.append("(a person writes '- Be quick.' into mix/rules.md instead)")
    work.call("write_fact", "port", "the port of the violin server", "It is 4000.")
    text = prompt(work, "violin")
    has(work, text, "- Be quick.", "the rule that stands in mix/rules.md by now")
    has(work, text, "It is 4000.", "the fact as it was written last")
    lacks(work, text, "It is 3000.", "it was written again since")


@CHECKS.add("trim", todo=TODO)
def todo_recited_last(work: LearnerFile, todo: list[str]) -> None:
    """The open to-dos are the last line of the prompt, behind an empty one, after one is checked off too."""
    work.reset()
    work.call("set_task", "ship", ["open the door", *todo])
    _recites(work, ["open the door", *todo])
    work.call("check_off", "open the door")
    _recites(work, todo)


def _recites(work: LearnerFile, todo: list[str]) -> None:
    lines, wanted = prompt(work, "ship").strip().split("\n"), RECITE + ", ".join(todo)
    if lines[-1] != wanted:
        fail(work, f"ends with the line {lines[-1]!r}, expected {wanted!r}")
    if lines[-2].strip():
        fail(work, f"has the line {lines[-2]!r} right before the recital, expected an empty one: it is a section")


@CHECKS.add("trim")
def nothing_to_recite(work: LearnerFile) -> None:
    """Where no to-do is open, none is recited."""
    work.reset()
    lacks(work, prompt(work, "ship"), "[RECITE", "no task was set")
    work.call("set_task", "ship", ["build"])
    work.call("check_off", "build")
    lacks(work, prompt(work, "ship"), "[RECITE", "the only to-do is done")


@CHECKS.add("trim", facts=st.integers(8, 14), budget=st.sampled_from([800, 1200, 1600]))
def the_middle_is_trimmed(work: LearnerFile, facts: int, budget: int) -> None:
    """What is longer than budget_chars loses its middle: the rules stay in front, task and to-do at the end."""
    crowded(work, facts, 300, ["fetch the can", "fill it"])
    rules = str(work.call("rules")).strip()
    text = prompt(work, "water the orchard", budget)
    if not text.startswith(f"[RULES]\n{rules}\n"):
        fail(work, f"gave a prompt that begins with {text[:40]!r}, expected all of the rules in front")
    has(work, text, "[WORKING] task=water the orchard\ntodo: fetch the can", "the scratchpad untouched")
    lines = text.strip().split("\n")
    if (mark := "...[trimmed]...") in text and mark not in lines:
        fail(work, f"gave a prompt in which {mark} is part of another line, expected a line of its own")
    if not (last := lines[-1]).startswith(RECITE + "fetch the can"):
        fail(work, f"ends with the line {last!r}, expected the to-do recited")
    within(work, text, budget)


@CHECKS.add("trim")
def twelve_hundred_unless_told(work: LearnerFile) -> None:
    """Without a budget the prompt has about 1,200 characters, counted in characters and not in words."""
    crowded(work, 10, 300, ["fetch the can"])
    within(work, prompt(work, "water the orchard"), 1200)


def within(work: LearnerFile, text: str, budget: int) -> None:
    """Let Build's prompt be longer than its budget by the mark of the trimming and the recital, which come on top."""
    if len(text) > budget + 160:
        fail(work, f"returned {len(text):,} characters, expected about {budget:,}")


@CHECKS.add("trim", facts=st.integers(0, 6))
def what_fits_is_whole(work: LearnerFile, facts: int) -> None:
    """Where everything fits, nothing is trimmed."""
    crowded(work, facts, 300, ["fetch the can", "fill it"])
    text = prompt(work, "water the orchard", 10_000)
    for number in range(facts):
        has(work, text, f"end {number}.", f"all {facts} facts, since they fit in 10,000 characters")


HUB = "the labs hub lives at lab/index.html"


@CHECKS.add("promote", said=SAID)
def what_recurs_becomes_a_fact(work: LearnerFile, said: str) -> None:
    """A detail that was logged twice becomes a fact, and (name, detail, count) is given."""
    work.reset(["lab/index.html"])
    detail = f"{HUB} {said}"
    logged_twice(work, detail)
    value = promotions(work, min_count=2)
    right = len(value) == 1 and is_same_value(value[0][1:], [detail, 2])
    if not right or not str(value[0][0]).startswith("learned-"):
        fail(work, f"returned {value!r}, expected [('learned-...', {detail!r}, 2)]")
    if (body := stored(work).get(value[0][0], {}).get("body")) != detail:
        fail(work, f"left {body!r} in mix/facts.json under {value[0][0]!r}, expected {detail!r}")


@CHECKS.add("promote", times=st.integers(1, 5), least=st.integers(2, 5))
def min_count_times(work: LearnerFile, times: int, least: int) -> None:
    """A detail is promoted from min_count times on, and its count is told."""
    work.reset()
    for _ in range(times):
        work.call("log_episode", "note", "the harbour freezes in January")
    found = [one[1:] for one in promotions(work, min_count=least)]
    wanted = [["the harbour freezes in January", times]] if times >= least else []
    if not is_same_value(found, wanted):
        fail(work, f"promoted {found}, expected {wanted}: min_count is {least}, and the count {times}")


@CHECKS.add("promote")
def the_detail_counts(work: LearnerFile) -> None:
    """It is the detail that recurs, whatever its kind; two details of one kind are no repetition."""
    work.reset()
    work.call("log_episode", "note", "the harbour freezes in January")
    work.call("log_episode", "note", "the meadow floods in April")
    expect(promotions(work), [], "[]: no detail came twice", work)
    work.call("log_episode", "weather", "the meadow floods in April")
    found = [one[1:] for one in promotions(work)]
    if not is_same_value(found, [["the meadow floods in April", 2]]):
        fail(work, f"promoted {found}, expected the meadow, which was told twice")


@CHECKS.add("promote", path=st.sampled_from(["scripts/old_deploy.sh", "src/app.py", "docs/setup.md", "settings.json"]))
def the_stale_is_skipped(work: LearnerFile, path: str) -> None:
    """A detail that names a path which is gone is not promoted; what is wrong with it is printed."""
    work.reset()
    detail = f"the harbour page is shipped by {path}"
    work.call("log_episode", "note", detail)
    work.call("log_episode", "note", detail)
    expect(promotions(work), [], f"[]: {path} does not exist", work)
    wanted = [f"SKIP (stale, not promoted): {detail}", f"  - path does not exist: {path}"]
    skip, *problems = printed = work.printed.rstrip().split("\n")
    if skip != wanted[0] or not any(one.startswith("  - ") and path in one for one in problems):
        fail(work, f"printed {printed if work.printed else 'nothing'}, expected {wanted}")
    if detail in bodies(work):
        fail(work, "wrote the stale detail into mix/facts.json, expected no such fact")


@CHECKS.add("promote")
def the_promoted_is_served(work: LearnerFile) -> None:
    """What was promoted is a fact like any other: a later prompt serves it."""
    work.reset()
    detail = "the harbour freezes in January"
    for one in (detail, detail, "the first bell", "the second bell", "the third bell"):
        work.call("log_episode", "note", one)
    work.call("promote_recurring")
    text = prompt(work, f"learned from repeated episodes {detail}")
    has(work, text, detail, "the fact that was promoted")
