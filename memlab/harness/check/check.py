"""Checks the benchmark before any system is evaluated (`memlab check`)."""

from __future__ import annotations

from collections.abc import Sequence

from memlab.harness.check.case import Case
from memlab.harness.check.proofs import label_filter_errors, proof_errors
from memlab.harness.check.static import static_errors
from memlab.harness.scenarios.errors import BadScenario, ScenarioError
from memlab.harness.scenarios.loading import Template

SEEDS = 3


def check(templates: Sequence[Template], seeds: int = SEEDS, *, playing: bool = True) -> list[ScenarioError]:
    """Return every error in some scenarios, in the order of their files.

    Each is sampled `seeds` times, because values of variables may collide; only the first bad sample is reported. The
    slow checks, which run systems, are done only if the static ones pass and `playing` is True.
    """
    errors: list[ScenarioError] = []
    for template in templates:
        errors += next((bad for seed in range(seeds) if (bad := _first_errors(template, seed, playing=playing))), [])
    if not errors:
        errors += label_filter_errors([Case(template, template.sample(0)) for template in templates])
    return sorted(errors)


def _first_errors(template: Template, seed: int, *, playing: bool) -> list[ScenarioError]:
    try:
        case = Case(template, template.sample(seed))
    except BadScenario as bad:
        return bad.errors
    static = sorted(set(static_errors(case)))
    return static or (sorted(set(proof_errors(case))) if playing else [])
