"""Prints without end, and without the end of a line.

Attack: 11
Behind: solution.py
Keeps: write
Status: crashed or timeout or ok
Limits: 1
"""

import sys


def recall(query):
    while True:
        sys.stdout.write("x" * 2**20)
