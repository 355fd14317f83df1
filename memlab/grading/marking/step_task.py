"""A step of a lab, asked twice: with other examples, in other words, in another order, of another process."""

from __future__ import annotations

import random
from collections.abc import Iterable
from contextlib import suppress

from memlab.grading.grade import Reason
from memlab.grading.marking.attempt import GradingAttempt
from memlab.grading.marking.points import Outcome
from memlab.grading.marking.word_substitution import WordSubstitution
from memlab.labs.checks.check import Check
from memlab.labs.checks.checking import CheckResult, load_checks, run_check
from memlab.labs.lab import Step
from memlab.sandbox.client import CheckFailed

CASES_PER_ROUND = (12, 8)
"""Cases that a property draws each time: as many as in one check, so that to ask twice takes little longer."""
SECOND_ROUND = "(asked once more, with other words, in a new process) "
"""What stands before what was found the second time."""


def grade_step(step: Step, attempt: GradingAttempt) -> Outcome:
    """Ask the checks of a step; those hold that held both times."""
    book = load_checks(attempt.config.lab)
    lost: dict[str, Reason] = {}
    for turn, examples in enumerate(CASES_PER_ROUND):
        if turn:
            _restart(attempt)
        words = WordSubstitution(attempt.config.derive_seed("words", step.name, turn))
        for check in _shuffle((book[name] for name in step.checks if name not in lost), attempt, step.name, turn):
            found = _run_check(check, attempt, words, examples, attempt.config.derive_seed(check.name, turn))
            if not found.passed:
                lost[check.name] = Reason(check.name, check.sentence, SECOND_ROUND * turn + found.message, found.calls)
    reasons = tuple(lost[name] for name in step.checks if name in lost)
    return Outcome(len(step.checks) - len(lost), len(step.checks), reasons, main_check_failed=step.checks[0] in lost)


def _run_check(check: Check, attempt: GradingAttempt, words: WordSubstitution, examples: int, seed: int) -> CheckResult:
    try:
        work = attempt.open_sandbox()
    except CheckFailed as none_left:
        return CheckResult(check, passed=False, message=str(none_left))
    work.substitute = words
    return run_check(check, work, examples, seed)


def _restart(attempt: GradingAttempt) -> None:
    """Go on in the same room, where what was left lying about still lies, in a process that has been asked nothing."""
    with suppress(CheckFailed):  # what does not load any more is told by each check that is asked of it
        work = attempt.open_sandbox()
        work.reset()
        work.restart()


def _shuffle(some: Iterable[Check], attempt: GradingAttempt, *names: str | int) -> list[Check]:
    order = list(some)
    random.Random(attempt.config.derive_seed("order", *names)).shuffle(order)  # noqa: S311 - an order, not a secret
    return order
