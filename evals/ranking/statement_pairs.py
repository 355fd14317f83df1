"""Pairs of statements: for each question, which of its candidates contradict each other."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from itertools import combinations, product
from typing import NamedTuple

from recording import KeyedQuestion

from memlab.memory.retrieval.contest import with_description
from memlab.memory.retrieval.contradiction import content_words, features
from memlab.memory.retrieval.ranking import Candidate, Question
from memlab.memory.retrieval.repetition import says_the_same
from memlab.memory.retrieval.validity import rivals

MOST_BROAD = 3
"""At most three pairs of each kind are compared for a broad question."""
RARE = 0.2
"""The pairs of two answers, and those for a broad question, weigh a fifth of a question's other pairs."""
CandidatePair = tuple[Candidate, Candidate]
_WORD = re.compile(r"[^\s,;:!?()\"]+")


class Pair(NamedTuple):
    """Two statements: the values of same_subject.FEATURES, whether they contradict, and the pair's weight.

    `broad` says whether they are compared for a question that names only what both say.
    """

    values: tuple[float, ...]
    contradict: bool
    weight: float
    broad: bool = False


def statement_pairs(asked: KeyedQuestion) -> Iterator[Pair]:
    """Yield the pairs of a question whose relation the answer key knows.

    A wanted statement contradicts an older version, or a lie, that has its label; without labels, every statement that
    must not be served. It does not contradict a later statement that is none of these, nor another answer. Up to three
    pairs of each kind are compared once more, for a broad question: one that names only what both say.
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
    both_answer = [
        (one, other)
        for one, other in combinations(answers, 2)
        if one.memory.origin.time != other.memory.origin.time and not _have_one_label(asked, one, other)
    ]
    kinds = (True, contradicting, 1.0), (False, others, None), (False, both_answer, RARE)
    for contradict, pairs, together in kinds:  # the weight of all pairs of the kind; None: each weighs 1
        found = [values for pair in pairs if (values := _values(*pair, asked.question.text))]
        yield from (Pair(values, contradict, together / len(found) if together else 1.0) for values in found)
        broad = list(_values_for_broad_questions(asked, pairs))
        yield from (Pair(values, contradict, RARE / len(broad), broad=True) for values in broad)


def _values_for_broad_questions(asked: KeyedQuestion, pairs: Sequence[CandidatePair]) -> Iterator[tuple[float, ...]]:
    """Yield the values of the pairs that share most words, each for the question that names only these."""
    closest = sorted(pairs, key=lambda pair: -len(_shared(*pair)))[:MOST_BROAD]
    for one, other in closest:
        named = [word for word in dict.fromkeys(_WORD.findall(one.text)) if _shared(one, other) & content_words(word)]
        question = Question(f"tell me about {' '.join(named)}", asked.stores)
        found = {(each.memory.id, each.store): each for each in question.candidates}
        first, second = (found.get((each.memory.id, each.store)) for each in (one, other))
        if first and second and (values := _values(first, second, question.text)):
            yield values


def _shared(one: Candidate, other: Candidate) -> frozenset[str]:
    return content_words(one.text) & content_words(other.text)


def _have_one_label(asked: KeyedQuestion, one: Candidate, other: Candidate) -> bool:
    label, another = ((asked.labels or {}).get(each.memory.id, "") for each in (one, other))
    return label != "" and label == another


def _values(one: Candidate, other: Candidate, question: str) -> tuple[float, ...]:
    older, newer = sorted((one, other), key=lambda each: each.memory.origin.time)
    if says_the_same(older.text, newer.text):
        return ()
    both = math.log(older.probability * newer.probability)
    return features(with_description(older), with_description(newer), question, both)
