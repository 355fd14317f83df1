"""The checks of Lab 07, Build, of the four stores. The published design and every fixed one pass them."""

from __future__ import annotations

import json

from hypothesis import strategies as st

from memlab.labs.checks.check import CheckFailed, LearnerFile, Raised, expect, fail
from memlab.labs.checks.lab07 import helpers as lab
from memlab.labs.checks.lab07.helpers import CHECKS


@CHECKS.add("rules", lines=st.lists(st.sampled_from(lab.WORDS), min_size=1, max_size=5))
def gives_what_a_person_wrote(file: LearnerFile, lines: list[str]) -> None:
    """rules() returns the rules that a person wrote, without white space at both ends, and never overwrites them."""
    text = "\n".join(f"- Mind the {line}." for line in lines)
    file.reset({"mix/rules.md": f"\n{text}\n\n"})
    expect(file.call("rules"), text, f"the text of mix/rules.md without white space at both ends: {text!r}", file)


@CHECKS.add("rules")
def four_lines_to_begin_with(file: LearnerFile) -> None:
    """A fresh folder starts with the four lines of rules."""
    file.reset()
    lines = str(file.call("rules")).splitlines()
    if len(lines) != 4:  # noqa: PLR2004 - the printout of the lab
        fail(file, f"returned {len(lines)} lines, expected the 4 lines that mix/rules.md begins with")


@CHECKS.add("rules")
def read_every_turn(file: LearnerFile) -> None:
    """A rule that changes between two turns is in the second."""
    file.reset({"mix/rules.md": "- Be slow.\n"})
    file.call("rules")
    file.write(lab.RULES_FILE, "- Be quick.\n")
    file.calls.append("(a person writes '- Be quick.' into mix/rules.md instead)")
    expect(str(file.call("rules")).strip(), "- Be quick.", "'- Be quick.', which is now in mix/rules.md", file)


@CHECKS.add("working", todo=lab.TODO)
def set_task_keeps_task_and_todo(file: LearnerFile, todo: list[str]) -> None:
    """set_task stores the task and its to-dos in order, and replaces the last task."""
    file.reset()
    file.call("set_task", "an older task", ["an older to-do"])
    file.call("set_task", "ship", todo)
    after = f"set_task('ship', {todo})"
    if (found := lab.read_todo(file, after)) != todo:
        raise CheckFailed(f"after {after} working['todo'] is {found}, expected {todo}")
    if (task := file.get("working").get("task")) != "ship":
        raise CheckFailed(f"after {after} working['task'] is {task!r}, expected 'ship'")


@CHECKS.add("working", todo=lab.TODO, number=st.integers(0, 5))
def check_off_takes_that_one(file: LearnerFile, todo: list[str], number: int) -> None:
    """check_off removes the to-do that is done, and keeps the others in order."""
    file.reset()
    done = todo[number % len(todo)]
    file.call("set_task", "ship", todo)
    file.call("check_off", done)
    rest = [entry for entry in todo if entry != done]
    if (found := lab.read_todo(file, "check_off")) != rest:
        after = f"after set_task('ship', {todo}) and check_off({done!r})"
        raise CheckFailed(f"{after} the to-dos are {found}, expected {rest}")


@CHECKS.add("working")
def check_off_of_something_else_changes_nothing(file: LearnerFile) -> None:
    """check_off of something that is not on the list raises nothing and changes nothing."""
    file.reset()
    file.call("set_task", "ship", ["build", "smoke test"])
    if isinstance(answer := file.attempt("check_off", "bake a cake"), Raised):
        fail(file, f"raised {answer.type}: {answer.message}, expected no error: it is not on the list")
    if (found := lab.read_todo(file, "check_off")) != ["build", "smoke test"]:
        raise CheckFailed(f"after check_off('bake a cake') the to-dos are {found}, expected ['build', 'smoke test']")


@CHECKS.add("working")
def the_callers_list_is_copied(file: LearnerFile) -> None:
    """set_task copies the list of to-dos: later changes of the caller's list have no effect."""
    file.reset()
    file.call("set_task", "ship", ["build", "smoke test"])
    file.clear_arguments()
    if (found := lab.read_todo(file, "set_task")) != ["build", "smoke test"]:
        wanted = "expected ['build', 'smoke test']: keep a copy"
        raise CheckFailed(f"after {file.calls[-2]}, and its caller emptied the list, the to-dos are {found}, {wanted}")


@CHECKS.add("working")
def each_memory_has_its_own(file: LearnerFile) -> None:
    """The scratchpad belongs to one object: a second object and a new process start with an empty one."""
    file.reset()
    file.call("set_task", "ship", ["build"])
    file.new_object()
    if found := lab.read_todo(file, "MemoryMix()"):
        raise CheckFailed(f"a second MemoryMix() begins with the to-dos {found} of the first, expected none")
    file.call("set_task", "ship", ["build"])
    file.restart()
    if found := lab.read_todo(file, "MemoryMix()"):
        wanted = "expected none: they live in RAM"
        raise CheckFailed(f"in a new process MemoryMix() begins with the to-dos {found}, {wanted}")


