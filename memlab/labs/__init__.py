"""The two teaching labs: their text, their checks, and what a notebook or an editor needs to work through them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memlab.labs.learner.notebook import open_lab

__all__ = ["open_lab"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever the name stands for
    """Load what a notebook calls when it is asked for: it brings charts along, and a check needs none."""
    if name == "open_lab":
        return import_module("memlab.labs.learner.notebook").open_lab
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
