"""Explains in words why a probe failed: what was expected, forbidden and served, and which defence is missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from memlab.harness.scoring.judged_result import CLAIMS, judged_result
from memlab.harness.scoring.metrics import METRICS
from memlab.terms import Key, Result, Why

DEFENCES: dict[Why, str] = {
    "world": "a freshness guard, which checks the files, flags and variables that a memory names before serving it",
    "version": "versions: a newer statement on a subject supersedes the older one",
    "trust": "trust ranks: a lower-ranked source never overrides a higher-ranked one on the same subject",
    "lineage": "quarantine by lineage: orders that come from an untrusted source are not served",
    "erased": "erasure: a request to erase removes the event and all that was derived from it",
    "ended": "lifetimes: the to-do is removed when its task ends",
    "failed": "run records: a run that failed without a resolution is in no prompt",
    "nothing": "none exists: no event decides it",
}
REASONS: dict[Why, str] = {
    "world": "the environment refutes it",
    "version": "a newer statement superseded it",
    "trust": "a higher-ranked source contradicts it",
    "lineage": "it gives instructions and comes from an untrusted source",
    "erased": "it was erased",
    "ended": "its task is over",
    "failed": "its run failed and was not resolved",
    "nothing": "it is not true, and no event decides it",
}
LONGEST = 400


def explanation(result: Result) -> str:
    """Return what is wrong with one result, line by line; "" if it passes."""
    return "\n".join(_lines(result))


def failure_explanations(results: Iterable[Result]) -> list[str]:
    """Return the explanation of each result that does not pass."""
    return [explanation(result) for result in results if METRICS["passes"](result) < 1]


def missing_defences(result: Result) -> list[str]:
    """List the defences that would have kept the forbidden claims out of the answer."""
    judged = judged_result(result)
    return [DEFENCES[why] for claim, why in result.key.forbid.items() if claim in judged.served]


def _lines(result: Result) -> Iterator[str]:
    key, mistakes = result.key, list(_mistakes(result))
    if not mistakes:
        return
    size = f"recall, {key.k} items" if key.verb == "recall" else key.verb
    yield f"{key.scenario} (seed {key.seed}), probe {key.probe!r}: {key.query!r} ({size}, {key.budget} tokens)"
    yield from mistakes
    if result.error:
        return
    served = [_short(item) for item in result.items if item.strip()] or ["nothing"]
    yield from (f"  served:    {item}" for item in served)
    yield from (f"  missing defence: {defence}" for defence in missing_defences(result))


def _mistakes(result: Result) -> Iterator[str]:
    key, judged = result.key, judged_result(result)
    if result.error:
        yield f"  error:     {result.error}"
        return
    if key.expect == () and judged.lines:
        yield "  expected:  nothing, because no event answers this question"
    for required in judged.missing:
        head = "expected:" if required.what == "expected" else "to keep: "
        yield f"  {head}  {_claim(key, required.name) if required.what in CLAIMS else required.name} - not served"
    for claim, why in key.forbid.items():
        if claim in judged.served:
            yield f"  forbidden: {_claim(key, claim)} - served although {REASONS[why]}"


def _claim(key: Key, claim: str) -> str:
    return f"{claim}: {_short(key.texts[claim][0])}"


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= LONGEST else words[:LONGEST] + " ..."
