"""Checks the benchmark before any system is evaluated (`memlab check`)."""

from __future__ import annotations

from collections.abc import Sequence

from memlab.harness.check.case import Case
from memlab.harness.check.proofs import label_filter_errors, proof_errors
from memlab.harness.check.static import static_errors
from memlab.harness.scenarios.errors import BadScenario, ScenarioError
from memlab.harness.scenarios.loading import Template

SEEDS = 3
"""Samples of each scenario that are checked and played by default."""


def check(templates: Sequence[Template], seeds: int = SEEDS, *, played: int = SEEDS) -> list[ScenarioError]:
    """Return every error in some scenarios, in the order of their files.

    Each is sampled `seeds` times, because values of variables may collide; only the first bad sample is reported. The
    slow checks, which run systems, are done on the first `played` samples, each only if it passes the static ones.
    """
    errors: list[ScenarioError] = []
    for template in templates:
        samples = (_first_errors(template, seed, playing=seed < played) for seed in range(seeds))
        errors += next(filter(None, samples), [])
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
