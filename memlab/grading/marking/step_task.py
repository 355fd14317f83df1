"""Grades a step: runs its checks twice, with different examples, words, order and process in each round."""

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
from memlab.labs.rubric import Step
from memlab.sandbox.client import CheckFailed

CASES_PER_ROUND = (12, 8)
"""Cases that a property draws in each round; together as many as in one `memlab lab check`."""
SECOND_ROUND = "(second round, with other words, in a new process) "
"""Prefix of a message from the second round."""


def grade_step(step: Step, attempt: GradingAttempt) -> Outcome:
    """Run the checks of a step. A check passes if it passes in both rounds."""
    checks = load_checks(attempt.config.lab)
    seed_of = attempt.config.derive_seed
    failed: dict[str, Reason] = {}
    for number, examples in enumerate(CASES_PER_ROUND):
        if number:
            _restart(attempt)
        words = WordSubstitution(seed_of("words", step.name, number))
        ahead = [checks[name] for name in step.checks if name not in failed]
        for check in _shuffle(ahead, attempt, step.name, number):
            result = _run_check(check, attempt, words, examples, seed_of(check.name, number))
            if not result.passed:
                message = SECOND_ROUND * number + result.message
                made_up = words.list_made_up([message, *result.calls])
                failed[check.name] = Reason(check.name, check.sentence, message, result.calls, made_up)
    reasons = tuple(failed[name] for name in step.checks if name in failed)
    return Outcome(
        len(step.checks) - len(failed), len(step.checks), reasons, main_check_failed=step.checks[0] in failed
    )


def _run_check(check: Check, attempt: GradingAttempt, words: WordSubstitution, examples: int, seed: int) -> CheckResult:
    try:
        work = attempt.open_sandbox()
    except CheckFailed as error:
        return CheckResult(check, passed=False, message=str(error))
    work.substitute = words
    return run_check(check, work, examples, seed)


def _restart(attempt: GradingAttempt) -> None:
    """Start a new process in the same sandbox; its files are kept."""
    with suppress(CheckFailed):  # if the file no longer loads, each check reports it
        work = attempt.open_sandbox()
        work.reset()
        work.restart()


def _shuffle(some: Iterable[Check], attempt: GradingAttempt, *names: str | int) -> list[Check]:
    order = list(some)
    random.Random(attempt.config.derive_seed("order", *names)).shuffle(order)  # noqa: S311 - the order is no secret
    return order
