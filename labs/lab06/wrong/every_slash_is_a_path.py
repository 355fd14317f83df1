"""Assumes that every word with a slash is a path.

Instead in: solution.py
Loses: guard/raises-no-false-alarm
"""


def is_path(chunk: str) -> bool:
    if NO_PATH.search(chunk) or DOMAIN.match(chunk):
        return False
    return "/" in chunk or bool(FILE.search(chunk))
