"""The reference memory as Anthropic's memory tool, a class of the official SDK: the extra `memlab[anthropic]`."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import TypeVar, get_args

from pydantic import ValidationError

from memlab.extras import NotInstalled
from memlab.memory import Fact, MemoryMix, Provenance, Refused
from memlab.memory.text import digest
from memlab.memory.trust import rank
from memlab.serving.memory_thread import MemoryThread
from memlab.serving.tools import CALL_LIMIT, require_small, wrong_arguments

try:
    from anthropic.lib.tools import BetaAbstractMemoryTool, ToolError
    from anthropic.types.beta import (
        BetaMemoryTool20250818Command,
        BetaMemoryTool20250818CreateCommand,
        BetaMemoryTool20250818DeleteCommand,
        BetaMemoryTool20250818InsertCommand,
        BetaMemoryTool20250818RenameCommand,
        BetaMemoryTool20250818StrReplaceCommand,
        BetaMemoryTool20250818ViewCommand,
    )
except ModuleNotFoundError:
    raise NotInstalled("the memory tool", "anthropic", "anthropic") from None

T = TypeVar("T")
ROOT = "/memories"
FILE = "memory-file"
"""The type of the facts that are files: their description is the path, their body the text."""
LEVELS = 2
LONGEST_PATH = 1_000
COMMANDS: Mapping[str, type[BetaMemoryTool20250818Command]] = {
    get_args(one.model_fields["command"].annotation)[0]: one
    for one in (
        BetaMemoryTool20250818ViewCommand,
        BetaMemoryTool20250818CreateCommand,
        BetaMemoryTool20250818StrReplaceCommand,
        BetaMemoryTool20250818InsertCommand,
        BetaMemoryTool20250818DeleteCommand,
        BetaMemoryTool20250818RenameCommand,
    )
}


class MemlabMemoryTool(BetaAbstractMemoryTool):
    """A memory tool whose files are facts of a MemoryMix: with versions, provenance and erasure.

    What `recall` and `assemble` of the same directory serve includes these files. Every write has the source `source`;
    a file of a higher rank, such as the user's, can be read but not changed. Raises ToolError, with one sentence.
    """

    def __init__(
        self, directory: Path | str, *, source: str = "agent", session: str = "", call_limit: int = CALL_LIMIT
    ) -> None:
        super().__init__()
        self._origin = Provenance(source, session)
        self._call_limit = call_limit
        self._thread = MemoryThread(lambda: MemoryMix(directory))

    def close(self) -> None:
        """Close the memory's files."""
        self._thread.close()

    def call(self, input: object) -> str:  # noqa: A002 - the name in the official class
        """Carry out the input of a `tool_use` block."""
        command = input.get("command") if isinstance(input, Mapping) else None
        if not isinstance(input, Mapping) or not isinstance(command, str) or command not in COMMANDS:
            raise ToolError(f"memory: give an object with a path and a command, one of {', '.join(COMMANDS)}")
        try:
            require_small("memory", input, self._call_limit)
            return self.execute(COMMANDS[command].model_validate(input))
        except Refused as refused:
            raise ToolError(str(refused)) from None
        except ValidationError as wrong:
            raise ToolError(f"memory: {wrong_arguments(wrong)}") from None

    def execute(self, command: BetaMemoryTool20250818Command) -> str:
        """Carry out a command; no other process writes in between."""
        run = super().execute
        try:
            return self._do(lambda mix: _alone(mix, run, command))
        except (Refused, OSError, sqlite3.Error) as problem:
            raise ToolError(str(problem)) from None

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """Return a file with line numbers, or the files and folders below a folder."""
        path = _checked(command.path)
        files = self._do(_files)
        if path not in files:
            return _list(path, files)
        lines = files[path].body.split("\n")
        view_range = command.view_range or [1, -1]
        if len(view_range) != 2:  # noqa: PLR2004 - the first and the last line
            raise ToolError(f"view_range {view_range}: give the first and the last line, -1 for the end")
        first, last = max(view_range[0], 1), view_range[1]
        shown = lines[first - 1 : None if last == -1 else last]
        return f"Here's the content of {path} with line numbers:\n{_numbered(shown, first)}"

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Create a file."""
        path = _checked(command.path)
        files = self._do(_files)
        if path in files:
            raise ToolError(f"File {path} already exists")
        self._require_free(path, files)
        self._write(path, command.file_text)
        return f"File created successfully at: {path}"

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace a text that a file has once."""
        path, fact = self._file(command.path)
        count = fact.body.count(command.old_str) if command.old_str else 0
        if count != 1:
            raise ToolError(
                f"No replacement was performed: {path} has old_str `{command.old_str}` {count} times, not once"
            )
        line = fact.body[: fact.body.index(command.old_str)].count("\n")
        text = fact.body.replace(command.old_str, command.new_str)
        self._write(path, text, fact)
        first = max(0, line - 2)
        snippet = _numbered(text.split("\n")[first : line + 3], first + 1)
        edited = "The memory file has been edited. Here is the snippet showing the change (with line numbers):"
        return f"{edited}\n{snippet}"

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Insert text after a line, 0 for the beginning."""
        path, fact = self._file(command.path)
        lines = fact.body.removesuffix("\n").split("\n") if fact.body else []
        if not 0 <= command.insert_line <= len(lines):
            wrong = f"Invalid `insert_line` parameter: {command.insert_line}."
            raise ToolError(f"{wrong} It should be within the range [0, {len(lines)}].")
        lines.insert(command.insert_line, command.insert_text.rstrip("\n"))
        self._write(path, "\n".join(lines) + "\n", fact)
        return f"The file {path} has been edited."

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Erase a file or a folder, with all its versions."""
        path = _checked(command.path)
        if path == ROOT:
            raise ToolError(f"Cannot delete the {ROOT} directory itself")
        self._erase(self._below(path))
        return f"Successfully deleted {path}"

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Move a file or a folder."""
        old, new = _checked(command.old_path), _checked(command.new_path)
        if old == ROOT:
            raise ToolError(f"Cannot rename the {ROOT} directory itself")
        if _is_below(new, old):
            raise ToolError(f"Cannot move {old} into itself")
        moved, files = self._below(old), self._do(_files)
        if any(_is_below(path, new) for path in files):
            raise ToolError(f"The destination {new} already exists")
        self._require_free(new, files)
        for path, fact in moved.items():
            self._require_own(path, fact)
        for path, fact in moved.items():
            self._write(new + path.removeprefix(old), fact.body)
        self._erase(moved)
        return f"Successfully renamed {old} to {new}"

    def clear_all_memory(self) -> str:
        """Erase all files."""
        self._erase(self._do(_files))
        return "All memory cleared"

    def _do(self, call: Callable[[MemoryMix], T]) -> T:
        return self._thread.run(call)

    def _file(self, given: str) -> tuple[str, Fact]:
        path = _checked(given)
        fact = self._do(_files).get(path)
        if fact is None:
            raise ToolError(f"The path {path} does not exist. Please provide a valid path.")
        return path, fact

    def _below(self, path: str) -> dict[str, Fact]:
        found = {place: fact for place, fact in self._do(_files).items() if _is_below(place, path)}
        if not found:
            raise ToolError(f"The path {path} does not exist")
        return found

    def _require_own(self, path: str, fact: Fact) -> None:
        if fact.rank > rank(self._origin.source):
            raise ToolError(f"{path} was written by {fact.origin.source}: ask them to change it")

    def _require_free(self, path: str, files: Mapping[str, Fact]) -> None:
        """Raise ToolError if a path is a folder, or a file is where it needs a folder."""
        clash = next((one for one in files if _is_below(one, path) or _is_below(path, one)), None)
        if clash or path == ROOT:
            raise ToolError(f"{path} cannot be a file: {clash or ROOT} is there already")

    def _write(self, path: str, text: str, old: Fact | None = None) -> None:
        if old is not None:
            self._require_own(path, old)
        self._do(lambda mix: mix.write_fact(_name(path), path, text, type=FILE, origin=self._origin))

    def _erase(self, files: Mapping[str, Fact]) -> None:
        def erase(mix: MemoryMix) -> set[str]:
            ids = [one.id for path in files for one in mix.facts.history(_name(path))]
            return mix.erase(ids, self._origin)

        self._do(erase)


def _alone(
    mix: MemoryMix, run: Callable[[BetaMemoryTool20250818Command], object], command: BetaMemoryTool20250818Command
) -> str:
    with nullcontext() if command.command == "view" else mix.episodes.exclusive():
        return str(run(command))


def _files(mix: MemoryMix) -> dict[str, Fact]:
    """Return the files by path; of two current statements about one, the one of higher rank."""
    facts = sorted(mix.facts.of_type(FILE), key=lambda fact: fact.rank)
    return {fact.description: fact for fact in facts}


def _name(path: str) -> str:
    return f"file-{digest(path)}"


def _checked(path: str) -> str:
    """Return a path without a slash at its end. Raises ToolError unless it is /memories or inside it.

    A test for the prefix alone would take /memories-evil for a place inside.
    """
    top, *parts = path.removeprefix("/").removesuffix("/").split("/")
    if not path.startswith("/") or f"/{top}" != ROOT:
        raise ToolError(f"Path must be {ROOT} or start with {ROOT}/, got: {path[:LONGEST_PATH]!r}")
    if any(part in {"", ".", ".."} or not part.isprintable() or "\\" in part for part in parts):
        raise ToolError(f"Path {path[:LONGEST_PATH]!r} has a part that is empty, `.`, `..` or not printable")
    if len(path) > LONGEST_PATH:
        raise ToolError(f"Path {path[:60]!r}... has {len(path):,} characters; a path has at most {LONGEST_PATH:,}")
    return "/".join(["", top, *parts])


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


def _list(folder: str, files: Mapping[str, Fact]) -> str:
    """Return the listing of a folder in the form of the official tool. Raises ToolError if nothing is in it."""
    sizes: dict[str, int] = {}
    for path, fact in files.items():
        if _is_below(path, folder):
            parts = path.removeprefix(folder).split("/")[1:]
            for depth in range(min(len(parts), LEVELS) + 1):
                end = "/" if 0 < depth < len(parts) else ""
                place = "/".join([folder, *parts[:depth]]) + end
                sizes[place] = sizes.get(place, 0) + len(fact.body.encode("utf-8"))
    if not sizes and folder != ROOT:
        raise ToolError(f"The path {folder} does not exist. Please provide a valid path.")
    header = f"Here're the files and directories up to {LEVELS} levels deep in {folder}, excluding hidden items:"
    lines = [f"{_size(size)}\t{place}" for place, size in sorted((sizes or {folder: 0}).items())]
    return "\n".join([header, *lines])


def _size(size: float) -> str:
    for unit in "BKM":
        if size < 1024:  # noqa: PLR2004 - the next unit
            return f"{size:.1f}{unit}".replace(".0", "")
        size /= 1024
    return f"{size:.1f}G"


def _numbered(lines: list[str], first: int) -> str:
    return "\n".join(f"{number:>6}\t{line}" for number, line in enumerate(lines, first))
