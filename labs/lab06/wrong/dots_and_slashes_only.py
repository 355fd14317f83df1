"""Assumes that only dots and slashes make a name unsafe.

Instead in: solution.py
Loses: names/stay-in-the-folder, names/end-in-no-line-break
"""


def slug(name: str) -> str:
    if not name or ".." in name or "/" in name or len(name) > LONGEST_NAME:
        raise ValueError(f"name {name!r} leads out of memory/")
    if name.lower() == INDEX.stem.lower():
        raise ValueError(f"name {name!r}: this is the name of the index")
    return name
