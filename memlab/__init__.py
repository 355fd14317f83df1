"""memlab: show, teach and grade the effect of each part of an agent's memory.

The public names are those of `__all__`. Each is imported when it is first used, so that `import memlab` is fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from memlab.version import __version__ as __version__

if TYPE_CHECKING:
    from memlab.api.catalogue import list_systems, scenarios, show
    from memlab.api.comparing import compare, play
    from memlab.api.results import Results, read
    from memlab.labs.learner.notebook_commands import open_lab
    from memlab.memory.mix import MemoryMix
    from memlab.memory.text import Refused
    from memlab.systems.notes import lines_of
    from memlab.terms import Event, Memory, MemorySystem, Result, Workspace

__all__ = [
    "Event",
    "Memory",
    "MemoryMix",
    "MemorySystem",
    "Refused",
    "Result",
    "Results",
    "Workspace",
    "compare",
    "lines_of",
    "list_systems",
    "open_lab",
    "play",
    "read",
    "scenarios",
    "show",
]
_MODULES = {
    **dict.fromkeys(("compare", "play"), "memlab.api.comparing"),
    **dict.fromkeys(("list_systems", "scenarios", "show"), "memlab.api.catalogue"),
    **dict.fromkeys(("Results", "read"), "memlab.api.results"),
    **dict.fromkeys(("Event", "Memory", "MemorySystem", "Result", "Workspace"), "memlab.terms"),
    "MemoryMix": "memlab.memory.mix",
    "Refused": "memlab.memory.text",
    "lines_of": "memlab.systems.notes",
    "open_lab": "memlab.labs.learner.notebook_commands",
}
"""Public name -> the module that defines it."""


def __getattr__(name: str) -> object:
    """Import a public name (PEP 562)."""
    if name not in _MODULES:
        raise AttributeError(f"module 'memlab' has no attribute {name!r}. Public names: {', '.join(__all__)}")
    found = getattr(import_module(_MODULES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
