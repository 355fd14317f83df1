"""Asks a learner's file what a step's checks ask, and gives what was found."""

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
"""What a check stumbles over when an answer, or a file, is not what it reads it as."""
LONGEST_SAID = 1_000
MACHINERY = frozenset(map(getfile, (Channel, Sandbox, LearnerFile)))
"""What carries a check's calls."""


@dataclass(frozen=True)
class CheckResult:
    """Whether a check passed; if not, `message` says why in a sentence, and `calls` are the calls before it."""

    check: Check
    passed: bool
    message: str = ""
    calls: tuple[str, ...] = ()


def load_checks(lab: Lab) -> Checks:
    """Give the checks of a lab. Raises BadRubric where its rubric asks for another."""
    found: Checks = import_module(f"memlab.labs.checks.{lab.name}").CHECKS
    known = [check.name for check in found]
    for task, name in ((step.name, name) for step in lab.steps for name in step.checks):
        if name not in known:
            where = f"{lab.rubric.path}: task {task!r}, checks: there is no check {name!r}."
            raise BadRubric(f"{where}{did_you_mean(name, known)} Lab {lab.number} has: {', '.join(known)}.")
    return found


def check_step(lab: Lab, step: Step, path: Path, limit: float = LIMIT) -> list[CheckResult]:
    """Ask the checks of one step of a learner's file, in their order; the file runs in a process of its own."""
    book = load_checks(lab)
    return run_checks([book[name] for name in step.checks], path, lab.class_name, limit)


def run_checks(  # noqa: PLR0913 - what is asked, of what, and how
    asked: Iterable[Check],
    path: Path,
    made: str = "",
    limit: float = LIMIT,
    examples: int = EXAMPLES,
    *,
    start_sandbox: StartSandbox = start_unisolated,
    seed: int | None = None,
) -> list[CheckResult]:
    """Run some checks on a learner's file; `made` names the class to call methods of, `examples` is cases per property.

    Once its process is gone (an endless loop, an exit), the checks that follow fail for the same reason.
    Without a seed the cases are the same in every run.
    """
    with LearnerFile(path, made, limit, start_sandbox) as work:
        return [run_check(check, work, examples, seed) for check in asked]


def run_check(check: Check, work: LearnerFile, examples: int = EXAMPLES, seed: int | None = None) -> CheckResult:
    """Ask one check of a learner's file. What a check raises for a reason of its own goes through: it is our fault."""
    try:
        check.run(work, seed, examples)
    except CheckFailed as wrong:
        return _lost(check, work, str(wrong))
    except MISSHAPEN as error:  # the check took for granted what this file does not even begin to do
        if not _of_the_answer(error, check):
            raise
        last = work.calls[-1] if work.calls else check.step
        says = f"{last} gave or left something of another shape than the lab asks for ({type(error).__name__}: {error})"
        return _lost(check, work, says)
    return CheckResult(check, passed=True)


def _lost(check: Check, work: LearnerFile, says: str) -> CheckResult:
    """Tell why a check does not hold, in the words in which it was asked."""
    before = tuple(map(work.substitute, work.calls[:-1]))
    return CheckResult(check, passed=False, message=work.substitute(says[:LONGEST_SAID]), calls=before)


def _of_the_answer(error: BaseException, check: Check) -> bool:
    """True if the check's own code raised the error, and not the machinery that runs it or carries its calls."""
    codes = [frame.f_code for frame, _ in walk_tb(error.__traceback__)]
    if check.function.__code__ not in codes:
        return False
    return not MACHINERY.intersection(code.co_filename for code in codes[codes.index(check.function.__code__) :])


def open_steps(lab: Lab, path: Path, limit: float = LIMIT) -> tuple[str, ...]:
    """Name the steps of a learner's file that do not hold; each is asked in a process of its own."""
    found = {step.name: check_step(lab, step, path, limit) for step in lab.steps}
    return tuple(name for name, findings in found.items() if not all(one.passed for one in findings))
