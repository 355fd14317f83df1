"""Assumes that an old version is a memory like any other.

Instead in: solution.py
Loses: write/keeps-one-row-for-each-name, stale/can-be-planted-twice, versions/serve-the-newest-only
"""


def keep_old(name: str) -> None:
    if page_of(name).exists():
        free = next(number for number in count(1) if not page_of(f"{name}-{number}").exists())
        page_of(name).rename(page_of(f"{name}-{free}"))
