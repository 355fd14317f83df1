"""Code that meets a bound of a lab; the docstring of each function is the error that it gets, everywhere."""

from __future__ import annotations

import locale
import multiprocessing
import os
import subprocess
import threading


def starts_a_program() -> None:
    """PermissionError: the lab allows no other process (subprocess.Popen)."""
    subprocess.run(["true"], check=True)


def forks() -> None:
    """PermissionError: the lab allows no other process (os.fork)."""
    os.fork()


def starts_a_process_of_multiprocessing() -> None:
    """PermissionError: the lab allows no other process (os.fork)."""
    multiprocessing.get_context("fork").Process(target=str).start()


def writes_elsewhere() -> None:
    """PermissionError: the lab allows files of the current folder, not '/tmp/x'."""
    open("/tmp/x", "wb").close()


def lists_another_folder() -> None:
    """PermissionError: the lab allows files of the current folder, not '/usr'."""
    os.listdir("/usr")


def links_to_a_file_elsewhere() -> None:
    """PermissionError: the lab allows files of the current folder, not '/etc/passwd'."""
    os.symlink("/etc/passwd", "x")


def starts_a_hundred_threads() -> None:
    """RuntimeError: can't start new thread: the lab allows about 50 threads, whose stacks fit into 512 MB."""
    end = threading.Event()
    try:
        for _ in range(100):
            threading.Thread(target=end.wait).start()
    finally:
        end.set()


def takes_too_much_memory() -> None:
    """MemoryError: the lab allows at most 512 MB of memory."""
    bytearray(600 << 20)


def writes_a_large_file() -> None:
    """OSError: [Errno 27] File too large: the lab allows at most 8 MB in a file."""
    with open("x", "wb", buffering=0) as file:
        file.truncate(9 << 20)


def opens_many_files() -> None:
    """OSError: [Errno 24] Too many open files: the lab allows at most 32 open files."""
    for _ in range(40):
        os.dup(0)


def sets_a_locale_of_the_machine() -> None:
    """Error: unsupported locale setting: the lab allows the locale C.UTF-8 only."""
    locale.setlocale(locale.LC_ALL, "en_US.UTF-8")
