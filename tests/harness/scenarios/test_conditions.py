"""Conditions of a run change what systems see, and never what is right."""

from __future__ import annotations

import random
import re
from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import pairwise
from statistics import mean

import pytest

from memlab.harness.check.case import Case
from memlab.harness.check.static import TEXT_RULES
from memlab.harness.running.runner import play
from memlab.harness.scenarios.answer_keys import answer_keys
from memlab.harness.scenarios.conditions import AFTER, AS_WRITTEN, BEFORE, WITH_LABELS, WITHOUT_LABELS, Conditions
from memlab.harness.scenarios.loading import Template, library, load_all
from memlab.harness.scenarios.noise.background import OTHERS, with_background
from memlab.harness.scenarios.noise.echoes import KINDS, LONGEST, OPENINGS, SHARE, with_echoes
from memlab.harness.scenarios.noise.near_misses import (
    MOST_PER_QUESTION,
    MOST_WEIGHT,
    WORDS_REPLACED,
    near_misses,
    questions,
)
from memlab.harness.scenarios.noise.noise_words import word_set
from memlab.harness.scenarios.noise.own_times import GAPS
from memlab.harness.scenarios.noise.series import in_series
from memlab.harness.scenarios.noise.statement_pool import statement_pool
from memlab.harness.scenarios.timeline import SPEAKING
from memlab.harness.scoring.metrics import METRICS
from memlab.harness.scoring.needles import ClaimMatcher
from memlab.memory.text import fold
from memlab.memory.trust import UNTRUSTED_SOURCES
from memlab.systems.registry import entry
from memlab.terms import Event, Key, Probe, Scenario

TRANSCRIPT = Conditions(tell="transcript")
CONDITIONS = (WITHOUT_LABELS, WITH_LABELS, Conditions("names"), TRANSCRIPT, AS_WRITTEN)

ARTICLES = frozenset(
    re.findall(r"\w+", "the a an of in on at for with by to from his her their our my its no this all")
)


@cache
def templates() -> list[Template]:
    return load_all([library()])


@cache
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


def test_in_a_transcript_each_fact_is_a_turn_with_what_was_said_and_without_name_and_description() -> None:
    for scenario in samples():
        for fact, turn in zip(
            events(scenario), events(Conditions(tell="transcript", noise=False)(scenario)), strict=True
        ):
            if fact.kind == "fact":
                assert (turn.kind, turn.name, turn.description, turn.source) == ("turn", "", "", fact.source)
                assert (fact.quote or fact.text) in turn.text


def test_chatter_and_openings_of_echoes_contain_no_needle() -> None:
    for template in templates():
        claims = template.sample(0).claims.values()
        matcher = ClaimMatcher({claim.id: claim.needles for claim in claims})
        assert not [found for line in (*BEFORE, *AFTER, *OPENINGS) for found in matcher.needles_in(fold(line))]


def test_background_has_the_stated_size_and_contains_none_of_the_needles() -> None:
    for template in templates()[::4]:
        scenario = template.sample(1)
        own = {event.id for event in events(scenario)}
        changed = with_background(scenario)
        added = [event for event in events(changed) if event.id not in own]
        asked = sum(isinstance(step, Probe) for step in scenario.timeline)
        assert min(OTHERS) <= len(added) <= max(OTHERS) + MOST_PER_QUESTION * asked
        assert not [error for rule in TEXT_RULES for error in rule(Case(template, changed))]


def test_no_position_tells_added_statements_from_own_ones() -> None:
    """Among the first and the last tenth, quarter and half of a run is the same share of both."""
    own_places, added_places = list[float](), list[float]()
    for template in templates():
        scenario = template.sample(0)
        spoken = [event for event in events(scenario) if event.kind in SPEAKING]
        own = {event.id for event in spoken} - in_series(spoken)
        counted = [
            event for event in events(with_background(scenario)) if event.id not in {one.id for one in spoken} - own
        ]
        counted = [event for event in counted if event.kind in SPEAKING]
        for place, event in enumerate(counted):
            (own_places if event.id in own else added_places).append(place / len(counted))
    for cut in (0.1, 0.25, 0.5, 0.75, 0.9):
        early, added_early = (mean(place < cut for place in places) for places in (own_places, added_places))
        assert abs(early - added_early) < 0.05, cut


def test_added_statements_have_the_sources_kinds_and_sessions_of_the_others_and_times_of_their_own() -> None:
    kinds, sources = set(), set()
    for scenario in samples():
        own = {event.id for event in events(scenario)}
        changed = events(WITHOUT_LABELS(scenario))
        assert {event.session for event in changed} == {event.session for event in events(scenario)}
        times = [event.time for event in changed]
        assert len(set(times)) == len(times)
        kinds |= {event.kind for event in changed if event.id not in own}
        sources |= {event.source for event in changed if event.id not in own}
    assert kinds == SPEAKING
    assert sources >= {"user", "tool", "agent", "web", "document", "other-agent"}


def test_what_a_scenario_waits_is_kept_and_other_gaps_are_alike_for_own_and_added_events() -> None:
    gaps: dict[bool, list[float]] = {True: [], False: []}
    for scenario in samples():
        own = frozenset(event.id for event in events(scenario))
        before, after = events(scenario), events(WITHOUT_LABELS(scenario))
        longest = max(later.time - earlier.time for earlier, later in pairwise(before))
        assert longest <= max(later.time - earlier.time for earlier, later in pairwise(after)) + GAPS[1]
        for earlier, later in pairwise(after):
            if later.time - earlier.time < 2 * GAPS[1]:
                gaps[later.id in own].append(later.time - earlier.time)
    assert mean(gaps[True]) == pytest.approx(mean(gaps[False]), rel=0.05)


