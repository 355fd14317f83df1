"""Leaves pages of sixteen million bytes, with holes and without, and a folder of ten thousand.

Attack: 24
Behind: constant_stub.py
Keeps: none
Status: ok or crashed or timeout
Limits: 1
"""

import contextlib
import os


def write_memory(name, *args, **named):
    os.makedirs("memory", exist_ok=True)
    with contextlib.suppress(OSError), open(f"memory/{name}.md", "wb") as page:
        page.truncate(2**24 - 1)
    with contextlib.suppress(OSError), open("memory/MEMORY.md", "wb") as page:
        page.write(b"- [a](a.md) -- a\n" * 10**6)
    for number in range(1_000):
        with contextlib.suppress(OSError):
            open(f"memory/{number}.md", "x").close()
    print(f"wrote memory/{name}.md")
