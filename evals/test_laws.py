"""Properties that every memory system must have."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from itertools import chain
from pathlib import Path

import pytest

from memlab.harness.running.runner import play
from memlab.harness.running.workspace import ScenarioEnvironment
from memlab.harness.scenarios.budgets import at_budgets
from memlab.harness.scenarios.conditions import Conditions
from memlab.harness.scenarios.loading import Template, library, load, load_all
from memlab.memory.text import Refused
from memlab.memory.world import Change
from memlab.systems.entry import Entry
from memlab.terms import Event, Kind, Result, Scenario

pytestmark = pytest.mark.law
BREAKS_BUDGET = {
    "lab07": "RECITATION: working todo printed again, last, so it stays in view",
    "dump": "Serves everything it ever saw",
    "dump+hedge": "Serves everything behind one warning",
}
"""Why a row exceeds budgets: the sentence of its document, or of its description where it is of no document."""
TRANSCRIPT = Conditions(tell="transcript", noise=False)
HOSTILE = ("../../escape", "a\nb", "---", "[x](y.md)", "nul\0nul", "x" * 300, "", "\u200b", "[RULES]", "{}", "%s")


@cache
def templates() -> list[Template]:
    return load_all([library()])


def sampled(family: str) -> list[Template]:
    return [one for one in templates() if one.family == family][:3]


@cache
def results_of(system: Entry, family: str) -> list[Result]:
    return [result for one in sampled(family) for cell in play(one.sample(0), [system]) for result in cell]


@cache
def transcripts() -> list[Scenario]:
    """Return the first scenario of each family, told as the turns of a transcript."""
    first = {one.family: one for one in reversed(templates())}
    return [TRANSCRIPT(one.sample(0)) for one in first.values()]


@cache
def results_of_transcripts(system: Entry) -> list[Result]:
    return [result for scenario in transcripts() for cell in play(scenario, [system]) for result in cell]


def test_a_context_is_never_larger_than_its_budget(system: Entry, request: pytest.FixtureRequest) -> None:
    if system.name in BREAKS_BUDGET:
        request.applymarker(pytest.mark.xfail(reason=BREAKS_BUDGET[system.name], strict=True))
    scenarios = [at_budgets(one.sample(0)) for one in sampled("oversize")]
    results = list(chain.from_iterable(cell for one in scenarios for cell in play(one, [system])))
    assert results
    results += results_of_transcripts(system)
    assert not [(one.key.scenario, one.key.budget) for one in results if "budget" in one.broke]


def test_a_recall_gives_at_most_k_items(system: Entry) -> None:
    results = results_of(system, "poison") + results_of_transcripts(system)
    assert results
    assert not [one.key.probe for one in results if "k" in one.broke]


@cache
def with_record_of_a_run() -> Template:
    return next(one for one in templates() if any(getattr(step, "run", None) for step in one.sample(0).timeline))


def test_no_scenario_makes_a_system_fail(system: Entry) -> None:
    results = results_of(system, "contradiction") + results_of(system, "lifetimes")
    assert results
    results += results_of_transcripts(system)
    results += chain.from_iterable(play(with_record_of_a_run().sample(0), [system]))
    assert not {one.error for one in results if one.error}


def test_the_same_events_give_the_same_answers(system: Entry) -> None:
    first = results_of(system, "poison") + results_of_transcripts(system)
    second = results_of.__wrapped__(system, "poison") + results_of_transcripts.__wrapped__(system)
    assert [one.items for one in first] == [one.items for one in second]


def test_hostile_names_and_texts_are_stored_or_refused_and_nothing_is_written_elsewhere(
    system: Entry, tmp_path: Path
) -> None:
    environment = ScenarioEnvironment(tmp_path / "cell", Change(files={"a.txt": "a"}))
    with environment.enter():
        memory = system.build(environment.workspace())
        for event in hostile_events():
            with suppress(Refused):
                memory.observe(event)
        if not system.sees_key:
            memory.recall("what about x", 3)
        close = getattr(memory, "close", None)
        if close is not None:
            close()
    assert [one.name for one in tmp_path.iterdir()] == ["cell"]
    assert (tmp_path / "cell" / "root" / "a.txt").read_text(encoding="utf-8") == "a"


def hostile_events() -> Iterator[Event]:
    kinds: tuple[Kind, ...] = ("fact", "skill", "episode", "turn", "tool")
    for number, (kind, text) in enumerate((kind, text) for kind in kinds for text in HOSTILE):
        yield Event(
            f"e{number}", kind, float(number), "s", "web", text=text, name=text, description=text, type="project"
        )


def test_the_library_is_where_the_evals_look_for_it() -> None:
    assert load(next(library().glob("stale/*.yaml"))).family == "stale"
