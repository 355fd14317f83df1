"""The bounds of the learner's process: it sets them itself before it runs what the learner wrote, once for all."""

from __future__ import annotations

import ctypes
import resource
import signal
import sys

MEMORY = 512 << 20
"""Bytes of address space: beyond, Python raises MemoryError."""
CPU = 60, 65
"""Seconds of CPU time: at the first SIGXCPU says that it was time, at the second SIGKILL ends what ignored it."""
PROCESSES = 0
"""Processes and threads that may be started: then nothing can be left behind, and memory is bounded for all of them."""
FILE = 8 << 20
"""Bytes of one file."""
FILES = 32
"""Files open at a time: with FILE, what is deleted yet open is bounded as well."""
NO_NEW_PRIVILEGES, PARENT_DEATH_SIGNAL = 38, 1


def bound(cpu: tuple[int, int] = CPU) -> None:
    """Set all bounds of this process."""
    bounds = {"AS": MEMORY, "NPROC": PROCESSES, "FSIZE": FILE, "NOFILE": FILES, "CORE": 0, "MSGQUEUE": 0, "MEMLOCK": 0}
    for name, most in bounds.items():
        lower(name, most, most)
    lower("CPU", *cpu)
    if sys.platform == "linux":
        prctl = ctypes.CDLL(None, use_errno=True).prctl
        if prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) or prctl(PARENT_DEATH_SIGNAL, int(signal.SIGKILL), 0, 0, 0):
            raise OSError(ctypes.get_errno(), "prctl")


def lower(name: str, soft: int, hard: int) -> None:
    """Lower one bound, where the system knows it; one that is lower already stays."""
    kind = getattr(resource, f"RLIMIT_{name}", None)
    if kind is None or (name == "AS" and sys.platform == "darwin"):  # which takes no bound of memory
        return
    most = resource.getrlimit(kind)[1]
    if most != resource.RLIM_INFINITY:
        soft, hard = min(soft, most), min(hard, most)
    resource.setrlimit(kind, (soft, hard))
