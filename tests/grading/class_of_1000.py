"""A class of a thousand, graded by the real command: how long it takes, how much memory, and what is left behind.

    python tests/grading/class_of_1000.py FOLDER [--lab 07] [--count 1000] [--isolation bubblewrap] [--jobs 2]

FOLDER gets the submissions, no two alike, and the run; a second start with the same FOLDER goes on where it was. They
are what a class hands in: the solution, the published design and six styles, each by many people; typical mistakes,
mutants, attacks, broken files and odd packages. Exit code 1 tells that something did not hold.
"""

from __future__ import annotations

import argparse
import ctypes
import io
import json
import os
import re
import subprocess
import sys
import time
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice
from itertools import count as numbers
from pathlib import Path
from random import Random
from typing import Any

from mutants import mutants

from memlab.labs.handout.wrong import mistakes
from memlab.labs.lab import Lab, load

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SHARES = {"published": 0.2, "mutant": 0.2, "style": 0.1}
"""Of the class. There is each attack, broken file, odd package and mistake once, and solutions are the rest."""
PEOPLE = ("Ada", "Bo", "Chidi", "Dana", "Edda", "Femi", "Gil", "Hana", "Ines", "Jun")
FULL = ("solution", "style", "packed")
"""Kinds that lose no point."""
ALIKE = ("published", *FULL)
"""Kinds in which all have the same points."""
LARGEST_PARENT = 300
"""MB."""
SUBREAPER = 36
"""prctl's PR_SET_CHILD_SUBREAPER: what outlives its parent becomes a child of ours, so that we see it."""


@dataclass(frozen=True)
class HandedIn:
    """One submission: its kind, and its files in a folder of its own."""

    kind: str
    files: dict[str, bytes]


def class_of(lab: Lab, count: int) -> list[HandedIn]:
    """Make a whole class, all kinds mixed; the same one each time."""
    styles = sorted((ROOT / "tests" / "labs" / "styles" / lab.name).glob("*.py"))
    many = {kind: int(share * count) for kind, share in SHARES.items()}
    made = [*attacks(lab), *broken(lab), *packed(lab)]
    made += [_file(lab, "wrong", one.source()) for one in mistakes(lab)]
    made += [_file(lab, "mutant", one.source) for one in mutants(lab.folder / "solution.py", many["mutant"])]
    made += islice(by_many(lab, "published", [lab.folder / "published.py"]), many["published"])
    made += islice(by_many(lab, "style", styles), many["style"])
    made += islice(by_many(lab, "solution", [lab.folder / "solution.py"]), max(0, count - len(made)))
    Random(0).shuffle(made)  # noqa: S311 - an order, no secret
    return made[:count]


def by_many(lab: Lab, kind: str, paths: list[Path]) -> Iterator[HandedIn]:
    """Hand in the same files under one name after another, with other names for some helpers."""
    for number in numbers():
        source = paths[number % len(paths)].read_text(encoding="utf-8")
        chance = Random(number)  # noqa: S311 - a variation, no secret
        for name in sorted(helpers(source) - set(lab.interface)):
            if chance.random() < 1 / 3:
                source = re.sub(rf"\b{name}\(", f"{name}_{number}(", source)
        yield _file(lab, kind, f"{source}\n# {PEOPLE[number % len(PEOPLE)]}, number {number}\n")


def helpers(source: str) -> set[str]:
    """Name the functions and methods that are only ever called, and called by nothing but their names."""
    found = set(re.findall(r"^ *def ([a-z_]\w*)\(", source, re.MULTILINE))
    return {
        name
        for name in found
        if not name.startswith("__")
        and len(re.findall(rf"\b{name}\b", source)) == len(re.findall(rf"(?:\bself\.|(?<![.\w])){name}\(", source))
    }


def attacks(lab: Lab) -> Iterator[HandedIn]:
    """Hand in each attack that is written for this lab, with the files that lie beside it."""
    for path in sorted((HERE / "hostile" / lab.name).iterdir()):
        inside = [path] if path.is_file() else [one for one in sorted(path.rglob("*")) if one.is_file()]
        yield HandedIn("hostile", {lab.file if path.is_file() else str(one.relative_to(path)): one.read_bytes() for one in inside})


