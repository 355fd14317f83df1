"""The checks of Lab 07, Build, of the prompt and of promotion. The published design and every fixed one pass them."""

from __future__ import annotations

from hypothesis import strategies as st

from memlab.labs.checks.check import LearnerFile, expect, fail, is_same_value
from memlab.labs.checks.lab07 import helpers as lab
from memlab.labs.checks.lab07.helpers import CHECKS

TASK = "ship the labs page how does it ship"


@CHECKS.add("assemble", sentence=lab.SENTENCES)
def the_published_prompt(file: LearnerFile, sentence: str) -> None:
    """In a fresh folder the prompt has the four sections that the lab shows, line by line."""
    file.reset(["scripts/deploy.sh"])
    file.call("set_task", "ship the labs page", ["smoke test", "deploy"])
    file.call("log_episode", "build", f"labs page built clean {sentence}")
    file.call("write_fact", "deploy-cmd", "how this project ships", "Run scripts/deploy.sh from the repo root.")
    rules = str(file.call("rules")).strip()
    text = lab.assemble_prompt(file, TASK)
    lab.expect_part(file, text, f"[RULES]\n{rules}", "the rules under their heading")
    lab.expect_part(file, text, "\n\n[FACTS]\nRun scripts/deploy.sh from the repo root.", "the fact, behind the rules")
    recent = f"\n\n[RECENT]\nbuild: labs page built clean {sentence}"
    lab.expect_part(file, text, recent, "the episode, behind the facts")
    scratchpad = "\n\n[WORKING] task=ship the labs page\ntodo: smoke test, deploy"
    lab.expect_part(file, text, scratchpad, "the scratchpad, behind rules, facts and episodes")


@CHECKS.add("assemble")
def in_priority_order(file: LearnerFile) -> None:
    """Rules come first, then facts, then recent episodes, then the scratchpad."""
    file.reset()
    file.call("set_task", "tune the violin", ["fetch it"])
    file.call("log_episode", "note", "the violin is here")
    file.call("write_fact", "owner", "who owns the violin", "Mara owns it.")
    text = lab.assemble_prompt(file, "tune the violin")
    headings = ("[RULES]", "[FACTS]", "[RECENT]", "[WORKING]")
    for heading in headings:
        lab.expect_part(file, text, heading, f"the sections {', '.join(headings)}")
    found = sorted(headings, key=text.index)
    if found == list(headings) and not text.startswith("[RULES]"):
        fail(file, f"returned a prompt that begins with {text[:40]!r}, expected [RULES] in front")
    if found != list(headings):
        fail(file, f"returned the sections in the order {', '.join(found)}, expected {', '.join(headings)}")


@CHECKS.add(
    "assemble",
    about=st.lists(st.sampled_from(lab.WORDS), min_size=1, max_size=5, unique=True),
    task_words=st.lists(st.sampled_from(lab.WORDS), min_size=1, max_size=3, unique=True),
)
def only_facts_about_the_task(file: LearnerFile, about: list[str], task_words: list[str]) -> None:
    """A fact is in the prompt only if its description shares a whole word with the task, in any letter case."""
    file.reset()
    file.call("write_fact", "part", "art starts", "Kepler-part.")
    for word in about:
        file.call("write_fact", f"keeper-{word}", f"keeper of {word}", f"Kepler-{word}-{len(word)}.")
    text = lab.assemble_prompt(file, " ".join([*task_words, "tar", "cart"]).capitalize())
    lab.expect_no_part(file, text, "Kepler-part.", "'art starts' shares no whole word with the task")
    for word in about:
        body, shared = f"Kepler-{word}-{len(word)}.", word in task_words
        if shared:
            lab.expect_part(file, text, body, f"the fact about the {word}, since the task names it")
        else:
            lab.expect_no_part(file, text, body, f"the task does not name the {word}")


@CHECKS.add("assemble", count=st.integers(1, 7))
def latest_three_episodes(file: LearnerFile, count: int) -> None:
    """The prompt has the latest three episodes, the newest last."""
    file.reset()
    for word in lab.WORDS[:count]:
        file.call("log_episode", "seen", f"a {word}")
    text = lab.assemble_prompt(file, "look around")
    found = [word for word in lab.WORDS if f"seen: a {word}" in text]
    if found != list(lab.WORDS[:count][-3:]):
        fail(file, f"returned the episodes {found}, expected the latest three of {list(lab.WORDS[:count])}")
    if found != sorted(found, key=lambda word: text.index(f"seen: a {word}")):
        fail(file, f"returned the episodes {found} in another order, expected the newest last")


