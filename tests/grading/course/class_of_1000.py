r"""Grades a class of 1,000 with the real command, and reports time, memory, and leftover processes and files.

    PYTHONPATH=tests/grading:tests/grading/intake python tests/grading/course/class_of_1000.py FOLDER \
        [--lab 06] [--count 1000] [--isolation bubblewrap] [--jobs 2]

The submissions, all different, and the run are written to FOLDER. The same command continues an unfinished run, but
grades the attacks again, because their parameters differ each time. The submissions are: the solution, the published
design and six styles, each by many people; typical mistakes, mutants, attacks and odd packages. Exit code 1 means that
a check failed.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import count as numbers
from itertools import groupby, islice
from pathlib import Path
from random import Random

from attack import AttackParameters, attacks
from attack_monitor import monitor_attack
from mutants import mutants
from odd_packages import PACKAGES, Make

from memlab.grading.course.grade_log import GradeLog
from memlab.grading.grade import Grade
from memlab.labs.handout.wrong import mistakes
from memlab.labs.lab import Lab, load

ROOT = Path(__file__).parents[3]
SHARES = {"published": 0.2, "mutant": 0.2, "style": 0.1}
"""Share of the class. Each attack, odd package and mistake occurs once; the rest are solutions."""
PEOPLE = ("Ada", "Bo", "Chidi", "Dana", "Edda", "Femi", "Gil", "Hana", "Ines", "Jun")
FULL = ("solution", "style", "packed")
"""Kinds that lose no point."""
TOO_DEEP = "folders five hundred deep"
"""This package gets all points if it is submitted alone; in a folder of a class it is too deep, and gets none."""
MAX_PARENT_MB = 300
"""Memory that the parent process may use."""


@dataclass(frozen=True)
class HandedIn:
    """One submission: its kind, and a function that writes it into a folder."""

    kind: str
    lay: Callable[[Path], object]


def class_of(lab: Lab, count: int, parameters: AttackParameters) -> list[HandedIn]:
    """Return the submissions of a class in a fixed random order. A small class has only a part of the unique ones."""
    styles = sorted((ROOT / "tests" / "labs" / "styles" / lab.name).glob("*.py"))
    many = {kind: int(share * count) for kind, share in SHARES.items()}
    once = [*hostile(lab, parameters), *packages(lab), *(_text(lab, "wrong", one.source()) for one in mistakes(lab))]
    made = Random(0).sample(once, min(len(once), count * 3 // 10))  # noqa: S311 - a class, no secret
    made += [_text(lab, "mutant", one.source) for one in mutants(lab.folder / "solution.py", many["mutant"])]
    made += islice(by_many(lab, "published", [lab.folder / "published.py"]), many["published"])
    made += islice(by_many(lab, "style", styles), many["style"])
    made += islice(by_many(lab, "solution", [lab.folder / "solution.py"]), count - len(made))
    Random(0).shuffle(made)  # noqa: S311 - likewise
    return made


def by_many(lab: Lab, kind: str, paths: list[Path]) -> Iterator[HandedIn]:
    """Yield variants of the same files without end: other authors, and other names for some helpers."""
    for number in numbers():
        source = paths[number % len(paths)].read_text(encoding="utf-8")
        chance = Random(number)  # noqa: S311 - a variation, no secret
        for name in sorted(helpers(source) - set(lab.rubric.interface)):
            if chance.random() < 1 / 3:
                source = re.sub(rf"\b{name}\(", f"{name}_{number}(", source)
        yield _text(lab, kind, f"{source}\n# {PEOPLE[number % len(PEOPLE)]}, number {number}\n")


def helpers(source: str) -> set[str]:
    """Return the functions and methods whose names occur only in their definition and in calls."""
    found = set(re.findall(r"^ *def ([a-z_]\w*)\(", source, re.MULTILINE))
    calls = {name: len(re.findall(rf"(?:\bself\.|(?<![.\w])){name}\(", source)) for name in found}
    occurrences = {name: len(re.findall(rf"\b{name}\b", source)) for name in found}
    return {name for name in found if not name.startswith("__") and calls[name] == occurrences[name]}


def hostile(lab: Lab, parameters: AttackParameters) -> Iterator[HandedIn]:
    """Yield each attack on this lab, with the files that are submitted with it."""
    for one in attacks(lab.name):
        yield HandedIn("hostile", partial(_lay, {lab.file: one.source(parameters), **one.files_beside(parameters)}))


def packages(lab: Lab) -> Iterator[HandedIn]:
    """Yield the odd packages and the unchanged skeleton: "packed" if they get all points, else "broken"."""
    for name, (make, must) in PACKAGES.items():
        gets_all_points = must == "all" and name != TOO_DEEP
        yield HandedIn("packed" if gets_all_points else "broken", partial(_packed, make, lab))
    yield _text(lab, "broken", (lab.folder / "skeleton.py").read_text(encoding="utf-8"))


def _packed(make: Make, lab: Lab, place: Path) -> None:
    make(place, lab)


def _text(lab: Lab, kind: str, source: str) -> HandedIn:
    return HandedIn(kind, partial(_lay, {lab.file: source}))


def _lay(files: Mapping[str, str], place: Path) -> None:
    for name, text in files.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text, encoding="utf-8", newline="")


def lay(made: list[HandedIn], folder: Path) -> None:
    """Write a class to a folder, each submission into its own folder, such as 0001-solution."""
    for number, one in enumerate(made, 1):
        place = folder / f"{number:04d}-{one.kind}"
        place.mkdir(parents=True)
        one.lay(place)


@dataclass(frozen=True)
class CommandRun:
    """A finished command: exit code, seconds, and peak memory in MB of itself and of its largest child process."""

    code: int
    seconds: float
    parent: float
    worker: float


def watch(command: list[str]) -> CommandRun:
    """Run a command to its end, and measure its memory twice a second."""
    begun, parent, worker = time.monotonic(), 0.0, 0.0
    with subprocess.Popen(command) as process:
        while process.poll() is None:
            parent = max(parent, _peak(process.pid))
            worker = max([worker, *map(_peak, _children(process.pid))])
            time.sleep(0.5)
    return CommandRun(process.returncode, time.monotonic() - begun, parent, worker)


def _children(pid: int) -> list[int]:
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
        return [int(one) for task in tasks for one in (task / "children").read_text().split()]
    except (FileNotFoundError, ProcessLookupError):
        return []


def _peak(pid: int) -> float:
    try:
        found = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return int(found[1]) / 1024 if found else 0.0


def table(grades: list[Grade]) -> str:
    """Return a table of points, seconds and statuses for each kind of submission."""
    lines = [f"{'kind':<10} {'count':>5} {'least':>6} {'median':>6} {'most':>6} {'seconds':>8}  statuses"]
    for kind, found in groupby(sorted(grades, key=kind_of), kind_of):
        of = list(found)
        points, seconds = sorted(one.points for one in of), sorted(one.seconds for one in of)
        statuses = ", ".join(f"{number} {status}" for status, number in Counter(one.status for one in of).most_common())
        middle = len(of) // 2
        numbers_of_kind = f"{points[0]:>6.1f} {points[middle]:>6.1f} {points[-1]:>6.1f} {seconds[middle]:>8.1f}"
        lines.append(f"{kind:<10} {len(of):>5} {numbers_of_kind}  {statuses}")
    return "\n".join(lines)


def kind_of(grade: Grade) -> str:
    """Return the kind of a submission, from its name."""
    return re.sub(r"^\d+-([a-z]+).*$", r"\1", grade.submission, flags=re.DOTALL)


def faults(grades: list[Grade], count: int) -> Iterator[str]:
    """Yield a line for each grade that is wrong."""
    if len(grades) != count:
        yield f"{len(grades)} grades of {count} submissions"
    for one in grades:
        kind, least = kind_of(one), min(other.points for other in grades if kind_of(other) == "published")
        if one.status == "internal":
            yield f"{one.submission}: an internal error: {one.message}"
        if kind in FULL and one.points != one.max_points:
            yield f"{one.submission}: {one.points:g} of {one.max_points:g} points, expected all: {reasons(one)}"
        if kind == "published" and one.points != least:
            yield f"{one.submission}: {one.points:g} points, others of its kind {least:g}"
        if kind == "broken" and one.points:
            yield f"{one.submission}: {one.points:g} points for a file that cannot be graded"


def reasons(grade: Grade) -> str:
    """Return the names of the checks that lost points, with their messages."""
    return ", ".join(f"{reason.name} ({reason.message[:120]})" for mark in grade.marks for reason in mark.reasons)


def leaked_secrets(out: Path, secret: str) -> list[str]:
    """Return a line for each file of a run that contains the secret."""
    files = (path for path in sorted(out.rglob("*")) if path.is_file())
    return [f"the canary in {path}" for path in files if secret.encode() in path.read_bytes()]


def main() -> int:
    """Create a class, grade it twice, and print a report."""
    given = arguments()
    handed_in, out = given.folder / "handed-in", given.folder / "out"
    shutil.rmtree(handed_in, ignore_errors=True)
    memlab = str(Path(sys.executable).with_name("memlab"))
    command = [memlab, "grade", str(handed_in), "--lab", given.lab, "--out", str(out), "--seed", "7"]
    command += ["--isolation", given.isolation, "--jobs", given.jobs]
    with monitor_attack(max_bytes=2**20) as monitor:
        lay(class_of(load(given.lab), given.count, monitor.parameters), handed_in)
        first = watch(command)
        left = [
            *monitor.leftover_processes(),
            *monitor.leftover_files(),
            *monitor.contacted_listeners(),
            *leaked_secrets(out, monitor.secret),
        ]
        once = (out / "gradebook.csv").read_bytes()
        again = watch(command)
    grades = [one.grade for one in GradeLog(out)]
    wrong = [*faults(grades, given.count), *(f"left behind: {one}" for one in left)]
    wrong += [f"exit code {one.code}" for one in (first, again) if one.code]
    wrong += ["the second run wrote a different gradebook"] if (out / "gradebook.csv").read_bytes() != once else []
    wrong += [f"the parent process used {first.parent:.0f} MB"] if first.parent > MAX_PARENT_MB else []
    sys.stdout.write(report(given, grades, first, again, len(left)))
    sys.stdout.write("\n".join([f"FAILED CHECKS: {len(wrong)}", *wrong]) + "\n")
    return 1 if wrong else 0


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--lab", default="06")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--isolation", default="bubblewrap")
    parser.add_argument("--jobs", default="2")
    return parser.parse_args()


def report(given: argparse.Namespace, grades: list[Grade], first: CommandRun, again: CommandRun, left: int) -> str:
    """Return the table of the grades and what the two runs needed."""
    return f"""
{table(grades)}

{given.count} submissions to lab {given.lab} by {given.jobs} jobs at {given.isolation}, {os.cpu_count()} cores
wall time        {first.seconds:8.0f} s, {first.seconds / given.count:.2f} s each
memory, parent   {first.parent:8.0f} MB
memory, worker   {first.worker:8.0f} MB
internal errors  {sum(one.status == "internal" for one in grades):8}
left behind      {left:8}
second run       {again.seconds:8.0f} s
"""


if __name__ == "__main__":
    sys.exit(main())
