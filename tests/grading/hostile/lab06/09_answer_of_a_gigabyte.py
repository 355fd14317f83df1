"""Gives an answer that is as large as its memory, from few bytes of code.

Attack: 9
Behind: solution.py
Keeps: write
Status: crashed or ok
Limits: 1
"""


def recall(query):
    try:
        return "x" * 2**28
    except MemoryError:
        return "x" * 2**26
