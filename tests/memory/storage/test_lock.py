from __future__ import annotations

import fcntl
import os
import select
import shutil
import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import IO

import pytest

from memlab.memory.storage import lock as locking
from memlab.memory.storage.lock import Lock
from memlab.memory.text import Refused


def is_free(path: Path) -> bool:
    """Tell whether somebody else could take the lock now."""
    with path.open("ab") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def test_a_held_lock_is_not_available_to_others_until_its_last_step_ends(tmp_path: Path) -> None:
    with closing(Lock(tmp_path / "log")) as lock:
        with lock:
            with lock:
                assert not is_free(lock.path)
            assert not is_free(lock.path)
        assert is_free(lock.path)
        with lock:
            assert not is_free(lock.path)


def test_a_failed_step_releases_the_lock_like_a_successful_one(tmp_path: Path) -> None:
    with closing(Lock(tmp_path / "log")) as lock:
        with pytest.raises(KeyError), lock:
            raise KeyError
        assert is_free(lock.path)


def test_a_closed_lock_can_be_held_again(tmp_path: Path) -> None:
    lock = Lock(tmp_path / "log")
    for _ in range(2):
        with closing(lock), lock:
            assert not is_free(lock.path)
        assert is_free(lock.path)


def test_a_lock_whose_file_was_deleted_with_its_folder_still_keeps_others_out(tmp_path: Path) -> None:
    with closing(Lock(tmp_path / "mix" / "log")) as lock:
        for _ in range(2):
            with lock:
                assert not is_free(lock.path)
            shutil.rmtree(tmp_path / "mix")


def test_the_missing_parent_folders_of_a_lock_are_created(tmp_path: Path) -> None:
    with closing(Lock(tmp_path / "a" / "b" / "log")) as lock, lock:
        assert lock.path == tmp_path / "a" / "b" / ".log.lock"
        assert not is_free(lock.path)


def test_a_lock_whose_file_is_deleted_while_it_is_acquired_still_keeps_others_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock, flock, acquired = Lock(tmp_path / "log"), fcntl.flock, list[int]()

    def acquire(file: IO[bytes], operation: int) -> None:
        flock(file, operation)
        acquired.append(operation)
        if len(acquired) == 1:
            lock.path.unlink()

    monkeypatch.setattr(fcntl, "flock", acquire)
    with closing(lock), lock:
        monkeypatch.undo()
        assert acquired == [fcntl.LOCK_EX] * 2
        assert not is_free(lock.path)


def test_the_file_of_a_lock_has_the_permissions_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "new").touch()
    with closing(Lock(tmp_path / "log")) as lock, lock:
        assert lock.path.stat().st_mode == (tmp_path / "new").stat().st_mode


def test_a_file_that_is_linked_to_from_another_folder_is_locked_only_if_links_are_allowed(tmp_path: Path) -> None:
    (tmp_path / "mix").mkdir()
    (tmp_path / "mix" / "log").symlink_to(tmp_path / "log")
    (tmp_path / "mix" / "near").symlink_to("other")
    with pytest.raises(Refused, match="outside"), Lock(tmp_path / "mix" / "log"):
        pass
    for lock in (Lock(tmp_path / "mix" / "log", links=True), Lock(tmp_path / "mix" / "near")):
        with closing(lock), lock:
            assert not is_free(lock.path)


def test_a_lock_file_that_is_a_link_is_not_opened(tmp_path: Path) -> None:
    lock = Lock(tmp_path / "log", links=True)
    lock.path.symlink_to(tmp_path / "somebody's")
    with pytest.raises(OSError, match=r"\.log\.lock"), lock:
        pass
    assert not (tmp_path / "somebody's").exists()


def test_a_folder_that_cannot_be_written_is_an_error_that_names_the_file_and_the_next_step(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    lock = Lock(tmp_path / "file" / "log")
    with pytest.raises(OSError, match=r"\.log\.lock") as refusal, lock:
        pass
    assert str(refusal.value).endswith(f"; make the folder writable, or choose another: {str(lock.path)!r}")


def test_a_lock_that_one_thread_could_not_acquire_is_for_any_thread(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.touch()
    with closing(Lock(folder / "log")) as lock, ThreadPoolExecutor(1) as pool:
        with pytest.raises(OSError, match=r"\.log\.lock"), lock:
            pass
        folder.unlink()
        pool.submit(lock.__enter__).result()
        pool.submit(lock.__exit__).result()
        pool.submit(lock.close).result()


def test_a_writer_continues_without_locks_if_the_system_has_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locking, "fcntl", None)
    with closing(Lock(tmp_path / "log")) as lock, lock, lock:
        assert is_free(lock.path)


def test_a_forked_child_must_acquire_the_lock_that_its_parent_holds(tmp_path: Path) -> None:
    with closing(Lock(tmp_path / "log")) as lock, lock:
        reader, writer = os.pipe()
        if not os.fork():
            child = Lock(tmp_path / "log")
            child.__dict__.update(lock.__dict__ | {"_depth": 0})  # what a fork between two steps leaves
            with child:
                os.write(writer, b"in")
            os._exit(0)
        assert select.select([reader], [], [], 0.2)[0] == []
    assert os.read(reader, 2) == b"in"
    os.wait()


def test_the_lock_of_a_killed_process_is_free_while_a_child_that_it_forked_before_lives(tmp_path: Path) -> None:
    lock, (reader, writer), (is_forked, forked) = Lock(tmp_path / "log"), os.pipe(), os.pipe()
    parent = os.fork()
    if not parent:
        with lock:
            pass
        if os.fork():
            os.read(is_forked, 1)
            lock.__enter__()
            os.kill(os.getpid(), signal.SIGKILL)
        os.write(forked, b"y")
        os.close(writer)
        os.read(reader, 1)  # until the test is over
        os._exit(0)
    os.waitpid(parent, 0)
    assert is_free(lock.path)
    for handle in (reader, writer, is_forked, forked):
        os.close(handle)


def test_an_interrupt_while_the_lock_is_acquired_leaves_it_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flock = fcntl.flock

    def acquire(file: IO[bytes], operation: int) -> None:
        flock(file, operation)
        raise KeyboardInterrupt

    with closing(Lock(tmp_path / "log")) as lock:
        monkeypatch.setattr(fcntl, "flock", acquire)
        with pytest.raises(KeyboardInterrupt), lock:
            pass
        monkeypatch.undo()
        assert is_free(lock.path)


def test_from_its_first_use_until_it_is_closed_a_lock_is_for_one_thread(tmp_path: Path) -> None:
    def use() -> None:
        with lock:
            assert not is_free(lock.path)

    with ThreadPoolExecutor(1) as pool, closing(Lock(tmp_path / "log")) as lock:
        use()
        with pytest.raises(
            RuntimeError, match=r"\.log\.lock: another thread uses it; open one MemoryMix in each thread"
        ):
            pool.submit(use).result()
        with lock:
            lock.close()
            with pytest.raises(RuntimeError, match="another thread"):
                pool.submit(use).result()
        lock.close()
        pool.submit(use).result()
        with pytest.raises(RuntimeError, match="another thread"):
            use()
