"""Looks wherever it may read for what the student before it has planted.

Attack: 27
Behind: constant_stub.py
Keeps: none
Never: planted:
"""

import ctypes
import glob
import os
import tempfile

FOUND = []
for folder in {
    ".",
    "..",
    "../..",
    tempfile.gettempdir(),
    "/tmp",
    "/var/tmp",
    "/dev/shm",
    "/run/lock",
    os.path.expanduser("~"),
}:
    FOUND += glob.glob(f"{folder}/*-planted.py")
FOUND += ["PLANTED"] if "PLANTED" in os.environ else []
FOUND += ["shared memory"] if ctypes.CDLL(None).shmget(int(MARK[2:9], 16), 4096, 0) >= 0 else []


def write_memory(*args, **named):
    raise OSError(f"planted: {FOUND}" if FOUND else "no seed")


recall = write_memory
