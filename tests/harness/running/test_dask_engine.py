"""A Dask cluster of processes on this machine: its results are those of a local run, and each failure is a sentence."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from memlab.harness.comparison import Comparison
from memlab.harness.running import dask_engine
from memlab.harness.running.batch_process import EngineFailed
from memlab.harness.running.dask_engine import PATIENCE, dask_executor
from memlab.harness.running.results import read_results
from memlab.harness.scenarios.conditions import AS_WRITTEN
from memlab.harness.scenarios.loading import load
from memlab.systems.registry import entry

distributed: Any = pytest.importorskip("distributed", reason="the extra dask is not installed: pip install distributed")
Cluster = Any
"""Dask has no types."""
ROOT = Path(__file__).resolve().parents[3]
Write = Callable[[str], Path]
TIMELINE = """\
world: {files: {a.sh: x}, env: {MEMLAB_TEST: "on"}}
timeline:
  - turn: {id: one, text: "the first thing is red", needles: [red]}
  - world: {move: {a.sh: b.sh}}
  - probe: {id: what, recall: what is the first thing, k: 2, expect: [one]}
  - probe: {id: make, assemble: use the first thing, budget: 10, keep: [one]}
"""
MINE = """
import os
class Mine:
    def observe(self, event):
        self.text = event.text
    def recall(self, query, k=5):
        return [f"{self.text} {os.path.exists('b.sh')} {os.environ.get('MEMLAB_TEST')}"]
"""


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    with distributed.LocalCluster(n_workers=4, threads_per_worker=1, dashboard_address=":0") as found:
        yield found


@pytest.fixture
def comparison(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Comparison:
    """Return a run of five batches, one of whose systems is the user's own."""
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(MINE, encoding="utf-8")
    systems = [*map(entry, ("bm25", "hybrid", "mine.py:Mine"))]
    return Comparison([load(write(TIMELINE))], systems, seeds=45, conditions=AS_WRITTEN)


def without_seconds(path: Path) -> str:
    return re.sub(r'"(observe_)?seconds": [^,}]+', "", path.read_text(encoding="utf-8"))


def worker_processes(cluster: Cluster) -> dict[str, int]:
    with distributed.Client(cluster.scheduler_address, set_as_default=False) as client:
        return dict(client.run(os.getpid))


def busy_worker(cluster: Cluster) -> str:
    """Return the address of a worker that is playing a batch."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        for address, worker in cluster.scheduler.workers.items():
            if worker.processing:
                return str(address)
        time.sleep(0.01)
    pytest.fail("no worker is playing a batch")


def kill_a_busy_worker(cluster: Cluster, processes: dict[str, int]) -> int:
    """Kill a worker that is playing a batch; return its process."""
    process = processes[busy_worker(cluster)]
    os.kill(process, signal.SIGKILL)
    return process


def kill_when_busy(cluster: Cluster, process: int) -> None:
    busy_worker(cluster)
    os.kill(process, signal.SIGKILL)


def play_after_the_first(comparison: Comparison, path: Path, address: str, harm: Callable[[], object]) -> None:
    """Play a run on a cluster, and harm the cluster when the first batch is finished."""
    with dask_executor(address) as executor, closing(comparison.play(path, executor)) as cells:
        next(cells)
        harm()
        list(cells)


def complaint(address: str) -> str:
    with pytest.raises(EngineFailed) as error, dask_executor(address):
        pytest.fail("connected")
    return str(error.value)


def start(*words: str, folder: Path, path: Path = ROOT) -> subprocess.Popen[bytes]:
    """Start `dask scheduler` or `dask worker`, with memlab from a path."""
    return subprocess.Popen(
        [sys.executable, "-m", "dask", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(path)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def stop(*processes: subprocess.Popen[bytes]) -> None:
    for one in processes:
        one.kill()
        one.wait()


@pytest.fixture
def scheduler(tmp_path: Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Start a scheduler without workers; return its address and its process."""
    file = tmp_path / "scheduler.json"
    options = ("--host", "tcp://127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(file))
    process = start("scheduler", *options, folder=tmp_path)
    while not (file.exists() and (found := re.search(r'"address": "(tcp://[^"]+)"', file.read_text(encoding="utf-8")))):
        assert process.poll() is None
        time.sleep(0.05)
    yield found[1], process
    stop(process)


def test_a_cluster_one_of_whose_workers_is_killed_writes_the_file_of_a_local_run(
    comparison: Comparison, cluster: Cluster, tmp_path: Path
) -> None:
    path, local = tmp_path / "there.jsonl", tmp_path / "local.jsonl"
    before = worker_processes(cluster)
    with dask_executor(cluster.scheduler_address) as executor, ThreadPoolExecutor(1) as beside:
        killing = beside.submit(kill_a_busy_worker, cluster, before)  # after the first batch it may be too late
        assert len(list(comparison.play(path, executor))) == 135
        killed = killing.result()
    list(comparison.play(local))
    assert without_seconds(path) == without_seconds(local)
    assert not [one.error for one in read_results(path) if one.error]
    assert killed not in worker_processes(cluster).values()


def test_a_run_that_loses_its_scheduler_keeps_what_was_finished_and_is_resumed_here(
    comparison: Comparison, scheduler: tuple[str, subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    address, process = scheduler
    path, local = tmp_path / "there.jsonl", tmp_path / "local.jsonl"
    worker = start("worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard", folder=tmp_path)
    with pytest.raises(EngineFailed) as error:
        play_after_the_first(comparison, path, address, process.kill)
    stop(worker)
    assert f"the connection to the Dask scheduler at {address} was lost. Finished cells are kept" in str(error.value)
    assert 27 * 2 <= len(read_results(path)) < 135 * 2
    list(comparison.play(path, resume=True))
    list(comparison.play(local))
    assert without_seconds(path) == without_seconds(local)


def test_a_batch_that_ends_every_worker_is_named_and_earlier_cells_are_kept(
    comparison: Comparison, tmp_path: Path
) -> None:
    import dask  # noqa: PLC0415 - an extra

    path = tmp_path / "there.jsonl"
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0") as fragile,
    ):
        (process,) = worker_processes(fragile).values()
        with pytest.raises(EngineFailed, match=r"several workers of .* were ended while they played the same batch\."):
            play_after_the_first(comparison, path, fragile.scheduler_address, lambda: kill_when_busy(fragile, process))
    assert len(read_results(path)) >= 27 * 2


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "tcp://localhost", "here", "", "soap://127.0.0.1:9"])
def test_a_scheduler_that_is_not_there_is_one_sentence_after_a_few_seconds(address: str) -> None:
    start = time.monotonic()
    message = complaint(address)
    assert time.monotonic() - start < PATIENCE + 5
    assert message.startswith(f"no Dask scheduler answers at {address!r} within 5 s (")
    assert message.endswith(
        "Start one with `dask scheduler`, and give the address that it prints, such as tcp://10.0.0.5:8786."
    )
    assert "\n" not in message


