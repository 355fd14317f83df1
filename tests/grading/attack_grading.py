"""Grades one attack at one isolation level, and compares the result with the docstring of the attack."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from attack import DEFAULT_TASKS, Attack
from attack_monitor import monitor_attack

from memlab.grading.grade import Grade
from memlab.grading.intake.submissions import NoSubmissions, Submission, read_submissions
from memlab.grading.marking.attempt import CALL_SECONDS, MAX_TIMEOUTS, TASK_SECONDS
from memlab.grading.marking.config import GradingConfig
from memlab.grading.marking.grader import grade
from memlab.grading.marking.points import add_needed_tasks
from memlab.labs.lab import Lab, load
from memlab.sandbox.isolation import LEVELS, Level

SEED = 20_260_606
UNLIMITED_BYTES = 2**40
FEW_BYTES = 2**23
"""Bytes that an attack writes if the level does not limit the disk."""
TIMES_ARE_CHECKED = os.environ.get("MEMLAB_HOSTILE") == "full"
"""Whether times are compared: only by `make hostile`, because a busy machine would make the tests fail."""
MAX_SLOWDOWN = 10
"""Multiple of the time of an honest file that an attack may take, besides the time limits that it uses."""


@dataclass(frozen=True)
class AttackResult:
    """The grade of an attack, its side effects, and which of these its level or its docstring rules out."""

    grade: Grade
    leftover_processes: list[str]
    leftover_files: list[str]
    contacted_listeners: list[str]
    secret_in_grade: bool
    violations: tuple[str, ...]


def grade_attack(attack: Attack, level: Level, place: Path) -> AttackResult:
    """Grade an attack, and check its grade and side effects."""
    honest_seconds = seconds_of_an_honest_task(attack.lab.number, level.name) if TIMES_ARE_CHECKED else 0.0
    with monitor_attack(UNLIMITED_BYTES if "disk" in level.holds else FEW_BYTES) as monitor:
        for name, text in attack.files_beside(monitor.parameters).items():
            _write(place / "handed-in" / name, text)
        _write(place / "handed-in" / attack.lab.file, attack.source(monitor.parameters))
        [submission] = read_submissions(place / "handed-in", attack.lab)
        began = time.monotonic()
        given = grade(submission, GradingConfig(attack.lab, SEED, level, None, attack.tasks))
        seconds = time.monotonic() - began
        processes, files, contacted = (
            monitor.leftover_processes(),
            monitor.leftover_files(),
            monitor.contacted_listeners(),
        )
        secret_in_grade = monitor.secret in repr(given)
    grade_with_secret = [repr(given)] if secret_in_grade else []
    effects = {"orphans": processes[:5], "files": [*files, *grade_with_secret], "network": contacted}
    violations = {f"{threat} not held": found for threat, found in effects.items() if threat in level.holds}
    violations["time"] = time_violations(attack, seconds, honest_seconds) if TIMES_ARE_CHECKED else []
    violations["status"] = [] if given.status in attack.statuses else [f"{given.status} ({given.message})"]
    if attack.points_apply_to <= level.holds:
        violations["points"] = points_violations(attack, given)
    if {"files", "network"} <= level.holds:
        violations["forbidden text"] = forbidden_text(attack, given)
    found = tuple(f"{kind}: {one}" for kind, several in violations.items() for one in several)
    return AttackResult(given, processes, files, contacted, secret_in_grade, found)


@cache
def seconds_of_an_honest_task(number: str, name: str) -> float:
    """Grade the solution, which must lose no point, and return the mean seconds of a task."""
    lab, tasks, level = load(number), DEFAULT_TASKS[number], next(one for one in LEVELS if one.name == name)
    source = (lab.folder / "solution.py").read_text(encoding="utf-8")
    began = time.monotonic()
    given = grade(make_submission(lab, source), GradingConfig(lab, SEED, level, None, tasks))
    assert (given.status, given.points) == ("ok", given.max_points), given
    return (time.monotonic() - began) / count_tasks(lab, tasks)


def count_tasks(lab: Lab, task_names: tuple[str, ...]) -> int:
    """Return how many tasks are graded for these names, with the tasks that they need; no names mean all tasks."""
    return len(add_needed_tasks(lab.rubric.task, GradingConfig(lab, SEED, LEVELS[0], None, task_names).tasks))


def make_submission(lab: Lab, source: str, name: str = "") -> Submission:
    """Return a submission of a source."""
    return Submission(name or lab.file, source, problem="", digest=f"{hash(source)}")


def time_violations(attack: Attack, seconds: float, honest_seconds: float) -> list[str]:
    """Return a line if the attack took longer than its docstring allows."""
    tasks = count_tasks(attack.lab, attack.tasks)
    max_seconds = (
        MAX_SLOWDOWN * honest_seconds * tasks
        + attack.number("Limits") * MAX_TIMEOUTS * CALL_SECONDS
        + attack.number("Budgets") * tasks * TASK_SECONDS
    )
    if seconds <= max_seconds:
        return []
    return [f"{seconds:.1f} s, at most {max_seconds:.1f} (an honest file: {honest_seconds:.1f} s per task)"]


def points_violations(attack: Attack, given: Grade) -> list[str]:
    """Return a line if the points are not those that the docstring of the attack allows."""
    got = {mark.task: mark.points / mark.max_points for mark in given.marks}
    keeps = attack.fields["Keeps"]
    if percentage := re.fullmatch(r"at most (\d+) %", keeps):
        share = 100 * given.points / given.max_points if given.max_points else 0.0
        return [] if share <= int(percentage[1]) else [f"{share:.1f} % of the points, expected {keeps}: {got}"]
    allowed = [_tasks_with_full_points(one, got) for one in keeps.split(" or ")]
    full = {task for task, share in got.items() if share == 1}
    if full in allowed and all(share in {0, 1} for share in got.values()):
        return []
    return [f"kept {got}, expected that it keeps {keeps}"]


def forbidden_text(attack: Attack, given: Grade) -> list[str]:
    """Return the part of the grade that begins with the text that must not occur in it."""
    never = attack.fields.get("Never")
    found = re.search(never, repr(given)) if never else None
    return [repr(given)[found.start() :][:300]] if found else []


def misgraded(place: Path, expected: str, config: GradingConfig) -> list[str]:
    """Grade the submissions in a folder. Return each wrong result; see odd_packages for `expected`."""
    try:
        found = read_submissions(place, config.lab)
    except NoSubmissions as none:
        return [] if expected == "named" and f"{none}" else [f"{none}"]
    assert len({one.name for one in found}) == len(found)
    given = [grade(one, config) for one in found]
    if expected == "all":
        return [repr(one) for one in given if (one.status, one.points) != ("ok", one.max_points)]
    return [repr(one) for one in given if one.points or one.status in {"ok", "internal"} or not one.message]


def _tasks_with_full_points(keeps: str, got: Mapping[str, float]) -> set[str]:
    return set(got) if keeps == "all" else set() if keeps == "none" else set(keeps.split(", "))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
