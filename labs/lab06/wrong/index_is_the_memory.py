"""Assumes that a memory that the index does not list does not exist.

Instead in: solution.py
Loses: repair/outlives-a-lost-index, repair/outlives-a-spoiled-index, repair/loses-nothing-on-the-next-write
"""


def rows() -> dict[str, str]:
    return {name: description for name, description in ROW.findall(read(INDEX)) if page_of(name).is_file()}
