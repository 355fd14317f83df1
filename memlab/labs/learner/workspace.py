"""The folder of a notebook's work: the learner's file, progress, and a trial folder that can be emptied."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from memlab.report.text import escape_invisible

TRY, WORK = "try", re.compile(r"lab\d\d-work")
MOST = 60  # lines of a tree, at most


class OutsideFolder(ValueError):
    """A file that was named is not inside the trial folder."""


@dataclass
class LearnerWorkspace:
    """The folder `work` beside a notebook: it contains the learner's file, their progress, and try/ for trials."""

    work: Path
    _env: dict[str, str | None] = field(default_factory=dict)

    @property
    def try_out(self) -> Path:
        """Return the folder that `fresh` empties."""
        return self.work / TRY

    def fresh(self, files: Iterable[str], env: Mapping[str, str]) -> list[Path]:
        """Empty try/, enter it, and create these files and variables instead of the last ones. Raises OutsideFolder."""
        places = [self._inside(name) for name in files]
        os.chdir(self.work)
        if self.try_out.exists():
            shutil.rmtree(self.try_out)
        self.try_out.mkdir()
        os.chdir(self.try_out)
        for place in places:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.touch()
        _set(self._env)
        self._env = {name: os.environ.get(name) for name in env}
        os.environ.update(env)
        return places

    @contextmanager
    def without_trial_variables(self) -> Iterator[None]:
        """Restore the variables that `fresh` set, for the `with` block: a check must not depend on a trial."""
        trial = {name: os.environ.get(name) for name in self._env}
        _set(self._env)
        try:
            yield
        finally:
            _set(trial)

    def tree(self) -> list[str]:
        """Return the tree of the current folder, line by line; links are not followed."""
        lines = list(_tree(Path.cwd(), ""))
        more = [f"... and {len(lines) - MOST} more"] if len(lines) > MOST else []
        return [*lines[:MOST], *more] or ["(an empty folder)"]

    def _inside(self, name: str) -> Path:
        place = self.try_out / name
        if not place.resolve().is_relative_to(self.try_out.resolve()) or place.resolve() == self.try_out.resolve():
            raise OutsideFolder(f"{name!r} is outside the fresh folder. Name a file in it, such as scripts/deploy.sh.")
        return place


def workspace_beside(notebook: Path, name: str) -> LearnerWorkspace:
    """Return the workspace of a lab beside a notebook, created if needed; it is never inside another workspace."""
    outer = (place.parent for place in (notebook, *notebook.parents) if WORK.fullmatch(place.name))
    work = next(outer, notebook) / f"{name}-work"
    work.mkdir(exist_ok=True)
    return LearnerWorkspace(work)


def is_folder_gone() -> bool:
    """Return whether the current folder was deleted."""
    try:
        Path.cwd()
    except FileNotFoundError:
        return True
    return False


def _set(variables: Mapping[str, str | None]) -> None:
    for name, value in variables.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


def _tree(folder: Path, indent: str) -> Iterator[str]:
    for place in sorted(folder.iterdir(), key=lambda one: one.name):
        name = escape_invisible(place.name.replace("\n", "\N{SYMBOL FOR NEWLINE}"))
        if place.is_symlink():
            yield f"{indent}{name} -> {escape_invisible(str(place.readlink()))}"
        elif place.is_dir():
            yield f"{indent}{name}/"
            yield from _tree(place, f"{indent}  ")
        else:
            yield f"{indent}{name}"
