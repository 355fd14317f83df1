from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Executor, as_completed
from pathlib import Path

import pytest

from memlab.harness.running import worker_pool
from memlab.harness.running.worker_pool import WorkerEnded, WorkerPool


def square(number: int) -> int:
    return number * number


def kill_this_process() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def fail() -> None:
    raise KeyError("no such key")


def ignore_sigterm() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.pause()


def pause_and_clean_up(folder: Path, name: str) -> None:
    (folder / name).touch()
    try:
        signal.pause()
    finally:  # where a sandbox would be ended
        (folder / f"{name} {os.getpid()}").touch()


def two_parts_and_the_end() -> Iterator[int]:
    yield 1
    yield 2
    kill_this_process()


@pytest.mark.parametrize("jobs", [1, 2, 9])
def test_every_call_is_executed_once(jobs: int) -> None:
    with WorkerPool(jobs) as pool:
        assert isinstance(pool, Executor)
        assert list(pool.map(square, range(100))) == [square(number) for number in range(100)]


def test_a_killed_process_loses_only_its_own_call_and_is_replaced() -> None:
    with WorkerPool(1) as pool:
        killed, other = pool.submit(kill_this_process), pool.submit(square, 3)
        with pytest.raises(WorkerEnded, match="signal SIGKILL"):
            killed.result()
        assert other.result() == 9


def test_an_exception_of_a_call_is_raised_by_its_future_with_its_place() -> None:
    with WorkerPool(2) as pool, pytest.raises(KeyError, match="no such key") as caught:
        pool.submit(fail).result()
    assert any(Path(__file__).name in note for note in caught.value.__notes__)


def test_calls_that_cannot_be_pickled_fail_and_those_behind_them_are_executed() -> None:
    with WorkerPool(1) as pool:
        busy = pool.submit(time.sleep, 0.2)
        arguments = [pool.submit(square, threading.Lock()) for _ in range(3)]  # type: ignore[arg-type]
        value, other = pool.submit(threading.Lock), pool.submit(square, 2)
        assert busy.result() is None
        assert [type(one.exception()) for one in arguments] == [TypeError] * 3
        assert isinstance(value.exception(), TypeError)
        assert other.result() == 4


def test_the_parts_of_a_generator_arrive_before_it_ends_or_its_process_does() -> None:
    parts: list[object] = []
    with WorkerPool(1) as pool:
        future = pool.submit_generator(parts.append, two_parts_and_the_end)
        assert isinstance(future.exception(), WorkerEnded)
    assert parts == [1, 2]


def test_a_call_over_the_limit_is_terminated_and_cleans_up(tmp_path: Path) -> None:
    with WorkerPool(1, limit=0.2) as pool, pytest.raises(WorkerEnded):
        pool.submit(pause_and_clean_up, tmp_path, "late").result()
    assert len(list(tmp_path.iterdir())) == 2


def test_a_process_that_ignores_termination_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_pool, "PULSE", 0.05)
    with WorkerPool(1, limit=0.2) as pool, pytest.raises(WorkerEnded, match="signal SIGKILL"):
        pool.submit(ignore_sigterm).result()


def test_a_terminated_pool_leaves_no_process_and_each_cleans_up(tmp_path: Path) -> None:
    pool = WorkerPool(2)
    futures = [pool.submit(pause_and_clean_up, tmp_path, name) for name in ("one", "two", "three")]
    while len(list(tmp_path.iterdir())) < 2:
        time.sleep(0.01)
    pool.terminate()
    assert futures[2].cancelled()
    assert all(isinstance(one.exception(), WorkerEnded) for one in as_completed(futures[:2]))
    cleaned_up = [path.name for path in tmp_path.iterdir() if " " in path.name]
    assert len(cleaned_up) == 2
    for name in cleaned_up:
        with pytest.raises(ProcessLookupError):
            os.kill(int(name.split()[1]), 0)


def test_a_pool_that_was_shut_down_takes_no_more_calls() -> None:
    pool = WorkerPool(1)
    pool.shutdown()
    with pytest.raises(RuntimeError, match="was shut down"):
        pool.submit(square, 2)
