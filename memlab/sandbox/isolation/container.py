"""Isolation by a container engine, podman or docker: its image brings the Python."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import sys
from functools import partial

from memlab.sandbox.isolation.level import HOME, THREATS, Threat, bounded, until_ended, variables, watched
from memlab.sandbox.isolation.trial import refused, tried
from memlab.sandbox.sandbox import Sandbox

ENGINES = ("podman", "docker")
IMAGE = "docker.io/library/python:{}.{}-slim".format(*sys.version_info[:2])
SCRATCH = "/scratch"
USER = 65_534
SECONDS = 20
BOUNDS = (
    "--pull=never", "--network=none", "--ipc=none", "--read-only", "--workdir=/", f"--user={USER}:{USER}",
    f"--tmpfs={SCRATCH}:rw,nosuid,nodev,noexec,size=80m,mode=1777",
    "--pids-limit=32", "--memory=1g", "--memory-swap=1g",
    "--cap-drop=ALL", "--security-opt=no-new-privileges", "--log-driver=none",
)  # fmt: skip
"""What a container may: `ipc=none` is no /dev/shm, and without a log an engine keeps nothing of what is printed."""
_numbers = itertools.count(1)


class Container:
    """A container for each room, without a network, and read-only but for one folder in memory."""

    name = "container"
    holds: frozenset[Threat] = frozenset(THREATS)

    def problem(self) -> str:
        """Say what is missing for it to work here, and how to get it: then it is untried."""
        here = [one for one in ENGINES if shutil.which(one)]
        if not here:
            return "untried: no container engine is installed: apt install podman"
        running = [one for one in here if _answers(one, "info")]
        if not running:
            return f"untried: {' and '.join(here)} is installed, but no engine answers: start it, or apt install podman"
        engine = _engine()
        if not engine:
            return f"untried: the image is not here: {running[0]} pull {IMAGE}"
        said = refused(_command(engine, _name()), dict(os.environ))
        return f"{engine} says: {said}" if said else tried(self)

    def python_version(self) -> str:
        """Name the image whose Python its rooms run."""
        return IMAGE

    def start_sandbox(self) -> Sandbox:
        """Give a fresh room. Raises OSError where that does not work here."""
        engine, name = _engine(), _name()
        if not engine:
            raise OSError(self.problem())
        with until_ended() as kept:
            kept.callback(partial(_answers, engine, "rm", "--force", name))
            return Sandbox(
                _command(engine, name),
                f"{SCRATCH}/{HOME}",
                env=dict(os.environ),  # the engine's client needs ours; the room has its own
                first=watched(SCRATCH),
                before=bounded(pretend=False),
                on_end=kept.close,
            )


def _engine() -> str:
    """Find the first engine that answers and has the image; "" where none does."""
    return next((one for one in ENGINES if shutil.which(one) and _answers(one, "image", "inspect", IMAGE)), "")


def _command(engine: str, name: str) -> list[str]:
    given = [f"--env={key}={value}" for key, value in variables(SCRATCH).items() if key != "PATH"]
    return [engine, "run", "--interactive", "--rm", f"--name={name}", *BOUNDS, *given, IMAGE, "python3"]


def _name() -> str:
    return f"memlab-room-{os.getpid()}-{next(_numbers)}"


def _answers(engine: str, *words: str) -> bool:
    """Tell if an engine does what it is told."""
    nowhere = subprocess.DEVNULL
    try:
        done = subprocess.run(  # noqa: S603 - the engine that was found
            [engine, *words], stdin=nowhere, stdout=nowhere, stderr=nowhere, timeout=SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
