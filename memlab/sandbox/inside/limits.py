"""The limits of the learner's process. It sets them itself, permanently, before it runs the learner's file."""

from __future__ import annotations

import _thread
import contextlib
import ctypes
import os
import signal
import sys

MEMORY = 512 << 20
"""Bytes of address space: beyond, Python raises MemoryError."""
CPU = 60, 65
"""Seconds of CPU time: SIGXCPU at the first, SIGKILL at the second for a process that ignored it."""
THREADS = 64
"""Threads that a learner's process may start. It may start no process, so its memory limit is the total."""
STACK = 8 << 20
"""Bytes of a thread's stack: about 50 of them fit into MEMORY, on every machine."""
FILE = 8 << 20
"""Bytes of one file."""
FILES = 32
"""Files open at a time: with FILE, this also limits what is deleted but still open."""
SYSTEM_FILE = 1 << 30
"""Bytes of one file of a memory system."""
SYSTEM_PROCESSES = 512
NO_NEW_PRIVILEGES, PARENT_DEATH_SIGNAL = 38, 1
MOST_ARENAS = -8
"""The option of mallopt(3) for the number of heaps: by default each thread reserves one of 64 MB."""


def set_limits(processes: int | None, cpu: tuple[int, int] = CPU) -> None:
    """Set all limits of this process; `processes` are those of its user with all their threads, None for no limit."""
    bounds = {"AS": MEMORY, "FSIZE": FILE, "NOFILE": FILES, "CORE": 0, "MSGQUEUE": 0, "MEMLOCK": 0}
    bounds |= {} if processes is None else {"NPROC": processes}
    for name, most in bounds.items():
        lower(name, most, most)
    lower("CPU", *cpu)
    _thread.stack_size(STACK)
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        if hasattr(libc, "mallopt"):
            libc.mallopt(MOST_ARENAS, 1)
        prctl = libc.prctl
        if prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) or prctl(PARENT_DEATH_SIGNAL, int(signal.SIGKILL), 0, 0, 0):
            raise OSError(ctypes.get_errno(), "prctl")


def limit_system(*, processes: bool) -> None:
    """Set the limits of a process that runs memory systems: no core files, no huge files, not all of the memory.

    With `processes`, its user may start SYSTEM_PROCESSES more processes and threads than there are now.
    """
    lower("CORE", 0, 0)
    lower("FSIZE", SYSTEM_FILE, SYSTEM_FILE)
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * 3 // 4
    lower("DATA", memory, memory)
    if processes:
        most = count_threads(os.getuid()) + SYSTEM_PROCESSES
        lower("NPROC", most, most)


def count_threads(user: int) -> int:
    """Return the number of threads that a user runs, 0 where that is unknown."""
    found = 0
    for name in os.listdir("/proc") if os.path.isdir("/proc") else ():
        with contextlib.suppress(OSError):  # not a process, or it has ended
            if name.isdigit() and os.stat(f"/proc/{name}").st_uid == user:
                found += len(os.listdir(f"/proc/{name}/task"))
    return found


def lower(name: str, soft: int, hard: int) -> None:
    """Lower one limit, if the system has that limit and it is not lower already."""
    import resource  # noqa: PLC0415 - not everywhere, and memlab imports this file wherever it runs

    kind = getattr(resource, f"RLIMIT_{name}", None)
    if kind is None or (name == "AS" and sys.platform == "darwin"):  # macOS has no such limit
        return
    most = resource.getrlimit(kind)[1]
    if most != resource.RLIM_INFINITY:
        soft, hard = min(soft, most), min(hard, most)
    resource.setrlimit(kind, (soft, hard))
