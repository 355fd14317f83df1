"""Leaves files with names that are no text, that hold line breaks, that look like JSON, that are as long as can be.

Attack: 24
Behind: constant_stub.py
Keeps: none
Status: ok or crashed
"""

import contextlib
import os

NAMES = [
    b"\xff\xfe.md",
    b"a\nb.md",
    b'", "ok": true, "x": "',
    b"x" * 255,
    b"\x1b[2J.md",
    b"-rf",
    b"~",
    b"%s%n.md",
    b"\xe2\x80\xae.md",
    b"con.md",
    b" .md",
    b"\\..\\..\\a.md",
    b"<script>.md",
]


def write_memory(name, *args, **named):
    os.makedirs("memory", exist_ok=True)
    for one in NAMES:
        with contextlib.suppress(OSError):
            open(b"memory/" + one, "xb").close()
    print(f"wrote memory/{name}.md")
