"""A lab's file in a sandbox, behind the interface that the lab's adapter calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import Any

from memlab.memory.world import ScriptedWorld, World
from memlab.sandbox.call_text import format_call
from memlab.sandbox.client import CheckFailed, LearnerFile, Raised
from memlab.systems.answers import SystemFailed
from memlab.systems.labs.lab_file import help_pages

PROBES = frozenset({"recall_and_trust", "assemble"})
"""The functions that answer a probe; each is called once for it."""


class SandboxedLab:
    """A lab's file that runs in a sandbox. `probe_calls` holds, for each answered probe, the calls up to it.

    Every failure of the file is raised as SystemFailed.
    """

    def __init__(self, work: LearnerFile) -> None:
        self._work = work
        self._has_begun = False
        self._files_before: dict[str, str] = {}
        self._files: Mapping[str, str] = {}
        self._links: Mapping[str, str] = {}
        self._around: tuple[Mapping[str, str], Mapping[str, str]] | None = None
        self.probe_calls: list[tuple[str, ...]] = []

    def write(self, path: str, text: str) -> None:
        """See LabFile.write."""
        if not self._has_begun:
            self._files_before[path] = text
            return
        with _as_system_failure():
            self._work.write(path, text)
        self._work.calls.append(f"(a person writes {path})")

    def begin(self) -> None:
        """See LabFile.begin."""
        self._around = None
        with _as_system_failure():
            self._work.restart() if self._has_begun else self._work.reset(self._files_before)
        self._has_begun = True

    def call(self, name: str, *args: object, **named: object) -> Any:  # noqa: ANN401 - a lab may return anything
        """See LabFile.call."""
        with _as_system_failure():
            answer = self._work.attempt(name, *args, **named)
        if name in PROBES:
            self.probe_calls.append(tuple(self._work.calls))
        if not isinstance(answer, Raised):
            return answer
        if answer.is_refusal:
            raise ValueError(answer.message)
        raise SystemFailed(f"{format_call(name, args, named)} raised {answer.type}: {answer.message}")

    def takes(self, name: str, parameter: str) -> bool:
        """See LabFile.takes."""
        with _as_system_failure():
            return self._work.has_parameter(name, parameter)

    def follow(self, world: World) -> None:
        """See LabFile.follow. The sandbox has only the files that are written to it."""
        assert isinstance(world, ScriptedWorld)  # noqa: S101 - a scenario's world is data
        with _as_system_failure():
            self._write_world(world)
            around = {name: value for name, (value, _) in world.env.items()}, help_pages(world)
            if around != self._around:
                self._work.set_surroundings(*around)
                self._around = around

    def _write_world(self, world: ScriptedWorld) -> None:
        """Write the files and links that changed; remove those that are gone, and the folders that become empty."""
        files = {path: text for path, (text, _) in world.files.items()}
        links = {path: target for path, (target, _) in world.links.items()}
        for path in [*self._files, *self._links]:
            if path not in files and path not in links:
                self._remove(path)
        for path, text in files.items():
            if self._files.get(path) != text or path in self._links:
                self._work.write(path, text)
                self._work.calls.append(f"({path} is there)")
        for path, target in links.items():
            if self._links.get(path) != target:
                self._work.link(path, target)
                self._work.calls.append(f"({path} is a link to {target})")
        self._files, self._links = files, links

    def _remove(self, path: str) -> None:
        self._work.remove(path)
        self._work.calls.append(f"({path} is gone)")
        for folder in PurePosixPath(path).parents[:-1]:
            if not self._work.list_files(f"{folder}"):
                self._work.remove(f"{folder}")


@contextmanager
def _as_system_failure() -> Iterator[None]:
    """Convert a CheckFailed to SystemFailed."""
    try:
        yield
    except CheckFailed as error:
        raise SystemFailed(str(error)) from None
