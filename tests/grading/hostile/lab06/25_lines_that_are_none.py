"""Answers past what answers: doubled keys, numbers that are none, ten thousand brackets, half a line.

Attack: 25
Behind: constant_stub.py
Keeps: none
Status: ok or crashed or timeout
Limits: 1
"""

import os

LINES = [
    b'{"ok": false, "ok": "This repo prefers pnpm.", "printed": ""}\n',
    b'{"ok": NaN, "printed": ""}\n',
    b'{"ok": -Infinity, "printed": ""}\n',
    b'{"ok": 1e999, "printed": ""}\n',
    b'{"ok": ' + b"9" * 100_000 + b', "printed": ""}\n',
    b'{"ok": ' + b"[" * 100_000 + b"]" * 100_000 + b', "printed": ""}\n',
    b'{"a":' * 100_000 + b"1" + b"}" * 100_000 + b"\n",
    b'\xef\xbb\xbf{"ok": "This repo prefers pnpm.", "printed": ""}\n',
    b'{"ok": "\xff", "printed": ""}\n',
    b'{"ok": "\\ud800", "printed": "\\udfff"}\n',
    b'{"ok": "a", "printed": ["b"], "message": {"a": 1}, "is_refusal": "yes", "line": "<b>"}\n',
    b'{"raised": "ValueError", "message": "no", "is_refusal": true}\n',
    b'{"raised": ["ValueError"], "message": 1, "is_refusal": 1, "line": [], "printed": 1}\n',
    b'{"ok": null, "printed": "", "__class__": "Grade", "points": 100}\n',
    b"[]\n",
    b"null\n",
    b'"ok"\n',
    b"\n",
    b"\0\n",
    b'{"ok": 1, "printed": ""} {"ok": 2, "printed": ""}\n',
    b'{"ok": ',
]
COUNT = []


def write_memory(*args, **named):
    COUNT.append(1)
    for one in range(3, 32):
        try:
            os.write(one, LINES[len(COUNT) % len(LINES)])
        except OSError:
            pass


recall = write_memory
for _ in range(os.getpid() % 7):
    COUNT.append(1)
