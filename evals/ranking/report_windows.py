"""Prints which shares of a window keep most evidence: document 004, question 1.

    python evals/ranking/report_windows.py

Conversation and tool results together have 65 % of a window of hermes, as in the document, which gives 30 % and 35 %.
Each of 21 divisions is played on the histories of `scenarios/curves`: half of the lines are turns of three lines, half
tool results of eight. What the questions ask for is in turns (`chat`), in tool results (`tools`), or half in each
(`both`). The best division is chosen on even samples, with a bootstrap interval over scenarios, and measured on odd
ones. Means over windows, with 95 % intervals clustered by scenario.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import cycle
from typing import Literal, NamedTuple

import numpy as np

from memlab.harness.curves import StretchedTemplate, load_curves
from memlab.harness.scoring.clustered_intervals import clustered_interval
from memlab.memory.text import fold
from memlab.systems.documents.hermes.window import DOCUMENT, Parts, Shares, window
from memlab.terms import Event, Probe, Scenario

Place = Literal["chat", "tools", "both"]
PLACES: tuple[Place, ...] = ("chat", "tools", "both")
STEPS = 21
TOGETHER = DOCUMENT.conversation + DOCUMENT.results
HISTORY = 60
"""Episodes between the important lines: as turns, twice what a window holds; as tool results, five times."""
BUDGETS = (1000, 2000)
SAMPLES = 12
TURN_LINES, RESULT_LINES = 3, 8
RESAMPLES = 1000
Values = Sequence[tuple[str, float]]
"""The scenario of each window, and the share of its evidence that is in it."""


class Case(NamedTuple):
    """One window: its material, and the needles of each claim that its questions ask for."""

    scenario: str
    budget: int
    parts: Parts
    needles: tuple[tuple[str, ...], ...]


def divisions() -> list[Shares]:
    """Return the 21 divisions, from all for tool results to all for the conversation."""
    given = [TOGETHER * step / (STEPS - 1) for step in range(STEPS)]
    return [Shares(DOCUMENT.system, DOCUMENT.memory, one, TOGETHER - one, DOCUMENT.reply) for one in given]


def case(scenario: Scenario, place: Place, budget: int) -> Case:
    """Return the window of a scenario's last task, with its evidence in one place."""
    chance = random.Random(f"{scenario.id} {scenario.seed}")  # noqa: S311 - a sample, not a secret
    important = {event for claim in scenario.claims.values() for event in claim.events}
    kinds = {"chat": cycle(["turn"]), "tools": cycle(["tool"]), "both": cycle(["turn", "tool"])}[place]
    others = cycle(["turn", "tool"])
    lines = [event for event in scenario.timeline if isinstance(event, Event)]
    talk = [event for event in lines if event.kind in {"fact", "episode", "turn", "tool"}]
    turns, results = list[str](), list[str]()
    filler = [event.text for event in talk if event.id not in important]
    for event in talk:
        is_turn = next(kinds if event.id in important else others) == "turn"
        lines_of_it = chance.choices(filler, k=(TURN_LINES if is_turn else RESULT_LINES) - 1)
        lines_of_it.insert(chance.randint(0, len(lines_of_it)), event.text)
        (turns if is_turn else results).append("\n".join(lines_of_it))
    rules = "\n".join(event.text for event in lines if event.kind == "rule")
    goal = [f"goal: {event.text}" for event in lines if event.kind == "task"][-1:]
    wanted = {claim for probe in scenario.timeline if isinstance(probe, Probe) for claim in probe.expect or ()}
    needles = tuple(tuple(map(fold, scenario.claims[claim].needles)) for claim in sorted(wanted))
    return Case(scenario.id, budget, Parts(rules, goal, turns, results), needles)


def kept(one: Case, shares: Shares) -> float:
    """Return the share of the claims that are in the window."""
    text = fold(window(one.budget, one.parts, shares))
    return sum(all(needle in text for needle in needles) for needles in one.needles) / len(one.needles)


@cache
def templates() -> list[StretchedTemplate]:
    return load_curves()


def measure(place: Place, seeds: Sequence[int], history: int = HISTORY) -> list[Values]:
    """Return for each division the share of kept claims of each window."""
    cases = [
        case(one.sample_with_history(seed, history, (budget,)), place, budget)
        for one in templates()
        for seed in seeds
        for budget in BUDGETS
    ]
    return [[(one.scenario, kept(one, shares)) for one in cases] for shares in divisions()]


def best(sums: Sequence[float]) -> int:
    """Return the division with the largest sum; of equal ones that nearest to the document's."""
    near = [abs(one.conversation - DOCUMENT.conversation) for one in divisions()]
    return min(range(STEPS), key=lambda number: (-round(sums[number], 9), near[number]))


def best_shares(found: Sequence[Values]) -> tuple[int, int, int]:
    """Return the best division, and the least and the largest conversation of 95 % of the resamples of scenarios."""
    names = sorted({scenario for scenario, _ in found[0]})
    sums = np.array([[sum(value for one, value in each if one == name) for each in found] for name in names])
    picks = np.random.default_rng(0).integers(len(names), size=(RESAMPLES, len(names)))
    low, high = np.percentile([best(sums[pick].sum(axis=0)) for pick in picks], [2.5, 97.5]).round().astype(int)
    return best(sums.sum(axis=0)), int(low), int(high)


def nearest_to_document() -> int:
    """Return the division of the grid that is nearest to 30 % and 35 %."""
    return min(range(STEPS), key=lambda number: abs(divisions()[number].conversation - DOCUMENT.conversation))


def report() -> Iterator[str]:
    """Yield the lines of the report."""
    yield f"{'evidence in the window, %':28}" + "".join(f"{one:>16}" for one in PLACES)
    even, odd = range(0, SAMPLES, 2), range(1, SAMPLES, 2)
    measured = {place: measure(place, odd) for place in PLACES}
    chosen = {place: best_shares(measure(place, even)) for place in PLACES}
    document, grid = nearest_to_document(), [round(100 * one.conversation) for one in divisions()]
    for number, percent in enumerate(grid):
        if number % 4 == 0 or number == document:
            name = f"{percent} % chat, {round(100 * TOGETHER) - percent} % tools" + " *" * (number == document)
            yield f"{name:28}" + "".join(f"{_mean(measured[place][number]):>16}" for place in PLACES)
    shares = (f"{grid[one]} % [{grid[low]}, {grid[high]}]" for one, low, high in chosen.values())
    yield f"{'best share of the chat':28}" + "".join(f"{one:>16}" for one in shares)
    gains = (_gain(measured[place][chosen[place][0]], measured[place][document]) for place in PLACES)
    yield f"{'best minus the document':28}" + "".join(f"{one:>16}" for one in gains)
    yield "* the point of the grid that is nearest to the document's 30 % and 35 %"


def _mean(found: Values) -> str:
    one = clustered_interval([value for _, value in found], [scenario for scenario, _ in found])
    return f"{100 * one.mean:4.0f} [{100 * one.low:.0f}, {100 * one.high:.0f}]"


def _gain(ours: Values, theirs: Values) -> str:
    """Return a paired difference, in points of 100; its interval is that of a mean, on a scale from -1 to 1."""
    halves = [(1 + mine[1] - other[1]) / 2 for mine, other in zip(ours, theirs, strict=True)]
    one = clustered_interval(halves, [scenario for scenario, _ in ours])
    mean, low, high = (200 * each - 100 for each in (one.mean, one.low, one.high))
    return f"{mean:4.0f} [{low:.0f}, {high:.0f}]"


if __name__ == "__main__":
    print("\n".join(report()))
