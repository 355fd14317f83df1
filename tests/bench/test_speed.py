"""Speed as ratios: every cost is set against starting a bare Python on the same machine, in the same minute.

A limit in milliseconds says more about the machine than about the code. `make bench` prints both.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from itertools import chain
from pathlib import Path

import pytest

from memlab.harness.running.results import Journal
from memlab.harness.running.runner import play
from memlab.harness.running.workspace import ScenarioEnvironment
from memlab.harness.scenarios.loading import library, load
from memlab.harness.scoring.metrics import score
from memlab.memory.world import Change
from memlab.systems.registry import entry
from memlab.terms import Scenario

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
    """Run code in a new interpreter, away from this folder, and give what it printed."""
    return subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True).stdout


def ratio(what: str, act: Callable[[], object], times: int = 1, rounds: int = 10) -> float:
    """Time `act`, which does `what` so many `times`, against starting Python, by turns; the fastest of each counts."""
    bare, own = [], []
    act()
    for _ in range(rounds):
        bare.append(seconds(lambda: python("pass")))
        own.append(seconds(act) / times)
    found = min(own) / min(bare)
    print(f"\n{what:<32} {1000 * min(own):8.2f} ms = {found:5.2f} of {1000 * min(bare):.1f} ms, a bare Python start")  # noqa: T201 - what `make bench` shows
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
def test_what_is_heavy_is_not_loaded_before_it_is_used(code: str, unwanted: tuple[str, ...]) -> None:
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

    def born_and_gone() -> None:
        child = own.build(workspace)
        child.recall("anything")
        child.close()  # type: ignore[attr-defined] # a child has it

    assert ratio("a child process, start to end", born_and_gone) < 1


def test_to_keep_and_to_score_a_cell_costs_less_than_to_play_it(scenario: Scenario, tmp_path: Path) -> None:
    results = list(chain.from_iterable(play(scenario, [entry("bucket-search")] * CELLS)))

    def keep() -> None:
        with (tmp_path / "results.jsonl").open("w", encoding="utf-8") as stream:
            journal = Journal(stream)
            for result in results:
                journal.write(result)

    assert ratio("to write a cell to results.jsonl", keep, CELLS) < 0.05
    assert ratio("to score a cell", lambda: [score(one) for one in results], CELLS) < 0.25
