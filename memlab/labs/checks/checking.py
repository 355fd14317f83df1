"""Asks a learner's file what a step's laws ask, and gives what was found."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from inspect import getfile
from pathlib import Path
from traceback import walk_tb

from memlab.labs.checks.check import EXAMPLES, Check, Checks
from memlab.labs.lab import BadRubric, Lab, Step
from memlab.sandbox.channel import Channel
from memlab.sandbox.client import LIMIT, CheckFailed, LearnerFile
from memlab.sandbox.sandbox import Sandbox, StartSandbox, start_unisolated
from memlab.systems.entry import did_you_mean

MISSHAPEN = (TypeError, ValueError, LookupError, AttributeError, OSError, RecursionError, MemoryError)
"""What a law stumbles over when an answer, or a file, is not what it reads it as."""
LONGEST_SAID = 1_000
MACHINERY = frozenset(map(getfile, (Channel, Sandbox, LearnerFile)))
"""What carries a law's calls."""


@dataclass(frozen=True)
class Finding:
    """Whether a law holds; where it does not, `says` tells why in a sentence, and `before` the calls that led there."""

    law: Check
    holds: bool
    says: str = ""
    before: tuple[str, ...] = ()


def laws(lab: Lab) -> Checks:
    """Give the laws of a lab. Raises BadRubric where its rubric asks for another."""
    found: Checks = import_module(f"memlab.labs.checks.{lab.name}").CHECKS
    known = [law.name for law in found]
    for task, name in ((step.name, name) for step in lab.steps for name in step.laws):
        if name not in known:
            where = f"{lab.rubric.path}: task {task!r}, laws: there is no law {name!r}."
            raise BadRubric(f"{where}{did_you_mean(name, known)} Lab {lab.number} has: {', '.join(known)}.")
    return found


def check_step(lab: Lab, step: Step, path: Path, limit: float = LIMIT) -> list[Finding]:
    """Ask the laws of one step of a learner's file, in their order; the file runs in a process of its own."""
    book = laws(lab)
    return check([book[name] for name in step.laws], path, lab.made, limit)


def check(  # noqa: PLR0913 - what is asked, of what, and how
    asked: Iterable[Check],
    path: Path,
    made: str = "",
    limit: float = LIMIT,
    examples: int = EXAMPLES,
    *,
    start_sandbox: StartSandbox = start_unisolated,
    seed: int | None = None,
) -> list[Finding]:
    """Ask some laws of a learner's file; `made` is the class that calls go to an object of, `examples` for properties.

    Once its process is gone (a loop without an end, an exit), the laws that follow do not hold for the same reason.
    Without a seed the cases are the same in every run.
    """
    with LearnerFile(path, made, limit, start_sandbox) as work:
        return [ask(law, work, examples, seed) for law in asked]


def ask(law: Check, work: LearnerFile, examples: int = EXAMPLES, seed: int | None = None) -> Finding:
    """Ask one law of a learner's file. What a law raises for a reason of its own goes through: it is our fault."""
    try:
        law.check(work, seed, examples)
    except CheckFailed as wrong:
        return _lost(law, work, str(wrong))
    except MISSHAPEN as error:  # the law took for granted what this file does not even begin to do
        if not _of_the_answer(error, law):
            raise
        last = work.calls[-1] if work.calls else law.step
        says = f"{last} gave or left something of another shape than the lab asks for ({type(error).__name__}: {error})"
        return _lost(law, work, says)
    return Finding(law, holds=True)


def _lost(law: Check, work: LearnerFile, says: str) -> Finding:
    """Tell why a law does not hold, in the words in which it was asked."""
    before = tuple(map(work.substitute, work.calls[:-1]))
    return Finding(law, holds=False, says=work.substitute(says[:LONGEST_SAID]), before=before)


def _of_the_answer(error: BaseException, law: Check) -> bool:
    """Tell whether a law stumbled over an answer: neither what asks it nor what carries its calls raised the error."""
    codes = [frame.f_code for frame, _ in walk_tb(error.__traceback__)]
    if law.ask.__code__ not in codes:
        return False
    return not MACHINERY.intersection(code.co_filename for code in codes[codes.index(law.ask.__code__) :])


def open_steps(lab: Lab, path: Path, limit: float = LIMIT) -> tuple[str, ...]:
    """Name the steps of a learner's file that do not hold; each is asked in a process of its own."""
    found = {step.name: check_step(lab, step, path, limit) for step in lab.steps}
    return tuple(name for name, findings in found.items() if not all(one.holds for one in findings))
