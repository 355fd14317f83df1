"""Assumes that the last write is right, whatever its source.

Instead in: solution.py
Loses: trust/a-lower-rank-overwrites-nothing
"""


def check_rank(name: str, source: str) -> None:
    pass
