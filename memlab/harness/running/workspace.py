"""A scripted world that stands for real: files below a root, variables, commands on the path, and a clock."""

from __future__ import annotations

import os
import shlex
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from memlab.memory.world import Change, ScriptedWorld
from memlab.terms import Workspace

EXECUTABLE, PLAIN = 0o755, 0o644


class ScenarioEnvironment:
    """Where one system plays one scenario. Everything lies below `folder`, which is the caller's to remove.

    `root/` is the world's root, `home/` the system's own directory, `bin/` the world's commands. `variables` are those
    that the world may come to hold: until it does, this machine's own of the same name are hidden.
    """

    def __init__(self, folder: Path, world: Change, variables: Collection[str] = ()) -> None:
        self.root, self.home, self.bin = (folder.resolve() / name for name in ("root", "home", "bin"))
        for place in (self.root, self.home, self.bin):
            place.mkdir(parents=True)
        self._here = str(self.root)
        self._hidden = dict.fromkeys(variables)
        self.world = ScriptedWorld()
        self.time = 0.0
        self._env: dict[str, str | None] | None = None
        self.change(world)

    def workspace(self) -> Workspace:
        """Give what a system is told about where it lives."""
        return Workspace(self.home, self.root, self.world, lambda: self.time)

    def environment(self) -> dict[str, str | None]:
        """Give the variables of the world, with its commands first on the path; None is one that it does not hold."""
        path = f"{self.bin}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
        return self._hidden | {name: value for name, (value, _) in self.world.env.items()} | {"PATH": path}

    def change(self, change: Change) -> None:
        """Change the world, as data and for real. Raises ValueError or OSError for what cannot stand on a disk."""
        self.world.change(change)
        files = {_inside(self.root, path): content for path, content in change.files.items()}
        links = {_inside(self.root, path): target for path, target in change.links.items()}
        scripts = {
            _inside(self.bin, name): None if flags is None else _script(name, flags)
            for name, flags in change.commands.items()
        }
        for place in sorted({*files, *links, *scripts}, reverse=True):  # what lies in a folder, before the folder
            self._clear(place)
        for place, content in (files | scripts).items():
            if content is not None:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(content, encoding="utf-8")
                place.chmod(EXECUTABLE if place in scripts else PLAIN)
        for place, target in links.items():
            if target is not None:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.symlink_to(target)
        if self._env is not None:
            self._put(self._env)
            self._env = self._put(self.environment())

    def _clear(self, place: Path) -> None:
        """Take away what stands at a place, and the folders that are empty without it: a world has none of those."""
        try:
            place.unlink()
        except (FileNotFoundError, NotADirectoryError):
            return
        for folder in place.parents:
            if folder in {self.root, self.bin} or any(folder.iterdir()):
                break
            folder.rmdir()

    def return_to_root(self) -> None:
        """Stand in the root again, wherever a system has gone."""
        if os.getcwd() != self._here:  # noqa: PTH109 - asked after every event, and pathlib is ten times slower
            os.chdir(self._here)

    @contextmanager
    def enter(self) -> Iterator[None]:
        """Stand in the root with the world's variables set; everything is put back at the end."""
        before = Path.cwd()
        os.chdir(self.root)
        self._env = {}
        try:
            self._env = self._put(self.environment())
            yield
        finally:
            self._put(self._env)
            self._env = None
            os.chdir(before)

    @staticmethod
    def _put(wanted: Mapping[str, str | None]) -> dict[str, str | None]:
        """Set variables, or unset those that are None; give what they were."""
        before = {name: os.environ.get(name) for name in wanted}
        for name, value in wanted.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        return before


def _inside(root: Path, path: str) -> Path:
    """Give the real path of a place below the root. Raises ValueError for one that leads out of it."""
    place = Path(os.path.normpath(root / path))
    if place == root or not place.parent.resolve().is_relative_to(root):
        raise ValueError(f"{path!r} leads out of the world's root. Use a path below it, such as 'scripts/a.sh'.")
    return place


def _script(name: str, flags: tuple[str, ...]) -> str:
    """Write a command that tells its flags, with what every shell has built in: a world may name its own `cat`."""
    lines = [f"usage: {name} [options]", *(f"  {flag}" for flag in flags)]
    return "#!/bin/sh\n" + "".join(f"echo {shlex.quote(line)}\n" for line in lines)
