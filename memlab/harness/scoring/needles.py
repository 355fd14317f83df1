"""Finds claims in a text by their needles."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from memlab.memory.text import fold

Needle = tuple[str, str]
FEW = 20
"""Up to this many needles, a plain search is as fast as the index by last words."""


class ClaimMatcher:
    """Finds the claims in a folded text: those whose needles all occur in it.

    If a text contains a needle of several words, the inner words of the needle are words of the text, and its last word
    is the beginning of one. So most needles are searched only in texts with their rarest such word: the cost grows with
    the length of the text, not with the number of claims.
    """

    def __init__(self, claims: Mapping[str, Sequence[str]]) -> None:
        self.needles: dict[str, tuple[str, ...]] = {
            claim: tuple(dict.fromkeys(filter(None, map(fold, needles)))) for claim, needles in claims.items()
        }
        self._by_inner_word: dict[str, list[Needle]] = defaultdict(list)
        self._by_last_word: dict[str, list[Needle]] = defaultdict(list)
        self._anywhere: list[Needle] = []
        self._build_index()
        self._lengths = {len(word) for word in self._by_last_word}

    def claims_in(self, text: str) -> dict[str, int]:
        """Return the claims in a folded text, each with the offset at which its last needle occurs."""
        found: dict[str, list[int]] = defaultdict(list)
        for claim, _, offset in self.needles_in(text):
            found[claim].append(offset)
        return {claim: max(offsets) for claim, offsets in found.items() if len(offsets) == len(self.needles[claim])}

    def needles_in(self, text: str) -> Iterator[tuple[str, str, int]]:
        """Yield (claim, needle, offset) for each needle in a folded text."""
        words = set(text.split())
        openings = {word[:length] for length in self._lengths for word in words}
        candidates = chain(
            self._anywhere,
            *(self._by_inner_word[word] for word in words & self._by_inner_word.keys()),
            *(self._by_last_word[word] for word in openings & self._by_last_word.keys()),
        )
        return ((claim, needle, offset) for claim, needle in candidates if (offset := text.find(needle)) >= 0)

    def _build_index(self) -> None:
        words = {needle: needle.split() for needles in self.needles.values() for needle in needles}
        common = Counter(word for parts in words.values() for word in set(parts))
        endings = Counter(len(parts[-1]) for parts in words.values())
        for claim, needles in self.needles.items():
            for needle in needles:
                parts = words[needle]
                rarest = min(parts[1:-1], key=common.__getitem__, default="")
                if rarest and common[rarest] <= common[parts[-1]]:
                    self._by_inner_word[rarest].append((claim, needle))
                elif len(parts) > 1 and endings[len(parts[-1])] > FEW:
                    self._by_last_word[parts[-1]].append((claim, needle))
                else:
                    self._anywhere.append((claim, needle))


def lines_of(texts: Sequence[str]) -> list[str]:
    """Return the lines of some texts, folded, without blank ones."""
    return [line for text in texts for line in map(fold, text.splitlines()) if line]
