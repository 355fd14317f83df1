"""Speed as ratios: each cost is divided by the time to start a bare Python on the same machine, in the same minute.

A limit in milliseconds would depend more on the machine than on the code. `make bench` prints both.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from itertools import chain
from pathlib import Path

import pytest

from memlab.harness.running.results import ResultsWriter
from memlab.harness.running.runner import play
from memlab.harness.running.workspace import ScenarioEnvironment
from memlab.harness.scenarios.loading import library, load
from memlab.harness.scoring.metrics import score
from memlab.memory.world import Change
from memlab.systems.registry import entry
from memlab.systems.single_bucket import BUILDS
from memlab.terms import Event, Scenario

HEAVY = ("matplotlib", "numpy", "pandas", "scipy")
SCENARIO = "stale/deploy-script-moved"
CELLS = 10
OWN = """\
class Own:
    def observe(self, event): ...
    def recall(self, query, k=5): return []
    def assemble(self, task, budget): return ""
"""


@pytest.fixture(scope="module")
def scenario() -> Scenario:
    return load(library() / f"{SCENARIO}.yaml").sample(0)


def python(code: str) -> str:
    """Run code in a new interpreter, outside this folder, and return its output."""
    return subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True).stdout


def ratio(name: str, act: Callable[[], object], times: int = 1, rounds: int = 10) -> float:
    """Return the time of `act` divided by its `times` and by a Python start, measured in turns; the fastest counts."""
    bare, own = [], []
    act()
    for _ in range(rounds):
        bare.append(seconds(lambda: python("pass")))
        own.append(seconds(act) / times)
    found = min(own) / min(bare)
    print(f"\n{name:<32} {1000 * min(own):8.2f} ms = {found:5.2f} of {1000 * min(bare):.1f} ms, a bare Python start")  # noqa: T201 - the output of `make bench`
    return found


def seconds(act: Callable[[], object]) -> float:
    start = time.perf_counter()
    act()
    return time.perf_counter() - start


@pytest.mark.parametrize(
    ("code", "unwanted"),
    [
        ("import memlab", (*HEAVY, "pydantic", "yaml", "rich", "typer")),
        ("import memlab.pytest_plugin", (*HEAVY, "pydantic", "yaml", "rich", "typer")),
        ("import memlab.terms", (*HEAVY, "pydantic", "yaml", "rich", "typer")),
        ("from memlab.cli import app; app(['--help'], standalone_mode=False)", HEAVY),
        ("from memlab.cli import app; app(['scenarios'], standalone_mode=False)", HEAVY),
    ],
)
def test_heavy_packages_are_not_loaded_before_they_are_used(code: str, unwanted: tuple[str, ...]) -> None:
    loaded = python(f"import sys; {code}; print('loaded', *sys.modules)").split("loaded ")[-1].split()
    assert "memlab" in loaded
    assert not set(unwanted).intersection(loaded)


def test_import_memlab_adds_little_to_starting_python() -> None:
    assert ratio("import memlab", lambda: python("import memlab")) < 1.5


def test_a_cell_of_a_system_that_does_nothing_is_a_fraction_of_starting_python(scenario: Scenario) -> None:
    null = [entry("null")] * CELLS
    assert ratio("a cell in this process", lambda: list(play(scenario, null)), CELLS) < 0.25


def test_a_child_process_starts_faster_than_python(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(OWN, encoding="utf-8")
    own = entry(f"{tmp_path / 'own.py'}:Own")
    workspace = ScenarioEnvironment(tmp_path / "cell", Change("user")).workspace()

    def start_and_close() -> None:
        child = own.build(workspace)
        child.recall("anything")
        child.close()  # type: ignore[attr-defined] # a child has it

    assert ratio("a child process, start to end", start_and_close) < 1


def test_writing_and_scoring_a_cell_cost_less_than_running_it(scenario: Scenario, tmp_path: Path) -> None:
    results = list(chain.from_iterable(play(scenario, [entry("bucket-search")] * CELLS)))

    def write() -> None:
        with (tmp_path / "results.jsonl").open("w", encoding="utf-8") as stream:
            journal = ResultsWriter(stream)
            for result in results:
                journal.write(result)

    assert ratio("to write a cell to results.jsonl", write, CELLS) < 0.05
    assert ratio("to score a cell", lambda: [score(one) for one in results], CELLS) < 0.25


@pytest.mark.parametrize("name", BUILDS)
def test_ten_times_the_events_cost_a_bucket_at_most_ten_times_as_much(name: str, tmp_path: Path) -> None:
    events = [
        Event(f"e{n}", "tool", float(n), "session-1", "user", f"server {n} answered {n * 7 % 991} in hall {n % 13}")
        for n in range(1000)
    ]

    def cost(events: list[Event], attempt: int) -> float:
        workspace = ScenarioEnvironment(tmp_path / str(attempt), Change("user")).workspace()
        start = time.process_time()
        system = BUILDS[name](workspace)
        for event in events:
            system.observe(event)
        system.recall("answered 77", 5)
        system.assemble("hall 7", 300)
        return time.process_time() - start

    few = min(cost(events[:100], attempt) for attempt in range(5))
    many = min(cost(events, attempt) for attempt in range(5, 10))
    assert many < 15 * few  # ten times, and room for a busy machine
