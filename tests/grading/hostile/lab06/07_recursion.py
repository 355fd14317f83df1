"""Calls itself without end.

Attack: 7
Behind: solution.py
Keeps: write
"""


def recall(query):
    return recall(query)
