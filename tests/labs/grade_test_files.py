"""Grades every honest and every wrong file of the tests with `memlab grade`, and prints the files graded wrongly.

    python tests/labs/grade_test_files.py FOLDER [--lab 06] [--kind honest] [--seed 7] [--isolation NAME] [--jobs 2]

An honest file must get all points from the grader, and pass `memlab lab check` as a whole: the two may not disagree. A
wrong file must lose the check of its mistake, or a step that it needs, by a sentence that says what was expected. The
files and the grades are written to FOLDER, where the same command continues. Exit code 1 means that a file was graded
wrongly.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from by_text import lab06, lab07
from test_checks06 import WRONG as WRONG06
from test_mistakes07 import MISTAKES as MISTAKES07

from memlab.grading.course.grade_log import GradeLog
from memlab.grading.grade import Grade
from memlab.labs.handout.wrong import mistakes
from memlab.labs.lab import Lab, load, numbers

MEMLAB = str(Path(sys.executable).with_name("memlab"))
STYLES = Path(__file__).parent / "styles"
BY_TEXT = {"06": lab06, "07": lab07}
FIXED = re.compile(r"expected|is not written yet|has no \w+\. Keep|\) raised \w+: |did not return|ended Python")
"""What a sentence about a mistake says."""


@dataclass(frozen=True)
class TestFile:
    """A submission, and the checks that it loses; an honest one loses none."""

    name: str
    source: str
    loses: tuple[str, ...] = ()

    @property
    def submitted(self) -> str:
        """The name of its folder among the submissions."""
        return re.sub(r"\W+", "-", self.name)


def honest_files(lab: Lab) -> Iterator[TestFile]:
    """Yield the solution, the styles, and what readers of the lab's text wrote."""
    for path in [lab.folder / "solution.py", *sorted((STYLES / lab.name).glob("*.py"))]:
        yield TestFile(path.stem, path.read_text(encoding="utf-8"))
    for name, changes in BY_TEXT[lab.number].HONEST.items():
        yield TestFile(name, lab06.changed(lab.number, changes))


def wrong_files(lab: Lab) -> Iterator[TestFile]:
    """Yield the mistakes in the lab's folder, those in the tests of its checks, and those of readers of its text."""
    for one in mistakes(lab):
        yield TestFile(one.path.stem, one.source(), one.loses)
    edits = {name: (WRONG06[name][0], [WRONG06[name][1:]], name) for name in WRONG06} if lab.number == "06" else {}
    for name, (base, changes, check) in (edits or MISTAKES07).items():
        source = base.read_text(encoding="utf-8")
        for old, new in changes:
            source = source.replace(old, new)
        yield TestFile(name, source, (check,))
    for name, (check, changes) in BY_TEXT[lab.number].WRONG.items():
        yield TestFile(name, lab06.changed(lab.number, changes), (check,))


def lay(files: list[TestFile], folder: Path, file: str) -> None:
    """Write each file as a submission."""
    for one in files:
        place = folder / one.submitted
        place.mkdir(parents=True, exist_ok=True)
        (place / file).write_text(one.source, encoding="utf-8")


def find_fault(one: TestFile, grade: Grade, lab: Lab) -> str:
    """Return what is wrong with the grade of a file; "" if nothing is.

    A task is not checked if a task that it needs earned nothing: a mistake may show in an earlier step already.
    """
    reasons = {reason.name: reason.message for mark in grade.marks for reason in mark.reasons}
    if not one.loses:
        lost = grade.points < grade.max_points or grade.status != "ok"
        return f"{grade.points:g} of {grade.max_points:g}, {grade.status} {grade.message} {reasons}" if lost else ""
    unchecked = {check for mark in grade.marks if not mark.total for check in checks_of(lab, mark.task)}
    kept = [name for name in one.loses if name not in reasons and name not in unchecked]
    told = [reasons[name] for name in reasons if name in one.loses] or [reasons[name] for name in reasons if name]
    if kept or not told:
        return f"{grade.points:g} of {grade.max_points:g}, it keeps {', '.join(kept)}; it loses {', '.join(reasons)}"
    return "" if FIXED.search(told[0]) else f"it is not told what was expected: {told[0]}"


def checks_of(lab: Lab, task: str) -> tuple[str, ...]:
    """Return the names of the checks of a task; none if it is no step."""
    return next((step.checks for step in lab.steps if step.name == task), ())


def check_as_learner(lab: Lab, one: TestFile, folder: Path) -> str:
    """Return the last lines of `memlab lab check` on a file; "" if every step passes."""
    command = [MEMLAB, "lab", "check", "--dir", str(folder / one.submitted), "--lab", lab.number]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else " ".join((done.stdout + done.stderr).split())[-500:]


def grade_all(lab: Lab, files: list[TestFile], folder: Path, given: argparse.Namespace) -> dict[str, Grade]:
    """Grade files with the real command; return the grades by the name of the submission."""
    lay(files, folder / "handed-in", lab.file)
    command = [MEMLAB, "grade", str(folder / "handed-in"), "--lab", lab.number, "--out", str(folder / "grades")]
    command += ["--seed", given.seed, "--isolation", given.isolation, "--jobs", given.jobs]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return {Path(one.grade.submission).parts[0]: one.grade for one in GradeLog(folder / "grades")}


def main() -> int:
    """Print a row for each lab and kind of file, then every file that was graded wrongly."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--lab", choices=numbers(), help="default: all")
    parser.add_argument("--kind", choices=["honest", "wrong"], help="default: both")
    parser.add_argument("--isolation", default="bubblewrap")
    parser.add_argument("--jobs", default="2")
    parser.add_argument("--seed", default="7")
    given = parser.parse_args()
    faults = []
    sys.stdout.write(f"{'lab':<6} {'kind':<7} {'files':>6} {'graded wrongly':>15} {'lab check disagrees':>20}\n")
    for lab in map(load, [given.lab] if given.lab else numbers()):
        for kind, find in (("honest", honest_files), ("wrong", wrong_files)):
            if given.kind not in {None, kind}:
                continue
            folder, files = given.folder / lab.name / kind, list(find(lab))
            grades = grade_all(lab, files, folder, given)
            wrongly = {one.name: fault for one in files if (fault := find_fault(one, grades[one.submitted], lab))}
            learners = files if kind == "honest" else []
            says = {one.name: said for one in learners if (said := check_as_learner(lab, one, folder / "handed-in"))}
            disagree = says.keys() ^ (wrongly.keys() & {one.name for one in learners})
            sys.stdout.write(f"{lab.name:<6} {kind:<7} {len(files):>6} {len(wrongly):>15} {len(disagree):>20}\n")
            sys.stdout.flush()
            faults += [f"{lab.name} {kind} {name}: {fault}" for name, fault in wrongly.items()]
            faults += [f"{lab.name} {kind} {name}: lab check says {said}" for name, said in says.items()]
    sys.stdout.write("".join(f"{fault}\n" for fault in faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
