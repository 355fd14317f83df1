"""One attack against one level: its grade, and everything about it that is not as its head says."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from attack import USUALLY, Attack
from yard import yard

from memlab.grading.grade import Grade
from memlab.grading.intake.submissions import NoSubmissions, Submission, read_submissions
from memlab.grading.marking.attempt import CALL_SECONDS, MAX_TIMEOUTS, TASK_SECONDS
from memlab.grading.marking.config import GradingConfig
from memlab.grading.marking.grader import grade
from memlab.grading.marking.points import add_needed_tasks
from memlab.labs.lab import Lab, load
from memlab.sandbox.isolation import LEVELS, Level

SEED = 20_260_606
EVERYTHING = 2**40
LITTLE = 2**23
"""Bytes that an attack writes to a disk that no level keeps from it."""
TIMED = os.environ.get("MEMLAB_HOSTILE") == "full"
"""Whether times are compared: only by `make hostile`. On a busy machine they would fail without a cause."""
SLOWER = 10
"""Times that an attack may take of what an honest file takes in the same run, beside the limits that it uses up."""


@dataclass(frozen=True)
class Aftermath:
    """What came of an attack: its grade, what it did beside, and what of all this a level, or its head, rules out."""

    grade: Grade
    running: list[str]
    lying: list[str]
    reached: list[str]
    seen: bool
    wrong: tuple[str, ...]


def besieged(attack: Attack, level: Level, place: Path) -> Aftermath:
    """Grade an attack in a yard, and look at everything afterwards."""
    honest = seconds_of_an_honest_task(attack.lab.number, level.name) if TIMED else 0.0
    with yard(EVERYTHING if "disk" in level.holds else LITTLE) as around:
        for name, text in attack.beside(around.knows).items():
            _laid(place / "handed-in" / name, text)
        _laid(place / "handed-in" / attack.lab.file, attack.source(around.knows))
        [submission] = read_submissions(place / "handed-in", attack.lab)
        began = time.monotonic()
        given = grade(submission, GradingConfig(attack.lab, SEED, level, None, attack.asked))
        took = time.monotonic() - began
        running, lying, reached = around.left_running(), around.left_lying(), around.reached()
        seen = around.secret in repr(given)
    bounded = {"orphans": running[:5], "files": [*lying, *([repr(given)] if seen else [])], "network": reached}
    wrong = {f"{threat} not held": found for threat, found in bounded.items() if threat in level.holds}
    wrong["time"] = too_long(attack, took, honest) if TIMED else []
    wrong["status"] = [] if given.status in attack.statuses else [f"{given.status} ({given.message})"]
    if attack.where <= level.holds:
        wrong["points"] = wrong_points(attack, given)
    if {"files", "network"} <= level.holds:
        wrong["told"] = told(attack, given)
    complaints = tuple(f"{what}: {one}" for what, several in wrong.items() for one in several)
    return Aftermath(given, running, lying, reached, seen, complaints)


@cache
def seconds_of_an_honest_task(number: str, name: str) -> float:
    """Grade the solution, which is to lose no point, and give how long one of its tasks takes."""
    lab, asked, level = load(number), USUALLY[number], next(one for one in LEVELS if one.name == name)
    source = (lab.folder / "solution.py").read_text(encoding="utf-8")
    began = time.monotonic()
    given = grade(handed_in(lab, source), GradingConfig(lab, SEED, level, None, asked))
    assert (given.status, given.points) == ("ok", given.max_points), given
    return (time.monotonic() - began) / asked_of(lab, asked)


def asked_of(lab: Lab, named: tuple[str, ...]) -> int:
    """Count the tasks that are asked for these: all where none is named."""
    return len(add_needed_tasks(lab.rubric.task, GradingConfig(lab, SEED, LEVELS[0], None, named).tasks))


def handed_in(lab: Lab, source: str, name: str = "") -> Submission:
    """Make a submission of a text."""
    return Submission(name or lab.file, source, problem="", digest=f"{hash(source)}")


def too_long(attack: Attack, took: float, honest: float) -> list[str]:
    """Compare its time with that of an honest file, and with what it may use up."""
    tasks = asked_of(attack.lab, attack.asked)
    most = (
        SLOWER * honest * tasks
        + attack.number("Limits") * MAX_TIMEOUTS * CALL_SECONDS
        + attack.number("Budgets") * tasks * TASK_SECONDS
    )
    return [f"{took:.1f} s, at most {most:.1f} (an honest file: {honest:.1f} s)"] if took > most else []


def wrong_points(attack: Attack, given: Grade) -> list[str]:
    """Compare its points with those that its head allows."""
    got = {mark.task: mark.points / mark.max_points for mark in given.marks}
    keeps = attack.fields["Keeps"]
    if most := re.fullmatch(r"at most (\d+) %", keeps):
        share = 100 * given.points / given.max_points if given.max_points else 0.0
        return [] if share <= int(most[1]) else [f"{share:.1f} % of the points, expected {keeps}: {got}"]
    allowed = [_kept(one, got) for one in keeps.split(" or ")]
    full = {task for task, share in got.items() if share == 1}
    if full in allowed and all(share in {0, 1} for share in got.values()):
        return []
    return [f"kept {got}, expected that it keeps {keeps}"]


def told(attack: Attack, given: Grade) -> list[str]:
    """Find what must not stand in its grade."""
    never = attack.fields.get("Never")
    found = re.search(never, repr(given)) if never else None
    return [repr(given)[found.start() :][:300]] if found else []


def unfair(place: Path, must: str, config: GradingConfig) -> list[str]:
    """Grade what is handed in at a place, and tell what is other than it must be: all points, or none and why."""
    try:
        found = read_submissions(place, config.lab)
    except NoSubmissions as none:
        return [] if must == "named" and f"{none}" else [f"{none}"]
    assert len({one.name for one in found}) == len(found)
    given = [grade(one, config) for one in found]
    if must == "all":
        return [repr(one) for one in given if (one.status, one.points) != ("ok", one.max_points)]
    return [repr(one) for one in given if one.points or one.status in {"ok", "internal"} or not one.message]


def _kept(keeps: str, got: Mapping[str, float]) -> set[str]:
    return set(got) if keeps == "all" else set() if keeps == "none" else set(keeps.split(", "))


def _laid(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
