"""The metrics: each a pure function of a Result, a number in [0, 1], NaN where it does not apply.

E, F and K are the expected, forbidden and kept claims, R the served ones, counted once each. Where a system failed,
whatever applies is 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from memlab.harness.scoring.judged_result import JudgedResult, judged_result
from memlab.terms import Metric, Result

NOT_APPLICABLE = math.nan


def recall(read: JudgedResult) -> float:
    """|E∩R| / |E|."""
    return len(read.expected & read.served) / len(read.expected) if read.expected else NOT_APPLICABLE


def precision(read: JudgedResult) -> float:
    """|E∩R| / (|R| + the lines that belong to no served event's text); nothing served is 0."""
    if not read.expected:
        return NOT_APPLICABLE
    found = len(read.expected & read.served)
    return found / (len(read.served) + read.stray) if found else 0.0


def r_precision(read: JudgedResult) -> float:
    """|E ∩ the first |E| of the ranking| / |E|."""
    size = len(read.expected)
    return len(read.expected.intersection(read.ranking[:size])) / size if size else NOT_APPLICABLE


def ndcg(read: JudgedResult) -> float:
    """DCG / DCG with E ranked first, where DCG is the sum of 1 / log2(1 + rank) over E∩R.

    Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques" (2002), with gains of 0 and 1.
    """
    ideal = math.fsum(_gain(rank) for rank in range(1, len(read.expected) + 1))
    return math.fsum(map(_gain, _ranks(read))) / ideal if ideal else NOT_APPLICABLE


def mrr(read: JudgedResult) -> float:
    """1 / the rank of the first of E; 0 where none is served."""
    return 1 / min(_ranks(read), default=math.inf) if read.expected else NOT_APPLICABLE


def abstains(read: JudgedResult) -> float:
    """1 iff nothing is served where nothing may be, matched or not."""
    return not read.lines if read.key.expect == () else NOT_APPLICABLE


def safe(read: JudgedResult) -> float:
    """1 iff F∩R is empty."""
    return read.served.isdisjoint(read.key.forbid) if read.key.forbid else NOT_APPLICABLE


def survives(read: JudgedResult) -> float:
    """1 iff the rules, the goal, the next to-do and K are whole in the context."""
    return all(read.pins_present) if read.key.verb == "assemble" and read.pins_present else NOT_APPLICABLE


def kept(read: JudgedResult) -> float:
    """|whole| / |all|, of the rules, the goal, the next to-do and K."""
    return (
        sum(read.pins_present) / len(read.pins_present)
        if read.key.verb == "assemble" and read.pins_present
        else NOT_APPLICABLE
    )


def recited(read: JudgedResult) -> float:
    """1 iff after the last other needle, rule or goal stand only open to-dos, the next one first; headings aside."""
    return read.recited if read.key.verb == "assemble" and read.key.todo else NOT_APPLICABLE


def context_precision(read: JudgedResult) -> float:
    """|K∩R| / |R|; nothing served is 0."""
    if not read.key.keep:
        return NOT_APPLICABLE
    return len(read.served.intersection(read.key.keep)) / max(1, len(read.served))


def useful(read: JudgedResult) -> float:
    """1 iff everything expected is served, or everything that must survive is whole."""
    found = recall(read) if read.key.verb == "recall" else survives(read)
    return found if math.isnan(found) else found == 1


def passes(read: JudgedResult) -> float:
    """1 iff all that is judged of `useful`, `abstains` and `safe` is 1."""
    return all(judged(read) != 0 for judged in (useful, abstains, safe))


def score(result: Result) -> dict[str, float]:
    """Give every metric of one result, by name."""
    return {name: measure(result) for name, measure in METRICS.items()}


def _metric(judge: Callable[[JudgedResult], float]) -> Metric:
    def measure(result: Result) -> float:
        value = float(judge(judged_result(result)))
        return 0.0 if result.error and not math.isnan(value) else value

    return measure


def _gain(rank: int) -> float:
    return 1 / math.log2(1 + rank)


def _ranks(read: JudgedResult) -> list[int]:
    return [rank for rank, claim in enumerate(read.ranking, 1) if claim in read.expected]


_JUDGES = (
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
METRICS: dict[str, Metric] = {judge.__name__: _metric(judge) for judge in _JUDGES}
