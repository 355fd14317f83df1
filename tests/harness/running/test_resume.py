from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from memlab.harness.comparison import Comparison
from memlab.harness.running.results import BadResults, read_results
from memlab.harness.running.workers import Round
from memlab.harness.scenarios.conditions import Conditions
from memlab.harness.scenarios.loading import load
from memlab.systems.child.confinement import Confinement
from memlab.systems.registry import entry
from memlab.terms import Result

SYSTEMS = ("bm25", "bucket-recent", "bucket-search")
Write = Callable[[str], Path]
TIMELINE = """\
timeline:
  - turn: {id: one, text: "the first thing is red", needles: [red]}
  - probe: {id: what, recall: what is the first thing, k: 2, expect: [one]}
  - probe: {id: make, assemble: use the first thing, budget: 10, keep: [one]}
"""
MINE = """
class Mine:
    def observe(self, event):
        pass
    def recall(self, query, k=5):
        return ["red"]
"""


@pytest.fixture
def comparison(write: Write) -> Comparison:
    return Comparison([load(write(TIMELINE))], [*map(entry, SYSTEMS)], seeds=4)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "out" / "results.jsonl"


@pytest.fixture(autouse=True)
def _folder(path: Path) -> None:
    path.parent.mkdir()


def interrupt(comparison: Comparison, path: Path, cells: int, *, resume: bool = False) -> None:
    """Play some cells of a run, and stop it."""
    with closing(comparison.play(path, resume=resume)) as played:
        assert len(list(islice(played, cells))) == cells


def results(comparison: Comparison, path: Path, *, resume: bool = False) -> list[Result]:
    return [one for cell in comparison.play(path, resume=resume) for one in cell]


def without_seconds(path: Path) -> str:
    return re.sub(r'"(observe_)?seconds": [^,}]+', "", path.read_text(encoding="utf-8"))


def uninterrupted(comparison: Comparison, path: Path) -> str:
    whole = path.with_name("whole.jsonl")
    list(comparison.play(whole))
    return without_seconds(whole)


def played_rounds(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, tuple[str, ...]]]:
    """Return a list to which each round adds its seed and its systems when it is played."""
    found: list[tuple[int, tuple[str, ...]]] = []
    play = Round.play

    def record(self: Round, first: int = 0) -> object:
        found.append((self.seed, self.systems))
        return play(self, first)

    monkeypatch.setattr(Round, "play", record)
    return found


def refusal(comparison: Comparison, path: Path) -> str:
    """Return why a run is not resumed; its folder stays as it is."""
    before = {one: one.read_bytes() for one in path.parent.iterdir()}
    with pytest.raises(BadResults) as error:
        list(comparison.play(path, resume=True))
    assert {one: one.read_bytes() for one in path.parent.iterdir()} == before
    return str(error.value)


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("cells", [1, 4, 11])
def test_a_resumed_run_writes_the_file_of_one_without_interruption(
    comparison: Comparison, path: Path, jobs: int, cells: int
) -> None:
    interrupt(replace(comparison, jobs=jobs), path, cells)
    found = results(replace(comparison, jobs=jobs), path, resume=True)
    assert without_seconds(path) == uninterrupted(comparison, path)
    assert found == read_results(path)


def test_finished_cells_are_not_played_again(
    comparison: Comparison, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupt(comparison, path, 5)
    before = read_results(path)
    played = played_rounds(monkeypatch)
    found = results(comparison, path, resume=True)
    assert found[: len(before)] == before
    assert played == [(1, ("bucket-search",)), (2, SYSTEMS), (3, SYSTEMS)]


def test_a_second_interruption_loses_nothing(comparison: Comparison, path: Path) -> None:
    interrupt(comparison, path, 3)
    first = read_results(path)
    interrupt(comparison, path, 6, resume=True)
    assert read_results(path)[: len(first)] == first
    assert len(read_results(path)) == 2 * 6
    interrupt(comparison, path, 1, resume=True)
    assert len(read_results(path)) == 2 * 6
    results(comparison, path, resume=True)
    assert without_seconds(path) == uninterrupted(comparison, path)


def test_cells_that_were_finished_out_of_order_are_sorted(comparison: Comparison, path: Path) -> None:
    list(comparison.play(path))
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    last_seed = next(number for number, line in enumerate(lines) if '"seed": 3' in line)
    path.write_text("".join(lines[last_seed:] + lines[:5]), encoding="utf-8")
    results(comparison, path, resume=True)
    assert without_seconds(path) == uninterrupted(comparison, path)


@pytest.mark.parametrize("cut", [1, 30, 150, 300, 1000])
def test_a_torn_end_is_played_again_as_part_of_its_cell(comparison: Comparison, path: Path, cut: int) -> None:
    list(comparison.play(path))
    path.write_bytes(path.read_bytes()[:-cut])
    results(comparison, path, resume=True)
    assert without_seconds(path) == uninterrupted(comparison, path)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_finished_run_is_read_and_nothing_is_played(
    comparison: Comparison, path: Path, jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = results(comparison, path)
    played = played_rounds(monkeypatch)
    assert results(replace(comparison, jobs=jobs), path, resume=True) == before
    assert not played


def test_without_an_earlier_run_a_new_one_starts(comparison: Comparison, path: Path) -> None:
    assert results(comparison, path, resume=True) == read_results(path)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"seeds": 2}, "--seeds was 4, and is 2 now"),
        ({"limit": 3.0}, "--limit was 10, and is 3 now"),
        (
            {"systems": [entry("bm25"), entry("random")]},
            "--systems was bucket-recent, bucket-search, 1 that both have, and is random, 1 ",
        ),
        ({"systems": [*map(entry, reversed(SYSTEMS))]}, "and is bucket-search, bucket-recent, bm25 now"),
        ({"attacks": [("update.web.v2",)]}, "--attacks was nothing, and is update.web.v2 now"),
        ({"conditions": Conditions("names")}, "--labels was none, and is names now"),
        ({"conditions": Conditions(tell="transcript")}, "--tell was events, and is transcript now"),
        ({"confinement": Confinement("rlimits")}, "--isolation was the best, and is rlimits now"),
        ({"confinement": Confinement(network=True)}, "--network was off, and is on now"),
        ({"confinement": Confinement(preload=())}, "--preload was auto, and is none now"),
    ],
)
def test_a_run_with_another_option_is_not_resumed_and_both_values_are_named(
    comparison: Comparison, path: Path, change: dict[str, object], words: str
) -> None:
    interrupt(comparison, path, 2)
    message = refusal(replace(comparison, **change), path)  # type: ignore[arg-type] # fields of a comparison
    assert message.startswith(f"{path.parent} cannot be resumed: ")
    assert words in message
    assert "Give the first value again, or start a new run: leave out --resume and choose another --out." in message


