"""Creates a scripted world on disk: files below a root, environment variables, commands on the path, and a clock."""

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
    """The directories, variables and clock for one system in one scenario. The caller removes `folder`.

    `root/` is the world's root, `home/` the system's own directory, `bin/` the world's commands. `variables` are the
    names of all variables of the scenario; this machine's own variables of the same names are hidden.
    """

    def __init__(self, folder: Path, world: Change, variables: Collection[str] = ()) -> None:
        self.root, self.home, self.bin = (folder.resolve() / name for name in ("root", "home", "bin"))
        for place in (self.root, self.home, self.bin):
            place.mkdir(parents=True)
        self._root_path = str(self.root)
        self._hidden = dict.fromkeys(variables)
        self.world = ScriptedWorld()
        self.time = 0.0
        self._env: dict[str, str | None] | None = None
        self.change(world)

    def workspace(self) -> Workspace:
        """Return the workspace that a system receives."""
        return Workspace(self.home, self.root, self.world, lambda: self.time)

    def environment(self) -> dict[str, str | None]:
        """Return the world's variables, with its commands first on the path; None means not set."""
        path = f"{self.bin}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
        return self._hidden | {name: value for name, (value, _) in self.world.env.items()} | {"PATH": path}

    def change(self, change: Change) -> None:
        """Apply a change to the scripted world and to the disk. Raises ValueError or OSError if that fails."""
        self.world.change(change)
        files = {_inside(self.root, path): content for path, content in change.files.items()}
        links = {_inside(self.root, path): target for path, target in change.links.items()}
        scripts = {
            _inside(self.bin, name): None if flags is None else _script(name, flags)
            for name, flags in change.commands.items()
        }
        for place in sorted({*files, *links, *scripts}, reverse=True):  # the contents of a folder first
            self._clear(place)
        for place, content in (files | scripts).items():
            if content is not None:
                place.parent.mkdir(parents=True, exist_ok=True)
                with place.open("x", encoding="utf-8") as file:  # never through a link that a system makes meanwhile
                    file.write(content)
                    os.fchmod(file.fileno(), EXECUTABLE if place in scripts else PLAIN)
        for place, target in links.items():
            if target is not None:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.symlink_to(target)
        if self._env is not None:
            self._set_variables(self._env)
            self._env = self._set_variables(self.environment())

    def _clear(self, place: Path) -> None:
        """Remove a file and parent folders that become empty: a scripted world has no empty folders."""
        try:
            place.unlink()
        except (FileNotFoundError, NotADirectoryError):
            return
        for folder in place.parents:
            if folder in {self.root, self.bin} or any(folder.iterdir()):
                break
            folder.rmdir()

    def return_to_root(self) -> None:
        """Change the current directory back to the root, in case a system has changed it."""
        if os.getcwd() != self._root_path:  # noqa: PTH109 - runs after every event, and pathlib is ten times slower
            os.chdir(self._root_path)

    @contextmanager
    def enter(self) -> Iterator[None]:
        """Set the current directory and the world's variables; restore both at the end."""
        before = Path.cwd()
        os.chdir(self.root)
        self._env = {}
        try:
            self._env = self._set_variables(self.environment())
            yield
        finally:
            self._set_variables(self._env)
            self._env = None
            os.chdir(before)

    @staticmethod
    def _set_variables(wanted: Mapping[str, str | None]) -> dict[str, str | None]:
        """Set variables, unset those that are None, and return the previous values."""
        before = {name: os.environ.get(name) for name in wanted}
        for name, value in wanted.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        return before


def _inside(root: Path, path: str) -> Path:
    """Return the real path of a place below the root. Raises ValueError if it is outside the root."""
    place = Path(os.path.normpath(root / path))
    if place == root or not place.parent.resolve().is_relative_to(root):
        raise ValueError(f"{path!r} is outside of the world's root. Use a path below it, such as 'scripts/a.sh'.")
    return place


def _script(name: str, flags: tuple[str, ...]) -> str:
    """Return a script that prints its flags. It uses only shell built-ins, since the world may define its own `cat`."""
    lines = [f"usage: {name} [options]", *(f"  {flag}" for flag in flags)]
    return "#!/bin/sh\n" + "".join(f"echo {shlex.quote(line)}\n" for line in lines)
