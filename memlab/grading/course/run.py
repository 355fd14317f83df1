"""The folder of a run: run.json records the settings of the grading; a lock allows one run at a time."""

from __future__ import annotations

import fcntl
import hashlib
import json
import platform
import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from importlib.metadata import version
from pathlib import Path

from memlab.grading.course.manual_marks import MARKS
from memlab.grading.marking.config import GradingConfig
from memlab.grading.reports.files import write_atomically
from memlab.grading.reports.messages import printable
from memlab.labs.lab import Lab
from memlab.systems.entry import did_you_mean
from memlab.version import __version__

RUN = "run.json"
LARGEST_SEED = 2**128 - 1
"""Large enough that a seed cannot be found by trying which words it gives."""
WITHOUT_A_RUN = {"points", "minutes"}
"""Keys of a task that change no result of a check: no submission has to run again."""
_LOCK = ".lock"
_ELSEWHERE = "Choose another --out."


class RunRefused(Exception):
    """A class cannot be graded with these options; the message says why, and what to do."""


OURS = {_LOCK, MARKS}


@dataclass(frozen=True)
class Run:
    """Everything that decides a grade, except the submission.

    `rubric` (without points, with the files that it provides), `scenarios` (the lab's own) and `overlay` are digests;
    `seed` is private. `python` runs the grader, `sandbox` is the Python that runs the submissions.
    """

    lab: str
    rubric: str
    scenarios: str
    overlay: str
    only: tuple[str, ...]
    seed: int
    isolation: str
    memlab: str
    hypothesis: str
    python: str
    sandbox: str


def describe_run(config: GradingConfig) -> Run:
    """Return the run of a config."""
    lab, overlay = config.lab, config.overlay
    tasks = [one.model_dump_json(exclude=WITHOUT_A_RUN).encode() for one in lab.rubric.task]
    files = [_digest_folder(Path(config.provided)).encode()] if config.provided else []
    return Run(
        lab=lab.number,
        rubric=_digest([*tasks, *files]),
        scenarios=_digest_folder(lab.scenarios),
        overlay=_digest_folder(overlay) if overlay else "",
        only=config.only,
        seed=config.seed,
        isolation=config.level.name,
        memlab=__version__,
        hypothesis=version("hypothesis"),
        python=platform.python_version(),
        sandbox=config.level.python_version(),
    )


def select_tasks(lab: Lab, only: Sequence[str]) -> tuple[str, ...]:
    """Return the names of these tasks in the order of the rubric. Raises RunRefused for an unknown one."""
    names = [one.name for one in lab.rubric.task]
    for one in only:
        if one not in names:
            words = f"lab {lab.number} has no task {one!r}.{did_you_mean(one, names)}"
            raise RunRefused(f"--only {one}: {words} Its tasks: {', '.join(names)}.")
    return tuple(one for one in names if one in only)


def tasks_of_part(lab: Lab, part: str, only: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the steps of a part. Raises RunRefused for an unknown part, and beside `--only`."""
    parts = list(dict.fromkeys(step.part for step in lab.steps))
    if part not in parts:
        near = did_you_mean(part, parts)
        raise RunRefused(f"--part {part}: lab {lab.number} has no part {part!r}.{near} Its parts: {', '.join(parts)}.")
    if only:
        raise RunRefused(f"--part {part} and --only {only[0]} both select tasks. Leave one of them out.")
    return tuple(step.name for step in lab.steps if step.part == part)


def draw_seed() -> int:
    """Return a random private seed."""
    return secrets.randbelow(LARGEST_SEED + 1)


def read_earlier_run(folder: Path, lab: Lab, only: tuple[str, ...]) -> Run | None:
    """Read run.json in a folder; None if there is none.

    Raises RunRefused if it is invalid, or if its grades are of another lab or other tasks.
    """
    path = folder / RUN
    if not path.exists():
        return None
    try:
        record = json.loads(path.read_bytes())
        before = Run(**{one.name: record[one.name] for one in fields(Run)} | {"only": tuple(record["only"])})
    except (ValueError, KeyError, TypeError):
        raise RunRefused(
            f"{path} is not a run.json of this version of memlab. Restore the file. {_ELSEWHERE}"
        ) from None
    if before.lab != lab.number:
        raise RunRefused(f"{folder} holds grades of lab {before.lab}, not {lab.number}. {_ELSEWHERE}")
    if before.only != only:
        there, here = (_describe_tasks(one, lab) for one in (before.only, only))
        raise RunRefused(f"{folder} holds grades of {there}, and {here} would replace them. {_ELSEWHERE}")
    return before


def refuse_inside(folder: Path, place: Path) -> None:
    """Raise RunRefused if the output folder is inside the submissions: it would be graded the next time."""
    if place.is_dir() and folder.resolve().is_relative_to(place.resolve()):
        raise RunRefused(f"{folder} is inside {place}, and would be graded as a submission. {_ELSEWHERE}")


def refuse_foreign_folder(folder: Path) -> None:
    """Raise RunRefused if the folder holds files but no run.json: they could be overwritten."""
    names = sorted(one.name for one in folder.iterdir()) if folder.is_dir() else []
    foreign = [name for name in names if not name.startswith(f".{RUN}") and name not in OURS]
    if RUN not in names and foreign:
        what = f"{printable(foreign[0])}{' and more' if len(foreign) > 1 else ''}"
        raise RunRefused(f"{folder} holds {what}, but no {RUN}: it is not a folder of grades. {_ELSEWHERE}")


def write_run(run: Run, folder: Path, requested_isolation: str) -> None:
    """Write run.json; `requested_isolation` is the level that was requested."""
    text = json.dumps(asdict(run) | {"isolation_asked_for": requested_isolation}, indent=2, ensure_ascii=False)
    write_atomically(folder / RUN, text + "\n")


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Lock a folder for one run. Raises RunRefused if another run has the lock, OSError if it is not writable."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)  # it holds the private seed and all grades
    with (folder / _LOCK).open("a", encoding="utf-8") as lock:
        try:
            fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # a forked process does not inherit the lock
        except (BlockingIOError, PermissionError):
            raise RunRefused(f"{folder}: another run is writing to it. Wait until it ends. {_ELSEWHERE}") from None
        yield


def _describe_tasks(only: tuple[str, ...], lab: Lab) -> str:
    for part in {step.part for step in lab.steps}:
        if only == tasks_of_part(lab, part, ()):
            return f"the part {part} alone"
    return f"the task {', '.join(only)} alone" if only else "all tasks"


def _digest_folder(folder: Path) -> str:
    """Return a digest of the files of a folder; the folder's own name does not count."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return _digest(part for path in files for part in (path.relative_to(folder).as_posix().encode(), path.read_bytes()))


def _digest(parts: Iterable[bytes]) -> str:
    found = hashlib.sha256()
    for part in parts:
        found.update(hashlib.sha256(part).digest())
    return found.hexdigest()
