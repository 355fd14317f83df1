"""Proves the benchmark before any system is judged (`memlab check`)."""

from __future__ import annotations

from collections.abc import Sequence

from memlab.harness.check.case import Case
from memlab.harness.check.proofs import labels_do_not_decide, proofs
from memlab.harness.check.sound import complaints
from memlab.harness.scenarios.errors import BadScenario, Complaint
from memlab.harness.scenarios.loading import Template

SEEDS = 3


def check(templates: Sequence[Template], seeds: int = SEEDS, *, playing: bool = True) -> list[Complaint]:
    """Say everything that is wrong with some scenarios, in the order of their files; nothing where they hold.

    Each is sampled `seeds` times, since its blanks may collide. What is wrong is told of its first bad sample only,
    and it is played only where nothing is. `playing` False leaves out the proofs that play it, and takes seconds less.
    """
    found: list[Complaint] = []
    for template in templates:
        found += next((bad for seed in range(seeds) if (bad := _wrong(template, seed, playing=playing))), [])
    if not found:
        found += labels_do_not_decide([Case(template, template.sample(0)) for template in templates])
    return sorted(found)


def _wrong(template: Template, seed: int, *, playing: bool) -> list[Complaint]:
    try:
        case = Case(template, template.sample(seed))
    except BadScenario as bad:
        return bad.complaints
    static = sorted(set(complaints(case)))
    return static or (sorted(set(proofs(case))) if playing else [])
