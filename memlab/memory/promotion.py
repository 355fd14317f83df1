"""Consolidation: episodes that recur and hold up become facts. Repetition alone is no evidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memlab.memory import guard
from memlab.memory.episode import Episode
from memlab.memory.episodes import CANDIDATES, Episodes
from memlab.memory.facts import Fact
from memlab.memory.heuristics.injection import has_instruction
from memlab.memory.retrieval.stores import Stores
from memlab.memory.retrieval.superseded import replaced
from memlab.memory.text import digest, fold, word_set, words
from memlab.memory.trust import Provenance
from memlab.memory.world import World

SESSIONS = 2


def promote(stores: Stores, world: World | None) -> list[Fact]:
    """Lift into the facts what has recurred and holds up, and give what was lifted; nothing is lifted twice.

    What retells a fact that was superseded since is not lifted: it would stand again, under another name.
    """
    fresh = [
        fact
        for fact in promotable(stores.episodes, world)
        if stores.facts.get(fact.id) is None and not stores.episodes.is_erased(fact.id) and not _outdated(fact, stores)
    ]
    for fact in fresh:
        stores.facts.put(fact)
    return fresh


def promotable(episodes: Episodes, world: World | None, sessions: int = SESSIONS) -> Iterator[Fact]:
    """Yield a fact for every text told in enough sessions by sources that may teach, or that the World confirms.

    What the World refutes, and what gives orders on untrusted say-so, is not lifted. The evidence is the first telling
    in each of the first sessions that suffice: it gives the lineage, the id and the least rank, so that later tellings
    change nothing, and other evidence is another statement under the same name.
    """
    for taught, told in episodes.recurring(sessions):
        if len(taught) == sessions and _seen(taught, world) != "refuted":
            yield _lifted(taught)
        elif _seen(told, world) == "confirmed" and not has_instruction(told[0].detail):
            yield _lifted(told)


def _outdated(fact: Fact, stores: Stores) -> bool:
    retired = stores.facts.search(words(fact.body), CANDIDATES, retired=True)
    return any(one.is_retold_by(fact, word_set(fact.body)) for one in replaced(retired, stores.facts))


def _seen(evidence: Sequence[Episode], world: World | None) -> guard.Verdict:
    return guard.verdict(guard.check(evidence[0].detail, world)) if world else "unverifiable"


def _lifted(evidence: Sequence[Episode]) -> Fact:
    first, last, lowest = evidence[0], evidence[-1], min(evidence, key=lambda episode: episode.rank)
    text, lineage = fold(first.detail), tuple(one.id for one in evidence)
    identity = f"learned-{digest(text, *lineage)}"
    origin = Provenance(lowest.origin.source, first.origin.session, last.origin.time, identity, lineage)
    return Fact(
        f"learned-{digest(text)}", first.detail, f"seen in {len(evidence)} sessions", origin=origin, rank=lowest.rank
    )
