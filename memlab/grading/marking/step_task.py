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

ROUNDS = (12, 8)
"""Cases that a property draws each time: as many as in one check, so that to ask twice takes little longer."""
AGAIN = "(asked once more, with other words, in a new process) "
"""What stands before what was found the second time."""


def asked(step: Step, sitting: GradingAttempt) -> Outcome:
    """Ask the checks of a step; those hold that held both times."""
    book = load_checks(sitting.setting.lab)
    lost: dict[str, Reason] = {}
    for turn, examples in enumerate(ROUNDS):
        if turn:
            _another_process(sitting)
        words = WordSubstitution(sitting.setting.chance("words", step.name, turn))
        for check in _shuffled((book[name] for name in step.checks if name not in lost), sitting, step.name, turn):
            found = _found(check, sitting, words, examples, sitting.setting.chance(check.name, turn))
            if not found.passed:
                lost[check.name] = Reason(check.name, check.sentence, AGAIN * turn + found.message, found.calls)
    reasons = tuple(lost[name] for name in step.checks if name in lost)
    return Outcome(len(step.checks) - len(lost), len(step.checks), reasons, sunk=step.checks[0] in lost)


def _found(check: Check, sitting: GradingAttempt, words: WordSubstitution, examples: int, seed: int) -> CheckResult:
    try:
        work = sitting.work()
    except CheckFailed as none_left:
        return CheckResult(check, passed=False, message=str(none_left))
    work.substitute = words
    return run_check(check, work, examples, seed)


def _another_process(sitting: GradingAttempt) -> None:
    """Go on in the same room, where what was left lying about still lies, in a process that has been asked nothing."""
    with suppress(CheckFailed):  # what does not load any more is told by each check that is asked of it
        work = sitting.work()
        work.reset()
        work.restart()


def _shuffled(some: Iterable[Check], sitting: GradingAttempt, *names: str | int) -> list[Check]:
    order = list(some)
    random.Random(sitting.setting.chance("order", *names)).shuffle(order)  # noqa: S311 - an order, not a secret
    return order
