"""A small lab of one step, from which skeletons and notebooks are made."""

from __future__ import annotations

from pathlib import Path

RUBRIC = """\
lab = "98"
title = "a small lab"
file = "store.py"
system = "Store"
class_name = "Store"
interface = ["add", "get"]
[[task]]
step = "add"
title = "add"
part = "build"
minutes = 5
points = 1
checks = ["add/keeps"]
"""
PUBLISHED = '''\
"""A small store."""

from __future__ import annotations

import re
from functools import cache

ROOT = "here"
WORD = re.compile("[a-z]+")
"""What is a word."""
# Filled by a person.
HELP: dict[str, str] = {}


class Store:
    """Keeps things."""

    size: int = 0

    def __init__(self) -> None:
        self.kept: list[str] = []

    # Why it is static.
    @staticmethod
    def add(
        thing: str,
    ) -> None:
        """Keep a thing.

        Raises nothing.
        """
        print(thing)

    def get(self) -> str:
        """Give the last thing."""
        return self._last()  # noqa: SLF001 - not for learners

    def _last(self) -> str:
        return self.kept[-1]


@cache
def helper() -> int:
    return 1


if __name__ == "__main__":
    Store().add("a thing")
'''
INTRO = "# Lab 98: a small lab\n\nTo solve: {fails}.\n"


def write_lab(home: Path, lab_md: str, published: str = PUBLISHED) -> Path:
    """Write a small lab."""
    made = home / "lab98"
    made.mkdir(exist_ok=True)
    for name, content in [
        ("lab.md", lab_md),
        ("rubric.toml", RUBRIC),
        ("published.py", published),
        ("solution.py", published.replace("self.kept[-1]", "max(self.kept)")),
    ]:
        (made / name).write_text(content, encoding="utf-8")
    return made
