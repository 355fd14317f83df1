"""One notes file with every defence of the reference, in plain code: the fair rival of four stores.

It is searched like `bucket-search`, but it stores events differently (guarded_notes.py) and withholds invalid lines.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, islice, zip_longest
from typing import NamedTuple

from memlab.memory.context import CHARS_PER_TOKEN, one_line
from memlab.memory.heuristics.reference_check import check, verdict
from memlab.memory.heuristics.references import find_references
from memlab.memory.retrieval.relevance import LONGEST_PASSAGE, Weights, coverage, jaccard, passages, stem_set, weigh
from memlab.memory.text import Refused, fold
from memlab.memory.trust import NOT_TRUSTED
from memlab.systems.guarded_notes import GuardedNotes, Note
from memlab.systems.line_index import Search
from memlab.systems.notes import fill_window
from memlab.terms import Event, Memory, Workspace

ABOUT = "One notes file with every defence of the reference: BM25, ranks, newest wins, world check, pins, recitation."
MATCHES = 5_000
"""The maximum number of matches that are checked: large, so that invalid matches do not crowd out valid ones."""
UNTRUSTED_FACTOR, RECURRING_FACTOR = 0.6, 1 / 0.75
"""Score factors for untrusted lines, and for lines that recur in several sessions."""
LEAST_EVIDENCE = 0.5
"""A line with less evidence does not answer a question."""
NEAR_BEST, ADDS = 0.8, 0.15
"""A line needs 80 % of the best score, or words that no better line has and that cover 15 % of the question."""
SAME_WORDS = 0.85
"""Two lines that share at least 85 % of their words count as the same."""
RECENT = 3
"""Every context shows the last 3 trusted notes."""
RECITED = 5
"""A context ends with the next 5 open to-dos."""


_PARTS = re.compile(r"[,;:?]|\b(?:and|or)\b", re.IGNORECASE)


class Line(NamedTuple):
    """One searchable passage of a note."""

    note: Note
    text: str
    words: frozenset[str]


class BucketGuarded:
    """Reads the lines that match best, and that nothing contradicts."""

    def __init__(self, workspace: Workspace) -> None:
        self._world = workspace.world
        self._notes = GuardedNotes(workspace.directory)
        self._index_all()

    def observe(self, event: Event) -> None:
        """Store an event. Raises Refused if its source may not do this."""
        note = self._notes.write(event)
        if event.kind == "erase":
            self._index_all()
        elif note:
            self._index(note)

    def recall(self, query: str, k: int = 5) -> list[Memory]:
        """Return at most k lines that answer a question, best first."""
        found: list[Memory] = []
        for line, score in self._servable(query, LEAST_EVIDENCE, NEAR_BEST):
            if len(found) == k:
                break
            found.append(_memory(line, score))
        return found

    def assemble(self, task: str, budget: int) -> str:
        """Return rules, best matches, recent notes, goal, and last the to-dos. Raises Refused if they do not fit."""
        state = self._notes.state
        head = [f"- {one_line(text)}" for _, text in state.rules.values()]
        goal = [f"goal: {one_line(state.goal)}"] if state.goal else []
        todo = [f"- {one_line(item)}" for item in state.todo[:RECITED]]
        room = budget * CHARS_PER_TOKEN - len("\n".join([*head, *goal, *todo[:1]]))
        if room < 0:
            least = budget - room // CHARS_PER_TOKEN
            raise Refused(f"budget {budget}: rules, goal and next to-do need {least} tokens; allow at least {least}")
        last: list[str] = todo[:1]
        for item in todo[1:]:
            if len(item) < room:
                last.append(item)
                room -= len(item) + 1
        middle: list[str] = []
        for line in self._context_lines(task):
            if len(line) < room and line not in middle:
                middle.append(line)
                room -= len(line) + 1
        return "\n".join([*head, *middle, *goal, *last])

    def window(self, task: str, budget: int, turns: Sequence[str], results: Sequence[str]) -> str:
        """Return a window with a quarter for the memory. Raises Refused if rules, goal and to-do do not fit there."""
        return fill_window(self.assemble, task, budget, [*results, *turns])

    def close(self) -> None:
        """Close the notes file."""
        self._notes.close()

    def _context_lines(self, task: str) -> Iterator[str]:
        for line, _ in self._servable(task, 0.0, 0.0):
            yield _framed(line)
        recent = (
            line for note in self._notes.newest_first() if note.rank > NOT_TRUSTED for line in self._lines_of(note)
        )
        yield from map(_framed, islice(filter(self._is_valid, recent), RECENT))

    def _servable(self, query: str, least: float, near: float) -> Iterator[tuple[Line, float]]:
        """Yield valid lines with more than `least` evidence and `near` of the best score, best first, each once.

        The parts of a question take turns.
        """
        parts = [part for part in _PARTS.split(query) if stem_set(part)]
        answers = [self._answers(part, query, least, near) for part in (parts if len(parts) > 1 else [query])]
        served = _ServedLines()
        for line, score in filter(None, chain.from_iterable(zip_longest(*answers))):
            if served.add(line):
                yield line, score

    def _answers(self, part: str, query: str, least: float, near: float) -> Iterator[tuple[Line, float]]:
        """Yield the valid lines for one part of a question, best first.

        A line with less than `near` of the best score must contain words of the question that no better one contains.
        """
        weights = weigh(stem_set(part), self._frequency, len(self._by_key))
        query_weights = weigh(stem_set(query), self._frequency, len(self._by_key))
        ranked = []
        for place, key in enumerate(self._search.best(part, MATCHES)):
            for line in self._by_key[key]:
                if evidence(weights, line.words) > least:
                    fit = (_fit(weights, line.words) + _fit(query_weights, line.words)) / 2
                    score = fit * self._factor(line.note)
                    ranked.append((-round(score, 3), -line.note.rank, place, -line.note.event.time, line))
        best, answered = 0.0, frozenset[str]()
        for score, *_, line in sorted(ranked, key=lambda one: one[:-1]):
            if -score < near * best and coverage(weights, line.words - answered) < ADDS:
                continue
            if self._is_valid(line):
                best, answered = best or -score, answered | line.words
                yield line, -score

    def _factor(self, note: Note) -> float:
        if note.rank == NOT_TRUSTED:
            return UNTRUSTED_FACTOR
        return RECURRING_FACTOR if self._notes.recurs(note) else 1.0

    def _is_valid(self, line: Line) -> bool:
        """Return whether a line is current, not refuted by the environment, and not contradicted by a higher rank."""
        note = line.note
        if not self._notes.is_valid(note) or self._notes.repeats_superseded(note, line.words):
            return False
        judged = verdict(check(line.text, self._world)) if find_references(line.text) else "unverifiable"
        if judged == "refuted":
            return False
        rivals = self._notes.rivals(note)
        if rivals and judged != "confirmed":
            return False
        return all(verdict(check(rival.text, self._world)) == "refuted" for rival in rivals)

    def _index_all(self) -> None:
        self._search = Search()
        self._by_key: dict[str, list[Line]] = {}
        self._frequency: Counter[str] = Counter()
        for note in self._notes.state.notes.values():
            self._index(note)

    def _index(self, note: Note) -> None:
        if note.held:
            return
        event = note.event
        for line in self._lines_of(note):
            key = " ".join(filter(None, (event.name, event.about, event.description, line.text)))
            if key not in self._by_key:
                self._search.add(key)
                self._by_key[key] = []
                self._frequency.update(line.words)
            self._by_key[key].append(line)

    def _lines_of(self, note: Note) -> list[Line]:
        """Return a short note as one line, a long one as its passages."""
        text, event = note.text, note.event
        parts = [text] if len(text) <= LONGEST_PASSAGE else passages(text)
        title = f"{event.name} {event.about} {event.description}"
        return [Line(note, part, stem_set(f"{title} {part}")) for part in parts if part.strip()]


def _fit(weights: Mapping[str, float], held: frozenset[str]) -> float:
    """Return the share of a question that a line's words cover: by weight or by number, whichever is less."""
    shared = len(held & weights.keys())
    return min(coverage(weights, held), shared / len(weights)) if shared else 0.0


