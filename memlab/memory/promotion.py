"""Episodes that recur and hold up become facts. Repetition alone is no evidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memlab.memory import guard
from memlab.memory.episodic import Episode, Episodes
from memlab.memory.orders import gives_orders
from memlab.memory.semantic import Fact, digest, fold
from memlab.memory.trust import NOT_TRUSTED, Provenance
from memlab.memory.world import World

SESSIONS = 2


def promotable(episodes: Episodes, world: World | None, sessions: int = SESSIONS) -> Iterator[Fact]:
    """Yield a fact for every text told in enough sessions by sources that may teach, or that the World confirms.

    What the World refutes, and what gives orders on untrusted say-so, is not lifted. The name is a digest of the text:
    the same in every process. The rank is the least among the tellings that count, and each is named in the lineage.
    """
    for told in episodes.recurring(sessions):
        teachers = [episode for episode in told if episode.rank > NOT_TRUSTED]
        counted = teachers if _sessions(teachers) >= sessions else told
        first = counted[0]
        verdict = guard.verdict(guard.check(first.detail, world)) if world else "unverifiable"
        taught = counted is teachers or (verdict == "confirmed" and not gives_orders(first.detail))
        if taught and verdict != "refuted":
            yield _lifted(counted)


def _lifted(told: Sequence[Episode]) -> Fact:
    first, last, lowest = told[0], told[-1], min(told, key=lambda episode: episode.rank)
    name = f"learned-{digest(fold(first.detail))}"
    lineage = tuple(one.id for one in told)
    origin = Provenance(lowest.origin.source, first.origin.session, last.origin.time, name, lineage)
    seen = f"seen in {_sessions(told)} sessions"
    return Fact(name, first.detail, seen, origin=origin, rank=lowest.rank)


def _sessions(told: Sequence[Episode]) -> int:
    return len({episode.origin.session for episode in told})
