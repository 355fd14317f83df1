"""The checks of Lab 07, Build, of the four stores. The published design and every fixed one pass them."""

from __future__ import annotations

import json

from hypothesis import strategies as st

from memlab.labs.checks.check import CheckFailed, LearnerFile, Raised, expect, fail
from memlab.labs.checks.lab07.helpers import (
    CHECKS,
    FACTS,
    LETTERS,
    LOG,
    NAMES,
    RULES_FILE,
    TODO,
    WORDS,
    on_one_line,
    read_facts,
    read_todo,
    replay_episodes,
)


@CHECKS.add("rules", lines=st.lists(st.sampled_from(WORDS), min_size=1, max_size=5))
def gives_what_a_person_wrote(work: LearnerFile, lines: list[str]) -> None:
    """rules() returns the rules that a person wrote, and never overwrites them."""
    text = "\n".join(f"- Mind the {line}." for line in lines)
    work.reset({"mix/rules.md": text + "\n"})
    expect(str(work.call("rules")).strip(), text, f"the text of mix/rules.md: {text!r}", work)


@CHECKS.add("rules")
def four_lines_to_begin_with(work: LearnerFile) -> None:
    """A fresh folder starts with the four lines of rules."""
    work.reset()
    lines = str(work.call("rules")).splitlines()
    if len(lines) != 4:  # noqa: PLR2004 - the printout of the lab
        fail(work, f"returned {len(lines)} lines, expected the 4 lines that mix/rules.md begins with")


@CHECKS.add("rules")
def read_every_turn(work: LearnerFile) -> None:
    """A rule that changes between two turns is in the second."""
    work.reset({"mix/rules.md": "- Be slow.\n"})
    work.call("rules")
    work.write(RULES_FILE, "- Be quick.\n")
    work.calls.append("(a person writes '- Be quick.' into mix/rules.md instead)")
    expect(str(work.call("rules")).strip(), "- Be quick.", "'- Be quick.', which is now in mix/rules.md", work)


@CHECKS.add("working", todo=TODO)
def set_task_keeps_task_and_todo(work: LearnerFile, todo: list[str]) -> None:
    """set_task stores the task and its to-dos in order, and replaces the last task."""
    work.reset()
    work.call("set_task", "an older task", ["an older to-do"])
    work.call("set_task", "ship", todo)
    after = f"set_task('ship', {todo})"
    if (found := read_todo(work, after)) != todo:
        raise CheckFailed(f"after {after} working['todo'] is {found}, expected {todo}")
    if (task := work.get("working").get("task")) != "ship":
        raise CheckFailed(f"after {after} working['task'] is {task!r}, expected 'ship'")


@CHECKS.add("working", todo=TODO, number=st.integers(0, 5))
def check_off_takes_that_one(work: LearnerFile, todo: list[str], number: int) -> None:
    """check_off removes the to-do that is done, and keeps the others in order."""
    work.reset()
    done = todo[number % len(todo)]
    work.call("set_task", "ship", todo)
    work.call("check_off", done)
    rest = [one for one in todo if one != done]
    if (found := read_todo(work, "check_off")) != rest:
        raise CheckFailed(
            f"after set_task('ship', {todo}) and check_off({done!r}) the to-dos are {found}, expected {rest}"
        )


@CHECKS.add("working")
def check_off_of_something_else_changes_nothing(work: LearnerFile) -> None:
    """check_off of something that is not on the list raises nothing and changes nothing."""
    work.reset()
    work.call("set_task", "ship", ["build", "smoke test"])
    if isinstance(answer := work.attempt("check_off", "bake a cake"), Raised):
        fail(
            work,
            f"raised {answer.type}: {answer.message}, expected no error: it is not on the list",
        )
    if (found := read_todo(work, "check_off")) != ["build", "smoke test"]:
        raise CheckFailed(f"after check_off('bake a cake') the to-dos are {found}, expected ['build', 'smoke test']")


@CHECKS.add("working")
def the_callers_list_is_copied(work: LearnerFile) -> None:
    """set_task copies the list of to-dos: later changes of the caller's list have no effect."""
    work.reset()
    work.call("set_task", "ship", ["build", "smoke test"])
    work.clear_arguments()
    if (found := read_todo(work, "set_task")) != ["build", "smoke test"]:
        wanted = "expected ['build', 'smoke test']: keep a copy"
        raise CheckFailed(f"after {work.calls[-2]}, and its caller emptied the list, the to-dos are {found}, {wanted}")


@CHECKS.add("working")
def each_memory_has_its_own(work: LearnerFile) -> None:
    """The scratchpad belongs to one object: a second object and a new process start with an empty one."""
    work.reset()
    work.call("set_task", "ship", ["build"])
    work.new_object()
    if found := read_todo(work, "MemoryMix()"):
        raise CheckFailed(f"a second MemoryMix() begins with the to-dos {found} of the first, expected none")
    work.call("set_task", "ship", ["build"])
    work.restart()
    if found := read_todo(work, "MemoryMix()"):
        raise CheckFailed(
            f"in a new process MemoryMix() begins with the to-dos {found}, expected none: they live in RAM"
        )


