"""Calls itself without end, after it has told Python to allow it.

Attack: 7
Behind: solution.py
Keeps: write
Status: crashed or timeout or ok
Limits: 1
"""

import sys


def recall(query):
    sys.setrecursionlimit(2**31 - 1)
    return max([query], key=lambda one: recall(one))
