"""A log of beats of a lamp, for the tests of the episodes and of their index."""

from __future__ import annotations

from memlab.memory.episode import Episode
from memlab.memory.episodes import Episodes
from memlab.memory.trust import Provenance


def make_episode(n: int, detail: str = "", **origin: object) -> Episode:
    """Make the n-th episode of a log, in session s<n // 10>."""
    fields = {"source": "tool", "session": f"s{n // 10}", "time": 1000.0 + n, "id": f"id{n}"} | origin
    return Episode("log", detail or f"beat {n} of the lamp", Provenance(**fields), 2)  # type: ignore[arg-type]


def fill(log: Episodes, *several: Episode) -> None:
    for one in several:
        log.append(one)
