"""Assumes that every file in the folder is UTF-8.

Instead in: solution.py
Loses: repair/outlives-a-spoiled-page, repair/outlives-a-spoiled-index, repair/loses-nothing-on-the-next-write
"""


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""
