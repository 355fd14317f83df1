"""A repository as a World: its paths and targets, and the words that its files contain."""

from __future__ import annotations

import os
import re
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from memlab.memory.environment.live_world import LiveWorld
from memlab.memory.environment.tree import TreeTooLargeError, walk
from memlab.memory.world import Lookup

LARGEST_FILE, MOST_BYTES = 1_000_000, 200_000_000
"""Bytes: larger files are not searched for words, and not more than the second number in all."""
_NAME = re.compile(r"\w_\w|[a-z][A-Z]")  # charge_card, chargeCard: no word of prose
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
        words, left = set[bytes](), MOST_BYTES
        try:
            for place, _, names in walk(str(self.root)):
                for name in names:
                    if place + name not in self.without:
                        content = _read(f"{self.root}/{place}{name}")
                        words.update(_WORD.findall(content))
                        left -= len(content)
                        if left < 0:
                            return None
        except TreeTooLargeError:
            return None
        return frozenset(words)

    def file(self, path: str) -> Lookup:
        """See World.file."""
        return self._tree.file(path)

    def anywhere(self, path: str) -> Lookup:
        """See TreeWorld.anywhere."""
        return self._tree.anywhere(path)

    def target(self, runner: str, name: str) -> Lookup:
        """See TreeWorld.target."""
        return self._tree.target(runner, name)

    def variable(self, name: str) -> Lookup:
        """Return whether a file of the repository contains the name of a variable."""
        return self._named(name)

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
