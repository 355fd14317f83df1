"""Tests whether a level prevents the threats that it claims: a file in one of its sandboxes attempts each."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from memlab.sandbox import inside
from memlab.sandbox.client import CheckFailed, LearnerFile
from memlab.sandbox.isolation.level import Level, SystemLevel, Threat
from memlab.sandbox.isolation.view import View, executable, python_places
from memlab.sandbox.sandbox import FLAGS

PROBE = Path(inside.__file__).parent / "probe.py"
SECONDS = 20
SYSTEM_THREATS: frozenset[Threat] = frozenset({"files", "network"})
"""What a memory system must be kept from; it may start processes and use memory."""
FUTURE = "from __future__ import annotations\n"
TOO_MUCH = 600 << 20
TOO_LARGE = 16 << 20


@cache
def failed_attempts(level: Level) -> str:
    """Return the threats that a level claims to prevent but does not, or how its sandbox failed; cached."""
    try:
        with _targets() as targets, LearnerFile(PROBE, limit=SECONDS, start_sandbox=level.start_sandbox) as work:
            work.reset()
            got = {threat: work.call(threat, *targets[threat]) for threat in sorted(level.holds)}
    except (OSError, CheckFailed) as error:
        return f"a sandbox to try it could not be started: {error}"
    return "; ".join(f"{threat} is not blocked: {outcome}" for threat, outcome in got.items() if outcome != "")


@cache
def failed_system_attempts(level: SystemLevel) -> str:
    """Return which protections of a level fail for memory systems, or why its sandbox did not run; cached."""
    held = sorted(SYSTEM_THREATS & level.holds)
    attempts = "".join(f"print({threat}(*targets[{threat!r}]), end='')\n" for threat in held)
    try:
        with _targets() as targets, tempfile.TemporaryDirectory(prefix="memlab-trial-") as home:
            wrapped = level.wrap(View(python_places(), (), (os.path.realpath(home),)))
            program = PROBE.read_text(encoding="utf-8").partition(FUTURE)[2]
            # our own package and a private /tmp are no secrets
            aims = {**targets, "files": [one[:1] for one in targets["files"] if isinstance(one, list)]}
            program += f"targets = { {threat: aims[threat] for threat in held} }\n{attempts}"
            done = subprocess.run(  # noqa: S603 - the sandbox's own command
                [*wrapped.command, executable(), "-S", "-P", "-c", wrapped.first + program],
                cwd=os.sep,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=SECONDS,
                check=False,
            )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"a sandbox to try it could not be started: {error}"
    errors = (done.stderr.strip().splitlines() or [f"it ended with {done.returncode}"])[-1]
    return done.stdout or (errors if done.returncode else "")


def why_not_running(command: Sequence[str], env: Mapping[str, str], user: int | None = None) -> str:
    """Return "" if a command runs Python, else the last line that it writes."""
    try:
        done = subprocess.run(  # noqa: S603 - the sandbox's own command
            [*command, *FLAGS, "-c", "pass"],
            cwd=os.sep,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS,
            check=False,
            user=user,
            group=user,
            extra_groups=None if user is None else [],
        )
    except subprocess.TimeoutExpired:
        return f"it did not start within {SECONDS} s"
    lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return "" if done.returncode == 0 else (lines or [f"it ended with {done.returncode}"])[-1]


@contextmanager
def _targets() -> Iterator[Mapping[str, Sequence[object]]]:
    """Set up targets that no sandbox may reach; yield the arguments of each attempt."""
    name = f"memlab-{uuid.uuid4().hex}"
    with (
        tempfile.TemporaryDirectory(prefix="memlab-trial-") as open_to_all,
        socket.create_server(("127.0.0.1", 0)) as server,
        _listening(name),
    ):
        Path(open_to_all).chmod(0o777)  # only the sandbox can prevent access
        secret = Path(open_to_all, "secret")
        secret.write_text("expected: 42", encoding="utf-8")
        secret.chmod(0o644)
        yield {
            "network": (server.getsockname()[1], name),
            "files": ([str(secret), str(PROBE)], [open_to_all, tempfile.gettempdir()]),
            "processes": (),
            "orphans": (),
            "memory": (TOO_MUCH,),
            "cpu": (),
            "disk": (TOO_LARGE,),
            "kill": (os.getpid(),),
        }


@contextmanager
def _listening(name: str) -> Iterator[None]:
    """Open an abstract socket (a name without a file), if the system has such sockets."""
    if sys.platform != "linux":
        yield
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as local:
        local.bind(f"\0{name}")
        yield
