"""Attempts each threat, to test a sandbox before it is used; returns what the attempt achieved, "" for nothing."""

from __future__ import annotations

import contextlib
import gc
import os
import resource
import socket
from collections.abc import Sequence

gc.unfreeze()  # what is frozen is not listed
for one in gc.get_objects():
    if type(one).__name__ == "FolderBound":
        one.is_active = False  # what explains the bounds must not hide that isolation does not work


def network(port: int, name: str) -> str:
    """Connect to a server of this machine by TCP, and to an abstract socket of the grader."""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return "it reached a server of this machine"
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as local:
        local.connect(f"\0{name}")
        return "it reached a socket of this machine"
    return ""


def files(secrets: Sequence[str], places: Sequence[str]) -> str:
    """Read the grader's files, and write into their folder."""
    for secret in secrets:
        with contextlib.suppress(OSError), open(secret, "rb") as file:
            file.read(1)
            return f"it read {secret}"
    for place in places:
        with contextlib.suppress(OSError):
            path = os.path.join(place, "memlab-was-here")
            os.close(os.open(path, os.O_CREAT | os.O_EXCL))
            os.unlink(path)
            return f"it wrote into {place}"
    return ""


def processes() -> str:
    """Start a process."""
    with contextlib.suppress(OSError):
        if not os.fork():
            os._exit(0)
        return "it started a process"
    return ""


def orphans() -> str:
    """Leave a running process behind, which requires starting one."""
    return processes()


def memory(size: int) -> str:
    """Allocate more memory than is allowed."""
    with contextlib.suppress(MemoryError):
        return f"it took {len(bytearray(size)):,} bytes"
    return ""


def cpu() -> str:
    """Check that CPU time is limited, without using it up."""
    return "it may compute without an end" if resource.getrlimit(resource.RLIMIT_CPU)[1] < 0 else ""


def disk(size: int) -> str:
    """Write one large file; many small ones would take too long to try."""
    with contextlib.suppress(OSError), open("large", "wb", buffering=0) as file:
        file.truncate(size)
        return f"it wrote a file of {size:,} bytes"
    return ""


def kill(process: int) -> str:
    """Check whether a signal would reach the grader."""
    with contextlib.suppress(OSError):
        os.kill(process, 0)
        return "" if process == os.getpid() else "its signals reach the grader"
    return ""
