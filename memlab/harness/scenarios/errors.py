"""Errors in scenario files: the place, the value, the valid values, the fix."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from reprlib import Repr

from memlab.systems.entry import did_you_mean

_SHORT = Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 80
_SHORT.maxlevel = 3


@dataclass(frozen=True, slots=True, order=True)
class ScenarioError:
    """One error in one file (not an exception; BadScenario holds them); `line` counts from 1, 0 is the whole file."""

    path: Path
    line: int
    text: str

    def __str__(self) -> str:
        place = "/".join(self.path.parts[-2:])
        return f"{place}:{self.line}: {self.text}" if self.line else f"{place}: {self.text}"


class BadScenario(Exception):
    """Invalid scenario files; `errors` lists every error in them."""

    def __init__(self, errors: Iterable[ScenarioError]) -> None:
        self.errors = sorted(errors)
        super().__init__("\n".join(map(str, self.errors)))

    def __reduce__(self) -> tuple[type[BadScenario], tuple[list[ScenarioError]]]:
        """Pickle the errors, not the message."""
        return BadScenario, (self.errors,)


def suggest(wrong: str, valid: Iterable[str]) -> str:
    """Return the end of a message: the nearest valid word and all valid words."""
    known = sorted(valid)
    return f"{did_you_mean(wrong, known)} Valid: {', '.join(known) or 'none'}."


def short_repr(value: object) -> str:
    """Return the repr of a value on one line, shortened where it is long or deep."""
    return _SHORT.repr(value)
