from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise
from math import prod
from pathlib import Path

import pytest

from memlab.harness.check.derive import underivable
from memlab.harness.check.past import Past
from memlab.harness.complaint import BadScenario
from memlab.harness.keys import Witness, says
from memlab.harness.scenario import library, load_all
from memlab.harness.served import Recogniser
from memlab.harness.turns import Attention, What, first_open, play_long
from memlab.harness.turns_file import LongTask, LongTemplate, load_long
from memlab.memory.context import count_tokens
from memlab.memory.naming import fold
from memlab.systems.degenerate import Null
from memlab.systems.entry import Entry
from memlab.systems.registry import entries, entry
from memlab.terms import Event, Forbidden, Probe, Restart, Scenario

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
FULL = Attention()
UNDEFENDED = {"bucket-recent", "bucket-search", "newest-only", "dump", "label-filter", "random"}


def sample(tmp_path: Path, text: str = TASK) -> LongTask:
    (tmp_path / "sample.yaml").write_text(text, encoding="utf-8")
    (template,) = load_long(tmp_path)
    return template.task(0)


def acted(tmp_path: Path, *contexts: str) -> list[str]:
    """Let the agent read one context in each of its turns, in both looks, and say what became of it."""
    return ["+".join(one) for one in by_turn(tmp_path, Recites(list(contexts)))]


def by_turn(tmp_path: Path, system: Null) -> list[list[What]]:
    turns = next(play_long(sample(tmp_path), [Entry("mine", "", "yours", lambda _: system)], [FULL]))
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
    assert first_open("- [x] call the pilot\n- [ ] write the log\n- sweep", todos) == "write the log"
    assert first_open("- call the pilot\n- write the log\ndone: call the pilot", todos) == "write the log"
    assert first_open("todo: ['call the pilot', 'sweep']\n- (2026-01-05, agent) done: call the pilot", todos) == "sweep"
    assert first_open("somebody may call the pilot, or sweep the floor", todos) is None


def test_an_agent_of_limited_attention_reads_the_first_and_the_last_tokens_and_nothing_between() -> None:
    text = "a" * 40 + "middle" + "b" * 40
    assert Attention(ends=10).read(text) == "a" * 40 + "\n" + "b" * 40
    assert Attention(ends=12).read(text) == text
    assert FULL.read(text) == text


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


def test_what_is_done_out_of_order_again_or_for_a_stranger_is_told_apart(tmp_path: Path) -> None:
    boat, pilot = "- [ ] buy the boat", "Call 111.\n- call the pilot"
    assert acted(tmp_path, boat, "", pilot, "- sweep") == ["planted", "idle", "blind+false", "early"]
    assert acted(tmp_path, pilot, pilot, "- sweep", "Write in pencil.\n- write the log") == [
        *["done", "again", "early", "done"]
    ]


def test_who_reads_nothing_to_do_is_lost_only_while_there_is_something_to_do(tmp_path: Path) -> None:
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


def test_two_plays_of_a_long_task_are_the_same_turns(tmp_path: Path) -> None:
    task = sample(tmp_path)
    some = [entry(name) for name in ("hybrid", "random", "lab07", "bucket-search")]
    assert list(play_long(task, some)) == list(play_long(task, some))


def test_the_library_of_scenarios_passes_over_the_long_tasks() -> None:
    assert all(one.family != "turns" for one in load_all([library()]))


LONG = load_long()
each = pytest.mark.parametrize("template", LONG, ids=[one.file.id for one in LONG])


def due(task: LongTask) -> Iterator[tuple[Probe, str, Witness]]:
    """Go through the turns as they are if all goes right: each with its to-do and what is known by then."""
    witness = Witness(task.scenario)
    for step in task.scenario.timeline:
        if isinstance(step, Event):
            witness.live(step)
        if isinstance(step, Probe) and witness.pins.todo:
            item = witness.pins.todo[0]
            yield step, item, witness
            witness.live(Event(step.id, "done", step.time, "", "agent", item))


def test_there_are_ten_long_tasks_of_30_to_100_turns_with_crashes_and_no_two_share_a_skeleton() -> None:
    assert len(LONG) >= 10
    assert all(30 <= one.file.turns() <= 100 for one in LONG)
    assert all(Restart("crash") in one.task(0).scenario.timeline for one in LONG)
    skeletons = [skeleton(one.task(0).scenario) for one in LONG]
    assert not [pair for pair in combinations(skeletons, 2) if pair[0] == pair[1]]


def skeleton(scenario: Scenario) -> list[tuple[str, ...]]:
    """Give the sequence of kinds, sources and restarts, without what comes before each turn."""
    steps = [(one.kind, one.source) if isinstance(one, Event) else (type(one).__name__,) for one in scenario.timeline]
    return [here for last, here in pairwise([("",), *steps]) if here != last]


@each
def test_a_memory_that_keeps_all_that_is_true_finishes_a_long_task_and_one_that_says_nothing_finishes_nothing(
    template: LongTemplate,
) -> None:
    for seed in range(2):
        task = template.task(seed)
        for turns in play_long(task, [entry("oracle")]):
            assert {one.event for one in turns} <= {"done", "rest"}
            assert len(turns) == template.file.turns()
        for turns in play_long(task, [entry("null")]):
            assert {one.event for one in turns} <= {"idle", "rest"}


@each
def test_a_long_task_has_fifty_samples_or_more(template: LongTemplate) -> None:
    assert prod(map(len, template.file.vary.values())) >= 50


@each
def test_a_long_task_plants_what_takes_in_an_undefended_memory(template: LongTemplate) -> None:
    undefended = [one for one in entries() if one.group == "ablation" or one.name in UNDEFENDED]
    happened = [one.event for turns in play_long(template.task(0), undefended, [FULL]) for one in turns]
    assert {"false", "planted", "broke"} & set(happened)


@each
def test_every_need_of_a_long_task_comes_up_and_what_is_false_could_have_been_known(template: LongTemplate) -> None:
    for seed in range(3):
        task = template.task(seed)
        asked = list[str]()
        for probe, item, witness in due(task):
            asked.append(item)
            past = Past(task.scenario, probe)
            for need in task.needed_for(item):
                told = [name for name in need.takes if name in witness.texts]
                assert bool(told) == bool(need.takes), item
                wrong = {name: Forbidden(one.why, one.against) for name, one in need.wrong.items()}
                for claim, why in (dict.fromkeys(told[:-1], Forbidden("version")) | wrong).items():
                    if claim in witness.texts:
                        assert not underivable(past, claim, why), (item, claim, underivable(past, claim, why))
        assert {item for need in task.needs for item in need.todos} <= set(asked)


@each
def test_needles_of_a_long_task_stand_where_their_claim_is_stated_and_nowhere_else(template: LongTemplate) -> None:
    for seed in range(3):
        scenario = template.task(seed).scenario
        known = Recogniser({name: claim.needles for name, claim in scenario.claims.items() if name[0] != "~"})
        for event in (step for step in scenario.timeline if isinstance(step, Event)):
            stated = {
                name for name, claim in scenario.claims.items() if event.id in claim.events and name in known.needles
            }
            assert stated <= known.served(fold(event.text)).keys(), event
            for text in says(event):
                assert {claim for claim, _ in known.standing(fold(text))} <= stated, (event, text)
            assert not [item for item in event.todo if "," in item], event


@each
def test_the_history_of_a_long_task_outgrows_its_budget(template: LongTemplate) -> None:
    scenario = template.task(0).scenario
    told = (text for step in scenario.timeline if isinstance(step, Event) for text in says(step))
    assert sum(map(count_tokens, told)) >= 3 * template.file.budget
