"""What a scenario says about a task besides its to-dos: its type, notes and questions, and the record of its run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import pytest

from memlab.harness.scenarios.answer_keys import answer_keys
from memlab.harness.scenarios.conditions import Conditions
from memlab.harness.scenarios.errors import BadScenario
from memlab.harness.scenarios.loading import load
from memlab.memory.episode import Run
from memlab.report.explain.story import story
from memlab.systems.event_json import event_from_json
from memlab.terms import Event

Write = Callable[[str], Path]
SKILL = "skill: {name: by-rail, description: how, task: deploy, body: Ship by rail.}"
TASK = "task: {goal: ship the page, type: deploy, todo: [build, send]}"
RUN = (
    "end: {id: run, success: false, error: the port 80 was taken, resolution: used port 8443, steps: 4, seconds: 1.5, "
    "tools: [ssh, curl], skills: [by-rail], learned: by-road, result: the page is online, needles: [port 8443]}"
)
ASK = "episode: {kind: ask, name: port, detail: which port is free?}"
ANSWER = "episode: {kind: answer, name: port, detail: '8443'}"
NOTE = "episode: {kind: note, name: page-port, detail: the page is on 8443}"
PROBE = "probe: {id: p, assemble: ship, budget: 100, keep: [run]}"


def events(path: Path) -> list[Event]:
    return [step for step in load(path).sample(0).timeline if isinstance(step, Event)]


def timeline(*steps: str) -> str:
    return "timeline:\n" + "".join(f"  - {step}\n" for step in steps)


def test_a_task_has_its_type_and_its_end_the_record_of_the_run_with_the_goal_and_the_type(write: Write) -> None:
    _, task, end = events(write(timeline(SKILL, TASK, RUN)))
    assert (task.type, task.text) == ("deploy", "ship the page")
    assert end.run == Run(
        "ship the page",
        "deploy",
        steps=4,
        tools=("ssh", "curl"),
        seconds=1.5,
        success=False,
        result="the page is online",
        error="the port 80 was taken",
        resolution="used port 8443",
        skills=("by-rail",),
        learned="by-road",
    )


def test_the_text_of_an_end_with_a_record_says_it_in_words_for_systems_that_do_not_know_records(write: Write) -> None:
    end = events(write(timeline(SKILL, TASK, RUN, PROBE)))[-1]
    assert end.run
    assert end.text == end.run.text
    for words in ("ship the page", "the page is online", "the port 80 was taken", "used port 8443"):
        assert words in end.text
    (key,) = answer_keys(load(write(timeline(SKILL, TASK, RUN, PROBE))).sample(0)).values()
    assert key.texts["run"] == (end.text,)


def test_an_end_without_success_has_its_outcome_and_no_record(write: Write) -> None:
    *_, end = events(write(timeline(TASK, "end: {outcome: it is online}")))
    assert (end.text, end.run) == ("it is online", None)


def test_an_answer_carries_the_words_of_its_question(write: Write) -> None:
    _, ask, answer, note = events(write(timeline(TASK, ASK, ANSWER, NOTE)))
    assert (ask.kind, ask.type, ask.name, ask.text) == ("episode", "ask", "port", "which port is free?")
    assert (answer.type, answer.name, answer.description, answer.text) == (
        "answer",
        "port",
        "which port is free?",
        "8443",
    )
    assert (note.type, note.name) == ("note", "page-port")


FACT = "fact: {id: zone, name: zone, description: where, body: Ship to Oslo., quote: 'I ship to Oslo', importance: 0.9}"


def test_a_fact_has_an_importance_and_in_a_transcript_the_words_that_were_said(write: Write) -> None:
    path = write(
        timeline(FACT.replace("body:", "needles: [Oslo], body:"), "probe: {id: p, recall: where, expect: [zone]}")
    )
    (fact,) = events(path)
    assert (fact.importance, fact.quote, fact.text) == (0.9, "I ship to Oslo", "Ship to Oslo.")
    transcript = Conditions("subjects", "transcript", noise=False)(load(path).sample(0))
    turn = transcript.timeline[0]
    assert isinstance(turn, Event)
    assert (turn.kind, turn.quote, turn.importance) == ("turn", "", 0.5)
    assert turn.text.splitlines()[1] == "I ship to Oslo"


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ((TASK, "end: {steps: 3, tools: [a]}"), "steps, tools: a record of a run needs `success: true` or `success: f"),
        (
            (TASK, "end: {success: true, outcome: x}"),
            "`outcome:` is for an end without a record; beside `success:` wri",
        ),
        ((TASK, "end: {success: false, resolution: x}"), "`resolution:` needs the `error:` that it resolves"),
        (("end: {success: true}",), "a record of a run needs its task. Add a `task:` before it"),
        ((TASK, "end: {success: 1.5}"), "end.success is 1.5: it must be a valid boolean"),
        ((TASK, f"end: {{success: true, result: {'x' * 201}}}"), "it must have at most 200 characters"),
        ((TASK, "end: {success: true, steps: -1}"), "end.steps is -1: it must be greater than or equal to 0"),
        (
            (SKILL, TASK, "end: {success: true, skills: [by-rial]}"),
            "the skill 'by-rial', but no earlier event teaches it. D",
        ),
        (
            ("episode: {kind: log, name: a, detail: x}",),
            "`name:` is for the kinds note, ask, answer, not 'log'. Remove it",
        ),
        ((TASK, "episode: {kind: ask, detail: x}"), "`kind: ask` needs a `name:`, that of the question"),
        ((NOTE,), "`kind: note` is for a task, and none is open. Add a `task:` before it, or rename the kind"),
        ((TASK, "end: {}", ASK), "`kind: ask` is for a task, and none is open."),
        ((TASK, ASK, ANSWER, ANSWER), "this answers 'port', which is no open question. Valid: none."),
        ((TASK, ASK, TASK, ANSWER), "this answers 'port', which is no open question."),
        ((FACT.replace("0.9", "1.5"),), "importance is 1.5: it must be less than or equal to 1"),
        (
            ("episode: {kind: release, detail: x}",),
            "`kind: release` needs `source: user`, and in `derived_from:` what the",
        ),
    ],
)
def test_a_field_that_does_not_fit_is_reported_with_the_fix(write: Write, steps: tuple[str, ...], words: str) -> None:
    with pytest.raises(BadScenario) as caught:
        load(write(timeline(*steps))).sample(0)
    assert words in str(caught.value)


def test_an_event_is_the_same_after_json(write: Write) -> None:
    for event in events(write(timeline(SKILL, FACT, TASK, ASK, ANSWER, RUN))):
        assert event_from_json(asdict(event)) == event


def test_an_event_of_an_older_version_has_the_defaults() -> None:
    old = {"id": "a", "kind": "end", "time": 1.0, "session": "s", "source": "user", "todo": [], "derived_from": ["b"]}
    assert event_from_json(old) == Event("a", "end", 1.0, "s", "user", derived_from=("b",))


def test_a_story_tells_the_type_the_notes_and_how_the_run_went(write: Write) -> None:
    told = "\n".join(
        "".join(span.text for span in line.spans)
        for line in story(load(write(timeline(SKILL, FACT, TASK, ASK, ANSWER, NOTE, RUN))).sample(0))
    )
    assert "begins a task of type deploy" in told
    assert 'asks port: "which port is free?"' in told
    assert 'answers port: "8443"' in told
    assert 'notes page-port: "the page is on 8443"' in told
    assert 'states zone (where): "Ship to Oslo." (said as "I ship to Oslo", importance 0.9)' in told
    assert (
        "ends the task, which failed but was resolved (4 steps; 1.5 s; tools ssh, curl; skills by-rail; learned by"
        in told
    )
