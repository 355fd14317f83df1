"""Finds the files of a memory below a path. Links are not followed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from memlab.audit.entry import Role, Unreadable
from memlab.memory.environment.tree import SKIPPED_FOLDERS

INSTRUCTIONS = frozenset({
    "claude.md", "claude.local.md", "agents.md", "agents.override.md", "gemini.md", "copilot-instructions.md",
    ".cursorrules", ".windsurfrules", ".clinerules", "rules.md", "conventions.md",
})  # fmt: skip
"""Names of files that are loaded as instructions, in lower case."""
_RULE_FOLDERS = (".cursor/rules/", ".claude/rules/", ".github/instructions/", ".windsurf/rules/")
NOTES = frozenset({".md", ".mdc", ".txt", ".xml", ""})
RECORDS = frozenset({".json", ".jsonl", ".db", ".sqlite", ".sqlite3"})
LARGEST = 64_000_000
"""Bytes: a larger file is not read."""
MOST_FILES = 20_000


def role_of(place: str) -> Role | None:
    """Return the role of a file by its path; None if it can be no part of a memory."""
    name, suffix = os.path.basename(place).lower(), os.path.splitext(place)[1].lower()  # noqa: PTH119, PTH122 - a str
    if name in INSTRUCTIONS or any(folder in f"/{place}" for folder in _RULE_FOLDERS):
        return "instructions"
    if suffix in RECORDS:
        return "records"
    return "notes" if suffix in NOTES else None


def memory_files(path: Path, unreadable: list[Unreadable]) -> Iterator[tuple[Path, str, Role]]:
    """Yield each file of a memory with its path relative to the given one, and its role.

    The memory of a repository (a folder with `.git`) is its instruction files, that of another folder all its files. A
    file that is left out is added to `unreadable`.
    """
    if path.is_file():
        yield path, path.name, role_of(path.name) or "notes"
        return
    only_instructions = (path / ".git").exists()
    for number, file in enumerate(_walk(path)):
        place = file.relative_to(path).as_posix()
        if number >= MOST_FILES:
            unreadable.append(Unreadable(place, f"the folder has more than {MOST_FILES:,} files"))
            return
        role = role_of(place)
        if role is None or (only_instructions and role != "instructions"):
            continue
        if why := _why_not(file):
            unreadable.append(Unreadable(place, why))
        else:
            yield file, place, role


def _why_not(file: Path) -> str:
    if file.is_symlink():
        return "it is a link, and links are not followed"
    if not file.is_file():
        return "it is no regular file"
    if file.stat().st_size > LARGEST:
        return f"it has more than {LARGEST:,} bytes"
    return ""


def _walk(folder: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in SKIPPED_FOLDERS)
        yield from (Path(place) / name for name in sorted(files))
