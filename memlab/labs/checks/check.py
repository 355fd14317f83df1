"""What a step of a lab must keep: examples and properties, asked of a learner's file through its process."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn
from zlib import crc32

from memlab.sandbox.client import CheckFailed, LearnerFile, Raised

# what Hypothesis keeps for itself (its tables of letters take seconds to make) is not to lie in the learner's folder
_CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()) / "memlab" / "hypothesis"
os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", str(_CACHE))
try:
    from hypothesis import HealthCheck, Phase, Verbosity, given, settings
    from hypothesis import seed as seeded
    from hypothesis.errors import Flaky
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "the labs' checks need a package that is not installed: pip install 'memlab[labs]'", name=error.name
    ) from None

with suppress(ImportError):  # it draws constants of whatever modules happen to be loaded: no run would be like another
    from hypothesis.internal.conjecture.providers import HypothesisProvider
    from hypothesis.internal.constants_ast import Constants

    HypothesisProvider._local_constants = Constants()  # type: ignore[assignment] # noqa: SLF001 - it has no setting

EXAMPLES = 20
"""Cases that a property draws."""
SEED = 1
"""What cases are drawn from, together with a check's name, where no other seed is given."""
__all__ = ["Check", "CheckFailed", "Checks", "LearnerFile", "Raised", "expect", "fail", "is_same_value"]


@dataclass(frozen=True)
class Check:
    """One thing that a step must keep: `says` tells it in a sentence, `drawn` are what Hypothesis draws for it."""

    step: str
    name: str
    sentence: str
    function: Callable[..., None]
    strategies: Mapping[str, Any] = field(default_factory=dict)

    def run(self, work: LearnerFile, seed: int | None = None, examples: int = EXAMPLES) -> None:
        """Ask a learner's file. Raises CheckFailed with the smallest case that was found, told in `work.calls`.

        Without a seed, the cases depend on the check's name alone.
        """
        if not self.strategies:
            return self.function(work)

        def case(**drawn: object) -> None:
            self.function(work, **drawn)

        repeatable = seeded(crc32(self.name.encode(), SEED) if seed is None else seed)
        calm = settings(
            max_examples=examples,
            database=None,
            deadline=None,
            phases=(Phase.generate, Phase.shrink),
            report_multiple_bugs=False,
            verbosity=Verbosity.quiet,
            suppress_health_check=list(HealthCheck),
        )
        try:
            calm(repeatable(given(**self.strategies)(case)))()
        except Flaky:
            raise CheckFailed(
                "the same calls in a fresh folder gave two different outcomes; expected the same"
            ) from None


class Checks:
    """The checks of a lab, by step, in the order in which they were written."""

    def __init__(self, lab: str) -> None:
        self.lab = lab
        self._checks: dict[str, Check] = {}

    def add(self, step: str, **strategies: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:  # noqa: ANN401 - strategies
        """Make a function a check of a step; its first line of documentation tells it to people."""

        def register(function: Callable[..., None]) -> Callable[..., None]:
            name = f"{step}/{function.__name__.replace('_', '-')}"
            sentence = (function.__doc__ or "").strip().partition("\n")[0]
            assert sentence, f"{name} has no docstring, which tells the check"  # noqa: S101 - our own mistake
            assert name not in self._checks, f"{name} is defined twice"  # noqa: S101 - our own mistake
            self._checks[name] = Check(step, name, sentence, function, strategies)
            return function

        return register

    def __getitem__(self, name: str) -> Check:
        """Give the check of a name. Raises KeyError."""
        return self._checks[name]

    def __iter__(self) -> Iterator[Check]:
        """Give every check, in order."""
        return iter(self._checks.values())


def expect(value: object, wanted: object, in_words: str, work: LearnerFile) -> None:
    """Compare the value of the last call. Raises CheckFailed: "... returned None, expected the body"."""
    if not is_same_value(value, wanted):
        said = work.printed.strip() if value is None else ""  # to print an answer is not to return it
        printed = f" and printed {_told(said)}" if said else ""
        raise CheckFailed(f"{work.calls[-1]} returned {_told(value)}{printed}, expected {in_words}")


def is_same_value(value: object, wanted: object) -> bool:
    """Compare plain values strictly, as they are written: True is not 1, and 1.0 is not 1."""
    return repr(value) == repr(wanted)


def fail(work: LearnerFile, sentence: str) -> NoReturn:
    """Say that a check does not hold: the last call, then the sentence that tells what it did."""
    raise CheckFailed(f"{work.calls[-1]} {sentence}" if work.calls else sentence)


def _told(value: object) -> str:
    text = repr(value)
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}... ({len(text):,} characters)"


LONGEST_VALUE = 300
