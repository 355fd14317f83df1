"""Gives an answer that is small in memory and huge as JSON: the same list of lists of lists, a hundred times each.

Attack: 9
Behind: solution.py
Keeps: write
Status: crashed or ok or timeout
Limits: 1
"""


def recall(query):
    value = "\0" * 100
    for _ in range(9):
        value = [value] * 100
    return value
