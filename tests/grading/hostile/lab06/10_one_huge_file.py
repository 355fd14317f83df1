"""Writes one file until it may no more, and one that is huge and holds nothing.

Attack: 10
Behind: solution.py
Keeps: none
Status: ok or crashed or timeout
Limits: 2
"""

import contextlib

for size in (2**40, 2**30, 2**24):
    with contextlib.suppress(OSError), open(f"{size}", "wb") as sparse:
        sparse.truncate(min(size, MOST))
LEFT = MOST
with open("full", "wb", buffering=0) as full:
    while LEFT > 0:
        LEFT -= full.write(b"x" * 2**20)


def write_memory(*args, **named):
    raise OSError("the disk is full")
