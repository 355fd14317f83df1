"""Fits the weights of contradiction.py on development data, and writes contradiction_weights.py in the memory.

    python evals/ranking/fit_contradiction.py --data FOLDER

A logistic regression over pairs of statements. Every data set has the same total weight. In it, the contradictions of a
question count as one pair, and every other pair as one. For each data set it prints the share of the pairs that have at
least each of some probabilities; with --check, by weights that have not seen the data set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from recording import collect, read_options
from scipy.optimize import minimize
from statement_pairs import Pair, statement_pairs

from memlab.memory.retrieval import contradiction_weights
from memlab.memory.retrieval.contradiction import FEATURES

Numbers = np.ndarray[tuple[int], np.dtype[np.float64]]
PENALTY = 3e-5
LEVELS = (0.2, 0.5, 0.7, 0.9, 0.95)
TARGET = Path(contradiction_weights.__file__)
TEXT = '''"""The weights of contradiction.py, in the order of its FEATURES.

Written by `make fit DATA=folder` on {day} from
{names}.
"""

from __future__ import annotations

BIAS = {bias:.2f}
WEIGHTS = ({weights})
'''


def fit(data: Mapping[str, Sequence[Pair]]) -> Numbers:
    """Return the bias and the weights in the order of FEATURES."""
    values, truths, weights = (np.concatenate(parts) for parts in zip(*map(_arrays, data.values()), strict=True))
    weights /= len(data)

    def loss(found: Numbers) -> tuple[float, Numbers]:
        chances = 1 / (1 + np.exp(-found[0] - values @ found[1:]))
        likelihood = np.where(truths, chances, 1 - chances)
        wrong = weights * (chances - truths)
        slope = np.concatenate([[wrong.sum()], values.T @ wrong + 2 * PENALTY * found[1:]])
        return float(-(weights * np.log(likelihood + 1e-12)).sum() + PENALTY * found[1:] @ found[1:]), slope

    found: Numbers = minimize(loss, np.zeros(len(FEATURES) + 1), jac=True, method="L-BFGS-B").x
    return found


def _arrays(pairs: Sequence[Pair]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the values, whether they contradict, and the weights, which sum to 1."""
    weights = np.array([one.weight for one in pairs])
    return np.array([one.values for one in pairs]), np.array([one.contradict for one in pairs]), weights / weights.sum()


def report(name: str, pairs: Sequence[Pair], found: Numbers) -> None:
    """Print the share of the pairs of both kinds that have at least each probability of LEVELS."""
    values, truths, weights = _arrays(pairs)
    chances = 1 / (1 + np.exp(-found[0] - values @ found[1:]))
    broad = np.array([one.broad for one in pairs])
    for question, of_question in (("", ~broad), (", broad question", broad)):
        for kind, label in ((truths, "contradictions"), (~truths, "other pairs")):
            some = kind & of_question
            if some.any():
                shares = {level: np.average(chances[some] >= level, weights=weights[some]) for level in LEVELS}
                levels = (f"{level:.2f}: {share:6.2%}" for level, share in shares.items())
                print(f"{name:18} {label + question:30}", *levels)


def main() -> None:
    options = read_options(__doc__)
    data = collect(statement_pairs, options.data, options.jobs)
    found = fit(data)
    for name, pairs in data.items():
        others = {other: some for other, some in data.items() if other != name}
        report(name, pairs, fit(others) if options.check else found)
    if not options.check:
        weights = ", ".join(f"{weight:.2f}" for weight in found[1:])
        text = TEXT.format(day=datetime.now(UTC).date(), names=", ".join(data), bias=found[0], weights=weights)
        TARGET.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