def test_a_run_with_other_scenarios_is_not_resumed(comparison: Comparison, path: Path, write: Write) -> None:
    interrupt(comparison, path, 2)
    changed = [load(write(TIMELINE.replace("red", "blue")))]
    assert re.search(
        r"--scenarios was stale/sample \(\w+\), and is stale/sample \(\w+\) now",
        refusal(replace(comparison, templates=changed), path),
    )


def test_a_run_of_a_system_that_was_edited_is_not_resumed(comparison: Comparison, path: Path, tmp_path: Path) -> None:
    (file := tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    mine = replace(comparison, systems=[entry(f"{file}:Mine")])
    interrupt(mine, path, 1)
    file.write_text(MINE.replace("red", "blue"), encoding="utf-8")
    assert f"--systems was {file}:Mine (source " in refusal(mine, path)


def test_a_run_of_another_version_of_memlab_is_not_resumed(
    comparison: Comparison, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupt(comparison, path, 1)
    monkeypatch.setattr("memlab.harness.running.resume.memlab_version", lambda: "0.2.0")
    assert "the version of memlab was 0.1.0 (source " in refusal(comparison, path)


def test_results_without_their_options_are_not_resumed(comparison: Comparison, path: Path) -> None:
    interrupt(comparison, path, 1)
    (path.parent / "run.json").unlink()
    assert "has results, but no run.json with the options of their run" in refusal(comparison, path)


@pytest.mark.parametrize("text", ["", "7", "[]", '{"lab": "06"}', '{"--seeds": ["4"'])
def test_a_run_json_of_something_else_is_named(comparison: Comparison, path: Path, text: str) -> None:
    interrupt(comparison, path, 1)
    (path.parent / "run.json").write_text(text, encoding="utf-8")
    assert "run.json is not a run.json of this version of memlab. Restore the file, or start" in refusal(
        comparison, path
    )


def test_a_result_that_is_not_of_this_run_is_named(comparison: Comparison, path: Path, tmp_path: Path) -> None:
    (other := tmp_path / "other").mkdir()
    list(replace(comparison, systems=[entry("random")]).play(other / path.name))
    interrupt(comparison, path, 1)
    path.write_bytes(path.read_bytes() + (other / path.name).read_bytes())
    message = refusal(comparison, path)
    assert "the result of 'random' on 'stale/sample' (seed 0, probe 'what') does not belong to this run" in message


def test_a_damaged_line_in_the_middle_is_named_and_the_file_stays(comparison: Comparison, path: Path) -> None:
    list(comparison.play(path))
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join([lines[0], lines[1][:40] + "\n", *lines[2:]]), encoding="utf-8")
    assert refusal(comparison, path).startswith(f"{path}:2: this is not JSON")


def test_a_folder_that_another_run_writes_to_is_refused(comparison: Comparison, path: Path) -> None:
    interrupt(comparison, path, 1)
    holds = "import fcntl, sys; file = open(sys.argv[1], 'a'); fcntl.lockf(file, fcntl.LOCK_EX); "
    holds += "print(flush=True); sys.stdin.read()"
    command = [sys.executable, "-c", holds, str(path.parent / ".lock")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        assert "another run is writing to it. Wait until it ends" in refusal(comparison, path)
        other.kill()
    assert results(comparison, path, resume=True) == read_results(path)


def test_run_json_names_the_options_as_the_command_line_does(comparison: Comparison, path: Path) -> None:
    interrupt(comparison, path, 1)
    recorded = json.loads((path.parent / "run.json").read_text(encoding="utf-8"))
    assert recorded["--systems"] == [*SYSTEMS]
    assert recorded["--seeds"] == ["4"]
