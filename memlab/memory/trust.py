"""Who may teach what: provenance, ranks, and the rights that follow from them (the gate itself is admission.py)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

RANKS = {"user": 3, "tool": 2, "agent": 1}
UNTRUSTED = frozenset({"web", "document", "import", "other-agent", "unknown"})
NOT_TRUSTED = 0
AGENT = RANKS["agent"]
USER = RANKS["user"]


@dataclass(frozen=True, slots=True)
class Provenance:
    """Who says a thing, in which session, when (seconds since 1970, UTC; 0: now), and which ids it restates.

    `source` is "user" (rank 3), "tool" (2), "agent" (1), or any other word, which nobody vouches for (0): "web",
    "document", "import", "other-agent". What a tool has fetched from outside is "web", or restates what is.
    An empty `id` is replaced by a digest of what was said and when. `quote` is the passage that a statement was
    distilled from, word for word.
    """

    source: str = "user"
    session: str = ""
    time: float = 0.0
    id: str = ""
    derived_from: tuple[str, ...] = ()
    quote: str = ""


def rank(source: str) -> int:
    """Rank a source: user 3, tool 2, agent 1; everything else, known or not, is untrusted: 0."""
    return RANKS.get(source, NOT_TRUSTED)


def lowest_rank(ranks: Iterable[int]) -> int:
    """Rank a memory as the least along its lineage: a web page quoted by a tool stays a web page; of nothing, 0."""
    return min(ranks, default=NOT_TRUSTED)


def may_replace(new: int, old: int) -> bool:
    """Tell whether a statement of rank `new` supersedes one of rank `old` on the same subject."""
    return new >= old


def never_replaces(_new: int, _old: int) -> bool:
    """Tell the same for a store without versions: no statement supersedes another."""
    return False