class _ServedLines:
    """The lines that were served, by their words, so that a line is compared with few others."""

    def __init__(self) -> None:
        self._by_word: defaultdict[str, list[frozenset[str]]] = defaultdict(list)
        self._without_words: set[str] = set()

    def add(self, line: Line) -> bool:
        """Add a line unless it repeats another; return whether it was added."""
        ours, text = stem_set(line.text), fold(line.text)
        if text in self._without_words or any(_is_repeat(ours, other) for other in self._similar(ours)):
            return False
        if not ours:
            self._without_words.add(text)
        for word in ours:
            self._by_word[word].append(ours)
        return True

    def _similar(self, ours: frozenset[str]) -> Iterator[frozenset[str]]:
        """Yield all lines that may be repeats: every repeat contains at least one of the rarest words selected here."""
        enough = len(ours) - int(SAME_WORDS * len(ours)) + 1
        rarest = sorted(ours, key=lambda word: len(self._by_word[word]))[:enough]
        return chain.from_iterable(self._by_word[word] for word in rarest)


def _is_repeat(ours: frozenset[str], theirs: frozenset[str]) -> bool:
    """Return whether two lines are the same: nearly equal words, and no different numbers."""
    return jaccard(ours, theirs) >= SAME_WORDS and not any(word[0].isdigit() for word in ours ^ theirs)


def _framed(line: Line) -> str:
    source = "" if line.note.rank > NOT_TRUSTED else f"({line.note.event.source}, not trusted) "
    return f"- {source}{one_line(line.text)}"


def _memory(line: Line, score: float) -> Memory:
    notes = (f"{line.note.event.source} is not trusted",) if line.note.rank == NOT_TRUSTED else ()
    return Memory(line.text, (line.note.event.source,), "notes", score, notes)


def evidence(weights: Weights, held: Collection[str]) -> float:
    """Return the evidence that a text answers a question: shared words * their total weight / missing words.

    A single shared word must be rare, or nearly the complete question; three may be common. Infinite if no word is
    missing.
    """
    shared = [weight for word, weight in weights.items() if word in held]
    lacking = len(weights) - len(shared)
    return len(shared) * sum(shared) / lacking if lacking else math.inf
