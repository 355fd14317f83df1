"""The reflector: general conclusions from what happened several times, by rules in place of a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, combinations

from memlab.memory.retrieval.relevance import stems
from memlab.systems.documents.parts.encoder import cosine

FEWEST_EPISODES, FEWEST_SESSIONS = 3, 2
"""[m] A conclusion rests on at least three episodes of at least two sessions."""
MOST_STEMS = 12
"""[m] Only the first 12 stems of an episode are paired, so that a long one costs no more than a sentence."""
OFTEN = "Often: "
StemPair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Observation:
    """One episode as a reflector sees it."""

    id: str
    session: str
    text: str


@dataclass(frozen=True, slots=True)
class Conclusion:
    """A general statement and the ids of the episodes it rests on."""

    text: str
    sources: tuple[str, ...]


def conclude(episodes: Sequence[Observation], most: int) -> list[Conclusion]:
    """Return at most `most` conclusions, from the largest clusters of episodes that share two content stems.

    Each is the episode nearest to all others of its cluster; an episode is in one cluster only.
    """
    found: list[Conclusion] = []
    used: set[str] = set()
    for pair in frequent_pairs(episodes, FEWEST_EPISODES):
        if len(found) == most:
            break
        members = [one for one in episodes if one.id not in used and pair in _pairs(one.text)]
        if len(members) < FEWEST_EPISODES or len({one.session for one in members}) < FEWEST_SESSIONS:
            continue
        used.update(one.id for one in members)
        found.append(Conclusion(OFTEN + _nearest_to_all(members).text, tuple(one.id for one in members)))
    return found


def frequent_pairs(episodes: Sequence[Observation], least: int = 1) -> list[StemPair]:
    """Return the pairs of content stems that at least so many episodes contain, the most frequent first."""
    counts = Counter(chain.from_iterable(_pairs(one.text) for one in episodes))
    return sorted((pair for pair, count in counts.items() if count >= least), key=lambda one: (-counts[one], one))


@lru_cache(maxsize=4096)
def _pairs(text: str) -> frozenset[StemPair]:
    first = list(dict.fromkeys(stems(text)))[:MOST_STEMS]
    return frozenset(combinations(sorted(first), 2))


def _nearest_to_all(members: Sequence[Observation]) -> Observation:
    """Return the member with the largest sum of cosines; each distinct text is compared once."""
    texts = list(dict.fromkeys(one.text for one in members))
    counts = {text: sum(one.text == text for one in members) for text in texts}
    return max(members, key=lambda one: round(sum(cosine(one.text, text) * counts[text] for text in texts), 9))
