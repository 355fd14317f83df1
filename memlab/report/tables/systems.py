"""Who is in the table, and what a reader must know about each."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from memlab.report.tables.scores import plain
from memlab.systems.entry import Group
from memlab.systems.registry import entries

OURS = "hybrid"
MAIN: frozenset[Group] = frozenset({"reference", "bucket", "lab", "yours"})
"""The groups that a reader compares; ablations explain the reference, degenerate systems check the harness."""
MARKS = {
    "error": ("!", "failed on at least one probe, which counts 0"),
    "broke": ("†", "went over k or budget: cut before it was judged"),
    "standin": ("‡", "has only recall or only assemble: memlab makes the other one from it"),
}
"""The columns of the scores that are worth a mark, the mark, and what it says."""


def groups(systems: Iterable[str]) -> dict[str, Group]:
    """Give each system's group; what memlab did not ship is `yours`."""
    known = {entry.name: entry.group for entry in entries()}
    return {system: known.get(system, "yours") for system in systems}


def about_system(system: str) -> str:
    """Say what a system is, in the words of `memlab systems`; "" for one that memlab did not ship."""
    return next((entry.about for entry in entries() if entry.name == system), "")


def main_systems(systems: Iterable[str]) -> list[str]:
    """Keep the systems that a reader compares, in their order."""
    return [system for system, group in groups(systems).items() if group in MAIN]


def rivals(systems: Iterable[str]) -> list[str]:
    """Keep the systems that the reference is set against: all main ones but itself, in their order."""
    return [system for system in main_systems(systems) if system != OURS]


def marks(scores: pd.DataFrame) -> dict[str, list[str]]:
    """Give the keys of MARKS that each system earned anywhere without an overlay."""
    earned = plain(scores).groupby("system", sort=False)[list(MARKS)].any()
    return {str(system): [mark for mark in MARKS if row[mark]] for system, row in earned.iterrows()}


def short(system: str, most: int) -> str:
    """Keep the end of a name that is too long, which is where a path says what it names."""
    return system if len(system) <= most else f"\N{HORIZONTAL ELLIPSIS}{system[1 - most :]}"
