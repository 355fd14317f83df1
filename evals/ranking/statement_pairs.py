"""Pairs of statements: for each question, which of its candidates contradict each other."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from recording import KeyedQuestion

from memlab.memory.retrieval.contest import with_description
from memlab.memory.retrieval.precedents import says_the_same
from memlab.memory.retrieval.ranking import Candidate
from memlab.memory.retrieval.same_subject import features
from memlab.memory.retrieval.validity import rivals


class Pair(NamedTuple):
    """Two statements: the values of same_subject.FEATURES, whether they contradict, and the pair's weight."""

    values: tuple[float, ...]
    contradict: bool
    weight: float


def statement_pairs(asked: KeyedQuestion) -> Iterator[Pair]:
    """Yield the pairs of a question whose relation the answer key knows.

    A wanted statement contradicts an older version, or a lie, that has its label; without labels, every statement that
    must not be served. It does not contradict a later statement that is none of these.
    """
    wanted, candidates = asked.wanted, rivals(asked.question.candidates)
    answers = [one for one in candidates if asked.states(one, wanted)]
    wrong = [one for one in candidates if asked.states(one, list(asked.key.forbid))]
    contradicting = [pair for pair in product(wrong, answers) if asked.labels is None or _have_one_label(asked, *pair)]
    others = [
        (one, other)
        for one, other in product(answers, candidates)
        if other not in wrong and other not in answers and not _have_one_label(asked, one, other)
        if other.memory.origin.time > one.memory.origin.time
    ]
    for contradict, pairs in ((True, contradicting), (False, others)):
        found = [values for pair in pairs if (values := _values(*pair, asked.question.text))]
        yield from (Pair(values, contradict, 1 / len(found) if contradict else 1.0) for values in found)


def _have_one_label(asked: KeyedQuestion, one: Candidate, other: Candidate) -> bool:
    label, another = ((asked.labels or {}).get(each.memory.id, "") for each in (one, other))
    return label != "" and label == another


def _values(one: Candidate, other: Candidate, question: str) -> tuple[float, ...]:
    older, newer = sorted((one, other), key=lambda each: each.memory.origin.time)
    if says_the_same(older.text, newer.text):
        return ()
    both = math.log(older.probability * newer.probability)
    return features(with_description(older), with_description(newer), question, both)
