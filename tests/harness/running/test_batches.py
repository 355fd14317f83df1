"""Rounds on executors: threads, processes. The results are those of a local run, and each error is a sentence."""

from __future__ import annotations

import os
import pickle
import pickletools
import re
import signal
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from memlab.harness.comparison import Comparison
from memlab.harness.running import batch_process, batches
from memlab.harness.running.batch_process import BatchProcess, EngineFailed, play_batch
from memlab.harness.running.batches import LEAST, run_on
from memlab.harness.running.results import read_results
from memlab.harness.running.workers import Round
from memlab.harness.scenarios.errors import BadScenario
from memlab.harness.scenarios.loading import Template, load
from memlab.sandbox.isolation import LevelUnavailable
from memlab.systems.child.confinement import Confinement
from memlab.systems.registry import entry
from memlab.systems.versions import memlab_version, system_version

Write = Callable[[str], Path]
TIMELINE = """\
world: {files: {a.sh: x}, env: {MEMLAB_TEST: "on"}}
timeline:
  - turn: {id: one, text: "the first thing is red", needles: [red]}
  - probe: {id: what, recall: what is the first thing, k: 2, expect: [one]}
"""
MINE = """
import os
class Mine:
    def observe(self, event):
        pass
    def recall(self, query, k=5):
        return [f"{os.path.exists('a.sh')} {os.environ.get('MEMLAB_TEST')}"]
"""


@pytest.fixture
def template(write: Write) -> Template:
    return load(write(TIMELINE))


@pytest.fixture
def comparison(template: Template) -> Comparison:
    return Comparison([template], [entry("bm25"), entry("bucket-recent"), entry("hybrid")], seeds=20)


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(MINE, encoding="utf-8")
    return "mine.py:Mine"


@pytest.fixture(autouse=True)
def _no_process_of_another_test() -> Iterator[None]:
    yield
    while BatchProcess._idle:  # noqa: SLF001 - it would live as long as this process
        BatchProcess._idle.pop().end()  # noqa: SLF001


def without_seconds(path: Path) -> str:
    return re.sub(r'"(observe_)?seconds": [^,}]+', "", path.read_text(encoding="utf-8"))


class Recording(ThreadPoolExecutor):
    """One thread that records what it is given."""

    def __init__(self) -> None:
        super().__init__(1)
        self.submitted: list[tuple[Any, ...]] = []

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:  # noqa: ANN401 - any call
        self.submitted.append((fn, *args))
        return super().submit(fn, *args, **kwargs)


