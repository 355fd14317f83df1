"""Isolation by a container engine, podman or docker; Python comes from the image."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import sys
from functools import partial

from memlab.sandbox.inside import limits
from memlab.sandbox.isolation.level import (
    SUPERVISING,
    THREATS,
    Threat,
    limit_process,
    until_ended,
    watch_disk,
)
from memlab.sandbox.isolation.trial import failed_attempts, why_not_running
from memlab.sandbox.sandbox import HOME, Sandbox, SupervisedSandbox, variables

ENGINES = ("podman", "docker")
IMAGE = "docker.io/library/python:{}.{}-slim".format(*sys.version_info[:2])
SCRATCH, PROVIDED = "/scratch", "/provided"
USER = 65_534
SECONDS = 20
LIMITS = (
    "--pull=never", "--network=none", "--ipc=none", "--read-only", "--workdir=/", f"--user={USER}:{USER}",
    f"--tmpfs={SCRATCH}:rw,nosuid,nodev,noexec,size=80m,mode=1777",
    "--ulimit=nofile=1024:1024", "--ulimit=nproc=4096:4096",
    f"--pids-limit={limits.THREADS + SUPERVISING}", "--memory=1g", "--memory-swap=1g",
    "--cap-drop=ALL", "--security-opt=no-new-privileges", "--log-driver=none",
)  # fmt: skip
"""Limits of a container: `ipc=none` gives no /dev/shm; without a log, an engine keeps nothing that is printed.

An engine that runs in a container itself may not raise a limit, as podman does where none is given.
"""
OF_ENGINE = {"podman": ("--read-only-tmpfs=false",), "docker": ()}
"""Options that one engine has alone: podman gives a read-only container a /tmp that is not."""
_numbers = itertools.count(1)


class Container:
    """A container for each sandbox, without a network, and read-only except for one folder in memory."""

    name = "container"
    holds: frozenset[Threat] = frozenset(THREATS)

    def problem(self) -> str:
        """Return what is missing here, and how to get it; "" if it works."""
        installed = [one for one in ENGINES if shutil.which(one)]
        if not installed:
            return "untried: no container engine is installed: apt install podman"
        running = [one for one in installed if _answers(one, "info")]
        if not running:
            names = " and ".join(installed)
            return f"untried: {names} is installed, but no engine answers: start it, or apt install podman"
        engine = _engine()
        if not engine:
            return f"untried: the image is not here: {running[0]} pull {IMAGE}"
        message = why_not_running(_command(engine, _name()), dict(os.environ))
        return f"{engine} says: {message}" if message else failed_attempts(self)

    def python_version(self) -> str:
        """Return the image whose Python its sandboxes run."""
        return IMAGE

    def start_sandbox(self, provided: str = "") -> Sandbox:
        """See Level.start_sandbox."""
        engine, name = _engine(), _name()
        if not engine:
            raise OSError(self.problem())
        with until_ended() as resources:
            resources.callback(partial(_answers, engine, "rm", "--force", name))
            return SupervisedSandbox(
                _command(engine, name, provided),
                f"{SCRATCH}/{HOME}",
                env=dict(os.environ),  # the engine's client needs ours; the sandbox has its own
                first=watch_disk(SCRATCH),
                before=limit_process("forbid(pretend=False)", None),  # all containers share one user
                on_end=resources.close,
            )


def _engine() -> str:
    """Return the first engine that answers and has the image; "" if none does."""
    return next((one for one in ENGINES if shutil.which(one) and _answers(one, "image", "inspect", IMAGE)), "")


def _command(engine: str, name: str, provided: str = "") -> list[str]:
    inside = PROVIDED if provided else ""
    options = [f"--env={key}={value}" for key, value in variables(SCRATCH, inside).items() if key != "PATH"]
    options += [f"--volume={provided}:{inside}:ro"] if provided else []
    options += [*LIMITS, *OF_ENGINE[engine]]
    return [engine, "run", "--interactive", "--rm", f"--name={name}", *options, IMAGE, "python3"]


def _name() -> str:
    return f"memlab-sandbox-{os.getpid()}-{next(_numbers)}"


def _answers(engine: str, *words: str) -> bool:
    """Return whether a command of an engine succeeds."""
    nowhere = subprocess.DEVNULL
    try:
        done = subprocess.run(  # noqa: S603 - the engine that was found
            [engine, *words], stdin=nowhere, stdout=nowhere, stderr=nowhere, timeout=SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
