"""Checks a learner's file step by step up to the first that fails, and updates their progress."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from memlab.labs.checks.checking import CheckResult, check_step, load_checks, run_checks
from memlab.labs.lab import Lab
from memlab.labs.learner import messages
from memlab.labs.learner.progress import Progress
from memlab.labs.learner.submission import by_cell
from memlab.labs.rubric import Step
from memlab.sandbox.client import CheckFailed, LearnerFile

AGAIN = 3  # cases that a property draws if its step passed before: enough to see a regression, and quick


@dataclass(frozen=True)
class StepResult:
    """The results of the checks of one step, and whether it passed at an earlier time."""

    step: Step
    results: tuple[CheckResult, ...]
    held_before: bool

    @property
    def passed(self) -> bool:
        """True if every check of the step passed."""
        return all(one.passed for one in self.results)

    @property
    def lines(self) -> list[str]:
        """Return the message for the learner."""
        if self.passed:
            return [f"{messages.HOLDS} {self.step.name}: {self.step.title}"]
        return messages.step_failed(self.step, self.results, held_before=self.held_before)


def loading_error(lab: Lab, path: Path) -> str:
    """Return why a learner's file does not load, in a sentence; "" if it does."""
    with LearnerFile(path, lab.class_name) as file:
        try:
            file.reset()
        except CheckFailed as wrong:
            return by_cell(str(wrong), _source(path))
    return ""


def check_until_failure(lab: Lab, steps: Iterable[Step], path: Path, progress: Progress) -> Iterator[StepResult]:
    """Check steps up to the first that fails, and note each result in `progress`."""
    for step in steps:
        result = StepResult(step, _with_cells(check_step(lab, step, path), path), step.name in progress.held)
        if result.passed:
            progress.mark_passed(step.name)
        else:
            progress.reopen(step.name)
        yield result
        if not result.passed:
            return


def find_regression(lab: Lab, steps: Iterable[Step], path: Path, progress: Progress) -> StepResult | None:
    """Check again the steps that passed before, in one process; reopen and return the first that fails now."""
    checks = load_checks(lab)
    again = [(step, checks[name]) for step in steps if step.name in progress.held for name in step.checks]
    results = _with_cells(run_checks([check for _, check in again], path, lab.class_name, examples=AGAIN), path)
    for step, one in zip([step for step, _ in again], results, strict=True):
        if not one.passed:
            progress.reopen(step.name)
            return StepResult(step, tuple(each for each in results if each.check.name in step.checks), held_before=True)
    return None


def with_needs(lab: Lab, step: Step) -> list[Step]:
    """Return the steps that a step needs, in the order of the lab, and the step itself last."""
    names = [step.name]
    for name in names:  # the list grows during the loop
        names += [need for need in lab.step(name).needs if need not in names]
    return [one for one in lab.steps if one.name in names and one != step] + [step]


def _with_cells(results: Iterable[CheckResult], path: Path) -> tuple[CheckResult, ...]:
    """Name cells in the messages, if the file was joined from cells."""
    source = _source(path)
    return tuple(replace(one, message=by_cell(one.message, source)) for one in results)


def _source(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")
