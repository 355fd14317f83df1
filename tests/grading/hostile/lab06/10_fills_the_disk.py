"""Writes files into every folder that it may write to, until it may no more.

Attack: 10
Behind: solution.py
Keeps: none
Status: ok or crashed or timeout
Limits: 3
"""

import contextlib
import os
import tempfile

LEFT = MOST
for folder in (".", "..", tempfile.gettempdir(), "/tmp", "/var/tmp", "/dev/shm", "/run/lock", os.path.expanduser("~")):
    with contextlib.suppress(OSError, OverflowError):
        for number in range(10_000):
            if LEFT <= 0:
                break
            with open(f"{folder}/{MARK}-{number}", "wb") as full:
                LEFT -= full.write(b"x" * 2**20)


def write_memory(*args, **named):
    raise OSError("the disk is full")
