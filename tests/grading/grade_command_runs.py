"""Runs `memlab grade` on a small class, without sandboxes: the first line of a source is its grade."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from typer.testing import CliRunner

from memlab.cli import app
from memlab.grading.grade import Grade, Mark, Status
from memlab.grading.intake.submissions import Submission
from memlab.grading.marking.config import GradingConfig
from memlab.labs.lab import load
from memlab.sandbox.isolation import LevelUnavailable

LAB = load("06")
ESCAPE = "\x1b[2J"


@dataclass(frozen=True)
class FakeLevel:
    """A level that starts no sandbox."""

    name: str
    holds: frozenset[str] = frozenset({"files"})

    def python_version(self) -> str:
        return "3.11"


def grade_and_fail_on_bo(one: Submission, config: GradingConfig) -> Grade:
    """Raise KeyError for the submission bo.py, and grade any other."""
    return grade_by_first_line(one, config) if one.name != "bo.py" else grade_by_first_line(one, {}["no such key"])  # type: ignore[index]


def grade_by_first_line(one: Submission, config: GradingConfig) -> Grade:
    """Grade by the first line of a source: points, or a status."""
    del config
    first_line = one.source.partition("\n")[0].removeprefix("# ")
    status: Status = first_line if first_line in {"crashed", "internal"} else "missing" if one.problem else "ok"  # type: ignore[assignment]
    points = float(first_line) if status == "ok" else 0.0
    return Grade(one.name, one.name, one.digest, status, "", (Mark("write", "Write", points, 12.0, 1, 1),))


def accept_level(name: str, *, weaker: bool) -> FakeLevel:
    assert not weaker
    return FakeLevel(name)


def accept_only_rlimits(name: str, *, weaker: bool) -> FakeLevel:
    if name != "rlimits" and not weaker:
        raise LevelUnavailable(f"isolation {name} does not work here: there is no bwrap.\nHere work: rlimits.")
    return FakeLevel("rlimits")


def submit(path: str, first_line: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(f"# {first_line}\n", encoding="utf-8")


def run_grade(*words: str, code: int = 0) -> str:
    """Run `memlab grade` with these words, which must end with a code, and return its output."""
    result = CliRunner().invoke(app, ("grade", *words), env={"COLUMNS": "200"})
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    assert ESCAPE not in result.output
    return result.output


def read_run_json(folder: str = "out") -> dict[str, object]:
    found: dict[str, object] = json.loads(Path(folder, "run.json").read_text(encoding="utf-8"))
    return found
