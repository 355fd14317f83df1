"""How the harness says that a file is wrong: the place, the value, the valid set, the next step."""

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
    """One thing that is wrong with one file; `line` counts from 1, 0 where no line is to blame."""

    path: Path
    line: int
    text: str

    def __str__(self) -> str:
        place = "/".join(self.path.parts[-2:])
        return f"{place}:{self.line}: {self.text}" if self.line else f"{place}: {self.text}"


class BadScenario(Exception):
    """Scenario files that cannot be used; `errors` says everything that is wrong with them."""

    def __init__(self, errors: Iterable[ScenarioError]) -> None:
        self.errors = sorted(errors)
        super().__init__("\n".join(map(str, self.errors)))

    def __reduce__(self) -> tuple[type[BadScenario], tuple[list[ScenarioError]]]:
        """Travel from one process to another with the errors, not with the words made of them."""
        return BadScenario, (self.errors,)


def suggest(wrong: str, valid: Iterable[str]) -> str:
    """Name the nearest valid word and the whole valid set, as the end of a message."""
    known = sorted(valid)
    return f"{did_you_mean(wrong, known)} Valid: {', '.join(known) or 'none'}."


def short_repr(value: object) -> str:
    """Write a value of a file as Python would, on one line and cut where it is long or deep."""
    return _SHORT.repr(value)
