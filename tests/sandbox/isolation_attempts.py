"""Attempts of a learner's file against the machine. Each function returns the names of the successful attempts."""

from __future__ import annotations

import asyncio
import ctypes
import gc
import mmap
import os
import resource
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import zoneinfo
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

LIBC = ctypes.CDLL(None)
gc.unfreeze()  # what is frozen is not listed
for one in gc.get_objects():
    if type(one).__name__ == "FolderBound":
        one.is_active = False  # the isolation is tested, and not what explains it


def got(**attempts: Callable[[], object]) -> list[str]:
    """Return the names of the attempts that raised no error."""
    found = []
    for name, attempt in attempts.items():
        with suppress(OSError, MemoryError, RuntimeError, ImportError, ValueError):
            attempt()
            found.append(name)
    return found


def network(port: int, path: str, name: str) -> list[str]:
    def loose(family: int, kind: int, address: object) -> None:
        with socket.socket(family, kind) as one:
            one.settimeout(0.2)
            one.connect(address)  # type: ignore[arg-type]
            one.send(b"hello")

    def pair() -> None:
        one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        with one, other:
            one.sendto(b"hello", f"\0{name}")

    return got(
        tcp=lambda: loose(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", port)),
        udp=lambda: loose(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", port)) if name else None,
        dns=lambda: socket.getaddrinfo("example.org", 80),
        unix=lambda: loose(socket.AF_UNIX, socket.SOCK_DGRAM, path),
        abstract=lambda: loose(socket.AF_UNIX, socket.SOCK_DGRAM, f"\0{name}"),
        pair=pair,
    )


def files(secret: str, ours: list[str]) -> list[str]:
    beside = Path(secret).parent
    reads = [secret, *ours, "/proc/1/environ", f"/proc/{os.getppid()}/environ"]

    def linked(hard: bool) -> None:
        os.link(secret, "hard") if hard else os.symlink(secret, "soft")
        Path("hard" if hard else "soft").read_bytes()

    return got(
        **{path: partial(Path(path).read_bytes) for path in reads},
        **{folder: partial(os.listdir, folder) for folder in ("/root", "/home", "/tmp", str(beside))},
        imported=lambda: __import__("memlab"),
        packages=lambda: __import__("hypothesis"),
        written=lambda: Path(secret).write_text("forged"),
        emptied=lambda: os.truncate(secret, 0),
        renamed=lambda: os.rename(secret, beside / "gone"),
        removed=lambda: os.unlink(secret),
        created=(beside / "new").touch,
        linked=lambda: linked(hard=False),
        hard=lambda: linked(hard=True),
        temporary=Path("/var/tmp/memlab-was-here").touch,
        memory=Path("/dev/shm/memlab-was-here").touch,
    )


def change(secret: str) -> None:
    """Change a file without opening it."""
    for act in (partial(os.chmod, secret, 0), partial(os.chown, secret, os.getuid(), -1)):
        with suppress(OSError):
            act()


def processes() -> list[str]:
    def fork() -> None:
        if not os.fork():
            os._exit(0)

    return got(
        fork=fork,
        forkpty=os.forkpty,
        spawn=lambda: os.posix_spawn(sys.executable, [sys.executable, "-c", ""], {}),
        run=lambda: subprocess.run([sys.executable, "-S", "-c", ""], check=True),
        direct=lambda: os.waitpid(LIBC.fork() or os._exit(0), 0),
    )


def threads(number: int, size: int) -> int:
    """Start threads with stacks of this size; return how many there were at the same time."""
    threading.stack_size(size)
    end, started = threading.Event(), 0
    with suppress(RuntimeError):
        while started < number:
            threading.Thread(target=end.wait).start()
            started += 1
    end.set()
    while threading.active_count() > 1:
        time.sleep(0.01)
    return started


def memory() -> list[str]:
    half = 300 << 20

    def twice() -> None:
        _ = bytearray(half), bytearray(half)

    return got(once=lambda: bytearray(600 << 20), twice=twice, mapped=lambda: mmap.mmap(-1, 600 << 20))


def raised() -> list[str]:
    """Try to raise each limit."""
    names = [name for name in dir(resource) if name.startswith("RLIMIT_")]
    kinds = {name: getattr(resource, name) for name in names}
    low = {name: kind for name, kind in kinds.items() if resource.getrlimit(kind)[1] != resource.RLIM_INFINITY}
    return got(
        **{
            name: (lambda kind=kind: resource.setrlimit(kind, (resource.getrlimit(kind)[1] + 1,) * 2))
            for name, kind in low.items()
        }
    )


def kernel() -> list[str]:
    """Call privileged system calls directly, without the wrappers of the C library."""
    x86 = {"ptrace": 101, "memfd": 319, "shared": 29, "ring": 425, "bpf": 321, "faults": 323, "events": 298,
           "unshare": 272, "keys": 250, "handles": 434}  # fmt: skip
    arguments = {
        "memfd": (b"x", 0),
        "shared": (0, 4096, 0o1600),
        "unshare": (0x10000000,),
        "handles": (os.getppid(), 0),
    }
    return [name for name, number in x86.items() if LIBC.syscall(number, *arguments.get(name, (0, 0, 0, 0, 0))) >= 0]


def kill(grader: int) -> list[str]:
    """Return which processes a signal could reach; none is sent."""
    ctypes.CDLL(None).prctl(1, 0, 0, 0, 0)
    return got(
        grader=lambda: os.kill(grader, 0 if grader != os.getpid() else signal.NSIG),
        parent=lambda: os.kill(os.getppid(), 0),
        all=lambda: os.kill(-1, 0),
    )


def kill_all(users: list[int]) -> None:
    """Kill all processes, but only as a user in this range: without a sandbox, it would end the machine."""
    if os.getuid() in range(*users):
        os.kill(-1, signal.SIGKILL)
    raise SystemExit


def fill(how: str) -> None:
    """Write to the disk until an error stops it."""
    if how == "shut":
        os.umask(0o777)
        os.mkdir("shut")
    number = 0
    while how != "nothing":
        with suppress(OSError):
            number += 1
            if how == "bytes":
                Path(f"{number}").write_bytes(b"x" * (4 << 20))
            elif how == "names":
                os.close(os.open(f"{number}", os.O_CREAT))
            elif how == "depth":
                os.mkdir("d")
                os.chdir("d")
            else:
                time.sleep(0.1)


def numbers() -> list[int]:
    return [os.getuid(), os.getpid(), os.getppid()]


def spin() -> None:
    signal.signal(signal.SIGXCPU, signal.SIG_IGN)
    while True:
        pass


def here() -> list[str]:
    """Use what an honest file needs, and return what it found."""
    Path("notes").mkdir()
    Path("notes/a.md").write_text("a")
    os.replace("notes/a.md", "notes/b.md")
    os.chmod("notes/b.md", 0o600)

    async def soon() -> str:
        await asyncio.sleep(0)
        return "later"

    with tempfile.NamedTemporaryFile("w", dir=".", delete=False) as file:
        file.write("x")
    with tempfile.TemporaryFile() as other:
        other.write(b"x")
    with sqlite3.connect("facts.db") as base:
        base.execute("create table facts (a)")
    return [*os.listdir("notes"), asyncio.run(soon()), str(zoneinfo.ZoneInfo("UTC")), os.environ["HOME"]]
