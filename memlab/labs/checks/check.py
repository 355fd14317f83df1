"""What a step of a lab must keep: examples and properties, asked of a learner's file through its process."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

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
__all__ = ["Check", "CheckFailed", "Checks", "LearnerFile", "Raised", "alike", "expect", "fail"]


@dataclass(frozen=True)
class Check:
    """One thing that a step must keep: `says` tells it in a sentence, `drawn` are what Hypothesis draws for it."""

    step: str
    name: str
    says: str
    ask: Callable[..., None]
    drawn: Mapping[str, Any] = field(default_factory=dict)

    def check(self, work: LearnerFile, seed: int | None = None, examples: int = EXAMPLES) -> None:
        """Ask a learner's file. Raises CheckFailed with the smallest case that was found, told in `work.calls`.

        Without a seed the cases are the same in every run.
        """
        if not self.drawn:
            return self.ask(work)

        def case(**drawn: object) -> None:
            self.ask(work, **drawn)

        asked = given(**self.drawn)(case)
        if seed is not None:
            asked = seeded(seed)(asked)
        calm = settings(
            max_examples=examples,
            derandomize=seed is None,
            database=None,
            deadline=None,
            phases=(Phase.generate, Phase.shrink),
            report_multiple_bugs=False,
            verbosity=Verbosity.quiet,
            suppress_health_check=list(HealthCheck),
        )
        try:
            calm(asked)()
        except Flaky:
            raise CheckFailed(
                "the same calls in a fresh folder gave two different outcomes; expected the same"
            ) from None


class Checks:
    """The laws of a lab, by step, in the order in which they were written."""

    def __init__(self, lab: str) -> None:
        self.lab = lab
        self._laws: dict[str, Check] = {}

    def of(self, step: str, **drawn: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:  # noqa: ANN401 - strategies
        """Make a function a law of a step; its first line of documentation tells it to people."""

        def known(ask: Callable[..., None]) -> Callable[..., None]:
            name = f"{step}/{ask.__name__.replace('_', '-')}"
            says = (ask.__doc__ or "").strip().partition("\n")[0]
            assert says, f"{name} has no docstring, which tells the law"  # noqa: S101 - our own mistake
            assert name not in self._laws, f"{name} is defined twice"  # noqa: S101 - our own mistake
            self._laws[name] = Check(step, name, says, ask, drawn)
            return ask

        return known

    def __getitem__(self, name: str) -> Check:
        """Give the law of a name. Raises KeyError."""
        return self._laws[name]

    def __iter__(self) -> Iterator[Check]:
        """Give every law, in order."""
        return iter(self._laws.values())


def expect(value: object, wanted: object, in_words: str, work: LearnerFile) -> None:
    """Compare the value of the last call. Raises CheckFailed: "... returned None, expected the body"."""
    if not alike(value, wanted):
        said = work.printed.strip() if value is None else ""  # to print an answer is not to return it
        printed = f" and printed {_told(said)}" if said else ""
        raise CheckFailed(f"{work.calls[-1]} returned {_told(value)}{printed}, expected {in_words}")


def alike(value: object, wanted: object) -> bool:
    """Compare plain values strictly, as they are written: True is not 1, and 1.0 is not 1."""
    return repr(value) == repr(wanted)


def fail(work: LearnerFile, sentence: str) -> NoReturn:
    """Say that a law does not hold: the last call, then the sentence that tells what it did."""
    raise CheckFailed(f"{work.calls[-1]} {sentence}" if work.calls else sentence)


def _told(value: object) -> str:
    text = repr(value)
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}... ({len(text):,} characters)"


LONGEST_VALUE = 300
