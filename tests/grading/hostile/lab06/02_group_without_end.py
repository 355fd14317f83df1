"""Raises a group of groups of exceptions, ten thousand deep, each the cause of the next.

Attack: 2
Behind: solution.py
Keeps: write
Status: ok or crashed
"""


def recall(query):
    worst = ValueError("no")
    for _ in range(10_000):
        deeper = BaseExceptionGroup("no", [worst])
        deeper.__cause__ = worst
        worst = deeper
    raise worst
