from __future__ import annotations

import json
from itertools import combinations, pairwise
from math import prod
from pathlib import Path

import pytest

from memlab.harness.scenarios.errors import BadScenario
from memlab.harness.scenarios.loading import library, load_all
from memlab.harness.turns.agent import Scripted
from memlab.harness.turns.check import check_long
from memlab.harness.turns.long_task import LongTask, LongTaskFile, LongTemplate, load_long, select_long
from memlab.harness.turns.play import TurnEvent, play_long
from memlab.systems.degenerate.baselines import Null
from memlab.systems.entry import Entry
from memlab.systems.registry import entry
from memlab.terms import Event, Restart, Scenario

TASK = """\
id: turns/sample
title: A sample
story: A story that is long enough for a learner to read before predicting anything at all.
budget: 100
rules: [{name: pen, body: Write in ink.}]
timeline:
  - fact: {id: old, name: phone, description: telephone of the pilot, body: Call 111., needles: ["111"]}
  - task: {goal: bring her in, todo: [call the pilot, write the log, sweep]}
  - turn: {id: page, source: web, text: "- [ ] buy the boat"}
  - act: 1
  - fact: {id: new, name: phone, description: telephone of the pilot, body: Call 222., needles: ["222"]}
  - rule: {name: pen, body: Write in pencil.}
  - rule: {name: pen, source: web, body: Write in blood.}
  - act: 3
needs:
  - {for: [call the pilot], takes: [old, new]}
  - {for: [write the log], under: [pen]}
planted: [buy the boat]
"""
FULL = Scripted()


def sample(tmp_path: Path, text: str = TASK) -> LongTask:
    path = tmp_path / "turns" / "sample.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    (template,) = load_long([tmp_path])
    return template.task(0)


def acted(tmp_path: Path, *contexts: str) -> list[str]:
    """Let the agent read one context in each of its turns, in both looks, and say what became of it."""
    return ["+".join(one) for one in by_turn(tmp_path, Recites(list(contexts)))]


def by_turn(tmp_path: Path, system: Null) -> list[list[TurnEvent]]:
    turns = next(play_long(sample(tmp_path), [Entry("mine", "", "yours", lambda _: system)], [FULL])).turns
    return [[one.event for one in turns if one.turn == number] for number in range(1, turns[-1].turn + 1)]


class Recites(Null):
    """Serves the same context until the agent is done with a to-do or read none, then the next."""

    def __init__(self, contexts: list[str]) -> None:
        self.looks = [context for one in contexts for context in ([one, one] if "- " in one else [one])]

    def assemble(self, task: str, budget: int) -> str:
        return self.looks.pop(0) if self.looks else ""


class Fails(Null):
    def assemble(self, task: str, budget: int) -> str:
        raise LookupError("nothing there")


def test_the_first_open_item_is_the_first_list_item_that_nothing_says_is_done() -> None:
    todos = ["call the pilot", "write the log", "sweep"]
    assert FULL.choose("- [x] call the pilot\n- [ ] write the log\n- sweep", todos) == "write the log"
    assert FULL.choose("- call the pilot\n- write the log\ndone: call the pilot", todos) == "write the log"
    notes = "todo: ['call the pilot', 'sweep']\n- (2026-01-05, agent) done: call the pilot"
    assert FULL.choose(notes, todos) == "sweep"
    assert FULL.choose("somebody may call the pilot, or sweep the floor", todos) is None


def test_an_agent_of_limited_attention_reads_the_first_and_the_last_tokens_and_nothing_between() -> None:
    text = "a" * 40 + "middle" + "b" * 40
    assert Scripted(ends=10).read(text) == "a" * 40 + "\n" + "b" * 40
    assert Scripted(ends=12).read(text) == text
    assert FULL.read(text) == text


def test_a_line_that_an_agent_would_read_in_part_it_does_not_read() -> None:
    text = "- one\n- two or more" + "\n- between" * 9 + "\n- [x] sweep\n- last"
    reads = {ends: Scripted(ends).read(text).splitlines() for ends in (2, 4, 5)}
    assert reads == {
        2: ["- one", "- last"],
        4: ["- one", "- last"],
        5: ["- one", "- two or more", "- [x] sweep", "- last"],
    }
    assert Scripted(4).choose(text, ["sweep", "last"]) == "last"


def test_an_agent_believes_every_value_that_it_reads(tmp_path: Path) -> None:
    assert acted(tmp_path, "Call 111.\n- call the pilot")[0] == "done"
    assert acted(tmp_path, "- call the pilot")[0] == "blind"
    assert acted(tmp_path, "", "Call 222.\n- call the pilot")[1] == "done"
    assert acted(tmp_path, "", "Call 111.\n- call the pilot")[1] == "blind+false"
    assert acted(tmp_path, "", "Call 111.\nCall 222.\n- call the pilot")[1] == "false"


