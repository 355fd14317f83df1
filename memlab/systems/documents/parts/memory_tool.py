"""The six commands of Anthropic's memory tool over a folder of text files, with the answers that its handlers give."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Protocol

ROOT = "/memories"
"""The path that the tool's commands begin with."""
_LEAF = re.compile(r"[a-z0-9][a-z0-9-]{0,63}(?:\.md)?")


class MemoryCommands(Protocol):
    """The commands that a scripted agent uses, and what it reads."""

    def names(self) -> list[str]:
        """Return the paths of all files, sorted."""

    def read(self, path: str) -> str:
        """Return a file's text, "" if there is none."""

    def view(self, path: str) -> str:
        """Return the list of files, or a file with numbered lines."""

    def create(self, path: str, text: str) -> str:
        """Write a new file."""

    def str_replace(self, path: str, old: str, new: str) -> str:
        """Replace a text that occurs once in a file."""

    def delete(self, path: str) -> str:
        """Delete a file."""


class MemoryTool:
    """Files in one flat folder. A path that leaves it is answered with an error, like every other mistake."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._folder.mkdir(exist_ok=True)

    def names(self) -> list[str]:
        """Return the paths of all files, sorted."""
        return sorted(f"{ROOT}/{path.name}" for path in self._folder.iterdir())

    def read(self, path: str) -> str:
        """Return a file's text, "" if there is none."""
        file = self._file(path)
        return file.read_text(encoding="utf-8") if file and file.is_file() else ""

    def view(self, path: str) -> str:
        """Return the list of files, or a file with numbered lines."""
        if path.rstrip("/") == ROOT:
            title = f"Here're the files and directories up to 2 levels deep in {ROOT}:"
            return "\n".join([title, ROOT, *self.names()])
        if not self.read(path):
            return _missing(path)
        lines = self.read(path).splitlines()
        numbered = (f"{number:6}\t{line}" for number, line in enumerate(lines, start=1))
        return "\n".join([f"Here's the content of {path} with line numbers:", *numbered])

    def create(self, path: str, text: str) -> str:
        """Write a new file."""
        file = self._file(path)
        if file is None:
            return _missing(path)
        if file.exists():
            return f"Error: File {path} already exists"
        self._write(file, text)
        return f"File created successfully at: {path}"

    def str_replace(self, path: str, old: str, new: str) -> str:
        """Replace a text that occurs once in a file."""
        file, text = self._file(path), self.read(path)
        if file is None or not text:
            return f"Error: {_missing(path)}"
        if not old or old not in text:
            return f"No replacement was performed, old_str `{old}` did not appear verbatim in {path}."
        if text.count(old) > 1:
            numbers = [number for number, line in enumerate(text.splitlines(), start=1) if old in line]
            return (
                f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {numbers}. "
                "Please ensure it is unique"
            )
        self._write(file, text.replace(old, new))
        return "The memory file has been edited."

    def insert(self, path: str, line: int, text: str) -> str:
        """Insert a text after a line of a file; 0 is its beginning."""
        file, lines = self._file(path), self.read(path).splitlines()
        if file is None or not lines:
            return f"Error: The path {path} does not exist"
        if not 0 <= line <= len(lines):
            limits = [0, len(lines)]
            return (
                f"Error: Invalid `insert_line` parameter: {line}. "
                f"It should be within the range of lines of the file: {limits}"
            )
        self._write(file, "\n".join([*lines[:line], text, *lines[line:]]) + "\n")
        return f"The file {path} has been edited."

    def delete(self, path: str) -> str:
        """Delete a file."""
        file = self._file(path)
        if file is None or not file.exists():
            return f"Error: The path {path} does not exist"
        file.unlink()
        return f"Successfully deleted {path}"

    def rename(self, old_path: str, new_path: str) -> str:
        """Rename a file; an existing one is not overwritten."""
        old, new = self._file(old_path), self._file(new_path)
        if old is None or not old.exists() or new is None:
            return f"Error: The path {old_path} does not exist"
        if new.exists():
            return f"Error: The destination {new_path} already exists"
        old.rename(new)
        return f"Successfully renamed {old_path} to {new_path}"

    def _file(self, path: str) -> Path | None:
        leaf = path.removeprefix(f"{ROOT}/")
        return self._folder / leaf if path.startswith(f"{ROOT}/") and _LEAF.fullmatch(leaf) else None

    def _write(self, file: Path, text: str) -> None:
        file.write_text(text, encoding="utf-8", errors="replace")


def _missing(path: str) -> str:
    return f"The path {path} does not exist. Please provide a valid path."
