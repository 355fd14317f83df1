"""The reflector: general conclusions from what happened several times, by rules in place of a model."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from memlab.memory.retrieval.relevance import words
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
    clusters = stem_pairs(episodes)
    found: list[Conclusion] = []
    used: set[str] = set()
    for pair in sorted(clusters, key=lambda one: (-len(clusters[one]), one)):
        members = [one for one in clusters[pair] if one.id not in used]
        if len(members) < FEWEST_EPISODES or len({one.session for one in members}) < FEWEST_SESSIONS:
            continue
        if len(found) == most:
            break
        used.update(one.id for one in members)
        found.append(Conclusion(OFTEN + _nearest_to_all(members).text, tuple(one.id for one in members)))
    return found


def stem_pairs(episodes: Sequence[Observation]) -> dict[StemPair, list[Observation]]:
    """Return the episodes that contain each pair of content stems."""
    pairs: defaultdict[StemPair, list[Observation]] = defaultdict(list)
    for one in episodes:
        for pair in _pairs(one.text):
            pairs[pair].append(one)
    return pairs


@lru_cache(maxsize=4096)
def _pairs(text: str) -> tuple[StemPair, ...]:
    stems = list(dict.fromkeys(words(text)))[:MOST_STEMS]
    return tuple(combinations(sorted(stems), 2))


def _nearest_to_all(members: Sequence[Observation]) -> Observation:
    """Return the member with the largest sum of cosines; each distinct text is compared once."""
    texts = list(dict.fromkeys(one.text for one in members))
    counts = {text: sum(one.text == text for one in members) for text in texts}
    return max(members, key=lambda one: round(sum(cosine(one.text, text) * counts[text] for text in texts), 9))
