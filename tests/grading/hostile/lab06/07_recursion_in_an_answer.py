"""Gives lists in lists in lists, a million deep, and one that holds itself.

Attack: 7
Behind: solution.py
Keeps: write
Status: ok or crashed
"""


def recall(query):
    deep = []
    deep.append(deep)
    for _ in range(10**6):
        deep = [deep]
    return deep
