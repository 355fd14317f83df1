"""Finds the files in the folders of a user's code that a sandboxed system must not see."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from memlab.systems.entry import UnknownSystem

PACKAGE = Path(__file__).resolve().parents[2]
MOST_ENTRIES = 50_000
"""Files and folders beside a system; more are not looked through."""
RESULTS = frozenset(
    {"results.jsonl", "previous.jsonl", ".results.jsonl.new", "report.html", "junit.xml", "printed.txt"}
)
"""Files of a run: they hold answer keys, what was expected, or what a system printed."""
OF_A_CHECKOUT = ("scenarios", "labs", "evals", "tests", "notebooks", "docs", "build", "dist")
"""Folders of memlab's repository that hold scenarios or their answers."""
FIRST_BYTES = 2**16


def is_checkout(folder: str) -> bool:
    """Return whether a folder is a copy of memlab's repository."""
    return Path(folder, "memlab", "terms.py").is_file()


def secrets_of(folder: str) -> list[str]:
    """Return what in a folder may hold answers: runs, scenarios, hidden folders such as .git, memlab's own checkout.

    Raises UnknownSystem if the folder has too many files to look through.
    """
    return list(_secrets(folder))


def _secrets(top: str) -> Iterator[str]:
    folders, entries = [top], 0
    while folders:
        folder = folders.pop()
        if is_checkout(folder):
            yield from (str(Path(folder, name)) for name in OF_A_CHECKOUT)
            yield str(Path(folder, "memlab", "data"))
        for entry in _entries(folder):
            entries += 1
            if entries > MOST_ENTRIES:
                raise UnknownSystem(
                    f"{top} has more than {MOST_ENTRIES:,} files, which would all be visible to the system. Move the "
                    "system into a folder of its own, or take that folder out of PYTHONPATH."
                )
            if _is_secret(entry):
                yield entry.path
            elif entry.is_dir(follow_symlinks=False) and entry.name != "node_modules":
                folders.append(entry.path)


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return sorted(found, key=lambda entry: entry.name)
    except OSError:  # what we cannot read, the system cannot read
        return []


def _is_secret(entry: os.DirEntry[str]) -> bool:
    if entry.is_symlink():  # its target is visible only if it is readable by itself
        return False
    if entry.is_dir():
        return entry.name.startswith(".")
    return entry.name in RESULTS or (entry.name.endswith((".yaml", ".yml")) and _is_scenario(Path(entry.path)))


def _is_scenario(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            text = b"\n" + file.read(FIRST_BYTES)
    except OSError:
        return False
    return b"\ntimeline:" in text or b"\nprobes:" in text
