"""Code of honest submissions: each function must work in `memlab lab check` and in every sandbox of the grader."""

from __future__ import annotations

import asyncio
import getpass
import grp
import io
import locale
import multiprocessing
import os
import pathlib
import pwd
import subprocess
import sys
import tempfile
import threading
import time
import zoneinfo
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress


def a_thread() -> None:
    thread = threading.Thread(target=str)
    thread.start()
    thread.join()


def a_pool_of_threads() -> None:
    with ThreadPoolExecutor() as pool:
        assert [*pool.map(str, range(100))][7] == "7"


def a_thread_that_stays() -> None:
    threading.Thread(target=time.sleep, args=[1], daemon=True).start()


def a_thread_of_asyncio() -> None:
    async def seven() -> str:
        return await asyncio.to_thread(str, 7)

    assert asyncio.run(seven()) == "7"


def locks_of_multiprocessing() -> None:
    with multiprocessing.Lock(), multiprocessing.RLock() as lock:
        assert lock
    event, free = multiprocessing.Event(), multiprocessing.BoundedSemaphore(1)
    event.set()
    assert event.is_set()
    assert free.acquire(timeout=1)
    assert not free.acquire(block=False)
    assert not free.acquire(timeout=0.01)
    free.release()
    with suppress(ValueError):
        free.release()
        raise AssertionError


def a_lock_that_its_owner_takes_twice() -> None:
    lock = multiprocessing.RLock()
    assert lock.acquire()
    assert lock.acquire()
    lock.release()
    got: list[bool] = []
    other = threading.Thread(target=lambda: got.append(lock.acquire(block=False)))
    other.start()
    other.join()
    lock.release()
    assert got == [False]


def a_queue_of_multiprocessing() -> None:
    queue: multiprocessing.Queue[int] = multiprocessing.Queue()
    queue.put(1)
    assert queue.get() == 1


def the_user() -> None:
    path = pathlib.Path("mine")
    path.touch()
    assert getpass.getuser()
    assert path.owner() == pwd.getpwuid(os.getuid()).pw_name
    assert path.group() == grp.getgrgid(os.getgid()).gr_name


def a_locale() -> None:
    locale.setlocale(locale.LC_ALL, "")
    locale.setlocale(locale.LC_ALL, "C.UTF-8")


def standard_streams() -> None:
    sys.stdout.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
    sys.stderr.reconfigure(errors="replace")  # type: ignore[union-attr]
    assert (sys.stdout.fileno(), sys.stdout.isatty(), sys.stdout.encoding) == (1, False, "utf-8")
    assert (sys.stdout.name, sys.stdout.mode) == ("<stdout>", "w")
    sys.stdout.buffer.write(b"here\n")


def a_stream_over_a_stream() -> None:
    sys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8")
    print("here")


def a_detached_stream() -> None:
    sys.stdout = io.TextIOWrapper(sys.stdout.detach(), encoding="utf-8")  # type: ignore[union-attr]
    print("here")


def files() -> None:
    pathlib.Path("here").write_text("x", encoding="utf-8")
    (pathlib.Path.home() / "log").write_text("x", encoding="utf-8")
    with tempfile.NamedTemporaryFile() as file:
        file.write(b"x")
    zoneinfo.ZoneInfo("Europe/Berlin")
    with open(os.devnull, "rb") as nothing:
        assert not nothing.read()


def a_program_that_may_be_missing() -> None:
    with suppress(OSError):
        subprocess.run(["git", "status"], check=False)
    os.system("")


def much_memory() -> None:
    assert len(bytearray(300 << 20)) == 300 << 20


def one_more_line() -> None:
    print("here")
