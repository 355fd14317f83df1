"""Makes a hundred thousand files without a byte in them.

Attack: 10
Behind: solution.py
Keeps: none
Status: ok or crashed or timeout
Limits: 3
"""

import os

os.mkdir("memory")
for number in range(min(100_000, MOST // 4096)):
    os.close(os.open(f"memory/{number}.md", os.O_CREAT))


def write_memory(*args, **named):
    raise OSError("the disk is full")
