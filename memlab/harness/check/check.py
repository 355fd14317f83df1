"""Proves the benchmark before any system is judged (`memlab check`)."""

from __future__ import annotations

from collections.abc import Sequence

from memlab.harness.check.case import Case
from memlab.harness.check.proofs import label_filter_errors, proof_errors
from memlab.harness.check.static import static_errors
from memlab.harness.scenarios.errors import BadScenario, ScenarioError
from memlab.harness.scenarios.loading import Template

SEEDS = 3


def check(templates: Sequence[Template], seeds: int = SEEDS, *, playing: bool = True) -> list[ScenarioError]:
    """Say everything that is wrong with some scenarios, in the order of their files; nothing where they hold.

    Each is sampled `seeds` times, since its blanks may collide. What is wrong is told of its first bad sample only,
    and it is played only where nothing is. `playing` False leaves out the proofs that play it, and takes seconds less.
    """
    found: list[ScenarioError] = []
    for template in templates:
        found += next((bad for seed in range(seeds) if (bad := _wrong(template, seed, playing=playing))), [])
    if not found:
        found += label_filter_errors([Case(template, template.sample(0)) for template in templates])
    return sorted(found)


def _wrong(template: Template, seed: int, *, playing: bool) -> list[ScenarioError]:
    try:
        case = Case(template, template.sample(seed))
    except BadScenario as bad:
        return bad.errors
    static = sorted(set(static_errors(case)))
    return static or (sorted(set(proof_errors(case))) if playing else [])