def broken(lab: Lab) -> Iterator[HandedIn]:
    """Hand in what is no sound file of this lab."""
    solution = (lab.folder / "solution.py").read_bytes()
    half = solution[: len(solution) // 2]
    skeleton = (lab.folder / "skeleton.py").read_bytes()
    for content in (b"", b"\n \n", b"# later\n", b"def f(:\n", half, solution.replace(b"def ", b"def", 1), skeleton):
        yield HandedIn("broken", {lab.file: content})
    for content in (b"\xff\xfe\x00\x80", solution + b"\0", b"x = " + b"(" * 5000, b"#" * 3_000_000, b"\xe9 = 1\n"):
        yield HandedIn("broken", {lab.file: content})
    for content in (b"import numpy\n", b"raise KeyError('x')\n", b"print(1 / 0)\n", b"import sys; sys.exit(3)\n"):
        yield HandedIn("broken", {lab.file: content})
    yield HandedIn("broken", {"notes.txt": b"I was ill."})
    yield HandedIn("broken", {f"{lab.name}.ipynb": b"{}"})
    yield HandedIn("broken", {f"{lab.name}.ipynb": (ROOT / "notebooks" / f"{lab.name}.ipynb").read_bytes()})
    yield HandedIn("broken", {"mine.zip": b"PK\x03\x04 torn"})
    yield HandedIn("broken", {"mine.zip": _zip({"notes.txt": b"I was ill."})})
    yield HandedIn("broken", {"mine.zip": _zip({"../../outside.py": solution})})


def packed(lab: Lab) -> Iterator[HandedIn]:
    """Hand in a solution as a person's machine may make it."""
    solution = (lab.folder / "solution.py").read_bytes()
    yield HandedIn("packed", {lab.file: b"\xef\xbb\xbf" + solution})
    yield HandedIn("packed", {lab.file: solution.replace(b"\n", b"\r\n")})
    yield HandedIn("packed", {"mine.zip": _zip({lab.file: solution + b"# zipped\n"})})
    yield HandedIn("packed", {"mine.zip": _zip({f"mine/{lab.file}": solution + b"# in a folder\n"})})
    yield HandedIn("packed", {f"{lab.name}.ipynb": (ROOT / "notebooks" / f"{lab.name}_solved.ipynb").read_bytes()})


def _file(lab: Lab, kind: str, source: str) -> HandedIn:
    return HandedIn(kind, {lab.file: source.encode()})


def _zip(files: dict[str, bytes]) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return held.getvalue()


def lay(made: list[HandedIn], folder: Path) -> None:
    """Put the submissions of a class under a folder, each in one of its own: 0001-solution."""
    for number, one in enumerate(made, 1):
        for name, content in one.files.items():
            place = folder / f"{number:04d}-{one.kind}" / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)


@dataclass
class Watched:
    """What was seen of a command: its exit code, its seconds, and the peaks of memory in MB, its own and the largest under it."""

    code: int
    seconds: float
    parent: float
    worker: float


def watch(command: list[str], env: dict[str, str]) -> Watched:
    """Run a command to its end, and look at its memory twice a second."""
    begun, parent, worker = time.monotonic(), 0.0, 0.0
    with subprocess.Popen(command, env=env) as process:
        while process.poll() is None:
            parent = max(parent, _peak(process.pid))
            worker = max([worker, *map(_peak, children(process.pid))])
            time.sleep(0.5)
    return Watched(process.returncode, time.monotonic() - begun, parent, worker)


def children(pid: int) -> list[int]:
    """Give the processes that a process has started and that are still there."""
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
        return [int(one) for task in tasks for one in (task / "children").read_text().split()]
    except FileNotFoundError:
        return []


def _peak(pid: int) -> float:
    try:
        found = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return int(found[1]) / 1024 if found else 0.0


def left(before: set[str], tries: int = 60) -> list[str]:
    """Name the files in the places for temporary ones that were not there before, once they have had time to go."""
    for _ in range(tries):
        if not (found := sorted(temporary() - before)):
            break
        time.sleep(1)
    return found


def temporary() -> set[str]:
    """Name what memlab has in the memory's file system, where its folders lie for moments."""
    return {str(one) for one in Path("/dev/shm").glob("memlab*")}  # noqa: S108 - looked at, not written


def told(grades: list[dict[str, Any]]) -> str:
    """Set points and statuses, kind by kind, as lines of a table."""
    of = defaultdict(list)
    for one in grades:
        of[kind_of(one)].append(one)
    lines = [f"{'kind':<10} {'count':>5} {'least':>6} {'median':>6} {'most':>6}  statuses"]
    for kind, found in sorted(of.items()):
        points = sorted(map(points_of, found))
        statuses = ", ".join(f"{number} {status}" for status, number in Counter(one["status"] for one in found).most_common())
        lines.append(
            f"{kind:<10} {len(found):>5} {points[0]:>6.1f} {points[len(points) // 2]:>6.1f} {points[-1]:>6.1f}  {statuses}"
        )
    return "\n".join(lines)


def kind_of(grade: dict[str, Any]) -> str:
    """Tell the kind of a submission by its name."""
    return re.sub(r"^\d+-(\w+).*$", r"\1", grade["submission"])


def points_of(grade: dict[str, Any]) -> float:
    """Add up the points of a grade."""
    return float(sum(one["points"] for one in grade["marks"]))
