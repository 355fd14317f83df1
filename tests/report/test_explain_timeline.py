from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from explain_cases import ASK, NEW, OLD, explained, play_cell

from memlab.harness.check.evidence import deciding_steps
from memlab.harness.check.past import Past
from memlab.harness.scenarios.loading import library, load, load_all
from memlab.report.explain.timeline import AnnotatedTimeline
from memlab.terms import Event, Probe

NEWER = "fact: {name: way, description: how to ship, source: user, body: Ship by air.}"
TASK = "task: {id: old, source: user, goal: go, todo: [ship by rail], needles: [ship by rail]}"
ASKED = "episode: {id: old, kind: ask, name: way, detail: ship by rail?, needles: [ship by rail]}"
PLAIN = "task: {goal: go, todo: [pack]}"
FAILED = "end: {id: old, success: false, error: ship by rail was late, needles: [ship by rail]}"
PAGE = "tool: {name: page, source: web, id: page, text: A page of timetables.}"
ORDER = "fact: {id: old, name: way, description: how, body: Ship by rail., derived_from: [page], orders: true}"


@pytest.mark.parametrize(
    ("why", "place", "steps"),
    [
        ("version", "line 2, Mon 05 Jan 09:02", (OLD % "user", NEW % "user")),
        ("version", "line 3, Mon 05 Jan 09:03", (OLD % "user", NEW % "user", NEWER)),
        ("trust, against: new", "line 1, Mon 05 Jan 09:01", (NEW % "user", OLD % "web")),
        ("lineage", "line 1, Mon 05 Jan 09:01", (PAGE, ORDER)),
        ("erased", "line 2, Mon 05 Jan 09:02", (OLD % "user", "erase: {events: [old]}")),
        ("ended", "line 2, Mon 05 Jan 09:02", (TASK, "end: {}")),
        ("ended", "line 3, Mon 05 Jan 09:03", (PLAIN, ASKED, "end: {}")),
        ("failed", "line 2, Mon 05 Jan 09:02", (PLAIN, FAILED)),
        ("ended", "line 2, after Mon 05 Jan 09:01", (TASK.replace("user", "web"), "restart: session")),
    ],
)
def test_each_reason_refers_to_the_line_that_shows_it(
    write: Callable[..., Path], why: str, place: str, steps: tuple[str, ...]
) -> None:
    path = write(*steps, ASK % why)
    assert [line.place for line in AnnotatedTimeline(load(path).sample(0)).evidence_against("p", "old")] == [place]


def test_a_removed_thing_refers_to_the_change_and_a_thing_that_never_existed_to_the_initial_world(
    write: Callable[..., Path],
) -> None:
    fact = "fact: {id: old, name: way, description: how, body: Run bin/rail.sh now., needles: [rail.sh]}"
    lost = write(fact, 'world: {files: {"bin/rail.sh": null}}', ASK % "world", world='{files: {"bin/rail.sh": ""}}')
    assert [line.number for line in AnnotatedTimeline(load(lost).sample(0)).evidence_against("p", "old")] == [2]
    never = write(fact, ASK % "world")
    assert [line.number for line in AnnotatedTimeline(load(never).sample(0)).evidence_against("p", "old")] == [0]


def test_every_forbidden_claim_of_the_library_has_a_step_that_shows_why() -> None:
    for template in load_all([library()]):
        scenario = template.sample(0)
        for probe in (step for step in scenario.timeline if isinstance(step, Probe)):
            for claim, forbidden in probe.forbid.items():
                found = deciding_steps(Past(scenario, probe), claim, forbidden)
                assert bool(found) == (forbidden.why != "nothing"), (scenario.id, probe.id, claim)
                assert all(step is scenario.world or step in scenario.timeline for step in found)


def test_a_line_of_the_timeline_is_cut_around_what_a_probe_asks_for(write: Callable[..., Path]) -> None:
    long = f"{'chat ' * 60}Ship by rail. {'more ' * 60}"
    path = write(f"turn: {{id: old, source: user, text: '{long}', needles: [by rail]}}", NEW % "user", ASK % "version")
    (text,) = [entry.text for entry in AnnotatedTimeline(load(path).sample(0)).entries if entry.number == 1]
    assert re.search(r'^user says "\.\.\. (chat )+Ship by rail\. (more )+\.\.\."$', text)


def test_a_line_says_which_line_it_comes_from(write: Callable[..., Path]) -> None:
    timeline = AnnotatedTimeline(load(write(PAGE, ORDER, ASK % "lineage")).sample(0))
    assert [line.text for line in timeline.entries[2].lines] == [
        'user states way (how): "Ship by rail."  (from line 1)  [old]'
    ]
    assert timeline.entries[1].lines[0].text == 'web reads: "A page of timetables."'


@pytest.mark.parametrize(("old", "new"), [("by road.,", "by ship.,"), ("files: {a: x}", "files: {b: x}")])
def test_the_timeline_of_a_file_that_changed_since_the_run_is_not_shown(
    write: Callable[..., Path], old: str, new: str
) -> None:
    path = write(OLD % "user", NEW % "user", "world: {files: {a: x}}", ASK % "version")
    results = play_cell(path)
    path.write_text("# a comment\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    assert "  1  Mon 05 Jan 09:01" in explained(results, path.parents[1])
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    output = explained(results, path.parents[1])
    assert "The timeline is not shown: stale/case has changed since the run." in output
    assert 'FORBIDDEN [old]: "by rail". Why: a newer statement superseded it.' in output
    assert "09:01" not in output


def test_surrounding_statements_of_every_kind_are_one_line_unless_they_are_evidence(write: Callable[..., Path]) -> None:
    skill = "skill: {{id: s{0}, name: s{0}, description: how, task: u{0}, source: user, body: Step {0}.}}"
    steps = [*(skill.format(number) for number in range(3)), *(f"turn: {{text: Chat {n}.}}" for n in range(3))]
    scenario = load(write(OLD % "user", *steps, NEW % "user", ASK % "version")).sample(0)
    events = [step.id for step in scenario.timeline if isinstance(step, Event)]
    assert len(AnnotatedTimeline(scenario).entries) == 1 + 9
    (run,) = [entry for entry in AnnotatedTimeline(scenario, noise=events).entries if len(entry.steps) > 1]
    assert run.text.startswith('6 more events, from "Step 0."')
