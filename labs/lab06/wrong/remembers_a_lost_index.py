"""Assumes that a lost index is still in the variable that the program filled before.

Instead in: solution.py
Loses: repair/outlives-a-lost-index, repair/outlives-a-spoiled-index, repair/loses-nothing-on-the-next-write
"""

_KNOWN: dict[str, str] = {}


def write_index(memories: dict[str, str]) -> None:
    _KNOWN.update(memories)
    others = [line for line in read(INDEX).splitlines() if not ROW.match(line)]
    pointers = [f"- [{name}]({name}.md) -- {description}" for name, description in memories.items()]
    INDEX.write_text("\n".join([*others, *pointers]) + "\n", encoding="utf-8")


def rows() -> dict[str, str]:
    indexed = _KNOWN | dict(ROW.findall(read(INDEX)))
    return {name: description for name, description in indexed.items() if page_of(name).is_file()}
