"""Degenerate systems with every defence: each serves all that is current, whatever the question."""

# ruff: noqa: ARG002 - they ignore the query

from __future__ import annotations

import re
from collections.abc import Iterable

from memlab.memory.context import CHARS_PER_TOKEN, one_line
from memlab.memory.retrieval.relevance import stem_set
from memlab.systems.bucket_guarded import BucketGuarded, Line
from memlab.terms import Build, Memory

VALUE = re.compile(r"\S*[\d/_.$-]\S*|\s[A-Z]\S*")
"""A word that looks like a value: with a digit or a sign, or with a capital inside a sentence."""
SHORTEST_WORD = 4
"""Characters of a word that the digest keeps."""


class DumpNewest(BucketGuarded):
    """Serves every current statement in one item, the newest first; a context has the pins and as many as fit."""

    def recall(self, query: str, k: int = 5) -> list[Memory]:
        return [Memory("\n".join(self._ordered(self._current(query), query)))]

    def assemble(self, task: str, budget: int) -> str:
        """Return rules, goal, current statements up to the budget, and last the to-dos."""
        state = self._notes.state
        head = [one_line(text) for _, text in state.rules.values()] + [f"goal: {state.goal}"] * bool(state.goal)
        todo = [f"- {one_line(item)}" for item in state.todo]
        room = budget * CHARS_PER_TOKEN - len("\n".join([*head, "", *todo]))
        body = "\n".join(self._ordered(map(one_line, self._current(task)), task))
        return "\n".join([*head, body[: max(room, 0)], *todo])

    def _current(self, query: str) -> list[str]:
        notes = (note for note in self._notes.newest_first() if not note.held)
        lines = [line for note in notes for line in self._lines_of(note) if self._is_valid(line)]
        return list(dict.fromkeys(line.text for line in self._chosen(lines, query)))

    def _chosen(self, lines: list[Line], query: str) -> list[Line]:
        """Return the lines to serve, of those that are current, newest first."""
        return lines

    def _ordered(self, lines: Iterable[str], query: str) -> list[str]:
        return list(lines)


class DumpOldest(DumpNewest):
    """Serves the oldest first."""

    def _ordered(self, lines: Iterable[str], query: str) -> list[str]:
        return list(lines)[::-1]


class DumpShortest(DumpNewest):
    """Serves the shortest first, so that most fit."""

    def _ordered(self, lines: Iterable[str], query: str) -> list[str]:
        return sorted(lines, key=len)


class DumpValues(DumpNewest):
    """Serves only the words that look like values."""

    def _ordered(self, lines: Iterable[str], query: str) -> list[str]:
        return [" ".join(dict.fromkeys(word.strip() for line in lines for word in VALUE.findall(line)))]


class DumpDigest(DumpNewest):
    """Serves each longer word once."""

    def _ordered(self, lines: Iterable[str], query: str) -> list[str]:
        words = (word for line in lines for word in line.split() if len(word) >= SHORTEST_WORD)
        return [" ".join(dict.fromkeys(words))]


class DumpRelated(DumpNewest):
    """Serves what shares any word with the question."""

    def _ordered(self, lines: Iterable[str], query: str) -> list[str]:
        return [line for line in lines if stem_set(line) & stem_set(query)]


BUILDS: dict[str, Build] = {
    "dump-newest": DumpNewest,
    "dump-oldest": DumpOldest,
    "dump-shortest": DumpShortest,
    "dump-values": DumpValues,
    "dump-digest": DumpDigest,
    "dump-related": DumpRelated,
}
ABOUT = {
    "dump-newest": "Serves all that is current, newest first: wins where a recall has no token limit.",
    "dump-oldest": "Serves all that is current, oldest first: wins where the answer is told early.",
    "dump-shortest": "Serves all that is current, shortest first: wins where answers are short.",
    "dump-values": "Serves the values in all that is current: wins where a name without its sentence counts.",
    "dump-digest": "Serves the words of all that is current: wins where words without sentences count.",
    "dump-related": "Serves what is current and shares a word with the question: wins where few statements do.",
}
