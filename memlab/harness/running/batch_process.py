"""Plays batches on a worker of an executor, in a process of their own.

A cell changes the folder and the variables of its process, and a system may end it. So neither happens to the worker.
"""

from __future__ import annotations

import json
import os
import pickle
import platform
import signal
import subprocess
import sys
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from threading import Thread
from typing import Any

from memlab.extras import NotInstalled
from memlab.harness.running.worker_pool import end_with
from memlab.harness.running.workers import Answers, Playable, run_in_processes, without_keys
from memlab.sandbox.isolation import LevelUnavailable, system_level
from memlab.systems.entry import UnknownSystem
from memlab.systems.versions import memlab_version, system_version
from memlab.terms import Key

Versions = Mapping[str, str]
"""The version of memlab, and of each system that is not part of it."""
PlayedBatch = list[tuple[list[Key], list[Answers]]]
"""For each round, its keys and the answers of each system."""
START = """\
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from memlab.harness.running.batch_process import serve
serve()
"""
KEPT = "Finished cells are kept: the same command with --resume plays the others."
PATIENCE = 10.0
"""Seconds that a process has to end."""
TRIES = 2
"""Processes that may end while they play one batch."""


class EngineFailed(Exception):
    """Cells cannot be played elsewhere; the message says why, and what to do."""


def play_batch(versions: dict[str, str], folder: str, content: bytes) -> PlayedBatch:
    """Play pickled rounds in a process of this machine whose current folder is `folder`.

    Raises EngineFailed if this machine has other versions, or lacks the folder or the sandbox.
    """
    for _ in range(TRIES):
        process = BatchProcess.take(versions, folder)
        try:
            played = process.play(content)
        except (EOFError, OSError, pickle.UnpicklingError):
            ended = process.end()
            continue
        process.give_back()
        if isinstance(played, Exception):
            raise played
        return played
    raise EngineFailed(
        f"{_here()}: the process that plays batches was ended {TRIES} times (exit code {ended}). Give the workers more "
        "memory, or less to do at once."
    )


class BatchProcess:
    """A process that plays one batch after the other, all with the same versions and folder."""

    _idle: list[BatchProcess] = []  # noqa: RUF012 - shared by the threads of a worker: append and pop are atomic

    def __init__(self, versions: Versions, folder: str) -> None:
        self.settings = (os.getpid(), dict(versions), folder)
        self._process = subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, "-c", START, json.dumps(sys.path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    @classmethod
    def take(cls, versions: Versions, folder: str) -> BatchProcess:
        """Return an idle process, or start one. Idle processes of other versions, of an earlier run, are ended."""
        with suppress(IndexError):
            while found := cls._idle.pop():
                if found.settings == (os.getpid(), versions, folder):
                    return found
                if found.settings[0] == os.getpid():  # else it belongs to the process that this one was forked from
                    found.end()
        return cls(versions, folder)

    def play(self, content: bytes) -> PlayedBatch | Exception:
        """Return what a batch gives, or an error. Raises OSError, EOFError or UnpicklingError if the process ends."""
        assert self._process.stdin is not None  # noqa: S101 - a pipe
        assert self._process.stdout is not None  # noqa: S101 - likewise
        pickle.dump((*self.settings[1:], content), self._process.stdin)
        self._process.stdin.flush()
        answer: PlayedBatch | Exception = pickle.load(self._process.stdout)  # noqa: S301 - our own process wrote it
        return answer

    def give_back(self) -> None:
        """Make the process available to the next batch."""
        self._idle.append(self)

    def end(self) -> int:
        """End the process, and return its exit code, minus the signal number for a signal."""
        self._process.terminate()
        try:
            self._process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()
        return self._process.returncode


def serve() -> None:
    """Play the batches that arrive on standard input, until the process that sends them ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=end_with, args=(os.getppid(),), daemon=True).start()
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what is printed must not come between the answers
    while True:
        try:
            request: tuple[Versions, str, bytes] = pickle.load(sys.stdin.buffer)  # noqa: S301 - our own process wrote it
        except EOFError:
            return
        pickle.dump(_played(*request), answers)
        answers.flush()


def _played(versions: Versions, folder: str, content: bytes) -> PlayedBatch | Exception:
    try:
        refuse_other_versions(versions, folder)
        rounds: list[Any] = pickle.loads(zlib.decompress(content))  # noqa: S301 - by the same version of memlab
        _refuse_other_sandbox(rounds)
        return play_rounds(rounds)
    except Exception as error:  # noqa: BLE001 - it is raised where the batch was submitted
        return error


def play_rounds(rounds: Sequence[Playable]) -> PlayedBatch:
    """Play rounds in a forked process; if a system ends it, only the cell of that system is lost."""
    cells = list(run_in_processes(rounds, 1, lambda _: None))
    played: PlayedBatch = []
    for one in rounds:
        own, cells = cells[: len(one.systems)], cells[len(one.systems) :]
        played.append(([result.key for result in own[0]], [without_keys(cell) for cell in own]))
    return played


def refuse_other_versions(versions: Versions, folder: str) -> None:
    """Change to the folder. Raises EngineFailed if memlab or a system has another version here."""
    if versions["memlab"] != memlab_version():
        raise EngineFailed(
            f"{_here()} has memlab {memlab_version()}, and the run has {versions['memlab']}. Install the same version "
            f"there. {KEPT}"
        )
    own = [name for name in versions if name != "memlab"]
    if not own:
        return
    try:
        os.chdir(folder)
        found = {name: system_version(name) for name in own}
    except (OSError, NotInstalled, UnknownSystem) as error:
        raise EngineFailed(
            f"{_here()}: {error} Each worker needs your own system at the same path, as in a shared folder. {KEPT}"
        ) from None
    for name in own:
        if found[name] != versions[name]:
            raise EngineFailed(
                f"{_here()} has {name} ({found[name]}), and the run has {versions[name]}. Copy the same files there. "
                f"{KEPT}"
            )


def _refuse_other_sandbox(rounds: Sequence[Playable]) -> None:
    for level in {one.confinement.level for one in rounds} - {""}:
        try:
            system_level(level, weaker=False)
        except LevelUnavailable as error:
            raise EngineFailed(f"{_here()}: {error} {KEPT}") from None


def _here() -> str:
    return f"the worker on {platform.node()}"
