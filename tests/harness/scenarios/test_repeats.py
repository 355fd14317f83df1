"""The same seeds write the same results: in this process, in several, and in others with other hash seeds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import memlab
from memlab.harness.attacks.attack_kinds import select_attacks
from memlab.harness.attacks.control import NO_LANDING
from memlab.harness.comparison import Comparison
from memlab.harness.scenarios.loading import library, load_all, select
from memlab.systems.registry import entry

ATTACKS = "flood.web,repeat.tool,order.agent,delete.tool+update.web"
SCENARIOS = "stale/deploy-script-moved,recall/when-what-how,contradiction/timezone-twice,oversize/crash-at-night"
SYSTEMS = ("hybrid", "bucket-search", "lab06", "lab07", "random", "label-filter", "oracle")
MINE = """\
class Unordered:
    def __init__(self, workspace):
        self.texts, self.place = set(), str(workspace.directory)
    def observe(self, event):
        self.texts.add(event.text)
    def recall(self, query, k=5):
        return [self.place, *self.texts][:k]


class Raises:
    def __init__(self, workspace):
        self.place = workspace.root
    def observe(self, event):
        raise LookupError(f"{self} knows no place but {self.place}")
    def recall(self, query, k=5):
        return []
"""
ELSEWHERE = """\
import sys
from pathlib import Path
sys.path.insert(0, {above!r})
from memlab.harness.attacks.attack_kinds import select_attacks
from memlab.harness.comparison import Comparison
from memlab.harness.scenarios.loading import library, load_all, select
from memlab.systems.registry import entry
systems = [entry(name) for name in {names!r}]
wanted = select(load_all([library()]), {wanted!r})
list(Comparison(wanted, systems, seeds=1, jobs={jobs}, attacks=select_attacks({attacks!r})).play(Path({out!r})))
"""


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    path = tmp_path_factory.mktemp("mine") / "mine.py"
    path.write_text(MINE, encoding="utf-8")
    return [*SYSTEMS, f"{path}:Unordered", f"{path}:Raises"]


@pytest.fixture(scope="module")
def here(names: list[str], tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    """Play in this process, one cell after another."""
    out = tmp_path_factory.mktemp("here") / "results.jsonl"
    systems, wanted = [entry(name) for name in names], select(load_all([library()]), SCENARIOS)
    list(Comparison(wanted, systems, seeds=1, attacks=select_attacks(ATTACKS)).play(out))
    return timeless(out)


def timeless(path: Path) -> list[bytes]:
    """Give the lines of a run without the seconds, the costs that a clock measures."""
    found = []
    for line in path.read_bytes().splitlines():
        costs = {name: json.loads(line).get(name) for name in ("seconds", "observe_seconds")}
        for name, seconds in costs.items():
            line = line.replace(f'"{name}": {seconds!r}'.encode(), f'"{name}": 0'.encode())  # noqa: PLW2901 - one line
        found.append(line)
    return found


@pytest.mark.parametrize(("jobs", "hash_seed"), [(1, "1"), (2, "2")])
def test_another_process_and_two_jobs_write_the_same_bytes_but_for_the_seconds(
    names: list[str], here: list[bytes], tmp_path: Path, jobs: int, hash_seed: str
) -> None:
    out = tmp_path / "results.jsonl"
    above = str(Path(memlab.__file__).parents[1])
    script = ELSEWHERE.format(above=above, names=names, wanted=SCENARIOS, jobs=jobs, attacks=ATTACKS, out=str(out))
    env = os.environ | {"PYTHONHASHSEED": hash_seed, "TZ": "Pacific/Auckland", "LC_ALL": "C"}
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, env=env, check=True)
    there = timeless(out)
    assert len(there) == len(here) > 100
    different = [(one[:300], other[:300]) for one, other in zip(here, there, strict=True) if one != other]
    assert different == []


def test_an_answer_does_not_reveal_the_folder_of_its_cell(here: list[bytes]) -> None:
    records = [json.loads(line) for line in here if b":Unordered" in line or b":Raises" in line]
    assert any("/home" in one["items"] for one in records)
    errors = {one["error"] for one in records if one["error"] and not one["error"].endswith(NO_LANDING)}
    assert all("knows no place but /root" in error and " at 0x" not in error for error in errors)
    assert errors
    assert not any(b"memlab-" in line for line in here if b'"system"' in line)
