"""Scenarios run on a submission in a sandbox: scored as elsewhere, and the answer key stays outside."""

import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from tiny_lab import NoIsolation, grade_source, mark, tiny

from memlab.grading.marking import attempt, scenario_task
from memlab.grading.marking.config import GradingConfig
from memlab.grading.marking.sandboxed_lab import SandboxedLab
from memlab.grading.marking.scenario_task import sample_scenarios
from memlab.harness.running.runner import Cell, play, scenario_environment
from memlab.harness.scenarios.answer_keys import answer_keys
from memlab.harness.scenarios.errors import BadScenario
from memlab.harness.scenarios.loading import load as load_scenario
from memlab.labs.lab import Lab, load
from memlab.labs.rubric import Scenarios
from memlab.memory.world import Change, ScriptedWorld
from memlab.sandbox.channel import Channel
from memlab.sandbox.client import LearnerFile
from memlab.sandbox.sandbox import StartSandbox
from memlab.sandbox.unisolated import start_anew, start_unisolated
from memlab.systems.answers import SystemFailed
from memlab.systems.entry import Entry
from memlab.systems.labs import lab06, lab07
from memlab.terms import Event, Result, Scenario

ADAPTERS = {"06": lab06, "07": lab07}


def sample(lab: Lab, name: str, seed: int = 3) -> Scenario:
    """Sample one scenario of a lab."""
    return load_scenario(lab.scenarios / f"{name}.yaml").sample(seed)


def run_in_sandbox(lab: Lab, path: Path, scenario: Scenario, start: StartSandbox = start_unisolated) -> list[Result]:
    """Run a scenario on a file in a sandbox."""
    with (
        LearnerFile(path, lab.class_name, start_sandbox=start) as work,
        scenario_environment(scenario) as environment,
    ):
        entry = Entry(scenario_task.YOURS, "", "yours", partial(scenario_task.make_system, lab, SandboxedLab(work)))
        return [
            replace(one, seconds=0, observe_seconds=0)
            for one in Cell(entry, environment, answer_keys(scenario)).play(scenario)
        ]


@pytest.mark.parametrize(
    ("number", "name"),
    [
        ("06", "stale/script-that-moved"),
        ("06", "stale/flag-that-was-dropped"),
        ("06", "stale/setting-that-is-empty"),
        ("07", "lifetimes/rule-changed-overnight"),
        ("07", "stale/link-that-leads-nowhere"),
        ("07", "poison/stuffed-description"),
    ],
)
def test_a_file_in_a_sandbox_answers_as_in_this_process(number: str, name: str) -> None:
    lab = load(number)
    scenario = sample(lab, name)
    entry = Entry(scenario_task.YOURS, "", "yours", ADAPTERS[number].from_file(lab.folder / "published.py"))
    (results,) = play(scenario, [entry])
    assert run_in_sandbox(lab, lab.folder / "published.py", scenario) == [
        replace(one, seconds=0, observe_seconds=0) for one in results
    ]


REPORTS = """
import os
from pathlib import Path
HELP = {"mine": "of the file itself"}
def report():
    files = {str(path): path.is_symlink() or path.is_dir() or path.read_text() for path in Path().rglob("*")}
    return files, os.environ.get("HARBOUR"), HELP, os.getpid()
"""


def test_changes_of_the_environment_reach_the_sandbox(tmp_path: Path) -> None:
    (tmp_path / "memory_store.py").write_text(REPORTS, encoding="utf-8")
    world = ScriptedWorld()
    world.change(
        Change(files={"a/b/c.sh": "one", "d.sh": "two"}, env={"HARBOUR": "north"}, commands={"pnpm": ("--x",)})
    )
    with LearnerFile(tmp_path / "memory_store.py") as work:
        file = SandboxedLab(work)
        file.begin()
        file.follow(world)
        first = file.call("report")
        world.change(Change(files={"a/b/c.sh": None, "d.sh": "three"}, env={"HARBOUR": None}, links={"e": "d.sh"}))
        file.begin()
        file.follow(world)
        second = file.call("report")
        world.change(Change(links={"e": None}, commands={"pnpm": None, "tar": ("-x", "-z")}))
        file.follow(world)
        third = file.call("report")
    assert first[:3] == [
        {"a": True, "a/b": True, "a/b/c.sh": "one", "d.sh": "two"},
        "north",
        {"pnpm": "usage: pnpm --x"},
    ]
    assert second[:3] == [{"d.sh": "three", "e": True}, None, {"pnpm": "usage: pnpm --x"}]
    assert third[:3] == [{"d.sh": "three"}, None, {"tar": "usage: tar -x -z"}]
    assert first[3] != second[3] == third[3]


def test_an_error_of_a_file_in_a_sandbox_is_a_failure_of_that_system(tmp_path: Path) -> None:
    path = tmp_path / "memory_store.py"
    path.write_text("def one():\n    raise KeyError('x')\ndef two():\n    raise ValueError('no')\n", encoding="utf-8")
    with LearnerFile(path) as work:
        file = SandboxedLab(work)
        file.begin()
        with pytest.raises(SystemFailed, match=r"one\(\) raised KeyError: 'x'"):
            file.call("one")
        with pytest.raises(ValueError, match="no"):
            file.call("two")
        with pytest.raises(SystemFailed, match="has no three"):
            file.call("three")


