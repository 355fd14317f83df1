"""Asks a learner's file what a step's laws ask, and gives what was found."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from memlab.labs.lab import Lab, Step
from memlab.labs.laws.law import EXAMPLES, Law, Laws
from memlab.labs.laws.work import LIMIT, Work, Wrong

MISSHAPEN = (TypeError, ValueError, LookupError, AttributeError, OSError, RecursionError, MemoryError)
"""What a law stumbles over when an answer, or a file, is not what it reads it as."""
LONGEST_SAID = 500


@dataclass(frozen=True)
class Finding:
    """Whether a law holds; where it does not, `says` tells why in a sentence, and `before` the calls that led there."""

    law: Law
    holds: bool
    says: str = ""
    before: tuple[str, ...] = ()


def laws(lab: Lab) -> Laws:
    """Give the laws of a lab."""
    found: Laws = import_module(f"memlab.labs.laws.{lab.name}").LAWS
    return found


def check_step(lab: Lab, step: Step, path: Path, limit: float = LIMIT) -> list[Finding]:
    """Ask the laws of one step of a learner's file, in their order; the file runs in a process of its own."""
    book = laws(lab)
    return check([book[name] for name in step.laws], path, lab.made, limit)


def check(
    asked: Iterable[Law], path: Path, made: str = "", limit: float = LIMIT, examples: int = EXAMPLES
) -> list[Finding]:
    """Ask some laws of a learner's file; `made` is the class that calls go to an object of, `examples` for properties.

    Once its process is gone (a loop without an end, an exit), the laws that follow do not hold for the same reason.
    """
    with Work(path, made, limit) as work:
        return [_finding(law, work, examples) for law in asked]


def _finding(law: Law, work: Work, examples: int) -> Finding:
    try:
        law.check(work, examples=examples)
    except Wrong as wrong:
        return Finding(law, holds=False, says=str(wrong), before=tuple(work.told[:-1]))
    except MISSHAPEN as error:  # the law took for granted what this file does not even begin to do
        last = work.told[-1] if work.told else law.step
        says = f"{last} gave or left something of another shape than the lab asks for ({type(error).__name__}: {error})"
        return Finding(law, holds=False, says=says[:LONGEST_SAID], before=tuple(work.told[:-1]))
    return Finding(law, holds=True)


def open_steps(lab: Lab, path: Path, limit: float = LIMIT) -> tuple[str, ...]:
    """Name the steps of a learner's file that do not hold; each is asked in a process of its own."""
    found = {step.name: check_step(lab, step, path, limit) for step in lab.steps}
    return tuple(name for name, findings in found.items() if not all(one.holds for one in findings))
