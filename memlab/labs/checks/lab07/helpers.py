"""What the checks of Lab 07 share: their registry, test data, and functions that call and read a learner's memory."""

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
SENTENCES = st.lists(st.sampled_from(WORDS) | st.integers(0, 9999).map(str), min_size=2, max_size=7).map(" ".join)
TODO = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6, unique=True)
NUMBERS = ("one", "two", "three", "four")
RULES = "# Rules\n" + "".join(f"- Rule {number} is to water nobody but the trees.\n" for number in NUMBERS)
PROMOTED = ("name", "detail", "count")
RECITE = "[RECITE -> do next] "
HEADINGS = ("[RULES]", "[FACTS]", "[RECENT]", "[WORKING]", "[RECITE -> do next]")


def read_facts(file: LearnerFile) -> dict[str, Fact]:
    """Return the facts of mix/facts.json by name. Raises CheckFailed if the file has another shape."""
    held = file.read(FACTS)
    if held is None:
        fail(file, f"left no file {FACTS}, expected the facts in it")
    try:
        facts = json.loads(held)
    except (ValueError, RecursionError):
        fail(file, "left a mix/facts.json that is not JSON, expected the facts by name")
    found = {name: fact for name, fact in facts.items() if isinstance(fact, dict)} if isinstance(facts, dict) else {}
    if not found and facts != {}:
        fail(file, "left a mix/facts.json of another shape, expected {name: {description: ..., body: ...}}")
    return found


def fact_bodies(file: LearnerFile) -> list[object]:
    """Return the bodies in mix/facts.json; [] if there is no such file."""
    return [fact.get("body") for fact in read_facts(file).values()] if file.read(FACTS) is not None else []


def read_everything(file: LearnerFile) -> list[str]:
    """Return the text of every file under mix/, a database decoded as far as possible."""
    return [file.read_text(path) or "" for path in file.list_files("mix")]


def replay_episodes(file: LearnerFile) -> list[tuple[str, ...]]:
    """Return kind and detail of every episode, on one line each. Raises CheckFailed for another shape."""
    episodes = file.call("episodes")
    if not isinstance(episodes, list) or not all(isinstance(episode, dict) for episode in episodes):
        fail(file, f"returned {episodes!r}, expected a list of dictionaries with kind and detail")
    return [on_one_line(episode.get("kind"), episode.get("detail")) for episode in episodes]


def on_one_line(*texts: object) -> tuple[str, ...]:
    """Return each text on one line: a store may join lines so that none opens a section."""
    return tuple(" ".join(str(text).split()) for text in texts)


def assemble_prompt(file: LearnerFile, task: str, *budget: int) -> str:
    """Call assemble and return the prompt. Raises CheckFailed if it is not a string."""
    text = file.call("assemble", task, *budget)
    if not isinstance(text, str):
        fail(file, f"returned {text!r}, expected the prompt as a string")
    return text


def read_todo(file: LearnerFile, call: str) -> list[str]:
    """Return the open to-dos in `working`; `call` is for the message."""
    working = file.get("working")
    if not isinstance(working, dict):
        raise CheckFailed(f"after {call} working is {working!r}, expected a dictionary with task and todo")
    todo = working.get("todo") or []
    if not isinstance(todo, list):
        raise CheckFailed(f"after {call} working['todo'] is {todo!r}, expected a list of the open to-dos")
    return todo


def promote(file: LearnerFile, **named: int) -> list[Any]:
    """Call promote_recurring and return (name, detail, count) of each. Raises CheckFailed for another shape."""
    value = file.call("promote_recurring", **named)
    if not isinstance(value, list) or not all(isinstance(row, list) and len(row) == len(PROMOTED) for row in value):
        fail(file, f"returned {value!r}, expected the list of ({', '.join(PROMOTED)}) of each promoted detail")
    return value


def expect_part(file: LearnerFile, text: str, part: str, what: str) -> None:
    """Raise CheckFailed if a prompt does not contain a part."""
    if part not in text:
        fail(file, f"returned a prompt without {part!r}, expected {what}")


def expect_no_part(file: LearnerFile, text: str, part: str, why: str) -> None:
    """Raise CheckFailed if a prompt contains a part."""
    if part in text:
        fail(file, f"returned a prompt with {part!r}, expected a prompt without it: {why}")


def log_twice(file: LearnerFile, detail: str) -> None:
    """Log a detail twice, without a source or a session."""
    file.call("log_episode", "note", detail)
    file.call("log_episode", "note", detail)


def fill_folder(file: LearnerFile, facts: int, letters: int, todo: list[str]) -> None:
    """Start a folder with a task and facts about the orchard, more than fit into a prompt."""
    file.reset({"mix/rules.md": RULES})
    file.call("set_task", "water the orchard", todo)
    for number in range(facts):
        body = f"Tree {number}: " + "leaf " * (letters // 5) + f"end {number}."
        file.call("write_fact", f"tree-{number}", "a tree of the orchard", body)
    shorten_calls(file, facts)


def shorten_calls(file: LearnerFile, count: int) -> None:
    """Replace all but the first of the last similar calls by their number."""
    if count > 1:
        file.calls[-count + 1 :] = [f"({count - 1} more like it)"]


def start(file: LearnerFile, *names: str) -> None:
    """Start in an empty folder. Raises CheckFailed if one of these methods has no source= and session=."""
    file.reset()
    for name in names:
        for parameter in ("source", "session"):
            if not file.has_parameter(name, parameter):
                raise CheckFailed(f'{name} takes no {parameter}=, expected keyword-only source="user" and session=None')


def log(file: LearnerFile, detail: str, *sessions: str, source: str = "user") -> None:
    """Log a detail once in each of these sessions."""
    for session in sessions:
        file.call("log_episode", "note", detail, source=source, session=session)


def try_call(file: LearnerFile, name: str, *args: object, source: str) -> None:
    """Call a method that may refuse by a ValueError. Raises CheckFailed for any other error."""
    answer = file.attempt(name, *args, source=source)
    if isinstance(answer, Raised) and not answer.is_refusal:
        fail(file, f"raised {answer.type}: {answer.message}, expected no effect, or a ValueError")


def write(file: LearnerFile, body: str, source: str) -> None:
    """Write a fact about the harbour, which may be refused."""
    try_call(file, "write_fact", "harbour", "about the harbour", body, source=source)


def is_promoted(file: LearnerFile, detail: str) -> bool:
    """Call promote_recurring; True if the detail is a fact afterwards."""
    file.call("promote_recurring")
    return detail in fact_bodies(file)