@CHECKS.add("assemble")
def with_the_rules_of_today(file: LearnerFile) -> None:
    """If a rule and a fact change between two prompts, the second has the new ones."""
    file.reset({"mix/rules.md": "- Be slow.\n"})
    file.call("write_fact", "port", "the port of the violin server", "It is 3000.")
    lab.assemble_prompt(file, "violin")
    file.write(lab.RULES_FILE, "- Be quick.\n")
    file.calls.append("(a person writes '- Be quick.' into mix/rules.md instead)")
    file.call("write_fact", "port", "the port of the violin server", "It is 4000.")
    text = lab.assemble_prompt(file, "violin")
    lab.expect_part(file, text, "- Be quick.", "the rule that is now in mix/rules.md")
    lab.expect_part(file, text, "It is 4000.", "the fact as it was written last")
    lab.expect_no_part(file, text, "It is 3000.", "it was written again since")


@CHECKS.add("trim", todo=lab.TODO)
def todo_recited_last(file: LearnerFile, todo: list[str]) -> None:
    """The open to-dos are the last line of the prompt, after an empty line, also after one is checked off."""
    file.reset()
    file.call("set_task", "ship", ["open the door", *todo])
    _expect_recital(file, ["open the door", *todo])
    file.call("check_off", "open the door")
    _expect_recital(file, todo)


def _expect_recital(file: LearnerFile, todo: list[str]) -> None:
    lines, wanted = lab.assemble_prompt(file, "ship").strip().split("\n"), lab.RECITE + ", ".join(todo)
    if lines[-1] != wanted:
        fail(file, f"ends with the line {lines[-1]!r}, expected {wanted!r}")
    if lines[-2].strip():
        fail(file, f"has the line {lines[-2]!r} right before the recital, expected an empty line")


@CHECKS.add("trim")
def nothing_to_recite(file: LearnerFile) -> None:
    """If no to-do is open, the prompt has no recital."""
    file.reset()
    lab.expect_no_part(file, lab.assemble_prompt(file, "ship"), "[RECITE", "no task was set")
    file.call("set_task", "ship", ["build"])
    file.call("check_off", "build")
    lab.expect_no_part(file, lab.assemble_prompt(file, "ship"), "[RECITE", "the only to-do is done")


@CHECKS.add("trim", facts=st.integers(8, 14), budget=st.sampled_from([800, 1200, 1600]))
def the_middle_is_trimmed(file: LearnerFile, facts: int, budget: int) -> None:
    """A prompt over budget_chars loses its middle: the rules stay at the start, task and to-do at the end."""
    lab.fill_folder(file, facts, 300, ["fetch the can", "fill it"])
    rules = str(file.call("rules")).strip()
    text = lab.assemble_prompt(file, "water the orchard", budget)
    if not text.startswith(f"[RULES]\n{rules}\n"):
        fail(file, f"returned a prompt that begins with {text[:40]!r}, expected all of the rules in front")
    lab.expect_part(file, text, "[WORKING] task=water the orchard\ntodo: fetch the can", "the scratchpad untouched")
    lines = text.strip().split("\n")
    if (mark := "...[trimmed]...") in text and mark not in lines:
        fail(file, f"returned a prompt in which {mark} is part of another line, expected a line of its own")
    if not (last := lines[-1]).startswith(lab.RECITE + "fetch the can"):
        fail(file, f"ends with the line {last!r}, expected the to-do recited")
    expect_about(file, text, budget)


@CHECKS.add("trim", count=st.integers(20, 40), budget=st.sampled_from([400, 600]))
def the_recital_is_not_trimmed(file: LearnerFile, count: int, budget: int) -> None:
    """However many to-dos there are, the last line recites them from the next one on: the trimming comes before it."""
    file.reset({"mix/rules.md": lab.RULES})
    file.call("set_task", "ship", [f"to-do {number:02d} of {count}" for number in range(count)])
    last = lab.assemble_prompt(file, "ship", budget).strip().split("\n")[-1]
    if not last.startswith(f"{lab.RECITE}to-do 00 of {count}"):
        fail(file, f"ends with the line {last!r}, expected the to-dos recited, from the next one on")


@CHECKS.add("trim", length=st.integers(20, 60), over=st.sampled_from([0, 30]))
def characters_are_counted(file: LearnerFile, length: int, over: int) -> None:
    """The budget counts characters, not bytes: a prompt of budget_chars characters of any kind is complete."""
    file.reset({"mix/rules.md": lab.RULES})
    for number in range(3):
        file.call("write_fact", f"tide-{number}", "about the tide", "\u00e9\u20ac\U0001f40c" * length)
    whole = lab.assemble_prompt(file, "tide", 10_000)
    if lab.assemble_prompt(file, "tide", len(whole) + over) != whole:
        fail(file, f"trimmed the prompt, expected all of it: it has {len(whole)} characters (and more bytes)")


@CHECKS.add("trim")
def twelve_hundred_unless_told(file: LearnerFile) -> None:
    """The default budget is about 1,200 characters, counted in characters and not in words."""
    lab.fill_folder(file, 10, 300, ["fetch the can"])
    expect_about(file, lab.assemble_prompt(file, "water the orchard"), 1200)


