"""Examples to fit the ranking: for each question its candidates, and which of them answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from recording import KeyedQuestion

Matrix = np.ndarray[tuple[int, int], np.dtype[np.float64]]


class Choice(NamedTuple):
    """One question: the features of its candidates for each of its clauses, and which candidates answer.

    `clauses` has one matrix for each clause, with one row for each candidate and the columns of FEATURES. `missed` is
    the number of statements that answer and are no candidates. `is_recall` is false for a task of `assemble`.
    """

    clauses: list[Matrix]
    answers: np.ndarray[tuple[int], np.dtype[np.bool_]]
    missed: int
    is_recall: bool


def choices(asked: KeyedQuestion) -> Iterator[Choice]:
    """Yield the choice of a question; nothing if it has no candidate, or its key does not say what answers it.

    Candidates that must not be served are left out, except for those that are forbidden as untrusted.
    """
    key, question = asked.key, asked.question
    if key.expect is None if asked.is_recall else not key.keep:
        return
    stale = [claim for claim, why in key.forbid.items() if why != "trust"]
    candidates = [one for one in question.candidates if not asked.states(one, stale)]
    if candidates:
        missed = sum(not any(asked.states(one, [claim]) for one in candidates) for claim in asked.wanted)
        numbers = range(len(question.clauses))
        clauses = [np.array([one.features[number] for one in candidates]) for number in numbers]
        answers = np.array([asked.states(one, asked.wanted) for one in candidates])
        yield Choice(clauses, answers, missed, asked.is_recall)