def test_a_wait_is_before_added_events_too() -> None:
    """A wait tells nothing: most events after one were added, as most events were."""
    after_wait = Counter[bool]()
    for template in templates():
        scenario = template.sample(0)
        own = {event.id for event in events(scenario)}
        for earlier, later in pairwise(WITHOUT_LABELS(scenario).timeline):
            if isinstance(earlier, Event) and isinstance(later, Event):
                after_wait[later.id in own] += later.time - earlier.time > GAPS[1]
    assert after_wait[False] > after_wait[True] > 0


def test_the_pool_has_outdated_and_untrusted_statements_and_no_orders_restatements_and_series() -> None:
    pool = [event for _, some in statement_pool() for event in some]
    library_samples = [template.sample(0) for template in templates()]
    forbidden = {
        event.text
        for scenario in library_samples
        for event in events(scenario)
        for probe in scenario.timeline
        if isinstance(probe, Probe) and any(event.id in scenario.claims[claim].events for claim in probe.forbid)
    }
    assert {event.source for event in pool} > UNTRUSTED_SOURCES - {"unknown"}
    assert not [event for event in pool if event.derived_from]
    assert not [name for _, some in statement_pool() for name in in_series(some)]
    orders = {claim.needles for scenario in library_samples for claim in scenario.claims.values() if claim.orders}
    assert not [event for event in pool for needles in orders if all(fold(one) in fold(event.text) for one in needles)]
    assert forbidden & {event.text for event in pool}


def test_numbered_lines_are_a_series_and_different_statements_are_none() -> None:
    def event(number: int, text: str) -> Event:
        return Event(f"{number:012x}", "turn", float(number), "session-1", "user", text)

    lines = [event(number, f"Table {number}: chess, deposit paid.") for number in range(12)]
    others = [event(20, "Table tennis is in the yard."), event(21, "Table 7 was moved."), event(22, "The key hangs.")]
    assert in_series([*lines, *others]) == {one.id for one in [*lines, others[1]]}
    assert in_series([*lines[:2], *others[::2]]) == set()


def test_a_near_miss_is_a_statement_of_another_scenario_with_at_most_four_other_words() -> None:
    pool: dict[tuple[str, ...], list[list[str]]] = {}
    for _, some in statement_pool():
        for event in some:
            pool.setdefault(form(event), []).append(event.text.split())
    asked = made = 0
    for scenario in samples():
        own = {event.text for event in events(scenario)}
        for event, _ in near_misses(scenario, random.Random(0)):  # noqa: S311 - a sample, not a secret
            made += 1
            words = event.text.split()
            others = [other for other in pool[form(event)] if len(other) == len(words)]
            assert min(sum(map(str.__ne__, words, other)) for other in others) <= max(WORDS_REPLACED), event.text
            assert event.text not in own
        asked += sum(isinstance(step, Probe) for step in scenario.timeline)
    assert made > MOST_PER_QUESTION * asked / 2


def form(event: Event) -> tuple[str, ...]:
    return event.kind, event.source, event.name, event.description, event.type


def test_for_every_question_a_near_miss_shares_less_weight_than_each_answer() -> None:
    for scenario in samples():
        made = [event for event, _ in near_misses(scenario, random.Random(0))]  # noqa: S311 - a sample, not a secret
        for asked in questions(scenario):
            heaviest = max((asked.weight(stems(event)) for event in made), default=0.0)
            assert heaviest <= MOST_WEIGHT * asked.least
            wanted = {*(asked.probe.expect or ()), *asked.probe.keep} & scenario.claims.keys()
            for claim in wanted:
                stated = [event for event in events(scenario) if event.id in scenario.claims[claim].events]
                weight = max(asked.weight(stems(event)) for event in stated)
                assert not weight or weight > heaviest


def stems(event: Event) -> frozenset[str]:
    return word_set(f"{event.text} {event.name} {event.description}")


def test_half_of_all_statements_are_repeated_by_the_agent_with_their_origin_judged_or_not() -> None:
    repeated: dict[str, list[bool]] = {"judged": [], "others": []}
    for scenario in (template.sample(0) for template in templates()):
        judged = {event for claim in scenario.claims.values() if claim.id[0] != "~" for event in claim.events}
        changed = with_background(scenario)
        series = in_series(events(changed))
        origins = {event.derived_from for event in events(with_echoes(changed)) if event.text.startswith(OPENINGS)}
        for event in events(changed):
            if event.kind in KINDS and len(event.text) <= LONGEST and event.id not in series:
                repeated["judged" if event.id in judged else "others"].append((event.id,) in origins)
    assert {name: mean(some) for name, some in repeated.items()} == pytest.approx(
        dict.fromkeys(repeated, SHARE), abs=0.06
    )


def test_the_words_of_a_question_follow_articles_as_often_in_near_misses_as_in_answers() -> None:
    near, answers = list[bool](), list[bool]()
    for scenario in samples():
        known = {one.probe.id: frozenset(one.stems.values()) for one in questions(scenario)}
        said = {event.id: event.text for event in events(scenario)}
        for event, probe in near_misses(scenario, random.Random(0)):  # noqa: S311 - a sample, not a secret
            near += follow_articles(event.text, known[probe.id])
        for one in questions(scenario):
            for claim in {*(one.probe.expect or ()), *one.probe.keep} & scenario.claims.keys():
                for event_id in scenario.claims[claim].events:
                    answers += follow_articles(said[event_id], known[one.probe.id])
    assert mean(near) == pytest.approx(mean(answers), abs=0.1)


def follow_articles(text: str, stems: frozenset[str]) -> list[bool]:
    """For each word with one of these stems, return whether the word before it is an article or the like."""
    words = text.casefold().split()
    return [before in ARTICLES for before, word in pairwise(words) if not word_set(word).isdisjoint(stems)]
