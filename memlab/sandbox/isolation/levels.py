"""Lists the isolation levels, best first, and selects one; a weaker one only if that is allowed."""

from __future__ import annotations

from memlab.sandbox.isolation.bubblewrap import Bubblewrap
from memlab.sandbox.isolation.container import Container
from memlab.sandbox.isolation.landlock import Landlock
from memlab.sandbox.isolation.level import Level
from memlab.sandbox.isolation.rlimits import Rlimits

LEVELS: tuple[Level, ...] = (Container(), Bubblewrap(), Landlock(), Rlimits())


class LevelUnavailable(Exception):
    """An isolation level does not work here or does not exist. The message says why, and what to do."""


def level_named(name: str, *, weaker: bool) -> Level:
    """Return the level with a name. If it does not work here and `weaker` is true, return the next best that works.

    Raises LevelUnavailable.
    """
    names = [one.name for one in LEVELS]
    if name not in names:
        raise LevelUnavailable(f"isolation {name!r} is not known, expected one of {', '.join(names)}")
    below = LEVELS[names.index(name) :]
    if not (problem := below[0].problem()):
        return below[0]
    here = [one for one in below[1:] if not one.problem()]
    if here and weaker:
        return here[0]
    raise LevelUnavailable(
        f"isolation {name} does not work here: {problem}.\n{_instead(here)} `memlab doctor` says more."
    )


def _instead(here: list[Level]) -> str:
    if not here:
        return "No weaker level works either."
    names = " and ".join(one.name for one in here)
    which = "These weaker ones work here" if len(here) > 1 else "This weaker one works here"
    return f"{which}: {names}. Name it by --isolation, or allow the best that works by --allow-weaker."
