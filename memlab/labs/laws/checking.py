"""Asks a learner's file what a step's laws ask, and gives what was found."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from memlab.labs.lab import Lab, Step
from memlab.labs.laws.law import Law, Laws
from memlab.labs.laws.work import LIMIT, Work, Wrong


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


def check(asked: Iterable[Law], path: Path, made: str = "", limit: float = LIMIT) -> list[Finding]:
    """Ask some laws of a learner's file; `made` is the class that calls go to an object of.

    Once its process is gone (a loop without an end, an exit), the laws that follow do not hold for the same reason.
    """
    with Work(path, made, limit) as work:
        return [_finding(law, work) for law in asked]


def _finding(law: Law, work: Work) -> Finding:
    try:
        law.check(work)
    except Wrong as wrong:
        return Finding(law, holds=False, says=str(wrong), before=tuple(work.told[:-1]))
    return Finding(law, holds=True)


def open_steps(lab: Lab, path: Path) -> tuple[str, ...]:
    """Ask every law of every step of a learner's file, and name the steps that do not hold."""
    book = laws(lab)
    asked = [(step.name, book[name]) for step in lab.steps for name in step.laws]
    findings = check([law for _, law in asked], path, lab.made)
    return tuple(dict.fromkeys(step for (step, _), one in zip(asked, findings, strict=True) if not one.holds))
