"""The systems of a table: groups, descriptions, marks."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from memlab.report.tables.scores import plain
from memlab.systems.entry import COMPARED, Group
from memlab.systems.registry import all_entries

OURS = "hybrid"
MAIN = COMPARED
MARKS = {
    "error": ("!", "raised an error on at least one probe, which scores 0"),
    "broke": ("†", "exceeded k or the budget: cut before scoring"),
    "fallback": ("‡", "has only recall or only assemble: memlab derives the other from it"),
    "not_applicable": (
        "\N{DEGREE SIGN}",
        "cannot do something (it says so, or has no window): it passes no scenario that needs it",
    ),
}
"""Columns of the scores, the mark of each, and its meaning."""


def groups(systems: Iterable[str]) -> dict[str, Group]:
    """Map each system to its group, one with a model (row+model) to that of its row; what memlab lacks is `yours`."""
    known = {entry.name: entry.group for entry in all_entries()}
    return {system: known.get(system) or known.get(system.partition("+")[0], "yours") for system in systems}


def about_system(system: str) -> str:
    """Return the description that `memlab systems` prints; "" for a system that memlab did not ship."""
    return next((entry.about for entry in all_entries() if entry.name == system), "")


def main_systems(systems: Iterable[str]) -> list[str]:
    """Return the systems of the groups in MAIN, in their order."""
    return [system for system, group in groups(systems).items() if group in MAIN]


def rivals(systems: Iterable[str]) -> list[str]:
    """Return the systems that the reference is compared with: the main ones without itself."""
    return [system for system in main_systems(systems) if system != OURS]


def marks(scores: pd.DataFrame) -> dict[str, list[str]]:
    """Map each system to the keys of MARKS that apply to any of its results without an overlay."""
    found = plain(scores).groupby("system", sort=False)[list(MARKS)].any()
    return {str(system): [mark for mark in MARKS if row[mark]] for system, row in found.iterrows()}


def legend(marked: dict[str, list[str]]) -> list[str]:
    """Return each mark that any system has, with its meaning."""
    used = {mark for own in marked.values() for mark in own}
    return [f"{sign} {meaning}" for mark, (sign, meaning) in MARKS.items() if mark in used]


def display_name(system: str, systems: Iterable[str]) -> str:
    """Return the class name of `FILE:CLASS` if no other of the systems has it, else the whole name."""
    name = system.rpartition(":")[2]
    return name if all(one == system or one.rpartition(":")[2] != name for one in systems) else system


def short(system: str, most: int) -> str:
    """Return the last `most` characters of a name, because a path ends with the name that matters."""
    return system if len(system) <= most else f"\N{HORIZONTAL ELLIPSIS}{system[1 - most :]}"
