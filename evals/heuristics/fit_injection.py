"""Fits the linear model that detects instructions, on the seen halves, and writes its weights.

    python evals/heuristics/fit_injection.py --data FOLDER

Logistic regression over the features of clauses, with an L1 penalty and no negative weights. Of a text that directs its
reader, the clause with the highest score counts (multiple-instance learning): the others may be harmless.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import numpy as np
from injection_corpora import Corpus, corpora
from scipy import sparse
from scipy.optimize import minimize

from memlab.memory.heuristics.clauses import Feature, clause_features
from memlab.memory.heuristics.injection import MODEL
from memlab.memory.retrieval.relevance import COMMONEST, LONGEST_PASSAGE, passages

IMPORTANCE = {
    "own orders": 3.0,
    "own orders with each verb": 0.05,
    "own statements with each verb": 0.05,
    "own statements": 2.0,
    "AgentDojo goals": 2.0,
    "MemShield orders": 2.0,
    "README paragraphs": 3.0,
    "library docstrings": 0.5,
    "scenario orders": 0.6,
    "scenario statements": 0.5,
    "BEAM user turns": 0.6,
    "PoisonedRAG false statements": 0.05,
}
"""The weight of one text in the loss; 1 for the others. Large corpora count less for each text."""
PENALTY = 0.5
FEWEST = 3
"""Texts with an order that a feature must occur in."""
ROUNDS = 3
Numbers = np.ndarray[tuple[int], np.dtype[np.float64]]


class Text(NamedTuple):
    """One text as the features of its clauses, passage by passage where it is long."""

    corpus: Corpus
    clauses: list[set[Feature]]


class Design(NamedTuple):
    """Rows are clauses, columns are features; `owner` is the place of each clause's text."""

    matrix: sparse.csr_matrix
    owner: np.ndarray[tuple[int], np.dtype[np.int64]]
    is_order: np.ndarray[tuple[int], np.dtype[np.bool_]]
    importance: Numbers


def verbs_of(found: Sequence[Corpus]) -> frozenset[str]:
    """Return the words that open a clause of an order, without common words."""
    none = frozenset[str]()
    openings = {
        feature[-1]
        for corpus in found
        for text in corpus.texts
        for features in clause_features(text, none)
        for feature in features
        if corpus.is_order and len(feature) == 2 and feature[0] == "^"
    }
    return frozenset(word for word in openings if word.isalpha()) - COMMONEST


def texts_of(found: Sequence[Corpus], verbs: frozenset[str]) -> Iterator[Text]:
    """Yield the texts with the features of their clauses.

    Those with each verb come with and without knowledge of the verb, and without their words, which occur so often.
    """
    for corpus in found:
        often = corpus.name.endswith("each verb")
        for known in (verbs, frozenset[str]()) if often else (verbs,):
            for text in corpus.texts:
                parts = {text, *passages(text)} if len(text) <= LONGEST_PASSAGE else set(passages(text))
                clauses = [features for part in sorted(parts) for features in clause_features(part, known)]
                if often:
                    clauses = [{one for one in features if len(one) > 1} for features in clauses]
                if any(clauses):
                    yield Text(corpus, list(filter(None, clauses)))


def design(texts: Sequence[Text]) -> tuple[list[Feature], Design]:
    """Return the names of the features, and the numbers to fit."""
    counts = Counter(one for text in texts if text.corpus.is_order for one in set[Feature]().union(*text.clauses))
    names = sorted(name for name, count in counts.items() if count >= FEWEST)
    column = {name: place for place, name in enumerate(names)}
    clauses = [(place, clause) for place, text in enumerate(texts) for clause in text.clauses]
    cells = [(row, column[name]) for row, (_, clause) in enumerate(clauses) for name in clause if name in column]
    rows, columns = np.array(cells).T
    matrix = sparse.csr_matrix((np.ones(len(rows)), (rows, columns)), (len(clauses), len(names)))
    owner = np.array([place for place, _ in clauses])
    of_text = np.array([IMPORTANCE.get(text.corpus.name, 1.0) for text in texts])
    return names, Design(matrix, owner, np.array([text.corpus.is_order for text in texts])[owner], of_text[owner])


def fit_weights(data: Design) -> Numbers:
    """Return the weights, and the intercept as the last number."""
    weights = np.zeros(data.matrix.shape[1] + 1)
    clauses_of_text = np.bincount(data.owner)
    importance = np.where(data.is_order, data.importance / clauses_of_text[data.owner], data.importance)
    kept = np.ones(len(data.owner), dtype=bool)
    for _ in range(ROUNDS):
        weights = _minimise(data.matrix[kept], data.is_order[kept], importance[kept], weights)
        scores = data.matrix @ weights[:-1]
        best = np.full(len(clauses_of_text), -np.inf)
        np.maximum.at(best, data.owner, scores)
        kept = ~data.is_order | (scores == best[data.owner])
        importance = data.importance
    return weights


def _minimise(
    matrix: sparse.csr_matrix,
    is_order: np.ndarray[tuple[int], np.dtype[np.bool_]],
    importance: Numbers,
    start: Numbers,
) -> Numbers:
    sign = np.where(is_order, 1.0, -1.0)
    transposed = matrix.T.tocsr()

    def loss(weights: Numbers) -> tuple[float, Numbers]:
        margin = sign * (matrix @ weights[:-1] + weights[-1])
        slope = -importance * sign / (1 + np.exp(np.clip(margin, -50, 50)))
        gradient = np.append(transposed @ slope + PENALTY, slope.sum())
        return float((importance * np.logaddexp(0, -margin)).sum() + PENALTY * weights[:-1].sum()), gradient

    bounds = [(0.0, None)] * matrix.shape[1] + [(None, None)]
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 300})
    return np.asarray(found.x)


def main() -> None:
    """Fit on all seen halves and write the model."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with one folder for each public data set")
    seen = [corpus for corpus in corpora(parser.parse_args().data) if corpus.half == "seen"]
    verbs = verbs_of(seen)
    names, data = design(list(texts_of(seen, verbs)))
    weights = fit_weights(data)
    rounded = {" ".join(name): round(float(weight), 2) for name, weight in zip(names, weights[:-1], strict=True)}
    model = {
        "command": "python evals/heuristics/fit_injection.py --data FOLDER",
        "data": {corpus.name: len(corpus.texts) for corpus in seen},
        "date": datetime.now(UTC).date().isoformat(),
        "threshold": round(-float(weights[-1]), 2),
        "verbs": sorted(verbs),
        "weights": {name: weight for name, weight in rounded.items() if weight},
    }
    MODEL.write_text(json.dumps(model, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{sum(map(bool, rounded.values()))} weights and {len(verbs)} verbs in {MODEL}")


if __name__ == "__main__":
    main()
