"""Copies the modules and data files that a rubric allows into a folder that every sandbox can read and none can change.

Nothing is provided by default. The copy is made once for a run, so that no submission can leave anything for the next.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import distribution, packages_distributions
from pathlib import Path
from typing import NoReturn

from memlab.labs.lab import Lab
from memlab.labs.rubric import BadRubric, find_line
from memlab.sandbox.client import CheckFailed, LearnerFile
from memlab.sandbox.isolation.level import Level
from memlab.sandbox.isolation.users import is_root
from memlab.sandbox.sandbox import DATA_FOLDER, MODULES_FOLDER
from memlab.systems.entry import did_you_mean

FORBIDDEN = {"memlab": "it contains the solutions"}
SECONDS = 20.0
"""Limit for importing all modules once."""


@contextmanager
def provide_files(lab: Lab, level: Level) -> Iterator[str]:
    """Yield a folder with what the rubric of a lab allows; "" if that is nothing. The folder is removed at the end.

    Raises BadRubric if something is not there, must not be provided, or cannot be imported in a sandbox of this level.
    """
    rubric = lab.rubric
    if not rubric.modules and not rubric.data:
        yield ""
        return
    if "files" not in level.holds and not is_root():
        key = "modules" if rubric.modules else "data"
        _refuse(lab, key, f"a submission could change them at the level {level.name}. Select a stronger --isolation.")
    with tempfile.TemporaryDirectory(prefix="memlab-provided-") as folder:
        for name in rubric.modules:
            _copy_module(lab, name, Path(folder, MODULES_FOLDER))
        for name in rubric.data:
            _copy_data(lab, name, Path(folder, DATA_FOLDER))
        _make_readable(Path(folder))
        _try(lab, level, folder)
        yield folder


def _copy_module(lab: Lab, name: str, target: Path) -> None:
    """Copy a module that is beside the rubric, or else installed."""
    own = [place for place in (lab.rubric.path.parent / f"{name}.py", lab.rubric.path.parent / name) if place.exists()]
    installed = packages_distributions()
    if not name.isidentifier():
        _refuse(lab, "modules", f"{name!r} is not the name of a module. Valid: a plain name, such as 'numpy'.")
    if name in FORBIDDEN:
        _refuse(lab, "modules", f"{name!r} must not be provided: {FORBIDDEN[name]}. Leave it out.")
    if name in sys.stdlib_module_names:
        _refuse(lab, "modules", f"{name!r} is in the standard library, which every submission has. Leave it out.")
    if own:
        _copy(own[0], target / own[0].name)
    elif name in installed:
        for package in installed[name]:
            _copy_distribution(package, target)
    else:
        near = did_you_mean(name, sorted(installed))
        valid = f"a {name}.py or a folder {name} beside the rubric, or a package of the Python that runs memlab"
        _refuse(lab, "modules", f"there is no module {name!r}.{near} Valid: {valid}.")


def _copy_distribution(package: str, target: Path) -> None:
    """Copy the files of an installed package, with its shared libraries, and without its commands."""
    for file in distribution(package).files or ():
        if ".." not in file.parts and "__pycache__" not in file.parts and Path(file.locate()).is_file():
            _copy(Path(file.locate()), target / file)


def _copy_data(lab: Lab, name: str, target: Path) -> None:
    source = lab.rubric.path.parent / name
    if Path(name).name != name or name in {"", ".", "..", lab.file}:
        _refuse(
            lab, "data", f"{name!r} is no data file. Valid: the plain name of a file or a folder beside the rubric."
        )
    if not source.exists():
        there = sorted(one.name for one in source.parent.iterdir() if one != lab.rubric.path)
        near = did_you_mean(name, there)
        _refuse(
            lab, "data", f"there is no {name!r} beside the rubric.{near} Valid: {', '.join(there) or 'nothing yet'}."
        )
    _copy(source, target / name)


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"), copy_function=shutil.copyfile)
    else:
        shutil.copyfile(source, target)


def _make_readable(folder: Path) -> None:
    """Let the plain user of a sandbox read everything, and nobody write."""
    for name in (MODULES_FOLDER, DATA_FOLDER):
        (folder / name).mkdir(exist_ok=True)
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o444)


def _try(lab: Lab, level: Level, folder: str) -> None:
    """Import each module in a sandbox; start one in any case."""
    for name in lab.rubric.modules or ("",):
        file = Path(folder, f"import_{name}.py")
        file.write_text(f"import {name}\n" if name else "", encoding="utf-8")
        try:
            with LearnerFile(file, "", SECONDS, lambda: level.start_sandbox(folder)) as work:
                work.reset()
        except CheckFailed as error:
            why = " ".join(str(error).split())
            _refuse(lab, "modules", f"{name!r} cannot be imported in the sandbox: {why}. List what it needs, too.")
        except OSError as error:
            _refuse(lab, "modules" if name else "data", f"no sandbox starts with them: {error}")
        file.unlink()


def _refuse(lab: Lab, key: str, problem: str) -> NoReturn:
    path = lab.rubric.path
    line = find_line(path.read_text(encoding="utf-8").splitlines(), (key,))
    raise BadRubric(f"{path}: {line}{key}: {problem}")
