"""The same scenario with other context budgets."""

from __future__ import annotations

from dataclasses import replace

from memlab.terms import Probe, Scenario, Step

BUDGETS = (100, 150, 200, 300, 500, 800, 1_300, 2_000, 4_000)
"""Tokens: from barely enough for the rules to enough for most histories."""
OVERLAY = "budgets"


def at_budgets(scenario: Scenario) -> Scenario:
    """Return the scenario with each assemble probe repeated at each of BUDGETS; recall probes are left out."""
    steps: list[Step] = []
    for step in scenario.timeline:
        if not isinstance(step, Probe):
            steps.append(step)
        elif step.verb == "assemble":
            steps += [replace(step, id=f"{step.id}@{budget}", budget=budget) for budget in BUDGETS]
    return replace(scenario, timeline=tuple(steps), overlay=OVERLAY)
