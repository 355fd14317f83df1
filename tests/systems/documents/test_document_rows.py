"""What every row of the documents has in common."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import memlab.systems.documents
from memlab.memory.episode import Run
from memlab.memory.text import Refused
from memlab.systems import registry
from memlab.systems.documents.rows import ENTRIES, MODULES
from memlab.systems.entry import Entry
from memlab.terms import Event, Key, MemorySystem, Workspace

Tell = Callable[..., Event]
FOLDER = Path(memlab.systems.documents.__file__).parent
FILES = sorted(FOLDER.rglob("*.py"))
ROWS = pytest.mark.parametrize("row", ENTRIES, ids=[one.name for one in ENTRIES])
QUERY = "when does the ferry leave for Oban"
KEY = Key(
    *("recall/ferry", "recall", 0, "", "q", "recall", QUERY, 5, 100, ("ferry",), {}, ()),
    claims={"ferry": ("ferry", "nine")},
    texts={"ferry": ("The ferry for Oban leaves at nine.",)},
    rules=(),
    goal="",
    todo=(),
    done=(),
)


def life(tell: Tell) -> Iterator[Event]:
    """Yield events of every kind; the last one ends the task, so that nothing is only in RAM."""
    yield tell("rule", "Answer in two sentences.", name="short")
    yield tell("fact", "The ferry for Oban leaves at nine.", name="ferry", description="when the ferry leaves")
    yield tell("turn", "Remember that the cafe opens at 8 on weekdays.")
    yield tell("turn", "The harbour office always closes at 17:00.", source="agent", session="session-2")
    yield tell("skill", "Cast off, then set the sail.", name="cast-off", description="how to leave", type="sail")
    yield tell("task", "sail to Oban", todo=("cast off", "set the sail"), session="session-2")
    yield tell("tool", "wind: 12 knots from the west\nwaves: 1 metre", name="weather", session="session-2")
    yield tell("done", "cast off", session="session-2")
    run = Run("sail to Oban", tools=("weather",), skills=("cast-off",), result="We sailed to Oban.")
    yield tell("end", "We sailed to Oban.", source="agent", session="session-2", run=run)
    yield tell("compact", session="session-3")


def build(row: Entry, workspace: Workspace) -> MemorySystem:
    system = row.build(workspace)
    if row.sees_key:
        system.hand(KEY)  # type: ignore[attr-defined] # the entry declares this method
    return system


def context(system: MemorySystem, budget: int) -> str:
    try:
        return system.assemble("sail to Oban", budget)
    except Refused:
        return ""


@ROWS
def test_a_restart_after_the_end_of_a_task_changes_no_answer(row: Entry, workspace: Workspace, tell: Tell) -> None:
    first = row.build(workspace)
    for event in life(tell):
        first.observe(event)
    if row.sees_key:
        first.hand(KEY)  # type: ignore[attr-defined] # the entry declares this method
    answers = first.recall(QUERY, 3), context(first, 200)
    second = build(row, workspace)
    assert (second.recall(QUERY, 3), context(second, 200)) == answers
    assert answers[0], "it recalls nothing"


@ROWS
@pytest.mark.parametrize("budget", [0, 1, 7, 30, 100, 1000])
def test_no_context_of_a_document_is_larger_than_its_budget(
    row: Entry, budget: int, workspace: Workspace, tell: Tell
) -> None:
    system = row.build(workspace)
    for event in list(life(tell))[:-2]:
        system.observe(event)
    for number in range(30):
        system.observe(tell("turn", f"Boat {number} always has {number} sails. " * (number % 5 + 1)))
    if row.sees_key:
        system.hand(KEY)  # type: ignore[attr-defined] # the entry declares this method
    assert len(context(system, budget)) <= budget * 4


@ROWS
def test_the_time_comes_from_the_workspace_alone(row: Entry, workspace: Workspace, tell: Tell) -> None:
    def no_clock() -> float:
        return 0.0

    events = list(life(tell))
    other = workspace.directory / "other"
    other.mkdir()
    answers = []
    for place in (workspace, replace(workspace, directory=other)):
        system = row.build(replace(place, clock=no_clock))
        for event in events:
            system.observe(event)
        if row.sees_key:
            system.hand(KEY)  # type: ignore[attr-defined] # the entry declares this method
        answers.append((system.recall(QUERY, 4), context(system, 150)))
    assert answers[0] == answers[1]


@pytest.mark.parametrize("row", [one for one in ENTRIES if one.sees_key], ids=lambda one: one.name)
def test_an_oracle_knows_the_claims_and_not_which_of_them_is_expected(
    row: Entry, workspace: Workspace, tell: Tell
) -> None:
    system: Any = row.build(workspace)
    for event in life(tell):
        system.observe(event)
    system.hand(KEY)
    answers = system.recall(QUERY, 3), context(system, 200)
    system.hand(replace(KEY, expect=(), forbid={"ferry": "trust"}, keep=("ferry",), texts={}, rules=("x",), goal="x"))
    assert (system.recall(QUERY, 3), context(system, 200)) == answers


def test_the_group_is_played_only_if_it_is_named() -> None:
    names = [one.name for one in ENTRIES]
    assert registry.names_of("documents") == names
    assert not set(names) & {one.name for one in registry.default_entries()}
    assert registry.names_of("hybrid") == ["hybrid"]


def test_every_row_has_the_document_that_its_file_and_the_page_of_documents_name() -> None:
    page = (FOLDER.parents[2] / "docs" / "documents.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[?`([a-z-]+)`[^|]*\| (00\d)", page, re.MULTILINE)
    known = {one.name: one.document for one in registry.all_entries()}
    assert len(rows) > 10
    assert {name: known[name] for name, _ in rows if name in known} == {
        name: document for name, document in rows if name in known
    }
    assert all(f"document {number}" in str(module.__doc__) for module, number in MODULES.items())
    groups = {"documents", "forgetting"}
    assert {one.document for one in registry.all_entries() if one.group in groups} == {"000", "001", "003", "004"}


def test_each_description_names_a_document_or_the_row_that_it_varies() -> None:
    about = {one.name: one.about for one in ENTRIES}
    for one in ENTRIES:
        name, seen = one.name, set[str]()
        while not re.search(r"\b00[0-4]\b", about[name]):
            assert name not in seen, one.name
            seen.add(name)
            name = about[name].split(" ")[0]


def test_each_row_with_an_oracle_has_one_without() -> None:
    names = {one.name for one in ENTRIES}
    oracles = {one.name for one in ENTRIES if one.sees_key}
    assert oracles == {name for name in names if name.endswith("+oracle")}
    assert {name.removesuffix("+oracle") for name in oracles} <= names


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_each_number_says_whether_it_is_of_the_document_of_a_paper_or_ours(path: Path) -> None:
    body = ast.parse(path.read_text(encoding="utf-8")).body
    for number, statement in enumerate(body):
        if isinstance(statement, ast.Assign) and _is_number(statement):
            after = body[number + 1] if number + 1 < len(body) else None
            said = after.value if isinstance(after, ast.Expr) else None
            assert isinstance(said, ast.Constant), f"line {statement.lineno} has no docstring"
            assert re.match(r"\[[spm]\] ", str(said.value)), f"line {statement.lineno}: begin with [s], [p] or [m]"


def _is_number(statement: ast.Assign) -> bool:
    names = [name.id for target in statement.targets for name in ast.walk(target) if isinstance(name, ast.Name)]
    constants = [one.value for one in ast.walk(statement.value) if isinstance(one, ast.Constant)]
    numeric = bool(constants) and all(isinstance(one, int | float) for one in constants)
    return numeric and any(name.isupper() and not name.startswith("_") for name in names)


@pytest.mark.parametrize("path", [one for one in FILES if "\nENTRIES = " in one.read_text(encoding="utf-8")])
def test_each_row_names_its_document(path: Path) -> None:
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    assert re.search(r"\(documents? 00[0-4]\b", docstring), path.name