def test_the_address_of_a_worker_is_named(cluster: Cluster) -> None:
    (address, *_) = worker_processes(cluster)
    assert complaint(address).startswith(f"{address} is the address of a Dask worker, not of a scheduler. Start one")


def test_a_scheduler_without_workers_is_named(
    scheduler: tuple[str, subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_engine, "PATIENCE", 1.0)
    assert complaint(scheduler[0]).startswith(f"the Dask scheduler at {scheduler[0]} has no worker. Start some")


def test_a_worker_with_another_memlab_is_named_before_anything_is_played(
    scheduler: tuple[str, subprocess.Popen[bytes]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = scheduler[0]
    monkeypatch.setattr(dask_engine, "PATIENCE", 60.0)
    other = tmp_path / "other"
    shutil.copytree(ROOT / "memlab", other / "memlab", ignore=shutil.ignore_patterns("__pycache__"))
    changed = other / "memlab" / "version.py"
    changed.write_text(changed.read_text(encoding="utf-8").replace("0.1.0", "0.0.9"), encoding="utf-8")
    worker = start("worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard", folder=other, path=other)
    try:
        message = complaint(address)
    finally:
        stop(worker)
    pattern = r"the worker at tcp://\S+ has memlab 0.0.9 \(source \w+\), and the run has memlab 0.1.0 \(source \w+\)\."
    assert re.match(pattern, message)
    assert message.endswith("Install the same version there, and start it again.")


def test_a_worker_without_memlab_is_named(
    scheduler: tuple[str, subprocess.Popen[bytes]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_engine, "PATIENCE", 60.0)
    (tmp_path / "old" / "memlab").mkdir(parents=True)
    (tmp_path / "old" / "memlab" / "__init__.py").touch()
    options = ("--nthreads", "1", "--no-nanny", "--no-dashboard")
    worker = start("worker", scheduler[0], *options, folder=tmp_path / "old", path=tmp_path / "old")
    try:
        message = complaint(scheduler[0])
    finally:
        stop(worker)
    assert re.match(r"the worker at tcp://\S+ has no memlab of this version \(.*memlab", message)


def test_without_the_extra_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert complaint("tcp://127.0.0.1:9") == (
        "--engine dask needs Dask, which is not installed. Install it here and on each worker: "
        "`pip install distributed`."
    )