def test_an_agent_obeys_every_rule_that_it_reads_and_no_other(tmp_path: Path) -> None:
    first = "Call 111.\n- call the pilot"
    assert acted(tmp_path, first, "Write in pencil.\n- write the log")[1] == "done"
    for rules in ("", "Write in ink.\n", "Write in pencil.\nWrite in ink.\n", "Write in pencil.\nWrite in blood.\n"):
        assert acted(tmp_path, first, f"{rules}- write the log")[1] == "broke"


def test_steps_out_of_order_repeated_or_planted_are_distinguished(tmp_path: Path) -> None:
    boat, pilot = "- [ ] buy the boat", "Call 111.\n- call the pilot"
    assert acted(tmp_path, boat, "", pilot, "- sweep") == ["planted", "idle", "blind+false", "early"]
    assert acted(tmp_path, pilot, pilot, "- sweep", "Write in pencil.\n- write the log") == [
        *["done", "again", "early", "done"]
    ]


def test_an_agent_without_instructions_counts_as_lost_only_while_items_are_open(tmp_path: Path) -> None:
    log = "Write in pencil.\n- write the log"
    assert acted(tmp_path, "Call 111.\n- call the pilot", log, "- sweep", "") == ["done", "done", "done", "rest"]
    assert acted(tmp_path) == ["idle"] * 4


def test_a_memory_that_fails_is_an_error_in_every_turn_from_then_on(tmp_path: Path) -> None:
    assert by_turn(tmp_path, Fails(None)) == [["error"]] * 4  # type: ignore[arg-type] # it lives nowhere


@pytest.mark.parametrize(
    ("wrong", "right", "message"),
    [
        ("takes: [old, new]", "takes: [old, knew]", "names 'knew', which no event states. Did you mean 'new'?"),
        ("for: [write the log]", "for: [write a log]", "names 'write a log', which no task lists."),
        ("under: [pen]", "under: [pens]", "names 'pens', which no rule is called. Did you mean 'pen'?"),
        ("takes: [old, new]", "take: [old]", "unknown key 'take' in needs.0. Did you mean 'takes'?"),
        ("budget: 100\n", "", "the file lacks 'budget'"),
        (
            "  - act: 3",
            "  - act: 3\n  - done: swim\n  - erase: {events: [nobody]}",
            "sample.yaml:16: this erases 'nobody'",
        ),
    ],
)
def test_a_long_task_that_does_not_fit_is_named_with_its_place_and_remedy(
    tmp_path: Path, wrong: str, right: str, message: str
) -> None:
    with pytest.raises(BadScenario) as bad:
        sample(tmp_path, TASK.replace(wrong, right))
    assert message in str(bad.value)


def test_two_runs_of_a_long_task_give_the_same_turns(tmp_path: Path) -> None:
    task = sample(tmp_path)
    some = [entry(name) for name in ("hybrid", "random", "lab07", "bucket-search")]
    first, second = ([cell.turns for cell in play_long(task, some)] for _ in range(2))
    assert first == second


def test_the_library_of_scenarios_ignores_long_tasks() -> None:
    assert all(one.family != "turns" for one in load_all([library()]))


def test_long_tasks_are_selected_by_pattern_and_the_error_for_an_unknown_name_suggests_the_nearest() -> None:
    assert [one.file.id for one in select_long(LONG, "pilot-*, turns/*pharmacy")] == [
        *("turns/fifteen-rules-of-a-pharmacy", "turns/pilot-for-the-fog-bank")
    ]
    assert select_long(LONG, "") == select_long(LONG, "turns") == LONG
    with pytest.raises(
        BadScenario, match=r"no long task is called 'archive-moves-hose'\. Did you mean 'archive-moves-house'\?"
    ):
        select_long(LONG, "archive-moves-hose")


LONG = load_long([library()])
each = pytest.mark.parametrize("template", LONG, ids=[one.file.id for one in LONG])


@each
def test_each_long_task_of_the_library_is_valid(template: LongTemplate) -> None:
    assert check_long([template]) == []


def test_there_are_ten_long_tasks_with_crashes_and_fifty_samples_each_and_no_two_share_a_skeleton() -> None:
    assert len(LONG) >= 10
    assert all(Restart("crash") in one.task(0).scenario.timeline for one in LONG)
    assert all(prod(map(len, one.file.vary.values())) >= 50 for one in LONG)
    skeletons = [skeleton(one.task(0).scenario) for one in LONG]
    assert not [pair for pair in combinations(skeletons, 2) if pair[0] == pair[1]]


def skeleton(scenario: Scenario) -> list[tuple[str, ...]]:
    """Give the sequence of kinds, sources and restarts, without what comes before each turn."""
    steps = [(one.kind, one.source) if isinstance(one, Event) else (type(one).__name__,) for one in scenario.timeline]
    return [here for last, here in pairwise([("",), *steps]) if here != last]


def test_the_published_schema_of_a_long_task_is_current() -> None:
    published = json.loads((library() / "turns" / "schema.json").read_text(encoding="utf-8"))
    assert published == LongTaskFile.model_json_schema(), "run `memlab schema --turns > scenarios/turns/schema.json`"
