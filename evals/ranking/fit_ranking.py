"""Fits the weights of the ranking on development data of several kinds, and writes ranking_weights.py in the memory.

    python evals/ranking/fit_ranking.py --data FOLDER

A conditional logit (McFadden 1974): a question chooses among its candidates and "none of them"; each answer is a choice
against all that do not answer. Every data set has the same total weight. With --check, it leaves out each data set in
turn, and prints the recall in the top 10 on it by weights fitted on all data sets and by weights fitted on the others.
With --encoder NAME, it fits the weights for the reference with that encoder; the others stay.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from choices import Choice, choices
from recording import ENCODERS, collect, read_options
from scipy.optimize import minimize

from memlab.memory.retrieval import ranking_weights
from memlab.memory.retrieval.features import FEATURES
from memlab.memory.retrieval.ranking import SIMILARITY

Numbers = np.ndarray[tuple[int], np.dtype[np.float64]]
ROUNDS = 3
"""A candidate counts for the clause where its probability is largest, which depends on the weights: three rounds."""
PENALTY = 0.06
"""The penalty of a squared weight is 0.06 times the variance of its feature, so that a rare feature can weigh much."""
BIAS_PENALTY = 0.002
NEVER_POSITIVE = ("long",)
"""Length alone never answers; data whose long texts are few would say so by chance."""
TOP = 10
TARGET = Path(ranking_weights.__file__)
TEXT = '''"""The weights of the ranking: see ranking.py and docs/ranking.md.

Written by `make fit DATA=folder` on {day} from
{names}.
"""

from __future__ import annotations

BIAS = {bias}
WEIGHTS = {{
{weights}
}}
'''
ENCODED = "ENCODED = {\n"
"""Begins the table of the weights with an encoder, at the end of the file."""
ENTRY = """    "{encoder}": {{  # on {day} from {names}
        "bias": {bias},
{weights}
    }},
"""


def fit(data: Mapping[str, Sequence[Choice]], names: Sequence[str]) -> Numbers:
    """Return the bias and the weights of the features with these names."""
    found = np.array([ranking_weights.BIAS, *(ranking_weights.WEIGHTS.get(name, 0.0) for name in names)])
    penalties = _penalties(data)
    bounds = [(None, None), *((None, 0.0) if name in NEVER_POSITIVE else (None, None) for name in names)]
    for _ in range(ROUNDS):
        terms = [term for some in data.values() for one in some for term in _terms(one, found, 1 / len(some))]
        fitted = minimize(_loss, found, (terms, len(data), penalties), "L-BFGS-B", jac=True, bounds=bounds)
        found = fitted.x
    return found


def top(choices: Sequence[Choice], weights: Numbers) -> float:
    """Return the mean share of the answers that are among the best ten candidates."""
    shares = []
    for one in choices:
        if one.is_recall and (one.answers.any() or one.missed):
            best = np.argsort(-_chances(one, weights).max(axis=0), kind="stable")[:TOP]
            shares.append(one.answers[best].sum() / (one.answers.sum() + one.missed))
    return float(np.mean(shares))


def _chances(choice: Choice, weights: Numbers) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Return the logarithms of the probabilities, one row for each clause and one column for each candidate."""
    scores = np.array([weights[0] + clause @ weights[1:] for clause in choice.clauses])
    return scores - np.logaddexp.reduce(scores, axis=1, keepdims=True, initial=0.0)


def _terms(choice: Choice, weights: Numbers, importance: float) -> list[tuple[np.ndarray, int, float]]:
    """Return the choices of one answer each: features of the answer and its rivals, the number of answers, weight."""
    clause_of = _chances(choice, weights).argmax(axis=0)
    terms = []
    for clause, features in enumerate(choice.clauses):
        own = clause_of == clause
        others = features[own & ~choice.answers]
        answers = features[own & choice.answers]
        share = importance / max(1, len(answers)) / len(choice.clauses)
        terms += [(np.vstack([answer, others]), 1, share) for answer in answers]
        if not len(answers) and len(others) and choice.is_recall and not choice.answers.any():
            terms.append((others, 0, importance / len(choice.clauses)))
    return terms


def _penalties(data: Mapping[str, Sequence[Choice]]) -> Numbers:
    """Return the penalties of the bias and of the weights."""
    variances = [
        [np.mean([clause.var(axis=0) for clause in one.clauses], axis=0) for one in some] for some in data.values()
    ]
    mean = np.mean([np.mean(some, axis=0) for some in variances], axis=0)
    return np.array([BIAS_PENALTY, *(PENALTY * mean)])


def _loss(
    weights: Numbers, terms: Sequence[tuple[np.ndarray, int, float]], sets: int, penalties: Numbers
) -> tuple[float, Numbers]:
    """Return the mean negative log-likelihood, with a ridge penalty, and its gradient."""
    total, slope = float(penalties @ weights**2), 2 * penalties * weights
    for features, answered, importance in terms:
        scores = weights[0] + features @ weights[1:]
        highest = max(0.0, scores.max())
        odds = np.exp(scores - highest)
        whole = np.exp(-highest) + odds.sum()
        chances = odds / whole
        total += importance * (highest + np.log(whole) - (scores[0] if answered else 0.0)) / sets
        if answered:
            chances[0] -= 1
        slope[0] += importance * chances.sum() / sets
        slope[1:] += importance * (chances @ features) / sets
    return total, slope


def main() -> None:
    options = read_options(__doc__)
    data = collect(choices, options.data, options.jobs, ENCODERS.get(options.encoder))
    names = (*FEATURES, SIMILARITY) if options.encoder else FEATURES
    found = fit(data, names)
    if options.check:
        for name, own in data.items():
            others = fit({other: some for other, some in data.items() if other != name}, names)
            seen, unseen = (100 * top(own, weights) for weights in (found, others))
            print(f"{name:18} recall@{TOP} {seen:5.1f} fitted on all, {unseen:5.1f} on the others; n={len(own)}")
        return
    indent = " " * (8 if options.encoder else 4)
    lines = [f'{indent}"{name}": {weight:.2f},' for name, weight in zip(names, found[1:], strict=True)]
    form = ENTRY if options.encoder else TEXT
    day = datetime.now(UTC).date()
    text = form.format(
        day=day, names=", ".join(data), bias=f"{found[0]:.2f}", weights="\n".join(lines), encoder=options.encoder
    )
    alone, encoded = TARGET.read_text(encoding="utf-8").split(ENCODED)
    if options.encoder:
        kept = re.sub(rf'    "{options.encoder}": .*?\n    }},\n', "", encoded, flags=re.DOTALL)
        encoded = text + kept
    else:
        alone = text
    TARGET.write_text(alone + ENCODED + encoded, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
