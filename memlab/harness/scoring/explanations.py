"""Why a probe was failed, in words: what was served, what was expected, what was forbidden, what was missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from memlab.harness.scoring.judged_result import CLAIMS, judged_result
from memlab.harness.scoring.metrics import METRICS
from memlab.terms import Key, Result, Why

DEFENCES: dict[Why, str] = {
    "world": "a freshness guard, which asks the world about what a memory names before it is served",
    "version": "versions, so that a newer statement on a subject supersedes the older",
    "trust": "trust ranks, so that a lower source never outranks a higher one on the same subject",
    "lineage": "quarantine by lineage, for orders that come from an untrusted source",
    "erased": "erasure, of what was erased and of all that was derived from it",
    "ended": "lifetimes, so that the to-do dies with its task",
    "nothing": "none that exists: nothing that was told decides it",
}
REASONS: dict[Why, str] = {
    "world": "the world refutes it",
    "version": "a newer statement superseded it",
    "trust": "a source of higher rank says otherwise",
    "lineage": "it gives orders and comes from an untrusted source",
    "erased": "it was erased",
    "ended": "its task is over",
    "nothing": "it is not true, and nothing could have told",
}
LONGEST = 400


def explanation(result: Result) -> str:
    """Tell what one result got wrong, line by line; empty where the probe is passed."""
    return "\n".join(_lines(result))


def failure_explanations(results: Iterable[Result]) -> list[str]:
    """Tell what is wrong with each result that is not passed."""
    return [explanation(result) for result in results if METRICS["passes"](result) != 1]


def summary(cells: Sequence[Sequence[Result]]) -> str:
    """Count, for the cells of one system, the samples passed by family, and the defences that were missing."""
    played: dict[str, list[bool]] = {}
    for results in cells:
        played.setdefault(results[0].key.family, []).append(not failure_explanations(results))
    lines = [", ".join(f"{family} {sum(passed)} of {len(passed)}" for family, passed in played.items())]
    lacking = Counter(defence for results in cells for result in results for defence in missing_defences(result))
    lines += [f"missing at {count} probes: {defence}" for defence, count in lacking.most_common()]
    return "\n".join(lines)


def missing_defences(result: Result) -> list[str]:
    """Name the defences that would have kept back what was served and forbidden."""
    read = judged_result(result)
    return [DEFENCES[why] for claim, why in result.key.forbid.items() if claim in read.served]


def _lines(result: Result) -> Iterator[str]:
    key, wrong = result.key, list(_wrong(result))
    if not wrong:
        return
    asked = f"recall, {key.k} items" if key.verb == "recall" else f"assemble, {key.budget} tokens"
    yield f"{key.scenario} (seed {key.seed}), probe {key.probe!r}: {key.query!r} ({asked})"
    yield from wrong
    if result.error:
        return
    served = [_short(item) for item in result.items if item.strip()] or ["nothing"]
    yield from (f"  served:    {item}" for item in served)
    yield from (f"  missing defence: {defence}" for defence in missing_defences(result))


def _wrong(result: Result) -> Iterator[str]:
    key, read = result.key, judged_result(result)
    if result.error:
        yield f"  error:     {result.error}"
        return
    if key.expect == () and read.lines:
        yield "  expected:  nothing, for nothing that was told answers this"
    for one in read.missing:
        head = "expected:" if one.what == "expected" else "to keep: "
        yield f"  {head}  {_claim(key, one.name) if one.what in CLAIMS else one.name}"
    for claim, why in key.forbid.items():
        if claim in read.served:
            yield f"  forbidden: {_claim(key, claim)} - {REASONS[why]}"


def _claim(key: Key, claim: str) -> str:
    return f"{claim}: {_short(key.texts[claim][0])}"


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= LONGEST else words[:LONGEST] + " ..."
