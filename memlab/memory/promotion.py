"""Consolidation: valid episodes that recur in several sessions, in equal or in other words, become facts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from memlab.memory.episode import Episode
from memlab.memory.episodes import Episodes
from memlab.memory.facts import Fact
from memlab.memory.heuristics.injection import has_instruction
from memlab.memory.heuristics.reference_check import Verdict, check, verdict
from memlab.memory.retrieval.relevance import stem_set, stems
from memlab.memory.retrieval.repetition import MOST_SUPERSEDED, repeats_superseded
from memlab.memory.retrieval.stores import Stores
from memlab.memory.text import digest, fold
from memlab.memory.trust import NOT_TRUSTED, Provenance
from memlab.memory.world import World

SESSIONS = 2
"""A text of two sessions becomes a fact."""
PATTERN = 3
"""Three texts of three sessions that share three stems are a pattern ..."""
RARE = 8
"""... if each of these stems is in at most eight texts."""


def promote(stores: Stores, world: World | None, *, patterns: bool = False) -> list[Fact]:
    """Store a fact for each text that recurred, is valid and is new; return these facts. Other writers must wait.

    With `patterns` this includes what recurred in other words; that reads the whole log.
    """
    similar = recurring_patterns(stores.episodes.replay()) if patterns else ()
    in_other_words = (_to_fact(evidence) for evidence in similar if _verdict(evidence, world) != "refuted")
    fresh = [fact for fact in (*promotable(stores.episodes, world), *in_other_words) if _is_new(fact, stores)]
    for fact in fresh:
        stores.facts.put(fact)
    return fresh


def promotable(episodes: Episodes, world: World | None, sessions: int = SESSIONS) -> Iterator[Fact]:
    """Yield a fact for every text that trusted sources logged in enough sessions of their own accord.

    A text that recurs otherwise becomes a fact only if the environment confirms it. Refuted texts, untrusted
    instructions and failed runs are skipped. The evidence is the first episode in each of the first `sessions`
    sessions. It determines the fact's lineage, id and rank, so later repetitions change nothing.
    """
    for evidence, by_anyone in episodes.recurring(sessions):
        if by_anyone[0].is_failure:
            continue
        if len(evidence) == sessions and _verdict(evidence, world) != "refuted":
            yield _to_fact(evidence)
        elif _verdict(by_anyone, world) == "confirmed" and not has_instruction(by_anyone[0].detail):
            yield _to_fact(by_anyone)


def recurring_patterns(oldest_first: Iterable[Episode]) -> Iterator[list[Episode]]:
    """Yield three trusted episodes of different texts and sessions that share three rare stems, the latest first.

    Each pattern is yielded once. What restates something else is no evidence, and what an untrusted source has said too
    may be an echo of it.
    """
    trusted, others = dict[str, Episode](), dict[str, Episode]()
    for one in oldest_first:
        if one.is_searchable and not (one.origin.derived_from or one.forgot or one.is_failure):
            (trusted if one.rank > NOT_TRUSTED else others).setdefault(fold(one.detail), one)
    with_stem, untrusted = _by_stem(trusted.values()), _by_stem(others.values())
    rare = {stem: some for stem, some in with_stem.items() if PATTERN <= len(some) <= RARE}
    seen: set[str] = set()
    for one in trusted.values():
        evidence, shared = _evidence(one, rare)
        if len(evidence) >= PATTERN and seen.isdisjoint(member.id for member in evidence):
            seen.update(member.id for member in evidence)
            echoed = Counter(other.id for stem in shared for other in untrusted[stem])
            if max(echoed.values(), default=0) < PATTERN:
                yield sorted(evidence[-PATTERN:], key=lambda member: -member.origin.time)


def _by_stem(episodes: Iterable[Episode]) -> defaultdict[str, list[Episode]]:
    with_stem = defaultdict[str, list[Episode]](list)
    for one in episodes:
        for stem in stem_set(one.detail):
            with_stem[stem].append(one)
    return with_stem


def _evidence(one: Episode, rare: Mapping[str, Sequence[Episode]]) -> tuple[Sequence[Episode], Collection[str]]:
    """Return episodes of different sessions that share at least three rare stems, the latest first, and these stems."""
    stems = stem_set(one.detail) & rare.keys()
    similar = {other.id: other for stem in stems for other in rare[stem]}
    evidence, shared = [one], stems
    for other in sorted(similar.values(), key=lambda other: other.origin.time):
        if other.origin.session not in {member.origin.session for member in evidence}:
            common = shared & stem_set(other.detail)
            if len(common) >= PATTERN:
                evidence, shared = [other, *evidence], common
    return evidence, shared


def _is_new(fact: Fact, stores: Stores) -> bool:
    """Return whether a fact was not promoted or erased before, and repeats no superseded fact."""
    if stores.facts.get(fact.id) or stores.episodes.is_erased(fact.id):
        return False
    superseded = stores.facts.search(stems(fact.body), MOST_SUPERSEDED, superseded=True)
    return not repeats_superseded(fact, fact.body, superseded, stores)


def _verdict(evidence: Sequence[Episode], world: World | None) -> Verdict:
    return verdict(check(evidence[0].detail, world))


def _to_fact(evidence: Sequence[Episode]) -> Fact:
    first, lowest = evidence[0], min(evidence, key=lambda episode: episode.rank)
    text, lineage = fold(first.detail), tuple(one.id for one in evidence)
    identity = f"learned-{digest(text, *lineage)}"
    time = max(one.origin.time for one in evidence)
    origin = Provenance(lowest.origin.source, first.origin.session, time, identity, lineage)
    return Fact(f"learned-{digest(text)}", first.detail, origin=origin, rank=lowest.rank)
