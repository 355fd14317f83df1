"""Provenance and trust ranks: who said something, and what that source may do (enforced by admission.py)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

RANKS = {"user": 3, "tool": 2, "agent": 1}
UNTRUSTED_SOURCES = frozenset({"web", "document", "import", "other-agent", "unknown"})
"""The untrusted sources that a prompt names; any other is shown as unknown."""
NOT_TRUSTED = 0
AGENT = RANKS["agent"]
USER = RANKS["user"]


@dataclass(frozen=True, slots=True)
class Provenance:
    """The source of a statement, its session and time (seconds since 1970, UTC; 0: now), and the ids it restates.

    `source` is "user" (rank 3), "tool" (2), "agent" (1), or any other word, which is untrusted (0): "web", "document",
    "import", "other-agent". Content that a tool fetched from outside is "web", or derived from it.
    An empty `id` is replaced by a digest. `quote` is the original passage, word for word.
    """

    source: str = "user"
    session: str = ""
    time: float = 0.0
    id: str = ""
    derived_from: tuple[str, ...] = ()
    quote: str = ""


BY_USER = Provenance()


def rank(source: str) -> int:
    """Return the rank of a source: user 3, tool 2, agent 1, any other 0 (untrusted)."""
    return RANKS.get(source, NOT_TRUSTED)


def untrusted_note(source: str) -> str:
    """Return the note on a memory of rank 0, from this source."""
    return f"{source} restates what is not trusted" if source in RANKS else f"{source} is not trusted"


def lowest_rank(ranks: Iterable[int]) -> int:
    """Return the lowest rank of a lineage, 0 if it is empty: a web page quoted by a tool stays untrusted."""
    return min(ranks, default=NOT_TRUSTED)


def may_replace(new: int, old: int) -> bool:
    """Return whether a statement of rank `new` supersedes one of rank `old` on the same subject."""
    return new >= old
