"""Runs checks on a learner's file and returns their results."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from inspect import getfile
from pathlib import Path
from traceback import walk_tb

from memlab.labs.checks.check import EXAMPLES, Check, Checks
from memlab.labs.lab import Lab
from memlab.labs.rubric import BadRubric, Step
from memlab.sandbox.client import LIMIT, CheckFailed, LearnerFile
from memlab.sandbox.sandbox import StartSandbox
from memlab.sandbox.unisolated import start_unisolated
from memlab.systems.entry import did_you_mean

MISSHAPEN = (TypeError, ValueError, LookupError, AttributeError, OSError, RecursionError, MemoryError)
"""What a check's code raises if an answer or a file has an unexpected shape."""
LONGEST_MESSAGE = 1_000  # characters
MACHINERY = Path(getfile(LearnerFile)).parent  # the source files of what carries a check's calls


@dataclass(frozen=True)
class CheckResult:
    """Whether a check passed; if not, `message` says why in a sentence, and `calls` are the calls before it."""

    check: Check
    passed: bool
    message: str = ""
    calls: tuple[str, ...] = ()


def load_checks(lab: Lab) -> Checks:
    """Return the checks of a lab. Raises BadRubric if its rubric names an unknown one."""
    checks: Checks = import_module(f"memlab.labs.checks.{lab.name}").CHECKS
    known = [check.name for check in checks]
    for task, name in ((step.name, name) for step in lab.steps for name in step.checks):
        if name not in known:
            where = f"{lab.rubric.path}: task {task!r}, checks: there is no check {name!r}."
            raise BadRubric(f"{where}{did_you_mean(name, known)} Lab {lab.number} has: {', '.join(known)}.")
    return checks


def check_step(lab: Lab, step: Step, path: Path, limit: float = LIMIT) -> list[CheckResult]:
    """Run the checks of one step on a learner's file, which runs in a process of its own."""
    checks = load_checks(lab)
    return run_checks([checks[name] for name in step.checks], path, lab.class_name, limit)


def run_checks(  # noqa: PLR0913 - checks, a file, and how to run them
    checks: Iterable[Check],
    path: Path,
    class_name: str = "",
    limit: float = LIMIT,
    examples: int = EXAMPLES,
    *,
    start_sandbox: StartSandbox = start_unisolated,
    seed: int | None = None,
) -> list[CheckResult]:
    """Run some checks on a learner's file; `class_name` is empty for plain functions.

    Once its process has ended (an endless loop, an exit), the checks that follow fail for the same reason.
    """
    with LearnerFile(path, class_name, limit, start_sandbox) as file:
        return [run_check(check, file, examples, seed) for check in checks]


def run_check(check: Check, file: LearnerFile, examples: int = EXAMPLES, seed: int | None = None) -> CheckResult:
    """Run one check on a learner's file. Errors of the check itself, as opposed to its result, are raised."""
    try:
        check.run(file, seed, examples)
    except CheckFailed as wrong:
        return _failed(check, file, str(wrong))
    except MISSHAPEN as error:  # the answer has a shape that the check does not expect
        if not _is_about_the_answer(error, check):
            raise
        last = file.calls[-1] if file.calls else check.step
        message = f"{last} returned or left something of another shape than expected ({type(error).__name__}: {error})"
        return _failed(check, file, message)
    return CheckResult(check, passed=True)


def _failed(check: Check, file: LearnerFile, message: str) -> CheckResult:
    """Make the result of a failed check, in the words in which the file was called."""
    calls = tuple(map(file.substitute, file.calls[:-1]))
    return CheckResult(check, passed=False, message=file.substitute(message[:LONGEST_MESSAGE]), calls=calls)


def _is_about_the_answer(error: BaseException, check: Check) -> bool:
    """True if the check's own code raised the error, and not the machinery that runs it or carries its calls."""
    codes = [frame.f_code for frame, _ in walk_tb(error.__traceback__)]
    if check.function.__code__ not in codes:
        return False
    return all(Path(code.co_filename).parent != MACHINERY for code in codes[codes.index(check.function.__code__) :])


def open_steps(lab: Lab, path: Path, limit: float = LIMIT) -> tuple[str, ...]:
    """Return the names of the steps that a learner's file does not pass; each runs in a process of its own."""
    by_step = {step.name: check_step(lab, step, path, limit) for step in lab.steps}
    return tuple(step for step, results in by_step.items() if not all(result.passed for result in results))
