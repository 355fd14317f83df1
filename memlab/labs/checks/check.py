"""The checks of a lab: examples and properties that call the functions of a learner's file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NoReturn
from zlib import crc32

from memlab.labs.checks.properties import Each, run_property
from memlab.sandbox.client import CheckFailed, LearnerFile, Raised

EXAMPLES = 20  # cases that a property draws
SEED = 6  # what cases are drawn from, together with a check's name, where no other seed is given
LONGEST_VALUE = 300  # characters of a value, as a message shows it
__all__ = ["Check", "CheckFailed", "Checks", "Each", "LearnerFile", "Raised", "expect", "fail", "is_same_value"]


@dataclass(frozen=True)
class Check:
    """One requirement of a step. `sentence` states it; a check with `strategies` is a property, run on drawn cases."""

    step: str
    name: str
    sentence: str
    function: Callable[..., None]
    strategies: Mapping[str, Any] = field(default_factory=dict)

    def run(self, file: LearnerFile, seed: int | None = None, examples: int = EXAMPLES) -> None:
        """Run the check. Raises CheckFailed for the smallest failing case, whose calls are then in `file.calls`."""
        if not self.strategies:
            return self.function(file)
        seed = crc32(self.name.encode(), SEED) if seed is None else seed
        return run_property(partial(self.function, file), self.strategies, seed, examples)


class Checks:
    """The checks of a lab by name, in the order of their definition."""

    def __init__(self, lab: str) -> None:
        self.lab = lab
        self._checks: dict[str, Check] = {}

    def add(self, step: str, **strategies: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:  # noqa: ANN401 - strategies
        """Decorate a function to be a check of a step. Learners read the first line of its docstring."""

        def register(function: Callable[..., None]) -> Callable[..., None]:
            name = f"{step}/{function.__name__.replace('_', '-')}"
            sentence = (function.__doc__ or "").strip().partition("\n")[0]
            assert sentence, f"{name} has no docstring"  # noqa: S101 - our own mistake
            assert name not in self._checks, f"{name} is defined twice"  # noqa: S101 - our own mistake
            self._checks[name] = Check(step, name, sentence, function, strategies)
            return function

        return register

    def __getitem__(self, name: str) -> Check:
        return self._checks[name]

    def __iter__(self) -> Iterator[Check]:
        return iter(self._checks.values())


def expect(value: object, wanted: object, in_words: str, file: LearnerFile) -> None:
    """Compare the value of the last call. Raises CheckFailed: "recall('q') returned None, expected the body"."""
    if not is_same_value(value, wanted):
        text = file.printed.strip() if value is None else ""  # a common mistake: it prints the answer
        printed = f" and printed {_format(text)}" if text else ""
        raise CheckFailed(f"{file.calls[-1]} returned {_format(value)}{printed}, expected {in_words}")


def is_same_value(value: object, wanted: object) -> bool:
    """True if two plain values are written the same: True is not 1, and 1.0 is not 1."""
    return repr(value) == repr(wanted)


def fail(file: LearnerFile, message: str) -> NoReturn:
    """Raise CheckFailed: the last call, and a message that begins with what it did."""
    raise CheckFailed(f"{file.calls[-1]} {message}" if file.calls else message)


def _format(value: object) -> str:
    text = repr(value)
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}... ({len(text):,} characters)"
