"""What to fix first in a memory: the parts that it lacks, by the number of probes that failed for lack of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from memlab.harness.plural import plural
from memlab.harness.scenarios.schema import LIMITS
from memlab.harness.scoring.explanations import missing_defences
from memlab.harness.scoring.judged_result import Requirement, judged_result
from memlab.harness.scoring.metrics import METRICS
from memlab.terms import Result

MEMORY = "a memory that stores every event, and a search that finds it"
PROMOTION = "promotion, so that facts that recur and stay valid rank above those stated once"
SEARCH = "a search that ranks the answer higher, and defences that do not suppress it"
RELEVANCE = "relevance ranking, so that the budget is spent first on what the task needs"
PINS = "pins, so that rules, goal and next to-do get their place before anything else uses the budget"
SILENCE = "a minimum score, below which the memory returns nothing"
HEADING = "What to fix first"
NOTHING = "nothing: every probe passed"


class Fix(NamedTuple):
    """A part that a memory lacks, or an error in it; how many of all probes failed, and the first scenario."""

    part: str
    failed: int
    probes: int
    scenario: str

    @property
    def share(self) -> str:
        """Return how many probes failed: "3 of 20 probes"."""
        return f"{self.failed:,} of {plural(self.probes, 'probe')}"


def fixes(results: Iterable[Result]) -> list[Fix]:
    """Return what the results of one system show to be missing, most probes first.

    A probe counts once, whatever number of seeds failed it. Attacks and the family `limits` are not counted.
    """
    places: dict[str, dict[tuple[str, str], None]] = {}
    probes = set()
    for result in results:
        if not result.key.overlay and result.key.family != LIMITS:
            place = (result.key.scenario, result.key.probe)
            probes.add(place)
            for part in _missing_parts(result) if METRICS["passes"](result) < 1 else ():
                places.setdefault(part, {})[place] = None
    found = [Fix(part, len(failed), len(probes), next(iter(failed))[0]) for part, failed in places.items()]
    return sorted(found, key=lambda one: -one.failed)


def fix_lines(results: Iterable[Result]) -> list[str]:
    """Return the fixes of one system as numbered lines."""
    lines = [
        f"{number}. {one.part} ({one.share}, the first in {one.scenario})"
        for number, one in enumerate(fixes(results), 1)
    ]
    return lines or [NOTHING]


def passed_by_family(results: Iterable[Result]) -> str:
    """Return the samples that one system passed, by family: "stale 3 of 20, recall 5 of 5"."""
    samples: dict[tuple[str, str, int], bool] = {}
    for result in results:
        key = result.key
        sample = (key.family, key.scenario, key.seed)
        samples[sample] = samples.get(sample, True) and not METRICS["passes"](result) < 1
    families: dict[str, list[bool]] = {}
    for (family, _, _), passed in samples.items():
        families.setdefault(family, []).append(passed)
    return ", ".join(f"{family} {sum(passed)} of {len(passed)}" for family, passed in families.items())


def missing_part(result: Result, missing: Requirement) -> str:
    """Return the part of a memory that would have served what is missing."""
    if missing.what == "expected":
        return PROMOTION if result.key.family == "promotion" else SEARCH if judged_result(result).lines else MEMORY
    return RELEVANCE if missing.what == "to keep" else PINS


def _missing_parts(result: Result) -> Iterator[str]:
    if result.error:
        yield f"the error: {result.error}"
        return
    yield from missing_defences(result)
    judged = judged_result(result)
    if result.key.expect == () and judged.lines:
        yield SILENCE
    yield from dict.fromkeys(missing_part(result, one) for one in judged.missing)