def test_the_answer_key_is_never_sent_to_the_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    lab = load("06")
    scenario = sample(lab, "stale/script-that-moved")
    lines: list[bytes] = []
    exchange = Channel.exchange

    def record_line(channel: Channel, line: bytes, limit: float) -> bytes:
        lines.append(line)
        return exchange(channel, line, limit)

    monkeypatch.setattr(Channel, "exchange", record_line)
    run_in_sandbox(lab, lab.folder / "solution.py", scenario, start_anew)
    begun, *later_lines = (line.decode() for line in lines)
    assert (
        "imports nothing but the standard library" in begun.lower()
    )  # the source of the process in the sandbox, sent before anything of the scenario
    all_of_it = " ".join(later_lines)
    probes = answer_keys(scenario)
    claims = {claim for key in probes.values() for claim in (*(key.expect or ()), *key.forbid)}
    assert claims
    names = {one.name for one in scenario.timeline if isinstance(one, Event)}
    secret = {scenario.id, scenario.title, scenario.story, *probes, *claims} - names
    assert {one for one in secret if f'"{one}"' in all_of_it or (" " in one and one in all_of_it)} == set()
    assert all(key.query in all_of_it for key in probes.values())


def test_a_failed_scenario_names_the_query_the_served_claims_and_the_forbidden_ones() -> None:
    lab = tiny({"scenarios": "played", "count": 1, "families": ["stale"]})
    published = (lab.folder / "published.py").read_text(encoding="utf-8")
    marks = {seed: mark(grade_source(lab, published, seed=seed), "played") for seed in range(2)}
    for one in marks.values():
        (reason,) = one.reasons
        assert reason.name.startswith("stale/")
        assert reason.requirement
        assert reason.message.startswith("asked ")
        assert "served: " in reason.message
        assert "forbidden: " in reason.message or "expected: " in reason.message
        assert any(call.startswith("write_memory(") for call in reason.calls)
        assert reason.calls[-1].startswith("recall_and_trust(")


def test_a_file_that_loops_fails_only_the_scenarios_in_which_it_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempt, "CALL_SECONDS", 1.0)
    lab = tiny({"scenarios": "played", "count": 6})
    solution = (lab.folder / "solution.py").read_text(encoding="utf-8")
    names = [one.id for one in sample_scenarios(task(lab), GradingConfig(lab, 7, NoIsolation()))]
    loops = (
        "right = recall_and_trust\ndef recall_and_trust(query):\n"
        "    while len(query) % 3 == 0: pass\n    return right(query)\n"
    )
    found = grade_source(lab, f"{solution}\n{loops}")
    lost = {one.name for one in mark(found, "played").reasons}
    assert lost < set(names)
    assert (found.status, bool(lost)) == ("timeout", True)


def task(lab: Lab) -> Scenarios:
    """Return the scenario task of a lab."""
    return next(one for one in lab.rubric.task if isinstance(one, Scenarios))


def config(seed: int = 1, overlay: Path | None = None, **fields: object) -> GradingConfig:
    """Return a configuration with one scenario task."""
    return GradingConfig(tiny({"scenarios": "played", "count": 6} | fields), seed, NoIsolation(), overlay)


def sampled(given: GradingConfig) -> list[tuple[str, int]]:
    """Return the ids and seeds of the drawn scenarios."""
    return [(one.id, one.seed) for one in sample_scenarios(task(given.lab), given)]


def test_one_seed_draws_the_same_scenarios_for_everybody_and_another_seed_others() -> None:
    assert sampled(config(seed=1)) == sampled(config(seed=1))
    assert len({tuple(sampled(config(seed=seed))) for seed in range(10)}) == 10
    blanks = {seed for given in range(10) for _, seed in sampled(config(seed=given))}
    assert len(blanks) == 60
    assert min(blanks) > 1000  # no seed of a public run


def test_each_scenario_is_drawn_once_before_any_is_drawn_twice() -> None:
    names = [name for name, _ in sampled(config(count=25))]
    assert len(set(names)) == 10
    assert {names.count(name) for name in names} == {2, 3}
    assert len(set(sampled(config(count=25)))) == 25


def test_only_the_families_of_the_task_are_drawn() -> None:
    assert {name.partition("/")[0] for name, _ in sampled(config(families=["stale", "poison"]))} == {"stale", "poison"}
    with pytest.raises(BadScenario, match="has no scenarios of the families promotion"):
        sampled(config(families=["promotion"]))


def test_private_scenarios_are_drawn_first_and_replace_public_ones_of_the_same_name(tmp_path: Path) -> None:
    own = load("06").scenarios
    (tmp_path / "stale").mkdir()
    (tmp_path / "recall").mkdir()
    private = (own / "stale" / "script-that-moved.yaml").read_text(encoding="utf-8")
    (tmp_path / "stale" / "private.yaml").write_text(
        private.replace("stale/script-that-moved", "stale/private"), "utf-8"
    )
    shutil.copy(own / "recall" / "small-words.yaml", tmp_path / "recall")
    for seed in range(10):
        names = [name for name, _ in sampled(config(seed, tmp_path, count=2))]
        assert set(names) == {"stale/private", "recall/small-words"}, "the private ones are drawn first"
    drawn = sampled(config(overlay=tmp_path, count=11))
    assert len({name for name, _ in drawn}) == 11
    assert "stale/private" in {name for name, _ in drawn}
