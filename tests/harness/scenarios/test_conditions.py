"""Conditions of a run change what systems see, and never what is right."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from memlab.harness.check.case import Case
from memlab.harness.check.static import TEXT_RULES
from memlab.harness.running.runner import play
from memlab.harness.scenarios.answer_keys import answer_keys
from memlab.harness.scenarios.background import AMONG, FIRST, SESSIONS, with_background
from memlab.harness.scenarios.conditions import AFTER, AS_WRITTEN, BEFORE, WITH_LABELS, WITHOUT_LABELS, Conditions
from memlab.harness.scenarios.echoes import OPENINGS, with_echoes
from memlab.harness.scenarios.loading import Template, library, load_all
from memlab.harness.scoring.metrics import METRICS
from memlab.harness.scoring.needles import ClaimMatcher
from memlab.memory.text import fold
from memlab.memory.trust import UNTRUSTED
from memlab.systems.registry import entry
from memlab.terms import Event, Key, Scenario

TRANSCRIPT = Conditions(tell="transcript")
CONDITIONS = (WITHOUT_LABELS, WITH_LABELS, Conditions("names"), TRANSCRIPT, AS_WRITTEN)


@cache
def templates() -> list[Template]:
    return load_all([library()])


def samples() -> list[Scenario]:
    return [template.sample(1) for template in templates()[::4]]


def events(scenario: Scenario) -> list[Event]:
    return [step for step in scenario.timeline if isinstance(step, Event)]


def judged_part(key: Key) -> Key:
    """Return a key without what conditions may change: texts of echoes, the budget they imply, and the conditions."""
    return replace(key, texts={}, claims={}, budget=0, labels="none", tell="events", noise=False)


def test_without_labels_no_event_names_its_subject_and_with_names_only_facts_do() -> None:
    for scenario in samples():
        assert not any(event.about for event in events(WITHOUT_LABELS(scenario)))
        assert all(event.kind == "fact" for event in events(Conditions("names")(scenario)) if event.about)
    assert any(event.about for scenario in samples() for event in events(WITH_LABELS(scenario)))


@pytest.mark.parametrize("conditions", CONDITIONS)
def test_no_condition_changes_what_is_expected_and_forbidden(conditions: Conditions) -> None:
    for scenario in samples():
        before, after = answer_keys(scenario), answer_keys(conditions(scenario))
        assert {name: judged_part(key) for name, key in before.items()} == {
            name: judged_part(key) for name, key in after.items()
        }


@pytest.mark.parametrize("conditions", CONDITIONS)
def test_the_oracle_passes_every_probe_under_every_condition(conditions: Conditions) -> None:
    for scenario in samples():
        (results,) = play(conditions(scenario), [entry("oracle")])
        assert [one.key.probe for one in results if METRICS["passes"](one) != 1] == [], scenario.id


@pytest.mark.parametrize("conditions", CONDITIONS)
def test_the_same_sample_is_the_same_under_the_same_conditions_and_time_never_runs_backwards(
    conditions: Conditions,
) -> None:
    for scenario in samples():
        changed = conditions(scenario)
        assert changed == conditions(scenario)
        times = [event.time for event in events(changed)]
        assert times == sorted(times)
        assert len({event.id for event in events(changed)}) == len(times)


def test_in_a_transcript_each_fact_is_a_turn_with_its_text_and_without_name_and_description() -> None:
    for scenario in samples():
        for fact, turn in zip(
            events(scenario), events(Conditions(tell="transcript", noise=False)(scenario)), strict=True
        ):
            if fact.kind == "fact":
                assert (turn.kind, turn.name, turn.description, turn.source) == ("turn", "", "", fact.source)
                assert fact.text in turn.text


def test_chatter_and_openings_of_echoes_contain_no_needle() -> None:
    for template in templates():
        claims = template.sample(0).claims.values()
        matcher = ClaimMatcher({claim.id: claim.needles for claim in claims})
        assert not [found for line in (*BEFORE, *AFTER, *OPENINGS) for found in matcher.needles_in(fold(line))]


def test_background_is_trusted_text_around_the_scenario_that_contains_none_of_its_needles() -> None:
    for template in templates()[::4]:
        scenario = template.sample(1)
        own = {event.id for event in events(scenario)}
        changed = with_background(scenario)
        added = [event for event in events(changed) if event.id not in own]
        assert min(FIRST) + min(AMONG) <= len(added) <= max(FIRST) + max(AMONG)
        assert events(changed)[: min(FIRST)] == added[: min(FIRST)]
        assert not {event.source for event in added} & UNTRUSTED
        assert not [error for rule in TEXT_RULES for error in rule(Case(template, changed))]
        first = next(event for event in events(changed) if event.id in own)
        assert first.session == f"session-{SESSIONS + 1}"


def test_echoes_repeat_half_of_the_judged_statements_and_others_too_by_the_agent_with_their_origin() -> None:
    repeated, others = 0, 0
    for scenario in samples():
        stated = {event for claim in scenario.claims.values() if claim.id[0] != "~" for event in claim.events}
        for event in events(with_echoes(scenario)):
            if event.text.startswith(OPENINGS) and event.derived_from:
                (origin,) = event.derived_from
                assert event.source == "agent"
                repeated += origin in stated
                others += origin not in stated
    assert others >= repeated / 2
    assert repeated > 0
