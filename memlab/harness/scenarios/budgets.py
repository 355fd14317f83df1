"""Budgets in tokens: the least that a probe needs, and the same scenario with other context budgets."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

from memlab.memory.context import count_tokens
from memlab.systems.oracle import minimal_context, minimal_items
from memlab.terms import Key, Probe, Scenario, Step

SLACK, SPARE = 1.2, 32
"""A context's budget is at least SLACK times the tokens that the oracle needs, plus SPARE."""
RECALL_SPARE = 64
"""A recall's budget is SLACK times what the oracle needs, plus this: room for about three short statements."""

BUDGETS = (100, 150, 250, 500, 1_000, 2_500)
"""Tokens: from barely enough for the rules to enough for most histories."""
OVERLAY = "budgets"


def least_context_budget(key: Key) -> int:
    """Return the smallest budget that an assemble probe may have."""
    return _with_slack([minimal_context(key)], SPARE)


def recall_budget(key: Key) -> int:
    """Return the budget of a recall probe that states none: the answer is cut there before it is judged."""
    return _with_slack(minimal_items(key), RECALL_SPARE)


def at_budgets(scenario: Scenario) -> Scenario:
    """Return the scenario with each assemble probe repeated at each of BUDGETS; recall probes are left out."""
    steps: list[Step] = []
    for step in scenario.timeline:
        if not isinstance(step, Probe):
            steps.append(step)
        elif step.verb == "assemble":
            steps += [replace(step, id=f"{step.id}@{budget}", budget=budget) for budget in BUDGETS]
    return replace(scenario, timeline=tuple(steps), overlay=OVERLAY)


def _with_slack(texts: Iterable[str], spare: int) -> int:
    return math.ceil(SLACK * sum(map(count_tokens, texts))) + spare
