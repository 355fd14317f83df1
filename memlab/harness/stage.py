"""A scripted world that stands for real: files below a root, variables, commands on the path, and a clock."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from memlab.memory.world import Change, ScriptedWorld
from memlab.terms import Workspace

EXECUTABLE = 0o755


class Stage:
    """Where one system plays one scenario. Everything lies below `folder`, which is the caller's to remove.

    `root/` is the world's root, `home/` the system's own directory, `bin/` the world's commands.
    """

    def __init__(self, folder: Path, world: Change) -> None:
        self.root, self.home, self.bin = (folder.resolve() / name for name in ("root", "home", "bin"))
        for place in (self.root, self.home, self.bin):
            place.mkdir(parents=True)
        self._here = str(self.root)
        self.world = ScriptedWorld()
        self.time = 0.0
        self._env: dict[str, str | None] | None = None
        self.change(world)

    def workspace(self) -> Workspace:
        """Give what a system is told about where it lives."""
        return Workspace(self.home, self.root, self.world, lambda: self.time)

    def environment(self) -> dict[str, str]:
        """Give the variables of the world, with its commands first on the path."""
        path = f"{self.bin}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
        return {name: value for name, (value, _) in self.world.env.items()} | {"PATH": path}

    def change(self, change: Change) -> None:
        """Change the world, as data and for real."""
        self.world.change(change)
        for path, content in change.files.items():
            _write(_inside(self.root, path), content)
        for path, target in change.links.items():
            _link(_inside(self.root, path), target)
        for name, flags in change.commands.items():
            _write(_inside(self.bin, name), None if flags is None else _script(name, flags), mode=EXECUTABLE)
        if self._env is not None:
            self._leave(self._env)
            self._env = self._enter()

    def stand(self) -> None:
        """Stand in the root again, wherever a system has gone."""
        if os.getcwd() != self._here:  # noqa: PTH109 - asked after every event, and pathlib is ten times slower
            os.chdir(self._here)

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Stand in the root with the world's variables set; everything is put back at the end."""
        before = Path.cwd()
        os.chdir(self.root)
        self._env = self._enter()
        try:
            yield
        finally:
            self._leave(self._env)
            self._env = None
            os.chdir(before)

    def _enter(self) -> dict[str, str | None]:
        wanted = self.environment()
        before = {name: os.environ.get(name) for name in wanted}
        os.environ.update(wanted)
        return before

    @staticmethod
    def _leave(before: Mapping[str, str | None]) -> None:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _inside(root: Path, path: str) -> Path:
    """Give the real path of a place below the root. Raises ValueError for one that leads out of it."""
    place = Path(os.path.normpath(root / path))
    if place == root or not place.parent.resolve().is_relative_to(root):
        raise ValueError(f"{path!r} leads out of the world's root. Use a path below it, such as 'scripts/a.sh'.")
    return place


def _write(place: Path, content: str | None, mode: int | None = None) -> None:
    place.unlink(missing_ok=True)
    if content is not None:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content, encoding="utf-8")
        if mode is not None:
            place.chmod(mode)


def _link(place: Path, target: str | None) -> None:
    place.unlink(missing_ok=True)
    if target is not None:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(target)


def _script(name: str, flags: tuple[str, ...]) -> str:
    options = "".join(f"  {flag}\n" for flag in flags)
    return f"#!/bin/sh\ncat <<'HELP'\nusage: {name} [options]\n{options}HELP\n"