@CHECKS.add("log", entries=st.lists(st.tuples(lab.NAMES, lab.LETTERS), max_size=6))
def replays_what_was_logged(file: LearnerFile, entries: list[tuple[str, str]]) -> None:
    """episodes() returns every kind and detail as logged, oldest first."""
    file.reset()
    for kind, detail in entries:
        file.call("log_episode", kind, detail)
    found = lab.replay_episodes(file)
    if found != [lab.on_one_line(*entry) for entry in entries]:
        fail(file, f"returned {found!r}, expected {entries!r}: all that was logged, oldest first")


@CHECKS.add("log")
def only_ever_adds(file: LearnerFile) -> None:
    """A new episode is appended to mix/episodes.jsonl; earlier lines never change, also in a new process."""
    file.reset()
    file.call("log_episode", "lantern", "the lantern was lit")
    file.call("log_episode", "violin", "the violin was tuned")
    before = file.read(lab.LOG)
    if before is None:
        fail(file, f"left no file {lab.LOG}, expected a line in it for each episode")
    file.restart()
    file.call("log_episode", "trumpet", "the trumpet was sold")
    if not (file.read(lab.LOG) or b"").startswith(before):
        fail(file, "changed earlier lines of mix/episodes.jsonl, expected one more line and no other change")
    found = [kind for kind, _ in lab.replay_episodes(file)]
    if found != ["lantern", "violin", "trumpet"]:
        fail(file, f"returned episodes of the kinds {found}, expected ['lantern', 'violin', 'trumpet']")


@CHECKS.add("log", detail=lab.LETTERS)
def one_line_of_json_each(file: LearnerFile, detail: str) -> None:
    """Each episode is one line of JSON with kind and detail, whatever the detail contains."""
    file.reset()
    file.call("log_episode", "note", detail)
    file.call("log_episode", "note", "the end")
    held = file.read_text(lab.LOG)
    lines = held.strip().split("\n") if held else []
    try:
        found = [lab.on_one_line(json.loads(line)["detail"]) for line in lines]
    except (ValueError, KeyError, TypeError):
        fail(file, f"left {lines!r} in mix/episodes.jsonl, expected JSON with kind and detail in each line")
    if found != [lab.on_one_line(detail), ("the end",)]:
        fail(file, f"left {lines!r} in mix/episodes.jsonl, expected one line for each of {[detail, 'the end']!r}")


@CHECKS.add("facts", entries=st.dictionaries(lab.NAMES, st.tuples(lab.LETTERS, lab.LETTERS), min_size=1, max_size=5))
def stored_by_name(file: LearnerFile, entries: dict[str, tuple[str, str]]) -> None:
    """mix/facts.json contains every fact under its name, with its description and its body."""
    file.reset()
    for name, (description, body) in entries.items():
        file.call("write_fact", name, description, body)
    facts = lab.read_facts(file)
    if not set(entries) <= set(facts):
        fail(file, f"left facts named {sorted(facts)}, expected {sorted(entries)}")
    for name, (description, body) in entries.items():
        found = lab.on_one_line(facts[name].get("description"), facts[name].get("body"))
        if found != lab.on_one_line(description, body):
            fail(file, f"left {found!r} under {name!r}, expected {(description, body)!r}")


@CHECKS.add("facts")
def written_again_is_replaced(file: LearnerFile) -> None:
    """Writing a fact again under its name replaces it."""
    file.reset()
    file.call("write_fact", "port", "the port of the dev server", "It is 3000.")
    file.call("write_fact", "port", "the port of the dev server", "It is 4000.")
    found = {name: fact.get("body") for name, fact in lab.read_facts(file).items()}
    if found.get("port") != "It is 4000.":
        fail(file, f"left {found} in mix/facts.json, expected {{'port': 'It is 4000.'}}")


@CHECKS.add("facts")
def outlive_the_process(file: LearnerFile) -> None:
    """Writing a fact keeps the facts of earlier processes, including a person's edits."""
    file.reset()
    file.call("write_fact", "port", "the port of the dev server", "It is 3000.")
    lab.read_facts(file)
    file.write(lab.FACTS, (file.read_text(lab.FACTS) or "").replace("3000", "4000"))
    file.calls.append("(a person writes 4000 instead of 3000 into mix/facts.json)")
    file.restart()
    file.call("write_fact", "owner", "who keeps the page", "Mara keeps it.")
    facts = lab.read_facts(file)
    if not {"owner", "port"} <= set(facts):
        found = sorted(facts)
        fail(file, f"left facts named {found}, expected ['owner', 'port']: the first was written in another process")
    if (body := facts["port"].get("body")) != "It is 4000.":
        fail(file, f"left {body!r} under 'port', expected 'It is 4000.', which a person wrote there")
