"""The sandbox of a memory system: what it sees of this machine, and how its server is started."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from memlab.sandbox.folders import workspaces_folder
from memlab.sandbox.fork_server import Launch
from memlab.sandbox.isolation import best_system_level, system_level
from memlab.sandbox.isolation.view import View, import_path, is_inside, python_places
from memlab.systems.child.file_reference import FileReference
from memlab.systems.child.launch import launch_server
from memlab.systems.child.own_folder import PACKAGE, is_checkout, secrets_of
from memlab.systems.child.preload import imported_modules
from memlab.terms import Workspace

NETWORK = "network"


@dataclass(frozen=True, slots=True)
class Confinement:
    """How the systems of a run are isolated.

    `level` is an isolation level, "" for the best that works here. `hidden` are files and folders that no system may
    see, such as the scenarios. `preload` are modules that a sandbox imports once for all cells, None for those that the
    system's file imports.
    """

    level: str = ""
    network: bool = False
    hidden: tuple[str, ...] = ()
    preload: tuple[str, ...] | None = None

    @property
    def name(self) -> str:
        """The level, and whether the network is open, as recorded in the results."""
        level = self.level or best_system_level().name
        return f"{level} with the network" if self.network else level

    def launch(self, reference: FileReference, workspace: Workspace) -> Launch:
        """Return how to start the server of a system whose cells have workspaces beside this one.

        Raises LevelUnavailable, and UnknownSystem if the system's folder has too many files.
        """
        level = system_level(self.level, weaker=False) if self.level else best_system_level()
        preload = imported_modules(reference) if self.preload is None else self.preload
        writable = _writable(workspace)
        wrapped = level.wrap(_view(reference, self, writable))
        return launch_server(wrapped, tuple(import_path()), preload, writable[0])


def _writable(workspace: Workspace) -> tuple[str, ...]:
    """Return the folder of all workspaces of this process, or the workspace itself if it is elsewhere."""
    own, shared = os.path.realpath(workspace.directory), workspaces_folder()
    if is_inside(own, shared):
        return (shared,)
    return tuple(dict.fromkeys((own, os.path.realpath(workspace.root))))


def _view(reference: FileReference, confinement: Confinement, writable: tuple[str, ...]) -> View:
    """Return what a system sees: Python with its packages, memlab without its data, the system's own folder."""
    own = _own_folders(reference)
    places, hidden = dict.fromkeys(python_places()), [*confinement.hidden, *_scenarios()]
    for folder in dict.fromkeys((*own, *import_path())):
        if folder not in own and (not Path(folder).exists() or any(is_inside(folder, one) for one in places)):
            continue
        if is_checkout(folder) and folder not in own:
            places[str(Path(folder, "memlab"))] = None
            hidden.append(str(Path(folder, "memlab", "data")))
        else:
            places[folder] = None
            hidden += secrets_of(folder)
    places[str(PACKAGE)] = None
    shown = {*own, *python_places()}  # a virtual environment may be a hidden folder beside the system
    hidden = [one for one in map(os.path.realpath, hidden) if one not in shown]
    return View(tuple(places), tuple(hidden), writable, confinement.network, listed=(str(PACKAGE.parent),))


def _own_folders(reference: FileReference) -> list[str]:
    """Return the system's own folder, and the current one if that folder is in it: a project."""
    if not reference.path:
        return []
    own, current = (os.path.realpath(one) for one in (reference.folders[0], Path.cwd()))
    is_project = is_inside(own, current) and current not in {os.sep, os.path.realpath(Path.home())}
    return [current] if is_project else [own]


def _scenarios() -> list[str]:
    """Return the folders of memlab that hold scenarios: in the package, and beside it in a checkout."""
    beside = [one for one in ("scenarios", "labs", "evals", "tests") if is_checkout(str(PACKAGE.parent))]
    return [str(PACKAGE / "data"), *(str(PACKAGE.parent / one) for one in beside)]
