"""Consolidation: valid episodes that recur in several sessions become facts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memlab.memory.episode import Episode
from memlab.memory.episodes import Episodes
from memlab.memory.facts import Fact
from memlab.memory.heuristics.injection import has_instruction
from memlab.memory.heuristics.reference_check import Verdict, check, verdict
from memlab.memory.retrieval.precedents import SUPERSEDED, repeats_superseded
from memlab.memory.retrieval.relevance import words
from memlab.memory.retrieval.stores import Stores
from memlab.memory.text import digest, fold
from memlab.memory.trust import Provenance
from memlab.memory.world import World

SESSIONS = 2


def promote(stores: Stores, world: World | None) -> list[Fact]:
    """Store a fact for each text that recurred, is valid and is new; return these facts. Other writers must wait."""
    fresh = [fact for fact in promotable(stores.episodes, world) if _is_new(fact, stores)]
    for fact in fresh:
        stores.facts.put(fact)
    return fresh


def promotable(episodes: Episodes, world: World | None, sessions: int = SESSIONS) -> Iterator[Fact]:
    """Yield a fact for every text logged in enough sessions by trusted sources, or confirmed by the environment.

    Refuted texts, untrusted instructions and failed runs are skipped. The evidence is the first episode in each of the
    first `sessions` sessions. It determines the fact's lineage, id and rank, so later repetitions change nothing.
    """
    for by_trusted, by_anyone in episodes.recurring(sessions):
        if by_anyone[0].is_failure:
            continue
        if len(by_trusted) == sessions and _verdict(by_trusted, world) != "refuted":
            yield _to_fact(by_trusted)
        elif _verdict(by_anyone, world) == "confirmed" and not has_instruction(by_anyone[0].detail):
            yield _to_fact(by_anyone)


def _is_new(fact: Fact, stores: Stores) -> bool:
    """Return whether a fact was not promoted or erased before, and repeats no superseded fact."""
    if stores.facts.get(fact.id) or stores.episodes.is_erased(fact.id):
        return False
    retired = stores.facts.search(words(fact.body), SUPERSEDED, retired=True)
    return not repeats_superseded(fact, fact.body, retired, stores)


def _verdict(evidence: Sequence[Episode], world: World | None) -> Verdict:
    return verdict(check(evidence[0].detail, world)) if world else "unverifiable"


def _to_fact(evidence: Sequence[Episode]) -> Fact:
    first, last, lowest = evidence[0], evidence[-1], min(evidence, key=lambda episode: episode.rank)
    text, lineage = fold(first.detail), tuple(one.id for one in evidence)
    identity = f"learned-{digest(text, *lineage)}"
    origin = Provenance(lowest.origin.source, first.origin.session, last.origin.time, identity, lineage)
    return Fact(
        f"learned-{digest(text)}", first.detail, f"seen in {len(evidence)} sessions", origin=origin, rank=lowest.rank
    )
