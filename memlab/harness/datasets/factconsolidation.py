"""FactConsolidation: numbered facts, where a later number supersedes an earlier one.

Format: rows of the data set MemoryAgentBench (Hu et al. 2025, arXiv 2507.05257), split Conflict_Resolution, as JSON: a
list of objects with `context`, `questions`, `answers` and `metadata.source`.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel

from memlab.harness.datasets.reading import DataFile
from memlab.harness.datasets.shape import Conversation, Question, Statement
from memlab.memory.text import digest, fold
from memlab.terms import Event

EXPECTED = "the Conflict_Resolution rows of MemoryAgentBench as a JSON list of objects with `context` and `questions`"
SINGLE_HOP = "_sh_"
"""In the source of rows whose questions are answered by one fact; others need a chain of facts, which no row names."""
_FACT = re.compile(r"^(\d+)\. (.+)$", re.MULTILINE)
_WORD = re.compile(r"\w+")


class Source(BaseModel):
    """Where a row comes from, such as `factconsolidation_sh_6k`."""

    source: str


class Row(BaseModel):
    """One list of facts in one text, and its questions with their valid answers."""

    context: str
    questions: list[str]
    answers: list[list[str]]
    metadata: Source


class Fact(NamedTuple):
    """One line of the text; `folded` is for comparison."""

    number: int
    text: str
    folded: str


def load(path: Path) -> list[Conversation]:
    """Read the rows with single-hop questions. Raises BadDataset.

    The facts that answer a question are found by its text: see `_Facts.about`. A question whose facts are not found
    without doubt is left out.
    """
    file = DataFile.read(path, EXPECTED)
    rows = file.parse(list[Row])
    chosen = [(number, row) for number, row in enumerate(rows) if SINGLE_HOP in row.metadata.source]
    if not chosen:
        raise file.error(0, f"no row has a `metadata.source` with {SINGLE_HOP!r}: no question has one fact as answer")
    return [_conversation(file, number, row) for number, row in chosen]


def _conversation(file: DataFile, number: int, row: Row) -> Conversation:
    facts = [Fact(int(serial), text, fold(text)) for serial, text in _FACT.findall(row.context)]
    if not facts:
        raise file.error_at([number, "context"], "has no line such as '12. The capital of Chile is Santiago.'")
    if len(row.questions) != len(row.answers):
        what = f"has {len(row.answers)} entries for {len(row.questions)} questions: each needs its own"
        raise file.error_at([number, "answers"], what)
    facts.sort()
    name = row.metadata.source.removeprefix("factconsolidation_")
    events = tuple(
        Event(_id(fact), "fact", float(fact.number), "s1", "user", fact.text, name=_id(fact)) for fact in facts
    )
    known = _Facts(facts)
    pairs = zip(row.questions, row.answers, strict=True)
    questions = (
        question
        for place, (text, answers) in enumerate(pairs)
        for question in _question(f"{name}/{place}", name, text, known.about(text, answers))
    )
    return Conversation(name, events, tuple(questions))


def _question(identity: str, kind: str, text: str, versions: Sequence[Fact]) -> Iterator[Question]:
    if versions:
        *earlier, last = (Statement(_id(fact), fact.text) for fact in versions)
        # the questions of all lengths are about the same facts: each is a cluster of its own
        yield Question(identity, kind, text, digest(text), (last,), (last,), tuple(earlier))


def _id(fact: Fact) -> str:
    return f"fact-{fact.number}"


class _Facts:
    """All facts of a row, for finding those that a question is about."""

    def __init__(self, facts: Sequence[Fact]) -> None:
        self._facts = facts
        frequency = Counter(word for fact in facts for word in set(_WORD.findall(fact.folded)))
        self._weight = {word: math.log(len(facts) / count) for word, count in frequency.items()}

    def about(self, question: str, answers: Sequence[str]) -> list[Fact]:
        """Return the versions of the fact that a question asks for, oldest first; empty if that is in doubt.

        The newest version ends with an answer, and its other words are nearest to those of the question, by weight.
        The older versions begin like it and end with other values. A later version would contradict the answer.
        """
        wanted = set(_WORD.findall(fold(question)))
        endings = [fold(answer) + "." for answer in answers]
        beginnings: dict[str, float] = {}
        for fact in self._facts:
            for ending in endings:
                if fact.folded.endswith(" " + ending):
                    beginning = fact.folded.removesuffix(ending)
                    shared = wanted.intersection(_WORD.findall(beginning))
                    beginnings[beginning] = sum(self._weight[word] for word in shared)
        ranked = sorted(beginnings, key=beginnings.__getitem__, reverse=True)
        if not ranked or (len(ranked) > 1 and beginnings[ranked[0]] == beginnings[ranked[1]]):
            return []
        versions = [fact for fact in self._facts if fact.folded.startswith(ranked[0])]
        is_newest = any(versions[-1].folded == ranked[0] + ending for ending in endings)
        return versions if is_newest else []
