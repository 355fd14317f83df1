"""Lists the scenarios that the reference fails without labels, each with a reason.

    python evals/list_known_failures.py > failures.txt && mv failures.txt evals/known_failures.txt

The reason names the first condition under which the scenario passes. Where there is none, a reason that a person wrote
into the file stays.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from memlab.harness.running.runner import play
from memlab.harness.scenarios.conditions import AS_WRITTEN, WITH_LABELS, WITHOUT_LABELS, Conditions
from memlab.harness.scenarios.loading import library, load_all
from memlab.harness.scenarios.schema import LIMITS
from memlab.harness.scoring.metrics import METRICS
from memlab.systems.registry import entry
from memlab.terms import Scenario

REFERENCE = "hybrid"
KNOWN = Path(__file__).with_name("known_failures.txt")
REASONS = {
    "fails among statements of other scenarios, near misses of its question and repetitions by the agent": Conditions(
        noise=False
    ),
    "finds the subject only by the author's label": WITH_LABELS,
    "passes only with the author's label and without added statements": AS_WRITTEN,
}
NO_REASON = "fails under all conditions"


def passes(scenario: Scenario, conditions: Conditions) -> bool:
    """Return whether the reference passes every probe of a sample."""
    (results,) = play(conditions(scenario), [entry(REFERENCE)])
    return all(METRICS["passes"](one) for one in results)


def known_failures() -> Iterator[tuple[str, str]]:
    """Yield the id of each failed scenario at seed 0, and the reason."""
    written = dict(line.split(": ", 1) for line in KNOWN.read_text(encoding="utf-8").splitlines())
    for template in load_all([library()]):
        scenario = template.sample(0)
        if template.family == LIMITS or passes(scenario, WITHOUT_LABELS):
            continue
        found = next((reason for reason, conditions in REASONS.items() if passes(scenario, conditions)), NO_REASON)
        own = written.get(scenario.id, "")
        yield scenario.id, own if found == NO_REASON and own and own not in REASONS else found


if __name__ == "__main__":
    sys.stdout.writelines([f"{name}: {reason}\n" for name, reason in known_failures()])
