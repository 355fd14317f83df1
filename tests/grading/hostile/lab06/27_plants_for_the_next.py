"""Leaves its own source wherever it may write, for the next student's file to find.

Attack: 27
Behind: solution.py
Keeps: all
"""

import contextlib
import ctypes
import os
import tempfile

SEED = "planted = True\n"
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
    with contextlib.suppress(OSError), open(os.path.join(folder, f"{MARK}-planted.py"), "w") as planted:
        planted.write(SEED)
os.environ["PLANTED"] = MARK
ctypes.CDLL(None).shmget(int(MARK[2:9], 16), 4096, 0o1666)
