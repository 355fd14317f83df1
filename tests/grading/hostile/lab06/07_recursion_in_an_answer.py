"""Gives lists in lists in lists, a hundred thousand deep, and one that holds itself.

Attack: 7
Behind: solution.py
Keeps: write
Status: ok or crashed
"""


def recall(query):
    deep = []
    deep.append(deep)
    for _ in range(10**5):
        deep = [deep]
    return deep
