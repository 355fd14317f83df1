from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from memlab.harness.scenarios.errors import BadScenario
from memlab.harness.scenarios.loading import library, load, load_all, select
from memlab.harness.scenarios.schema import ScenarioFile
from memlab.memory.world import Change
from memlab.terms import Event, Probe, Restart

Write = Callable[[str], Path]
OLD = 'fact: {id: old, name: a, description: where, body: "it is at {place}", needles: ["{place}"]}'
FACT = f"timeline:\n  - {OLD}\n"
VARY = "vary: {place: [here.sh, there.sh, elsewhere.sh]}\n"


def errors(path: Path) -> str:
    with pytest.raises(BadScenario) as caught:
        load(path).sample(0)
    return str(caught.value)


def test_the_same_seed_gives_the_same_scenario_and_other_seeds_give_others(write: Write) -> None:
    template = load(write(VARY + FACT))
    assert template.sample(3) == template.sample(3)
    assert len({template.sample(seed).claims["old"].needles for seed in range(30)}) == 3


def test_event_ids_are_opaque_and_differ_between_seeds(write: Write) -> None:
    template = load(write(VARY + FACT))
    first, second = (template.sample(seed).timeline[0] for seed in (0, 1))
    assert isinstance(first, Event)
    assert isinstance(second, Event)
    assert first.id != second.id
    assert "old" not in first.id


@pytest.mark.parametrize(
    ("rest", "line", "words"),
    [
        (VARY + FACT.replace("body", "bdy"), 6, "unknown key 'bdy' in timeline.0.fact. Did you mean 'body'?"),
        (VARY + FACT.replace("id: old", "id: old, source: wbe"), 6, "is 'wbe'. Did you mean 'web'?"),
        (FACT, 5, "the variable {place} has no value. Valid: none. Add it to `vary:`."),
        (VARY + "timeline:\n  - done: {place}\n", 6, 'because {place} has no quotes. Write "{place}" in quotes.'),
        (VARY + "timeline:\n  - done: {place} now\n", 6, "A text that contains `{x}` needs quotes."),
        (VARY + FACT + f"  - {OLD}\n", 7, "two events have the id 'old': give each its own id"),
        (
            VARY + FACT + "  - probe: {id: p, recall: where, expect: [odl]}\n",
            7,
            "probe 'p' expects 'odl', but no earlier event states this claim. Did you mean 'old'? Valid: old.",
        ),
        (VARY + FACT + "  - probe: {id: p, recall: where, assemble: x}\n", 7, "a probe has one of"),
        (VARY + FACT + "  - probe: {id: p, assemble: x}\n", 7, "`assemble:` needs a `budget:`"),
        (VARY + FACT + "  - erase: {events: [gone]}\n", 7, "this erases 'gone', but no earlier event has this id."),
        (VARY + FACT + "  - world: {move: {no.sh: yes.sh}}\n", 7, "there is no file 'no.sh' to move"),
        (VARY + FACT + "  - wait: a while\n", 7, "timeline.1.wait is 'a while'"),
        (VARY + FACT + "  - done: x\n    restart: crash\n", 7, "each step is exactly one thing"),
        ("timeline:\n  - tool: {text: x, needles: [x]}\n", 5, "has needles, but no id for its claim"),
    ],
)
def test_a_complaint_names_file_line_value_and_what_is_valid(write: Write, rest: str, line: int, words: str) -> None:
    message = errors(write(rest))
    assert f"stale/sample.yaml:{line}: " in message
    assert words in message


def test_all_complaints_about_a_file_are_reported_together(write: Write) -> None:
    message = errors(write(VARY + FACT.replace("body", "bdy").replace("id: old", "id: old, source: wbe")))
    assert "'bdy'" in message
    assert "'wbe'" in message


def test_the_id_must_be_the_place_of_the_file(write: Write) -> None:
    path = write(VARY + FACT)
    path.write_text(path.read_text(encoding="utf-8").replace("stale/sample", "stale/simple"), encoding="utf-8")
    assert "but the file is at stale/sample" in errors(path)


def test_an_unknown_family_is_named_with_the_valid_ones(write: Write, tmp_path: Path) -> None:
    text = write(VARY + FACT).read_text(encoding="utf-8").replace("stale/", "stael/")
    other = tmp_path / "stael" / "sample.yaml"
    other.parent.mkdir()
    other.write_text(text, encoding="utf-8")
    assert "unknown family 'stael'. Did you mean 'stale'?" in errors(other)


def test_a_repeat_counts_and_takes_turns_and_keeps_one_claim(write: Write) -> None:
    event = "episode: {id: seen, detail: 'n {i} {w} end', needles: [end]}"
    rest = f"timeline:\n  - repeat: {{times: 3, each: {{w: [a, b]}}, {event}}}\n"
    scenario = load(write(rest)).sample(0)
    assert [step.text for step in scenario.timeline if isinstance(step, Event)] == [
        "n 1 a end",
        "n 2 b end",
        "n 3 a end",
    ]
    assert len(scenario.claims["seen"].events) == 3


def test_a_session_that_ends_ends_its_open_task_and_a_crash_does_not(write: Write) -> None:
    rest = (
        "timeline:\n  - task: {goal: g, todo: [a]}\n  - restart: crash\n  - restart: session\n  - turn: {text: hello}\n"
    )
    steps = load(write(rest)).sample(0).timeline
    assert [step.kind if isinstance(step, Event) else type(step) for step in steps] == [
        "task",
        Restart,
        "end",
        Restart,
        "turn",
    ]
    assert [step.session for step in steps if isinstance(step, Event)] == ["session-1", "session-1", "session-2"]


def test_a_move_keeps_the_content(write: Write) -> None:
    rest = "world: {files: {a.sh: hello}}\ntimeline:\n  - world: {actor: tool, move: {a.sh: b.sh}}\n"
    assert load(write(rest)).sample(0).timeline == (Change("tool", {"a.sh": None, "b.sh": "hello"}),)


def test_time_moves_a_minute_a_step_and_as_far_as_a_wait_says(write: Write) -> None:
    rest = "timeline:\n  - turn: {text: one}\n  - wait: 2 days\n  - turn: {text: two}\n"
    first, second = (step for step in load(write(rest)).sample(0).timeline if isinstance(step, Event))
    assert second.time - first.time == 2 * 86_400 + 60


def test_a_selection_that_matches_nothing_says_what_there_is(write: Write) -> None:
    template = load(write(VARY + FACT))
    assert select([template], "stale") == select([template], "stale/s*") == [template]
    with pytest.raises(BadScenario, match=r"no scenario or family is called 'stael'\. Did you mean 'stale'\?"):
        select([template], "stael")


def test_every_scenario_of_the_library_has_variables_and_probes() -> None:
    for template in load_all([library()]):
        samples = [template.sample(seed) for seed in range(6)]
        assert any(isinstance(step, Probe) for step in samples[0].timeline), template.file.id
        assert len({str(sample.claims) + str(sample.timeline) for sample in samples}) > 1, template.file.id


def test_the_published_schema_is_current() -> None:
    published = json.loads((library() / "schema.json").read_text(encoding="utf-8"))
    assert published == ScenarioFile.model_json_schema(), "run `memlab schema > scenarios/schema.json`"
