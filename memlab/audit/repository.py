"""A repository as a World: its paths and targets, and the words that its files contain."""

from __future__ import annotations

import os
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from memlab.memory.environment.live_world import LiveWorld
from memlab.memory.environment.tree import Folder, TreeTooLargeError, walk
from memlab.memory.heuristics.references import ENDING
from memlab.memory.world import Lookup

LARGEST_FILE, MOST_BYTES = 1_000_000, 200_000_000
"""Bytes: larger files are not searched for words, and not more than the second number in all."""
_NAME = re.compile(r"\w_\w|[a-z][A-Z]")  # charge_card, chargeCard: no word of prose
_FILE_NAME = re.compile(rb"(?<![\w./-])\.?[\w-]+(?:\.[\w-]+)+(?![\w/])")
_FILE = re.compile(rf"\.{ENDING}$")
_ATTRIBUTE = re.compile(r"[a-z_-]+\.(?:key|log|env)(?:\.\w+)?")  # item.key, process.env.HOME
_DOCUMENTS = (".md", ".mdc", ".rst", ".txt")
_WORD = re.compile(rb"--[A-Za-z][\w-]*|[A-Za-z_]\w*")


@dataclass(frozen=True)
class Repository:
    """The World of an audit. `without` are paths of the audited files: their own words prove nothing.

    A variable, a symbol or a flag of a script is absent if no other file contains its name. Nothing is run.
    """

    root: Path
    without: Collection[str] = field(default=(), repr=False)

    @cached_property
    def _tree(self) -> LiveWorld:
        return LiveWorld(self.root, env={})

    @cached_property
    def _words(self) -> frozenset[bytes] | None:
        """The words of all files; None if the tree is too large to read."""
        return self._found(_WORD)

    @cached_property
    def _file_names(self) -> frozenset[bytes]:
        """The file names in the text of all files but documentation; none if the tree is too large to read."""
        return self._found(_FILE_NAME, _DOCUMENTS) or frozenset()

    @cached_property
    def _folders(self) -> tuple[Folder, ...]:
        """The folders of the tree; none if it is too large."""
        try:
            return tuple(walk(str(self.root)))
        except TreeTooLargeError:
            return ()

    def _found(self, pattern: re.Pattern[bytes], besides: tuple[str, ...] = ()) -> frozenset[bytes] | None:
        """Return what a pattern finds in the files, but for names with these endings; None if they are too large."""
        found, left = set[bytes](), MOST_BYTES if self._folders else 0
        for place, _, names in self._folders:
            for name in names:
                if place + name in self.without or name.endswith(besides):
                    continue
                content = _read(f"{self.root}/{place}{name}")
                found.update(pattern.findall(content))
                left -= len(content)
                if left < 0:
                    return None
        return frozenset(found) if left else None

    def file(self, path: str) -> Lookup:
        """See World.file."""
        return self._tree.file(path)

    def anywhere(self, path: str) -> Lookup:
        """See TreeWorld.anywhere. A name that may be no path of this repository is unknown, not absent."""
        found = self._tree.anywhere(path, self._folders)
        doubt = self._doubt(path) if found.presence == "absent" else ""
        return Lookup("unknown", reason=doubt) if doubt else found

    def _doubt(self, path: str) -> str:
        """Return why a name that is not in the tree may be no path, or one that is made at run time; else ""."""
        if "/" not in path:
            if _ATTRIBUTE.fullmatch(path):
                return f"{path} may be an attribute of an object"
            return f"another file names {path}, which may be made later" if path.encode() in self._file_names else ""
        if path.endswith("/") or _FILE.search(path):
            return ""
        first, *others = (self.file(part).presence == "present" for part in path.split("/"))
        return "" if first and not all(others) else f"{path} may be a list of alternatives"

    def target(self, runner: str, name: str) -> Lookup:
        """See TreeWorld.target."""
        return self._tree.target(runner, name)

    def variable(self, name: str) -> Lookup:
        """Return whether a file of the repository contains the name of a variable, or of a setting that it may set.

        APP_MAX_RETRIES may set a field `max_retries`: the prefix is often declared once for all fields.
        """
        parts = name.lower().split("_")
        fields = {"_".join(parts[start:]).encode() for start in range(len(parts) - 1)}
        return Lookup("present") if fields & (self._words or frozenset()) else self._named(name)

    def symbol(self, name: str) -> Lookup:
        """Return whether a file contains the last part of a symbol's name, such as `charge` of `billing.charge`."""
        last = name.rpartition(".")[2]
        return self._named(last) if _NAME.search(last) else Lookup("unknown", reason=f"{last} may be a word")

    def flag(self, command: str, flag: str) -> Lookup:
        """Return whether a script contains a flag, if the command is a file of the repository; else unknown."""
        content = _read(f"{self.root}/{command}") if self.file(command).presence == "present" else b""
        if not content:
            return Lookup("unknown", reason=f"{command or 'the command'} is no script of the repository")
        return Lookup("present") if flag.encode() in _WORD.findall(content) else self._named(flag)

    def _named(self, name: str) -> Lookup:
        if self._words is None:
            return Lookup("unknown", reason="the repository is too large to search")
        return Lookup("present") if name.encode() in self._words else Lookup("absent")


def _read(path: str) -> bytes:
    """Return the content of a text file; nothing if it is large, binary or cannot be read."""
    try:
        if os.stat(path).st_size > LARGEST_FILE:  # noqa: PTH116 - called for every file of a repository
            return b""
        with open(path, "rb") as file:  # noqa: PTH123 - likewise
            content = file.read()
    except OSError:
        return b""
    return b"" if b"\0" in content[:1024] else content
