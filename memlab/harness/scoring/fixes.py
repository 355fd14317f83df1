"""What to fix first in a memory: the parts that it lacks, by the number of probes that failed for lack of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from memlab.harness.plural import plural
from memlab.harness.scenarios.schema import LIMITS
from memlab.harness.scoring.explanations import missing_defences
from memlab.harness.scoring.judged_result import Requirement, judged_result
from memlab.harness.scoring.metrics import METRICS
from memlab.terms import Result

MEMORY = "a memory that stores every event, and a search that finds it"
PROMOTION = "promotion, so that facts that recur and stay valid rank above those stated once"
FULL = 0.75
"""The share of a budget from which on there is no place for another item."""
RANKING = "a better ranking: other items took the places; rank by the rare words of the question, and merge repetitions"
SEARCH = (
    "a search that finds the answer: places stayed empty; check that the event is stored, that words of the question "
    "find it, and that no filter drops it"
)
RELEVANCE = "relevance ranking, so that the budget is spent first on what the task needs"
PINS = (
    "pins, so that rules, goal and next to-do get their place before anything else uses the budget, also after a crash"
)
SILENCE = "a minimum score, below which the memory returns nothing"
HEADING = "What to fix first"
NOTHING = "nothing: every probe passed"


Sample = tuple[str, int]
"""A scenario and a seed."""


class Fix(NamedTuple):
    """A part that a memory lacks, or an error in it; how many of all probes failed, and a sample that shows it."""

    part: str
    failed: int
    probes: int
    scenario: str
    seed: int

    @property
    def share(self) -> str:
        """Return how many probes failed: "3 of 20 probes"."""
        return f"{self.failed:,} of {plural(self.probes, 'probe')}"


def fixes(results: Iterable[Result]) -> list[Fix]:
    """Return what the results of one system show to be missing, most probes first.

    A probe counts once, whatever number of seeds failed it. Attacks and the family `limits` are not counted. The sample
    of a fix is the first that fails for this reason alone, else the first that is explained by it.
    """
    probes = set()
    failed: dict[Sample, list[Result]] = {}
    for result in results:
        if not result.key.overlay and result.key.family != LIMITS:
            probes.add((result.key.scenario, result.key.probe))
            if METRICS["passes"](result) < 1:
                failed.setdefault((result.key.scenario, result.key.seed), []).append(result)
    lacks = {
        sample: [(result.key.probe, missing_parts(result)) for result in sorted(wrong, key=_badness)]
        for sample, wrong in failed.items()
    }
    found = []
    for part in dict.fromkeys(part for wrong in lacks.values() for _, parts in wrong for part in parts):
        places = {(sample[0], probe) for sample, wrong in lacks.items() for probe, parts in wrong if part in parts}
        example = min(lacks, key=lambda sample: _distance(part, [parts for _, parts in lacks[sample]]))
        found.append(Fix(part, len(places), len(probes), *example))
    return sorted(found, key=lambda one: -one.failed)


def fix_lines(results: Iterable[Result]) -> list[str]:
    """Return the fixes of one system as numbered lines."""
    some = list(results)
    lines = [
        f"{number}. {one.part} ({one.share}, for example in {one.scenario})"
        for number, one in enumerate(fixes(some), 1)
    ]
    return lines or [why_nothing(some)]


def why_nothing(results: Sequence[Result]) -> str:
    """Return why there is nothing to fix: every probe passed, or none is applicable, with the last reason."""
    judged = [result for result in results if not result.not_applicable]
    return NOTHING if judged or not results else f"unknown, since no probe was judged: {results[-1].not_applicable}"


def passed_by_family(results: Iterable[Result]) -> str:
    """Return the samples that one system passed, by family: "stale 3 of 20, recall 5 of 5"; "none" without any."""
    samples: dict[tuple[str, str, int], bool] = {}
    for result in results:
        if result.not_applicable:
            continue
        key = result.key
        sample = (key.family, key.scenario, key.seed)
        samples[sample] = samples.get(sample, True) and not METRICS["passes"](result) < 1
    families: dict[str, list[bool]] = {}
    for (family, _, _), passed in samples.items():
        families.setdefault(family, []).append(passed)
    return ", ".join(f"{family} {sum(passed)} of {len(passed)}" for family, passed in families.items()) or "none"


def worst_result(wrong: Iterable[Result]) -> Result:
    """Return the failed result that explains a sample: the first error, else forbidden claim, else the first."""
    return min(wrong, key=_badness)


def missing_parts(result: Result) -> list[str]:
    """Return the parts of a memory that would have prevented a failure, the one that explains it first."""
    if result.error:
        return [f"the error: {result.error}"]
    judged = judged_result(result)
    silence = [SILENCE] if result.key.expect == () and judged.lines else []
    return [*dict.fromkeys([*missing_defences(result), *silence, *(_part(result, one) for one in judged.missing)])]


def _badness(result: Result) -> tuple[bool, bool]:
    return not result.error, not missing_defences(result)


def _distance(part: str, wrong: list[list[str]]) -> int:
    """Return 0 if a sample fails for this part alone, 1 if it is explained by it, 2 if it lacks it too, else 3."""
    lacking = {part for parts in wrong for part in parts}
    return 3 if part not in lacking else 0 if len(lacking) == 1 else 1 if wrong[0][:1] == [part] else 2


def _part(result: Result, missing: Requirement) -> str:
    """Return the part of a memory that would have served what is missing."""
    if missing.what != "expected":
        return RELEVANCE if missing.what == "to keep" else PINS
    if result.key.family == "promotion":
        return PROMOTION
    served = len([item for item in result.items if item.strip()])
    is_full = result.key.verb != "recall" or served >= result.key.k or 0 < result.key.budget * FULL <= result.tokens
    return MEMORY if not served else RANKING if is_full else SEARCH