@pytest.mark.parametrize("kind", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_any_executor_writes_the_file_of_a_local_run(
    comparison: Comparison, tmp_path: Path, kind: Callable[[int], Executor]
) -> None:
    list(comparison.play(tmp_path / "local.jsonl"))
    with kind(2) as executor:
        cells = list(comparison.play(tmp_path / "there.jsonl", executor))
    assert len(cells) == 60
    assert without_seconds(tmp_path / "there.jsonl") == without_seconds(tmp_path / "local.jsonl")


def test_a_system_in_a_file_runs_on_an_executor_under_its_relative_name(
    template: Template, tmp_path: Path, mine: str
) -> None:
    own = Comparison([template], [entry(mine)], seeds=2)
    before = Path.cwd(), os.environ.get("MEMLAB_TEST")
    with ThreadPoolExecutor(1) as executor:
        (first, second) = [one for cell in own.play(tmp_path / "there.jsonl", executor) for one in cell]
    assert (first.system, first.items, first.error, second.error) == (mine, ("True on",), "", "")
    assert (Path.cwd(), os.environ.get("MEMLAB_TEST")) == before


def test_a_relative_name_is_resolved_in_the_folder_of_the_run(
    template: Template, mine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = zlib.compress(pickle.dumps([Round(template, 0, (mine,))]))
    versions, folder = {"memlab": memlab_version(), mine: system_version(mine)}, str(Path.cwd())
    monkeypatch.chdir("/")
    (((_, answers),),) = [play_batch(versions, folder, content)]
    assert [one[0] for one in answers[0]] == [mine]


def test_a_batch_has_25_cells_or_more_and_only_the_last_one_has_fewer(comparison: Comparison) -> None:
    sizes = [sum(len(one.systems) for one in batch) for batch in batches.batches(comparison.rounds)]
    assert sizes == [27, 27, 6]
    assert min(sizes[:-1]) >= LEAST


def test_systems_travel_by_name_and_version_and_never_as_objects(template: Template, mine: str) -> None:
    with Recording() as executor:
        list(run_on(executor, [Round(template, 0, ("null", mine))], lambda _: None))
    ((function, versions, folder, content),) = executor.submitted
    assert function is play_batch
    assert versions == {"memlab": memlab_version(), mine: system_version(mine)}
    assert folder == str(Path.cwd())
    opcodes = pickletools.genops(pickle.dumps(pickle.loads(zlib.decompress(content)), protocol=2))  # noqa: S301 - our own
    modules = {str(argument).split()[0] for code, argument, _ in opcodes if code.name == "GLOBAL"}
    assert "memlab.harness.running.workers" in modules
    systems = {one for one in modules if not one.startswith("memlab.harness.")} - {"memlab.systems.child.confinement"}
    assert {one.partition(".")[0] for one in systems} <= {"__builtin__", "copy_reg", "pathlib", "pydantic"}


def test_finished_batches_are_kept_when_a_run_is_closed_and_the_others_are_cancelled(
    comparison: Comparison, tmp_path: Path
) -> None:
    path = tmp_path / "there.jsonl"
    with Recording() as executor:
        with closing(comparison.play(path, executor)) as cells:
            next(cells)
        found = len(read_results(path))
        assert found in {27, 54}
    list(comparison.play(path, resume=True))
    list(comparison.play(tmp_path / "local.jsonl"))
    assert without_seconds(path) == without_seconds(tmp_path / "local.jsonl")


def test_later_batches_that_have_finished_are_kept_when_an_earlier_one_fails(comparison: Comparison) -> None:
    class SecondOnly(Executor):
        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:  # noqa: ANN401 - any call
            future: Future[Any] = Future()
            submitted.append(fn)
            if len(submitted) != 2:
                future.set_exception(EngineFailed("no"))
            else:
                future.set_result(fn(*args, **kwargs))
            return future

    submitted: list[object] = []
    cells: list[object] = []
    with pytest.raises(EngineFailed, match="no"):
        list(run_on(SecondOnly(), comparison.rounds, cells.append))
    assert len(cells) == 27


def test_a_worker_with_another_version_of_memlab_is_refused_before_it_reads_the_batch() -> None:
    with pytest.raises(
        EngineFailed, match=r"the worker on .* has memlab 0.1.0 \(source \w+\), and the run has 9.9. Inst"
    ):
        play_batch({"memlab": "9.9"}, "", b"not a pickle")


def test_a_worker_with_another_source_of_the_users_system_is_refused(mine: str) -> None:
    versions = {"memlab": memlab_version(), mine: "source 123"}
    with pytest.raises(
        EngineFailed, match=r"has mine.py:Mine \(source \w+\), and the run has source 123. Copy the same"
    ):
        play_batch(versions, str(Path.cwd()), b"not a pickle")


@pytest.mark.parametrize("folder", ["elsewhere", "."])
def test_a_worker_without_the_users_file_is_refused(folder: str, tmp_path: Path) -> None:
    versions = {"memlab": memlab_version(), "absent.py:Mine": "source 123"}
    with pytest.raises(EngineFailed, match="Each worker needs your own system at the same path, as in a shared folder"):
        play_batch(versions, str(tmp_path / folder), b"not a pickle")


def test_a_worker_without_the_sandbox_of_the_run_is_refused(
    template: Template, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unavailable(name: str, **_: bool) -> None:
        raise LevelUnavailable(f"{name} does not work here.")

    monkeypatch.setattr(batch_process, "system_level", unavailable)
    rounds = [Round(template, 0, ("null",), confinement=Confinement("bubblewrap"))]
    with pytest.raises(EngineFailed, match=r"the worker on .*: bubblewrap does not work here. Finished cells are kept"):
        batch_process._refuse_other_sandbox(rounds)  # noqa: SLF001


def test_an_error_of_a_scenario_is_raised_where_the_batch_was_submitted(write: Write) -> None:
    template = load(write("vary: {a: [in, ..]}\nworld: {files: {'{a}/x': y}}\n" + TIMELINE.split("\n", 1)[1]))
    with ThreadPoolExecutor(1) as executor, pytest.raises(BadScenario, match=r"'\.\./x' is no path below"):
        list(run_on(executor, [Round(template, seed, ("null",)) for seed in range(9)], lambda _: None))


def test_a_process_that_is_killed_is_replaced_once_and_then_named(
    template: Template, monkeypatch: pytest.MonkeyPatch
) -> None:
    kills: list[int] = []
    play = BatchProcess.play

    def killed(self: BatchProcess, content: bytes) -> Any:  # noqa: ANN401 - as it came
        if len(kills) < most:
            os.kill(self._process.pid, signal.SIGKILL)
            kills.append(self._process.pid)
        return play(self, content)

    monkeypatch.setattr(BatchProcess, "play", killed)
    rounds = [Round(template, 0, ("null",))]
    with ThreadPoolExecutor(1) as executor:
        most = 1
        assert len(list(run_on(executor, rounds, lambda _: None))) == 1
        most = 9
        with pytest.raises(EngineFailed, match=r"was ended 2 times \(exit code -9\)"):
            list(run_on(executor, rounds, lambda _: None))


def test_a_process_plays_one_batch_after_the_other_and_another_run_has_its_own(comparison: Comparison) -> None:
    with ThreadPoolExecutor(1) as executor:
        list(run_on(executor, comparison.rounds, lambda _: None))
        (first,) = BatchProcess._idle  # noqa: SLF001
        list(run_on(executor, comparison.rounds[:1], lambda _: None))
        assert BatchProcess._idle == [first]  # noqa: SLF001
        with pytest.raises(EngineFailed):
            executor.submit(play_batch, {"memlab": "9.9"}, "", b"").result()
        assert first not in BatchProcess._idle  # noqa: SLF001


def test_what_is_printed_does_not_come_between_the_answers(template: Template) -> None:
    with ThreadPoolExecutor(1) as executor:
        assert len(list(run_on(executor, [Prints(template, 0, ("null",))], lambda _: None))) == 1


def test_a_system_that_ends_its_process_loses_its_cell_alone(template: Template) -> None:
    rounds = [Ends(template, 0, ("echo", "null", "random"))]
    ((keys, answers),) = batch_process.play_rounds(rounds)
    errors = [one[3] for (one,) in answers]
    assert len(keys) == 1
    assert [bool(one) for one in errors] == [False, True, False]
    assert "was ended (signal SIGKILL)" in errors[1]


class Prints(Round):
    """A round that prints, as a careless system does."""

    def play(self, first: int = 0) -> Iterator[Any]:
        print("hello")  # noqa: T201
        return super().play(first)


class Ends(Round):
    """A round in which the second system ends the process."""

    def play(self, first: int = 0) -> Iterator[Any]:
        for number, cell in enumerate(super().play(first), first):
            if number == 1:
                os.kill(os.getpid(), signal.SIGKILL)
            yield cell
