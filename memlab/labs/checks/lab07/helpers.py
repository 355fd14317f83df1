"""What the checks of Lab 07 share: the book that they stand in, and how a learner's memory is asked and read."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from memlab.labs.checks.check import CheckFailed, Checks, LearnerFile, Raised, fail

CHECKS = Checks("07")
Fact = dict[str, Any]
FACTS, LOG, RULES_FILE = "mix/facts.json", "mix/episodes.jsonl", "mix/rules.md"

PIECES = ("the tide", "a: b", "äß €", "two\nlines", '"quoted"', "C:\\temp", "{}", "🐌", "1,200")
LETTERS = st.lists(st.sampled_from(PIECES), min_size=1, max_size=3).map(" ".join)
NAMES = st.sampled_from(["note", "note-2", "deploy", "build", "web-page", "a", "ab"])
WORDS = ("harbour", "lantern", "violin", "glacier", "orchard", "compiler", "granite", "pepper", "trumpet", "meadow")
SAID = st.lists(st.sampled_from(WORDS) | st.integers(0, 9999).map(str), min_size=2, max_size=7).map(" ".join)
TODO = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6, unique=True)
RULES = "# Rules\n" + "".join(
    f"- Rule {number} is to water nobody but the trees.\n" for number in ("one", "two", "three", "four")
)
PROMOTED = ("name", "detail", "count")
RECITE = "[RECITE -> do next] "
HEADINGS = ("[RULES]", "[FACTS]", "[RECENT]", "[WORKING]", "[RECITE -> do next]")


def stored(work: LearnerFile) -> dict[str, Fact]:
    """Read mix/facts.json. Raises CheckFailed where it does not hold facts by their names."""
    held = work.read(FACTS)
    if held is None:
        fail(work, f"left no file {FACTS}, expected the facts in it")
    try:
        facts = json.loads(held)
    except (ValueError, RecursionError):
        fail(work, "left a mix/facts.json that is no JSON, expected the facts by their names")
    found = {name: fact for name, fact in facts.items() if isinstance(fact, dict)} if isinstance(facts, dict) else {}
    if not found and facts != {}:
        fail(work, "left a mix/facts.json of another shape, expected {name: {description: ..., body: ...}}")
    return found


def bodies(work: LearnerFile) -> list[object]:
    """List the bodies in mix/facts.json; a file that is not there yet has none."""
    return [fact.get("body") for fact in stored(work).values()] if work.read(FACTS) is not None else []


def everything(work: LearnerFile) -> list[str]:
    """Give the text of every file under mix/; a database is no text, and is read as well as it can be."""
    return [work.read_text(path) or "" for path in work.list_files("mix")]


def replayed(work: LearnerFile) -> list[tuple[str, ...]]:
    """Return kind and detail of every episode, folded. Raises CheckFailed if episodes() returns something else."""
    episodes = work.call("episodes")
    if not isinstance(episodes, list) or not all(isinstance(one, dict) for one in episodes):
        fail(work, f"returned {episodes!r}, expected a list of dictionaries with kind and detail")
    return [folded(one.get("kind"), one.get("detail")) for one in episodes]


def folded(*texts: object) -> tuple[str, ...]:
    """Put texts on one line each: whoever stores them so, that none opens a section, has lost nothing."""
    return tuple(" ".join(str(text).split()) for text in texts)


def declined(answer: object) -> bool:
    """Tell whether a call was refused, by a ValueError."""
    return isinstance(answer, Raised) and answer.is_refusal


def prompt(work: LearnerFile, task: str, *budget: int) -> str:
    """Assemble a prompt. Raises CheckFailed where it is no text."""
    text = work.call("assemble", task, *budget)
    if not isinstance(text, str):
        fail(work, f"returned {text!r}, expected the prompt as one text")
    return text


def todo_of(work: LearnerFile, call: str) -> list[str]:
    """Give the open to-dos of `working`, as they are after a call."""
    working = work.get("working")
    if not isinstance(working, dict):
        raise CheckFailed(f"after {call} working is {working!r}, expected a dictionary with task and todo")
    todo = working.get("todo") or []
    if not isinstance(todo, list):
        raise CheckFailed(f"after {call} working['todo'] is {todo!r}, expected a list of the open to-dos")
    return todo


def promotions(work: LearnerFile, **named: int) -> list[Any]:
    """Promote what recurs; give (name, detail, count) of each. Raises CheckFailed where it gives something else."""
    value = work.call("promote_recurring", **named)
    if not isinstance(value, list) or not all(isinstance(one, list) and len(one) == len(PROMOTED) for one in value):
        fail(work, f"returned {value!r}, expected the list of ({', '.join(PROMOTED)}) that were promoted")
    return value


def has(work: LearnerFile, text: str, part: str, what: str) -> None:
    """Ask for a part of a prompt. Raises CheckFailed."""
    if part not in text:
        fail(work, f"gave a prompt without {part!r}, expected {what}")


def lacks(work: LearnerFile, text: str, part: str, why: str) -> None:
    """Ask that a part is not in a prompt. Raises CheckFailed."""
    if part in text:
        fail(work, f"gave a prompt with {part!r}, expected none of it: {why}")


def logged_twice(work: LearnerFile, detail: str) -> None:
    """Log a detail twice, as one does in Build."""
    work.call("log_episode", "note", detail)
    work.call("log_episode", "note", detail)


def crowded(work: LearnerFile, facts: int, letters: int, todo: list[str]) -> None:
    """Begin a folder with more facts about the orchard than a prompt has room for, and a task."""
    work.reset({"mix/rules.md": RULES})
    work.call("set_task", "water the orchard", todo)
    for number in range(facts):
        body = f"Tree {number}: " + "leaf " * (letters // 5) + f"end {number}."
        work.call("write_fact", f"tree-{number}", "a tree of the orchard", body)
    in_brief(work, facts)


def in_brief(work: LearnerFile, count: int) -> None:
    """Tell of the last calls, which are alike, the first alone, and how many more there were."""
    if count > 1:
        work.calls[-count + 1 :] = [f"({count - 1} more like it)"]
