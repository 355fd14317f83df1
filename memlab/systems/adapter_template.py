"""Writes the first version of an adapter: a class with all verbs that works, and a test beside it."""

from __future__ import annotations

import keyword
import re
from pathlib import Path

_NAME = re.compile(r"[a-z][a-z0-9_]{0,50}")
ADAPTER = '''"""CLASS for memlab: stores each event as lines of text, and searches them by shared words.

Replace the bodies of the methods by calls of your memory. Compare it with others:

    memlab run recall/first-week NAME.py:CLASS
    memlab compare --systems NAME.py:CLASS,bucket-search --seeds 1
"""

from memlab import Event, Workspace, lines_of


class CLASS:
    """A memory: memlab builds a new object after each restart, which must find in the directory what was stored."""

    # Name what your memory cannot do; its questions are then n/a, and no zero. Possible: recall, assemble, erase.
    # This one keeps no ids. If yours does: when event.kind is erase, remove what it stored of the events whose ids are
    # in event.erases, and of those whose event.derived_from names one of them. Then delete the next line.
    cannot = ("erase",)

    def __init__(self, workspace: Workspace) -> None:
        # The only folder that a sandbox lets you write to. Give it to your memory as its storage.
        self.notes = workspace.directory / "notes.txt"
        self.notes.touch()

    def observe(self, event: Event) -> None:
        """Store an event before this returns: a crash may follow. Any method may be `async def`, close() too."""
        # event.kind is fact, rule, turn, task ...; event.source is user, tool, web ...; event.time is in seconds.
        # A memory with metadata can store them: {"source": event.source, "session": event.session}.
        with self.notes.open("a", encoding="utf-8") as notes:
            notes.writelines(line + "\\n" for line in lines_of(event))

    def recall(self, query: str, k: int = 5) -> list[str]:
        """Return at most k texts that answer a question, the best first; none rather than a wrong one."""
        words = set(query.lower().split())
        lines = self.notes.read_text(encoding="utf-8").splitlines()
        shared = {line: len(words & set(line.lower().split())) for line in lines}
        return sorted((line for line in shared if shared[line]), key=lambda line: -shared[line])[:k]

    def assemble(self, task: str, budget: int) -> str:
        """Return the text of a prompt for a task: at most `budget` tokens of 4 characters. May be left out."""
        return "\\n".join(self.recall(task, 20))[: budget * 4]

    def close(self) -> None:
        """Close files and connections. In a sandbox it is never called: a write must not wait for it."""
'''
TEST = '''"""The least that an adapter does: what was observed is found, after a restart too."""

from pathlib import Path

from memlab import Event, MemorySystem, Workspace
from memlab.systems.in_process import from_callable
from NAME import CLASS


def opened(folder: Path) -> MemorySystem:
    """Build the adapter as memlab does: what is async is awaited, a missing recall or assemble is derived."""
    return from_callable(CLASS).build(Workspace(folder, folder, world=None, clock=lambda: 0.0))


def test_what_was_observed_is_found_after_a_restart(tmp_path: Path) -> None:
    first = opened(tmp_path)
    first.observe(Event("e1", "fact", 0.0, "s1", "user", "The release day is Tuesday.", name="release-day"))
    first.observe(Event("e2", "turn", 1.0, "s1", "user", "Lunch was good."))
    again = opened(tmp_path)  # as after a crash. If your storage locks its files, call first.close() before this
    assert "Tuesday" in str(again.recall("Which day is the release day?", 1))
    assert "Tuesday" in again.assemble("Which day is the release day?", 100)
    assert len(again.assemble("Which day is the release day?", 2)) <= 2 * 4
'''


class BadAdapterName(ValueError):
    """The name cannot be that of a Python module."""


def class_name(name: str) -> str:
    """Return the name of the class in the module `name`: MyMemory of my_memory."""
    return "".join(part.capitalize() for part in name.split("_"))


def write_adapter(name: str, folder: Path) -> tuple[Path, Path]:
    """Write `name.py` and `test_name.py` into a folder; return both paths.

    Raises BadAdapterName, and FileExistsError if one of them exists: then neither is written.
    """
    if not _NAME.fullmatch(name) or keyword.iskeyword(name):
        raise BadAdapterName(
            f"{name!r} is no name for a module: use lower-case letters, digits and _, such as my_memory."
        )
    texts = {folder / f"{name}.py": ADAPTER, folder / f"test_{name}.py": TEST}
    for path in texts:
        if path.exists():
            raise FileExistsError(f"{path} exists and stays as it is. Choose another name, or move it.")
    for path, text in texts.items():
        with path.open("x", encoding="utf-8") as file:
            file.write(text.replace("CLASS", class_name(name)).replace("NAME", name))
    first, second = texts
    return first, second
