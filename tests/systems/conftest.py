from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memlab.extras import NotInstalled
from memlab.memory.world import ScriptedWorld
from memlab.systems.child.system import from_path
from memlab.systems.entry import Entry
from memlab.terms import Build, Event, Kind, MemorySystem, Workspace


@pytest.fixture
def world() -> ScriptedWorld:
    return ScriptedWorld()


@pytest.fixture
def workspace(tmp_path: Path, world: ScriptedWorld, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """Set up a workspace as the runner does: the process stands in the world's root."""
    home, root = tmp_path / "home", tmp_path / "root"
    home.mkdir()
    root.mkdir()
    monkeypatch.chdir(root)
    return Workspace(home, root, world, clock=lambda: 5.0)


@pytest.fixture
def installed() -> Callable[[Entry], Entry]:
    """Return a row, or skip the test, with the reason, if a package that the row imports is not installed."""

    def require(row: Entry) -> Entry:
        try:
            return row.require()
        except NotInstalled as absent:
            pytest.skip(str(absent))

    return require


@pytest.fixture
def tell() -> Callable[..., Event]:
    """Make events with running ids and times."""
    made: list[Event] = []

    def event(kind: Kind, text: str = "", *, source: str = "user", session: str = "session-1", **fields: Any) -> Event:  # noqa: ANN401 - any field of Event
        one = Event(f"e{len(made)}", kind, float(len(made)), session, source, text, **fields)
        made.append(one)
        return one

    return event


@pytest.fixture
def submit(tmp_path: Path, workspace: Workspace) -> Iterator[Callable[..., MemorySystem]]:
    """Write a file that defines Mine, and build it in a child process."""
    built: list[Any] = []

    def make(source: str, limit: float = 5.0, name: str = "Mine") -> MemorySystem:
        path = tmp_path / "mine.py"
        path.write_text(source, encoding="utf-8")
        build: Build = from_path(f"{path}:{name}", limit).build
        built.append(build(workspace))
        system: MemorySystem = built[-1]
        return system

    yield make
    for system in built:
        system.close()
