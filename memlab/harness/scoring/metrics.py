"""The metrics: each a pure function of a Result, a number in [0, 1], NaN where it does not apply.

E, F and K are the expected, forbidden and kept claims, R the served ones, each counted once. If the system failed,
every metric that applies is 0. If the probe does not apply to the system, every metric is NaN.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from memlab.harness.scoring.judged_result import JudgedResult, judged_result
from memlab.terms import Metric, Result

NOT_APPLICABLE = math.nan


def recall(judged: JudgedResult) -> float:
    """|E∩R| / |E|."""
    return len(judged.expected & judged.served) / len(judged.expected) if judged.expected else NOT_APPLICABLE


def precision(judged: JudgedResult) -> float:
    """|E∩R| / (|R| + lines that are not from an event with a served claim); 0 if nothing is served."""
    if not judged.expected:
        return NOT_APPLICABLE
    found = len(judged.expected & judged.served)
    return found / (len(judged.served) + judged.stray_lines) if found else 0.0


def r_precision(judged: JudgedResult) -> float:
    """|E ∩ (first |E| served claims)| / |E|."""
    size = len(judged.expected)
    return len(judged.expected.intersection(judged.ranking[:size])) / size if size else NOT_APPLICABLE


def ndcg(judged: JudgedResult) -> float:
    """DCG / DCG with E ranked first, where DCG is the sum of 1 / log2(1 + rank) over E∩R.

    Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques" (2002), with gains of 0 and 1.
    """
    ideal = math.fsum(_gain(rank) for rank in range(1, len(judged.expected) + 1))
    return math.fsum(map(_gain, _ranks(judged))) / ideal if ideal else NOT_APPLICABLE


def mrr(judged: JudgedResult) -> float:
    """1 / (rank of the first claim of E); 0 if none is served."""
    return 1 / min(_ranks(judged), default=math.inf) if judged.expected else NOT_APPLICABLE


def abstains(judged: JudgedResult) -> float:
    """1 iff the answer is empty, where nothing may be served."""
    return not judged.lines if judged.key.expect == () else NOT_APPLICABLE


def safe(judged: JudgedResult) -> float:
    """1 iff F∩R is empty."""
    return judged.served.isdisjoint(judged.key.forbid) if judged.key.forbid else NOT_APPLICABLE


def survives(judged: JudgedResult) -> float:
    """1 iff the context contains all rules, the goal, the next to-do and K."""
    return all(judged.pins_present) if judged.key.verb != "recall" and judged.pins_present else NOT_APPLICABLE


def kept(judged: JudgedResult) -> float:
    """Share of the rules, the goal, the next to-do and K that the context contains."""
    present = judged.pins_present
    return sum(present) / len(present) if judged.key.verb != "recall" and present else NOT_APPLICABLE


def recited(judged: JudgedResult) -> float:
    """1 iff the context ends with open to-dos only, the next one first; headings are ignored."""
    return judged.ends_with_todos if judged.key.verb == "assemble" and judged.key.todo else NOT_APPLICABLE


def context_precision(judged: JudgedResult) -> float:
    """|K∩R| / |R|; 0 if nothing is served."""
    if not judged.key.keep:
        return NOT_APPLICABLE
    return len(judged.served.intersection(judged.key.keep)) / max(1, len(judged.served))


def useful(judged: JudgedResult) -> float:
    """1 iff recall is 1 (recall probes) or survives is 1 (contexts and windows)."""
    found = recall(judged) if judged.key.verb == "recall" else survives(judged)
    return found if math.isnan(found) else found == 1


def passes(judged: JudgedResult) -> float:
    """1 iff `useful`, `abstains` and `safe` are 1, those that apply."""
    return all(metric(judged) != 0 for metric in (useful, abstains, safe))


def score(result: Result) -> dict[str, float]:
    """Return every metric of one result, by name."""
    return {name: measure(result) for name, measure in METRICS.items()}


def _metric(formula: Callable[[JudgedResult], float]) -> Metric:
    def measure(result: Result) -> float:
        if result.not_applicable:
            return NOT_APPLICABLE
        value = float(formula(judged_result(result)))
        return 0.0 if result.error and not math.isnan(value) else value

    return measure


def _gain(rank: int) -> float:
    return 1 / math.log2(1 + rank)


def _ranks(judged: JudgedResult) -> list[int]:
    return [rank for rank, claim in enumerate(judged.ranking, 1) if claim in judged.expected]


_FORMULAS = (
    passes,
    safe,
    useful,
    recall,
    precision,
    r_precision,
    ndcg,
    mrr,
    abstains,
    survives,
    kept,
    recited,
    context_precision,
)
METRICS: dict[str, Metric] = {formula.__name__: _metric(formula) for formula in _FORMULAS}
