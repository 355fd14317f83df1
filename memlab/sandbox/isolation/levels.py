"""Lists the isolation levels, best first, and selects one; a weaker one only if that is allowed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TypeVar

from memlab.sandbox.isolation.bubblewrap import Bubblewrap
from memlab.sandbox.isolation.container import Container
from memlab.sandbox.isolation.landlock import Landlock
from memlab.sandbox.isolation.level import Level, SystemLevel
from memlab.sandbox.isolation.rlimits import Rlimits

SYSTEM_LEVELS: tuple[SystemLevel, ...] = (Bubblewrap(), Landlock(), Rlimits())
"""The levels at which memory systems run, best first; a container has none of our packages."""
LEVELS: tuple[Level, ...] = (Container(), *SYSTEM_LEVELS)


L = TypeVar("L", bound=Level)


class LevelUnavailable(Exception):
    """An isolation level does not work here or does not exist. The message says why, and what to do."""


def level_named(name: str, *, weaker: bool) -> Level:
    """Return the level with a name. If it does not work here and `weaker` is true, return the next best that works.

    Raises LevelUnavailable.
    """
    return _select(LEVELS, lambda level: level.problem(), name, weaker=weaker)


def system_level(name: str, *, weaker: bool) -> SystemLevel:
    """Return the level with a name for memory systems, as `level_named` does for submissions."""
    return _select(SYSTEM_LEVELS, lambda level: level.system_problem(), name, weaker=weaker)


@cache
def best_system_level() -> SystemLevel:
    """Return the best level for memory systems that works here. Raises LevelUnavailable."""
    return system_level(SYSTEM_LEVELS[0].name, weaker=True)


def _select(levels: Sequence[L], problem_of: Callable[[L], str], name: str, *, weaker: bool) -> L:
    names = [one.name for one in levels]
    if name not in names:
        raise LevelUnavailable(f"isolation {name!r} is not known, expected one of {', '.join(names)}")
    below = levels[names.index(name) :]
    if not (problem := problem_of(below[0])):
        return below[0]
    here = [one for one in below[1:] if not problem_of(one)]
    if here and weaker:
        return here[0]
    raise LevelUnavailable(
        f"isolation {name} does not work here: {problem}.\n{_instead(here)} `memlab doctor` says more."
    )


def _instead(here: Sequence[Level]) -> str:
    if not here:
        return "No weaker level works either."
    names = " and ".join(one.name for one in here)
    which = "These weaker ones work here" if len(here) > 1 else "This weaker one works here"
    return f"{which}: {names}. Select it with --isolation, or allow the best that works with --allow-weaker."
