"""Assumes that every file has an ending.

Instead in: solution.py
Loses: guard/what-is-missing-is-not-promoted, guard/the-prompt-is-checked-too
"""


def is_path(chunk: str) -> bool:
    folder, slash, _ = chunk.partition("/")
    if (
        not PATH_RE.fullmatch(chunk)
        or chunk.lower() in PRODUCTS
        or (slash and (not folder or HOST_RE.fullmatch(folder)))
    ):
        return False
    return FILE_RE.fullmatch(chunk.rpartition("/")[2]) is not None
