"""A class of a thousand, graded by the real command: how long it takes, how much memory, and what is left behind.

    python tests/grading/course/class_of_1000.py FOLDER [--lab 06] [--count 1000] [--isolation bubblewrap] [--jobs 2]

FOLDER gets the submissions, no two alike, and the run; the same command again goes on where it was, but for the
attacks: they are told of other doors each time. They are what a class hands in: the solution, the published design and
six styles, each by many people; typical mistakes, mutants, attacks and odd packages. Exit code 1 tells that something
did not hold.
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

from attack import Knows, attacks
from mutants import mutants
from odd_packages import PACKAGES, Make
from yard import yard

from memlab.grading.course.grade_log import GradeLog
from memlab.grading.grade import Grade
from memlab.labs.handout.wrong import mistakes
from memlab.labs.lab import Lab, load

ROOT = Path(__file__).parents[3]
SHARES = {"published": 0.2, "mutant": 0.2, "style": 0.1}
"""Of the class. There is each attack, odd package and mistake once, and solutions are the rest."""
PEOPLE = ("Ada", "Bo", "Chidi", "Dana", "Edda", "Femi", "Gil", "Hana", "Ines", "Jun")
FULL = ("solution", "style", "packed")
"""Kinds that lose no point."""
TOO_DEEP = "folders five hundred deep"
"""What is found where it is handed in alone; among the folders of a class, a sentence says that it lies too deep."""
LARGEST = 300
"""MB that the parent may take."""


@dataclass(frozen=True)
class HandedIn:
    """One submission: its kind, and what puts it into a folder of its own."""

    kind: str
    lay: Callable[[Path], object]


def class_of(lab: Lab, count: int, knows: Knows) -> list[HandedIn]:
    """Make a whole class, all kinds mixed; the same one each time. A small class has a part of what there is once."""
    styles = sorted((ROOT / "tests" / "labs" / "styles" / lab.name).glob("*.py"))
    many = {kind: int(share * count) for kind, share in SHARES.items()}
    once = [*hostile(lab, knows), *packages(lab), *(_text(lab, "wrong", one.source()) for one in mistakes(lab))]
    made = Random(0).sample(once, min(len(once), count * 3 // 10))  # noqa: S311 - a class, no secret
    made += [_text(lab, "mutant", one.source) for one in mutants(lab.folder / "solution.py", many["mutant"])]
    made += islice(by_many(lab, "published", [lab.folder / "published.py"]), many["published"])
    made += islice(by_many(lab, "style", styles), many["style"])
    made += islice(by_many(lab, "solution", [lab.folder / "solution.py"]), count - len(made))
    Random(0).shuffle(made)  # noqa: S311 - likewise
    return made


def by_many(lab: Lab, kind: str, paths: list[Path]) -> Iterator[HandedIn]:
    """Hand in the same files under one name after another, with other names for some helpers."""
    for number in numbers():
        source = paths[number % len(paths)].read_text(encoding="utf-8")
        chance = Random(number)  # noqa: S311 - a variation, no secret
        for name in sorted(helpers(source) - set(lab.rubric.interface)):
            if chance.random() < 1 / 3:
                source = re.sub(rf"\b{name}\(", f"{name}_{number}(", source)
        yield _text(lab, kind, f"{source}\n# {PEOPLE[number % len(PEOPLE)]}, number {number}\n")


def helpers(source: str) -> set[str]:
    """Name the functions and methods that are called, by their names or behind self, and are spoken of nowhere else."""
    found = set(re.findall(r"^ *def ([a-z_]\w*)\(", source, re.MULTILINE))
    calls = {name: len(re.findall(rf"(?:\bself\.|(?<![.\w])){name}\(", source)) for name in found}
    told = {name: len(re.findall(rf"\b{name}\b", source)) for name in found}
    return {name for name in found if not name.startswith("__") and calls[name] == told[name]}


def hostile(lab: Lab, knows: Knows) -> Iterator[HandedIn]:
    """Hand in each attack on this lab, with the files that lie beside it."""
    for one in attacks(lab.name):
        yield HandedIn("hostile", partial(_lay, {lab.file: one.source(knows), **one.beside(knows)}))


def packages(lab: Lab) -> Iterator[HandedIn]:
    """Hand in what is no plain file, and the skeleton as it is: what is sound is "packed", what is not is "broken"."""
    for name, (make, must) in PACKAGES.items():
        sound = must == "all" and name != TOO_DEEP
        yield HandedIn("packed" if sound else "broken", partial(_packed, make, lab))
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
    """Put a class under a folder, each submission in one of its own: 0001-solution."""
    for number, one in enumerate(made, 1):
        place = folder / f"{number:04d}-{one.kind}"
        place.mkdir(parents=True)
        one.lay(place)


@dataclass(frozen=True)
class Watched:
    """A command that ran: its exit code, seconds, and the largest memory in MB of itself and of a process under it."""

    code: int
    seconds: float
    parent: float
    worker: float


def watch(command: list[str]) -> Watched:
    """Run a command to its end, and look at its memory twice a second."""
    begun, parent, worker = time.monotonic(), 0.0, 0.0
    with subprocess.Popen(command) as process:
        while process.poll() is None:
            parent = max(parent, _peak(process.pid))
            worker = max([worker, *map(_peak, _under(process.pid))])
            time.sleep(0.5)
    return Watched(process.returncode, time.monotonic() - begun, parent, worker)


def _under(pid: int) -> list[int]:
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
    """Set points and statuses, kind by kind."""
    lines = [f"{'kind':<10} {'count':>5} {'least':>6} {'median':>6} {'most':>6} {'seconds':>8}  statuses"]
    for kind, found in groupby(sorted(grades, key=kind_of), kind_of):
        of = list(found)
        points, seconds = sorted(one.points for one in of), sorted(one.seconds for one in of)
        statuses = ", ".join(f"{number} {status}" for status, number in Counter(one.status for one in of).most_common())
        middle = len(of) // 2
        told = f"{points[0]:>6.1f} {points[middle]:>6.1f} {points[-1]:>6.1f} {seconds[middle]:>8.1f}"
        lines.append(f"{kind:<10} {len(of):>5} {told}  {statuses}")
    return "\n".join(lines)


def kind_of(grade: Grade) -> str:
    """Tell the kind of a submission by its name."""
    return re.sub(r"^\d+-([a-z]+).*$", r"\1", grade.submission, flags=re.DOTALL)


def faults(grades: list[Grade], count: int) -> Iterator[str]:
    """Say what of the grades is not as it must be."""
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
            yield f"{one.submission}: {one.points:g} points for what is no sound file"


def reasons(grade: Grade) -> str:
    """Name what points were lost for."""
    return ", ".join(f"{reason.name} ({reason.message[:120]})" for mark in grade.marks for reason in mark.reasons)


def told(out: Path, secret: str) -> list[str]:
    """Name the files of a run that tell what no attack may read."""
    files = (path for path in sorted(out.rglob("*")) if path.is_file())
    return [f"the canary in {path}" for path in files if secret.encode() in path.read_bytes()]


def main() -> int:
    """Make a class, grade it twice, and say how it went."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("folder", type=Path)
    asked.add_argument("--lab", default="06")
    asked.add_argument("--count", type=int, default=1000)
    asked.add_argument("--isolation", default="bubblewrap")
    asked.add_argument("--jobs", default="2")
    given = asked.parse_args()
    lab, handed_in, out = load(given.lab), given.folder / "handed-in", given.folder / "out"
    shutil.rmtree(handed_in, ignore_errors=True)
    memlab = str(Path(sys.executable).with_name("memlab"))
    command = [memlab, "grade", str(handed_in), "--lab", given.lab, "--out", str(out), "--seed", "7"]
    command += ["--isolation", given.isolation, "--jobs", given.jobs]
    with yard(most=2**20) as ground:
        lay(class_of(lab, given.count, ground.knows), handed_in)
        first = watch(command)
        left = [*ground.left_running(), *ground.left_lying(), *ground.reached(), *told(out, ground.secret)]
        once = (out / "gradebook.csv").read_bytes()
        again = watch(command)
    grades = [one.grade for one in GradeLog(out)]
    wrong = [*faults(grades, given.count), *(f"left behind: {one}" for one in left)]
    wrong += [f"exit code {one.code}" for one in (first, again) if one.code]
    wrong += ["a second run gave another gradebook"] if (out / "gradebook.csv").read_bytes() != once else []
    wrong += [f"the parent took {first.parent:.0f} MB"] if first.parent > LARGEST else []
    summed = f"""
{table(grades)}

{given.count} submissions to lab {given.lab} by {given.jobs} jobs at {given.isolation}, {os.cpu_count()} cores
wall time        {first.seconds:8.0f} s, {first.seconds / given.count:.2f} s each
memory, parent   {first.parent:8.0f} MB
memory, worker   {first.worker:8.0f} MB
internal errors  {sum(one.status == "internal" for one in grades):8}
left behind      {len(left):8}
second run       {again.seconds:8.0f} s
"""
    sys.stdout.write(summed + "\n".join([f"DID NOT HOLD: {len(wrong)}", *wrong]) + "\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
