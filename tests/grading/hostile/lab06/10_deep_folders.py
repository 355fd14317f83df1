"""Makes folders in folders, so deep that their path is longer than a path may be.

Attack: 10
Behind: constant_stub.py
Keeps: none
Status: ok or crashed or timeout
Limits: 2
"""

import contextlib
import os

here = os.getcwd()
with contextlib.suppress(OSError):
    for _ in range(3_000):
        os.mkdir("memory")
        os.chdir("memory")
os.chdir(here)
