"""What was written last is right, whoever wrote it.

Instead in: solution.py
Loses: trust/a-lower-rank-overwrites-nothing
"""


def check_rank(name: str, source: str) -> None:
    pass
