"""The description of one system that can be compared."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

from memlab.extras import is_installed, require
from memlab.terms import Build

Group = Literal[
    "reference", "encoders", "bucket", "lab", "products", "documents", "forgetting", "ablation", "degenerate", "yours"
]
COMPARED: frozenset[Group] = frozenset({"reference", "encoders", "bucket", "lab", "products", "yours"})
"""The groups to compare; ablations explain the reference, degenerate systems check the harness."""


class UnknownSystem(ValueError):
    """No system has that name, entry point, file or class; the message lists the valid ones."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A named way to build a memory system.

    `about` is one sentence. With `sees_key`, the runner calls `system.hand(key)` before each probe; only the oracle has
    it. With `child`, the system runs in a child process and has `close()`. `modules` are what it imports of others, and
    memlab's `extra` installs them. `document` is the number of the document that describes the system, such as 004.
    """

    name: str
    about: str
    group: Group
    build: Build
    sees_key: bool = False
    child: bool = False
    modules: tuple[str, ...] = ()
    extra: str = ""
    document: str = ""

    def require(self) -> Entry:
        """Return this entry. Raises NotInstalled if a module that it imports is not installed."""
        require(repr(self.name), self.modules, self.extra)
        return self


def installed(entries: Iterable[Entry]) -> list[Entry]:
    """Return the entries whose modules are installed."""
    return [one for one in entries if all(map(is_installed, one.modules))]


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return " Did you mean ...?" with the closest known word, "" if none is close."""
    close = get_close_matches(word, list(known), n=1)
    return f" Did you mean {close[0]!r}?" if close else ""
