"""A learner's file, checked step after step up to the first that is open; what was found is kept as progress."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from memlab.labs.checks.checking import CheckResult, check_step, load_checks, run_checks
from memlab.labs.lab import Lab, Step
from memlab.labs.learner import messages
from memlab.labs.learner.progress import Progress
from memlab.labs.learner.submission import by_cell
from memlab.sandbox.client import CheckFailed, LearnerFile

AGAIN = 3
"""Cases that a property draws where a step held before: enough to see it broken, and quick."""


@dataclass(frozen=True)
class Checked:
    """One step, what was found about its checks, and whether it held at an earlier time."""

    step: Step
    findings: tuple[CheckResult, ...]
    held_before: bool

    @property
    def holds(self) -> bool:
        """Tell whether every check of the step holds."""
        return all(one.passed for one in self.findings)

    @property
    def lines(self) -> list[str]:
        """Tell it to the learner."""
        if self.holds:
            return messages.held(self.step)
        return messages.wrong(self.step, self.findings, held_before=self.held_before)


def does_not_load(lab: Lab, path: Path) -> str:
    """Say in a sentence why a learner's file does not load; "" where it does."""
    with LearnerFile(path, lab.class_name) as work:
        try:
            work.reset()
        except CheckFailed as wrong:
            return by_cell(str(wrong), _source(path))
    return ""


def upto_open(lab: Lab, steps: Iterable[Step], path: Path, progress: Progress) -> Iterator[Checked]:
    """Check steps up to the first that does not hold, and note in `progress` what each of them does."""
    for step in steps:
        checked = Checked(step, _placed(check_step(lab, step, path), path), step.name in progress.held)
        if checked.holds:
            progress.hold(step.name)
        else:
            progress.reopen(step.name)
        yield checked
        if not checked.holds:
            return


def broken(lab: Lab, steps: Iterable[Step], path: Path, progress: Progress) -> Checked | None:
    """Ask again steps that held before, all in one process, and give the first that does not any more.

    That one is noted as open in `progress`, and the others are left as they are: one wrong line can break many.
    """
    book = load_checks(lab)
    again = [(step, book[name]) for step in steps if step.name in progress.held for name in step.checks]
    findings = _placed(run_checks([check for _, check in again], path, lab.class_name, examples=AGAIN), path)
    for step, one in zip([step for step, _ in again], findings, strict=True):
        if not one.passed:
            progress.reopen(step.name)
            own = tuple(each for each in findings if each.check.name in step.checks)
            return Checked(step, own, held_before=True)
    return None


def with_needs(lab: Lab, step: Step) -> list[Step]:
    """Give the steps that a step builds on, in the order of the lab, and itself last."""
    names = [step.name]
    for name in names:  # it grows while it is read
        names += [need for need in lab.step(name).needs if need not in names]
    return [one for one in lab.steps if one.name in names and one != step] + [step]


def _placed(findings: Iterable[CheckResult], path: Path) -> tuple[CheckResult, ...]:
    """Let what was found name cells, where a file was joined of them."""
    source = _source(path)
    return tuple(replace(one, message=by_cell(one.message, source)) for one in findings)


def _source(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")