def expect_about(file: LearnerFile, text: str, budget: int) -> None:
    """Expect at most the budget, plus the trimming mark and the recital, which Build adds on top."""
    if len(text) > budget + 160:
        fail(file, f"returned {len(text):,} characters, expected about {budget:,}")


@CHECKS.add("trim", facts=st.integers(0, 6))
def what_fits_is_whole(file: LearnerFile, facts: int) -> None:
    """If everything fits, nothing is trimmed."""
    lab.fill_folder(file, facts, 300, ["fetch the can", "fill it"])
    text = lab.assemble_prompt(file, "water the orchard", 10_000)
    for number in range(facts):
        lab.expect_part(file, text, f"end {number}.", f"all {facts} facts, since they fit in 10,000 characters")


LEARNED = "learned from repeated episodes"
HUB = "the labs hub lives at lab/index.html"


@CHECKS.add("promote", sentence=lab.SENTENCES)
def what_recurs_becomes_a_fact(file: LearnerFile, sentence: str) -> None:
    """A detail that was logged twice becomes a fact, and promote_recurring returns (name, detail, count)."""
    file.reset(["lab/index.html"])
    detail = f"{HUB} {sentence}"
    lab.log_twice(file, detail)
    value = lab.promote(file, min_count=2)
    right = len(value) == 1 and is_same_value(value[0][1:], [detail, 2])
    if not right or not str(value[0][0]).startswith("learned-"):
        fail(file, f"returned {value!r}, expected [('learned-...', {detail!r}, 2)]")
    fact = lab.read_facts(file).get(value[0][0], {})
    if (body := fact.get("body")) != detail:
        fail(file, f"left {body!r} in mix/facts.json under {value[0][0]!r}, expected {detail!r}")
    if not str(said := fact.get("description")).startswith(LEARNED):
        fail(file, f"left the description {said!r} in mix/facts.json, expected one that begins with {LEARNED!r}")


@CHECKS.add("promote", times=st.integers(1, 5), least=st.integers(2, 5))
def min_count_times(file: LearnerFile, times: int, least: int) -> None:
    """A detail is promoted once it was logged min_count times, and its count is returned."""
    file.reset()
    for _ in range(times):
        file.call("log_episode", "note", "the harbour freezes in January")
    found = [row[1:] for row in lab.promote(file, min_count=least)]
    wanted = [["the harbour freezes in January", times]] if times >= least else []
    if not is_same_value(found, wanted):
        fail(file, f"promoted {found}, expected {wanted}: min_count is {least}, and the count {times}")


@CHECKS.add("promote")
def the_detail_counts(file: LearnerFile) -> None:
    """Only the detail counts, not the kind: two different details of one kind are no repetition."""
    file.reset()
    file.call("log_episode", "note", "the harbour freezes in January")
    file.call("log_episode", "note", "the meadow floods in April")
    expect(lab.promote(file), [], "[]: no detail came twice", file)
    file.call("log_episode", "weather", "the meadow floods in April")
    found = [row[1:] for row in lab.promote(file)]
    if not is_same_value(found, [["the meadow floods in April", 2]]):
        fail(file, f"promoted {found}, expected the detail that was logged twice")


@CHECKS.add("promote", path=st.sampled_from(["scripts/old_deploy.sh", "src/app.py", "docs/setup.md", "settings.json"]))
def the_stale_is_skipped(file: LearnerFile, path: str) -> None:
    """A detail that names a missing path is not promoted, and the problem is printed."""
    file.reset()
    detail = f"the harbour page is shipped by {path}"
    lab.log_twice(file, detail)
    expect(lab.promote(file), [], f"[]: {path} does not exist", file)
    wanted = [f"SKIP (stale, not promoted): {detail}", f"  - path does not exist: {path}"]
    printed = [line.strip() for line in file.printed.splitlines()]
    rest = printed[printed.index(wanted[0]) :] if wanted[0] in printed else []
    if not any(line.startswith("- ") and path in line for line in rest):
        fail(file, f"printed {printed if file.printed else 'nothing'}, expected {wanted}")
    if detail in lab.fact_bodies(file):
        fail(file, "wrote the stale detail into mix/facts.json, expected no such fact")


@CHECKS.add("promote")
def the_promoted_is_served(file: LearnerFile) -> None:
    """A promoted detail is a fact like any other: a later prompt contains it."""
    file.reset()
    detail = "the harbour freezes in January"
    for event in (detail, detail, "the first bell", "the second bell", "the third bell"):
        file.call("log_episode", "note", event)
    file.call("promote_recurring")
    text = lab.assemble_prompt(file, f"{LEARNED} {detail}")
    lab.expect_part(file, text, detail, "the fact that was promoted")
