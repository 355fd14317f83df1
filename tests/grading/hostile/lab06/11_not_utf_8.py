"""Writes bytes that are no text to every descriptor that it has, and prints what is no letter.

Attack: 11
Behind: solution.py
Keeps: write
Status: crashed
"""

import os


def recall(query):
    print("\ud800")
    for one in range(1, 64):
        try:
            os.write(one, b"\xff\xfe\x00\xc3\x28\n")
        except OSError:
            pass
    return "\ud800"
