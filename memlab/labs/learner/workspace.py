"""A notebook's own place: the folder beside it, and what stands in it."""

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
MOST = 60
"""Lines of a tree."""


class Outside(ValueError):
    """A file that was named does not lie in the fresh folder."""


@dataclass
class LearnerWorkspace:
    """The folder `work` beside a notebook: the learner's file and progress lie there, and trials in its try/."""

    work: Path
    _env: dict[str, str | None] = field(default_factory=dict)

    @property
    def try_out(self) -> Path:
        """Give the folder that `fresh` empties."""
        return self.work / TRY

    def fresh(self, files: Iterable[str], env: Mapping[str, str]) -> list[Path]:
        """Empty try/, create these files in it, set these variables, and stand there; give the files.

        Variables that the last call set are as they were before. Raises Outside for a file that would lie outside,
        OSError where the folder cannot be emptied.
        """
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
    def untried(self) -> Iterator[None]:
        """Have the variables as they are without those of a trial: a check must not depend on what was tried before."""
        trial = {name: os.environ.get(name) for name in self._env}
        _set(self._env)
        try:
            yield
        finally:
            _set(trial)

    def tree(self) -> list[str]:
        """Write what lies in the folder where the notebook stands, links not followed."""
        lines = list(_tree(Path.cwd(), ""))
        more = [f"... and {len(lines) - MOST} more"] if len(lines) > MOST else []
        return [*lines[:MOST], *more] or ["(an empty folder)"]

    def _inside(self, name: str) -> Path:
        place = self.try_out / name
        if not place.resolve().is_relative_to(self.try_out.resolve()) or place.resolve() == self.try_out.resolve():
            raise Outside(f"{name!r} would not lie in the fresh folder. Name a file in it, such as scripts/deploy.sh.")
        return place


def beside(notebook: Path, name: str) -> LearnerWorkspace:
    """Give the desk of a lab beside a notebook, also where the kernel stands in one already, and make its folder.

    Raises OSError where it cannot be made.
    """
    outer = (place.parent for place in (notebook, *notebook.parents) if WORK.fullmatch(place.name))
    work = next(outer, notebook) / f"{name}-work"
    work.mkdir(exist_ok=True)
    return LearnerWorkspace(work)


def gone() -> bool:
    """Tell if the folder in which we stand was deleted under us."""
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
