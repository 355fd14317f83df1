"""Episodes that recur and hold up become facts. Repetition alone is no evidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memlab.memory import guard
from memlab.memory.episode import Episode
from memlab.memory.episodic import Episodes
from memlab.memory.naming import digest, fold
from memlab.memory.orders import gives_orders
from memlab.memory.semantic import Fact
from memlab.memory.trust import NOT_TRUSTED, Provenance
from memlab.memory.world import World

SESSIONS = 2


def promotable(episodes: Episodes, world: World | None, sessions: int = SESSIONS) -> Iterator[Fact]:
    """Yield a fact for every text told in enough sessions by sources that may teach, or that the World confirms.

    What the World refutes, and what gives orders on untrusted say-so, is not lifted. The evidence is the first telling
    in each of the first sessions that suffice: it gives the lineage, the id and the least rank, so that later tellings
    change nothing, and other evidence is another statement under the same name.
    """
    for told in episodes.recurring(sessions):
        teachers = [episode for episode in told if episode.rank > NOT_TRUSTED]
        taught, repeated = _evidence(teachers, sessions), _evidence(told, sessions)
        detail = told[0].detail
        verdict = guard.verdict(guard.check(detail, world)) if world else "unverifiable"
        if len(taught) == sessions and verdict != "refuted":
            yield _lifted(taught)
        elif verdict == "confirmed" and not gives_orders(detail):
            yield _lifted(repeated)


def _evidence(told: Sequence[Episode], sessions: int) -> list[Episode]:
    first = {episode.origin.session: episode for episode in reversed(told)}
    return sorted(first.values(), key=lambda episode: episode.origin.time)[:sessions]


def _lifted(evidence: Sequence[Episode]) -> Fact:
    first, last, lowest = evidence[0], evidence[-1], min(evidence, key=lambda episode: episode.rank)
    text, lineage = fold(first.detail), tuple(one.id for one in evidence)
    identity = f"learned-{digest(text, *lineage)}"
    origin = Provenance(lowest.origin.source, first.origin.session, last.origin.time, identity, lineage)
    return Fact(
        f"learned-{digest(text)}", first.detail, f"seen in {len(evidence)} sessions", origin=origin, rank=lowest.rank
    )
