"""The folder of a run: by what a class is graded there, kept in run.json, and one run in it at a time."""

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

from memlab import __version__
from memlab.grading.marking.config import GradingConfig
from memlab.grading.reports.files import write_atomically
from memlab.grading.reports.messages import printable
from memlab.labs.lab import Lab
from memlab.systems.entry import did_you_mean

RUN = "run.json"
LARGEST_SEED = 2**128 - 1
"""So large that nobody finds it by trying what words it gives."""
_LOCK = ".lock"
_ELSEWHERE = "Choose another --out."


class RunRefused(Exception):
    """A class cannot be graded like this: the message says why, and what to do."""


@dataclass(frozen=True)
class Run:
    """All that decides a grade, beside the submission.

    `rubric`, `scenarios` (the lab's own) and `overlay` are digests of what was read; `seed` is private. `python` is
    the parent's, `sandbox` the one that submissions run in.
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
    """Tell by what a class is graded in a config."""
    lab, overlay = config.lab, config.overlay
    return Run(
        lab=lab.number,
        rubric=_digest(one.model_dump_json().encode() for one in lab.rubric.task),
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
    """Give the names of these tasks in the order of the rubric. Raises RunRefused for one that it does not have."""
    names = [one.name for one in lab.rubric.task]
    for one in only:
        if one not in names:
            words = f"lab {lab.number} has no task {one!r}.{did_you_mean(one, names)}"
            raise RunRefused(f"--only {one}: {words} There are: {', '.join(names)}.")
    return tuple(one for one in names if one in only)


def draw_seed() -> int:
    """Draw a private seed."""
    return secrets.randbelow(LARGEST_SEED + 1)


def read_earlier_run(folder: Path, lab: Lab, only: tuple[str, ...]) -> Run | None:
    """Read by what a class was graded in a folder, None where it never was.

    Raises RunRefused where the folder is another's, or what it tells cannot be compared: another lab, other tasks.
    """
    path = folder / RUN
    if not path.exists():
        return None
    try:
        told = json.loads(path.read_bytes())
        before = Run(**{one.name: told[one.name] for one in fields(Run)} | {"only": tuple(told["only"])})
    except (ValueError, KeyError, TypeError):
        raise RunRefused(f"{path} is no record of a run by this memlab. Restore it. {_ELSEWHERE}") from None
    if before.lab != lab.number:
        raise RunRefused(f"{folder} holds grades of lab {before.lab}, not {lab.number}. {_ELSEWHERE}")
    if before.only != only:
        there, here = _describe_tasks(before.only), _describe_tasks(only)
        raise RunRefused(f"{folder} holds grades of {there}, and {here} would take their place. {_ELSEWHERE}")
    return before


def refuse_inside(folder: Path, place: Path) -> None:
    """Refuse a folder of results among the submissions: it would be graded with them the next time."""
    if place.is_dir() and folder.resolve().is_relative_to(place.resolve()):
        raise RunRefused(f"{folder} lies in {place}, where it would be graded as a submission. {_ELSEWHERE}")


def refuse_foreign_folder(folder: Path) -> None:
    """Refuse a folder that is no run's, and holds something: what is written there may take its place."""
    there = sorted(one.name for one in folder.iterdir()) if folder.is_dir() else []
    if RUN not in there and (theirs := [name for name in there if not name.startswith(f".{RUN}") and name != _LOCK]):
        what = f"{printable(theirs[0])}{' and more' if len(theirs) > 1 else ''}"
        raise RunRefused(f"{folder} holds {what}, but no {RUN}: no class was graded there. {_ELSEWHERE}")


def write_run(run: Run, folder: Path, asked: str) -> None:
    """Write run.json; `asked` is the isolation level that was asked for."""
    text = json.dumps(asdict(run) | {"isolation_asked_for": asked}, indent=2, ensure_ascii=False)
    write_atomically(folder / RUN, text + "\n")


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Have a folder for one run. Raises RunRefused where another run has it, and OSError where it cannot be written."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)  # the private seed and everybody's grades lie in it
    with (folder / _LOCK).open("a", encoding="utf-8") as lock:
        try:
            fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # which a process that is forked from this one has not
        except (BlockingIOError, PermissionError):
            raise RunRefused(f"{folder}: another run is grading into it. Wait for its end. {_ELSEWHERE}") from None
        yield


def _describe_tasks(only: Sequence[str]) -> str:
    return f"the task {', '.join(only)} alone" if only else "all tasks"


def _digest_folder(folder: Path) -> str:
    """Name what the files of a folder hold, whatever the folder is called."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return _digest(part for path in files for part in (path.relative_to(folder).as_posix().encode(), path.read_bytes()))


def _digest(parts: Iterable[bytes]) -> str:
    found = hashlib.sha256()
    for part in parts:
        found.update(hashlib.sha256(part).digest())
    return found.hexdigest()