@CHECKS.add("log", entries=st.lists(st.tuples(NAMES, LETTERS), max_size=6))
def replays_what_was_logged(work: LearnerFile, entries: list[tuple[str, str]]) -> None:
    """episodes() returns every kind and detail as logged, oldest first."""
    work.reset()
    for kind, detail in entries:
        work.call("log_episode", kind, detail)
    found = replay_episodes(work)
    if found != [on_one_line(*one) for one in entries]:
        fail(work, f"returned {found!r}, expected {entries!r}: all that was logged, oldest first")


@CHECKS.add("log")
def only_ever_adds(work: LearnerFile) -> None:
    """A new episode is appended to mix/episodes.jsonl; earlier lines never change, also in a new process."""
    work.reset()
    work.call("log_episode", "lantern", "the lantern was lit")
    work.call("log_episode", "violin", "the violin was tuned")
    before = work.read(LOG)
    if before is None:
        fail(work, f"left no file {LOG}, expected a line in it for each episode")
    work.restart()
    work.call("log_episode", "trumpet", "the trumpet was sold")
    if not (work.read(LOG) or b"").startswith(before):
        fail(work, "changed earlier lines of mix/episodes.jsonl, expected one more line and no other change")
    found = [kind for kind, _ in replay_episodes(work)]
    if found != ["lantern", "violin", "trumpet"]:
        fail(work, f"returned episodes of the kinds {found}, expected ['lantern', 'violin', 'trumpet']")


@CHECKS.add("log", detail=LETTERS)
def one_line_of_json_each(work: LearnerFile, detail: str) -> None:
    """Each episode is one line of JSON with kind and detail, whatever the detail contains."""
    work.reset()
    work.call("log_episode", "note", detail)
    work.call("log_episode", "note", "the end")
    held = work.read_text(LOG)
    lines = held.strip().split("\n") if held else []
    try:
        found = [on_one_line(json.loads(line)["detail"]) for line in lines]
    except (ValueError, KeyError, TypeError):
        fail(work, f"left {lines!r} in mix/episodes.jsonl, expected JSON with kind and detail in each line")
    if found != [on_one_line(detail), ("the end",)]:
        fail(work, f"left {lines!r} in mix/episodes.jsonl, expected one line for each of {[detail, 'the end']!r}")


@CHECKS.add("facts", entries=st.dictionaries(NAMES, st.tuples(LETTERS, LETTERS), min_size=1, max_size=5))
def stored_by_name(work: LearnerFile, entries: dict[str, tuple[str, str]]) -> None:
    """mix/facts.json contains every fact under its name, with its description and its body."""
    work.reset()
    for name, (description, body) in entries.items():
        work.call("write_fact", name, description, body)
    facts = read_facts(work)
    if not set(entries) <= set(facts):
        fail(work, f"left facts named {sorted(facts)}, expected {sorted(entries)}")
    for name, (description, body) in entries.items():
        found = on_one_line(facts[name].get("description"), facts[name].get("body"))
        if found != on_one_line(description, body):
            fail(work, f"left {found!r} under {name!r}, expected {(description, body)!r}")


@CHECKS.add("facts")
def written_again_is_replaced(work: LearnerFile) -> None:
    """Writing a fact again under its name replaces it."""
    work.reset()
    work.call("write_fact", "port", "the port of the dev server", "It is 3000.")
    work.call("write_fact", "port", "the port of the dev server", "It is 4000.")
    found = {name: fact.get("body") for name, fact in read_facts(work).items()}
    if found.get("port") != "It is 4000.":
        fail(work, f"left {found} in mix/facts.json, expected {{'port': 'It is 4000.'}}")


@CHECKS.add("facts")
def outlive_the_process(work: LearnerFile) -> None:
    """Writing a fact keeps the facts of earlier processes, including a person's edits."""
    work.reset()
    work.call("write_fact", "port", "the port of the dev server", "It is 3000.")
    read_facts(work)
    work.write(FACTS, (work.read_text(FACTS) or "").replace("3000", "4000"))
    work.calls.append("(a person writes 4000 instead of 3000 into mix/facts.json)")
    work.restart()
    work.call("write_fact", "owner", "who keeps the page", "Mara keeps it.")
    facts = read_facts(work)
    if not {"owner", "port"} <= set(facts):
        found = sorted(facts)
        fail(work, f"left facts named {found}, expected ['owner', 'port']: the first was written in another process")
    if (body := facts["port"].get("body")) != "It is 4000.":
        fail(work, f"left {body!r} under 'port', expected 'It is 4000.', which a person wrote there")
