"""Park et al. 2023, as the essay on memory types (document 003) cites it: generative-agents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from memlab.systems.documents.generative_agents import CODE, WITHOUT_RECENCY, GenerativeAgents, scaled
from memlab.terms import Event, Workspace

Tell = Callable[..., Event]
HOUR = 3600.0


def test_the_score_is_recency_plus_importance_plus_relevance_each_scaled(workspace: Workspace, tell: Tell) -> None:
    now = [0.0]
    system = GenerativeAgents(replace(workspace, clock=lambda: now[0]))
    system.observe(tell("turn", "The valve always sticks."))  # important and relevant
    now[0] = 10 * HOUR
    system.observe(tell("turn", "Perhaps it will rain."))  # recent
    now[0] = 20 * HOUR
    found = {one.text: one.score for one in system.recall("The valve always sticks.", 2)}
    assert found == {"The valve always sticks.": pytest.approx(2), "Perhaps it will rain.": pytest.approx(1)}


def test_what_is_served_is_accessed(workspace: Workspace, tell: Tell) -> None:
    now = [0.0]
    system = GenerativeAgents(replace(workspace, clock=lambda: now[0]))
    system.observe(tell("turn", "The red boat always sails."))
    now[0] = 500 * HOUR
    system.observe(tell("turn", "The old boat is here."))
    now[0] = 600 * HOUR
    (before,) = system.recall("red boat", 1)
    (after,) = system.recall("red boat", 1)
    assert before.text == after.text == "The red boat always sails."
    assert after.score == pytest.approx(before.score + 1)  # its recency was the least, and is the largest now


def test_importance_is_a_whole_number_from_1_to_10() -> None:
    assert scaled({"a": 1, "b": 4, "c": 10}) == {"a": 0, "b": pytest.approx(1 / 3), "c": 1}
    assert scaled({"a": 3, "b": 3}) == {"a": 0.5, "b": 0.5}
    assert scaled({}) == {}


def test_the_stream_is_reflected_on_when_importance_exceeds_150(workspace: Workspace, tell: Tell) -> None:
    system = GenerativeAgents(workspace)
    for number in range(16):  # 16 x 9 = 144
        system.observe(tell("turn", f"The valve always sticks, day {number}.", session=f"s{number % 2}"))
    assert not [one for one in system.recall("valve sticks", 50) if one.text.startswith("Often: ")]
    system.observe(tell("turn", "The valve always sticks, day 16.", session="s0"))
    insights = [one for one in system.recall("valve sticks", 50) if one.text.startswith("Often: ")]
    assert insights
    assert len(system.recall("valve sticks", 50)) == 17 + len(insights)


def test_the_released_code_prefers_what_was_not_used_for_longest(workspace: Workspace, tell: Tell) -> None:
    now = [0.0]
    served = {}
    for name, weights in (("code", replace(CODE, importance=0, relevance=0)), ("paper", replace(WITHOUT_RECENCY))):
        folder = workspace.directory / name
        folder.mkdir()
        place = replace(workspace, directory=folder, clock=lambda: now[0])
        system = GenerativeAgents(
            place, weights=weights if name == "code" else replace(weights, recency=1, relevance=0)
        )
        for number in range(5):
            now[0] += HOUR
            system.observe(tell("turn", f"boat {number}"))
        served[name] = system.recall("boat", 1)[0].text
    assert served == {"code": "boat 0", "paper": "boat 4"}
