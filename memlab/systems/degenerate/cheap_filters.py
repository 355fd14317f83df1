"""Degenerate systems with every defence, but with a cheap filter instead of a ranking by the question."""

# ruff: noqa: ARG002 - the first ignores the query

from __future__ import annotations

import re
from collections import Counter

from memlab.memory.retrieval.relevance import jaccard, stem_set
from memlab.systems.bucket_guarded import Line
from memlab.systems.degenerate.guarded_dumps import DumpNewest
from memlab.systems.guarded_notes import Note
from memlab.terms import Build

OPENING = 3
"""Words at the start of a text, numbers aside, that the statements of a series share."""
SERIES = 3
"""Statements of a series at least."""
FEW = 2
"""Words of the question that a line must contain, and the number of its rarest words."""
SIMILAR = 0.3
"""Two lines with at least this Jaccard index state the same, or contradict each other."""
NUMBER = re.compile(r"[0-9]+")


class DropAdded(DumpNewest):
    """Drops what shares its time with another note, belongs to a series or repeats another note."""

    def _chosen(self, lines: list[Line], query: str) -> list[Line]:
        notes = self._notes.state.notes.values()
        times = Counter(note.event.time for note in notes)
        openings = Counter(map(_opening, notes))
        return [
            line
            for line in lines
            if times[line.note.event.time] == 1
            and openings[_opening(line.note)] < SERIES
            and not line.note.event.derived_from
        ]


class TwoWords(DumpNewest):
    """Serves what shares two words with the question, newest first."""

    def _chosen(self, lines: list[Line], query: str) -> list[Line]:
        return [line for line in lines if len(line.words & stem_set(query)) >= FEW]


class TwoWordsRanked(TwoWords):
    """Serves what shares two words with the question, of similar lines only the one of the highest rank, the newest."""

    def _chosen(self, lines: list[Line], query: str) -> list[Line]:
        found: list[Line] = []
        for line in sorted(super()._chosen(lines, query), key=lambda one: (-one.note.rank, -one.note.event.time)):
            if not any(jaccard(line.words, other.words) >= SIMILAR for other in found):
                found.append(line)
        return found


class RarestWords(DumpNewest):
    """Serves what contains one of the two words of the question that the fewest lines contain."""

    def _chosen(self, lines: list[Line], query: str) -> list[Line]:
        known = [word for word in sorted(stem_set(query)) if self._frequency[word]]
        rarest = set(sorted(known, key=self._frequency.__getitem__)[:FEW])
        return [line for line in lines if line.words & rarest]


class TwoWordsShortest(TwoWords):
    """Serves what shares two words with the question, shortest first."""

    def _chosen(self, lines: list[Line], query: str) -> list[Line]:
        return sorted(super()._chosen(lines, query), key=lambda line: len(line.text))


def _opening(note: Note) -> tuple[str, str, str]:
    event = note.event
    return event.kind, event.source, " ".join(NUMBER.sub("0", event.text).split()[:OPENING])


BUILDS: dict[str, Build] = {
    "drop-added": DropAdded,
    "two-words": TwoWords,
    "two-words-ranked": TwoWordsRanked,
    "two-words-shortest": TwoWordsShortest,
    "rarest-words": RarestWords,
}
ABOUT = {
    "drop-added": "Serves what is current and does not look like noise: wins where time or wording reveals the noise.",
    "two-words": "Serves what is current and shares two words with the question: wins where only answers share two.",
    "two-words-ranked": "Two shared words, then rank and age: wins where all such statements contradict each other.",
    "two-words-shortest": "Two shared words, the shortest first: wins where answers are short.",
    "rarest-words": "Serves what has a rare word of the question: wins where only answers have one.",
}
