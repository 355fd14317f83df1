"""Isolation of a learner's process from the machine that grades it: four levels, each of which starts sandboxes."""

from memlab.sandbox.isolation.level import THREATS, Level, Threat
from memlab.sandbox.isolation.levels import LEVELS, LevelUnavailable, best_system_level, level_named, system_level

__all__ = [
    "LEVELS",
    "THREATS",
    "Level",
    "LevelUnavailable",
    "Threat",
    "best_system_level",
    "level_named",
    "system_level",
]
