"""Every public method of the reference memory is called by some scenario: else no system can differ at it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any

import pytest

from memlab.harness.running.runner import play
from memlab.harness.scenarios.loading import library, load_all
from memlab.memory import MemoryMix
from memlab.systems.registry import entry
from memlab.terms import Event, Probe, Scenario

EXCEPTIONS = {
    "needs_refreshing": "a list for a person; no answer depends on it",
    "mark_refreshed": "it shortens that list",
    "damaged": "a list for a person of lines that cannot be read; the faults tests write such lines",
}
"""What no scenario needs to call, and why."""


def public_methods() -> set[str]:
    return {name for name, one in vars(MemoryMix).items() if inspect.isfunction(one) and not name.startswith("_")}


def features(scenario: Scenario) -> set[tuple[str, ...]]:
    """Return what could make the adapter call another method: kinds, types of episodes, records, lineage, verbs."""
    found: set[tuple[str, ...]] = set()
    for step in scenario.timeline:
        if isinstance(step, Event):
            kind = (step.kind, step.type) if step.kind == "episode" else (step.kind,)
            found.add((*kind, *(["record"] if step.run else []), *(["derived"] if step.derived_from else [])))
        elif isinstance(step, Probe):
            found.add((step.verb,))
    return found


def counted(method: Callable[..., Any], called: set[str]) -> Callable[..., Any]:
    @wraps(method)
    def call(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - passed on
        called.add(method.__name__)
        return method(*args, **kwargs)

    return call


def test_every_public_method_of_the_memory_is_reached_by_a_scenario(monkeypatch: pytest.MonkeyPatch) -> None:
    called: set[str] = set()
    wanted = public_methods() - EXCEPTIONS.keys()
    for name in wanted:
        monkeypatch.setattr(MemoryMix, name, counted(getattr(MemoryMix, name), called))
    seen: set[tuple[str, ...]] = set()
    for scenario in sorted((one.sample(0) for one in load_all([library()])), key=lambda one: len(one.timeline)):
        if wanted - called and features(scenario) - seen:
            seen |= features(scenario)
            assert list(play(scenario, [entry("hybrid")]))
    assert wanted - called == set(), "give each a scenario, or name it in EXCEPTIONS with the reason"


def test_each_exception_is_a_method_that_exists() -> None:
    assert EXCEPTIONS.keys() <= public_methods()
