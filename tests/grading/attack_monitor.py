"""Detects the side effects of an attack: leftover processes, files and shared memory, and contacted listeners."""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import secrets
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from attack import AttackParameters

from memlab.sandbox.folders import in_memory_folder

END_SECONDS = 2.0
"""Seconds in which killed processes must end: the kernel needs time for a fork bomb."""
SUBREAPER = 36
LIBC = ctypes.CDLL(None)
REMOVE_SHARED_MEMORY: Mapping[str, Callable[[int], object]] = {
    "shm": lambda number: LIBC.shmctl(number, 0, None),
    "sem": lambda number: LIBC.semctl(number, 0, 0),
    "msg": lambda number: LIBC.msgctl(number, 0, None),
}
"""How to remove System V shared memory, semaphores and message queues, by their file in /proc/sysvipc."""
MARKED_FOLDERS = (
    *("/", "/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/run", "/run/lock", "."),  # noqa: S108 - only listed
    *("/etc/cron.d", "/etc/profile.d", "/etc/ld.so.conf.d", "/var/spool/cron/crontabs", "/autograder/results"),
)
"""The folders in which an attack writes its mark, besides its home and the folders of the test."""


@dataclass
class AttackMonitor:
    """A folder with a secret, listeners that an attack must not reach, and the state of the machine before it."""

    folder: Path
    secret: str
    parameters: AttackParameters
    listeners: dict[str, socket.socket] = field(default_factory=dict)
    processes_before: frozenset[int] = frozenset()
    shared_before: frozenset[str] = frozenset()

    def leftover_processes(self) -> list[str]:
        """Return a line for each process that the attack left running; dead ones are reaped."""
        until = time.monotonic() + END_SECONDS
        while (left := list(_running_descendants() - self.processes_before)) and time.monotonic() < until:
            for one in left:
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(one, os.WNOHANG)
            time.sleep(0.02)
        return [_describe_process(one) for one in left]

    def leftover_files(self) -> list[str]:
        """Return the paths of files with the mark of the attack, and its System V shared memory."""
        home = Path("~").expanduser()
        temporary_folder = Path(tempfile.gettempdir())
        folders: list[str | Path] = [*MARKED_FOLDERS, *sys.path, temporary_folder, temporary_folder.parent]
        folders += [home, home / ".config/autostart", home / ".config/systemd/user", home / ".local/lib"]
        folders += [self.folder, *self.folder.parents]
        places = {Path(one).absolute() for one in folders if Path(one).is_dir() and os.access(one, os.R_OK)}
        temporary = [one for one in (in_memory_folder(), temporary_folder) if one]
        folders_in_temporary = [f"{one}/{name}" for one in temporary for name in _list_folder(one)]
        sandboxes = [one for one in folders_in_temporary if "/memlab-" in one]
        places |= {Path(sandbox, name) for sandbox in sandboxes for name in _list_folder(sandbox)}
        files = [f"{place}/{name}" for place in places for name in _list_folder(place) if self.parameters.mark in name]
        return sorted(files) + sorted(_shared_memory() - self.shared_before)

    def contacted_listeners(self) -> list[str]:
        """Return the names of the listeners that received a connection or a datagram."""
        return [name for name, listener in self.listeners.items() if _was_contacted(listener)]

    def end(self) -> None:
        """Remove what the attack left, so that a failed test does not make the next one fail."""
        for one in _running_descendants() - self.processes_before:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(one, signal.SIGKILL)
        for place in self.leftover_files():
            with contextlib.suppress(OSError):
                Path(place).unlink()
        for line in _shared_memory() - self.shared_before:
            kind, _, number, _ = line.split()
            REMOVE_SHARED_MEMORY[kind](int(number))
        for listener in self.listeners.values():
            listener.close()


@contextmanager
def monitor_attack(max_bytes: int) -> Iterator[AttackMonitor]:
    """Create a monitor. Its secret is in a file that everybody may read, and that a listing of its folder shows."""
    LIBC.prctl(SUBREAPER, 1, 0, 0, 0)  # orphans become children of this process
    with tempfile.TemporaryDirectory(prefix="attack-") as folder:
        place = Path(folder)
        place.chmod(0o755)
        secret = f"canary-{secrets.token_hex(16)}"
        (place / "canary.txt").write_text(secret)
        (place / "canary.txt").chmod(0o644)
        os.environ["MEMLAB_CANARY"] = secret
        mark = f"mh{secrets.token_hex(6)}"
        listeners = _open_listeners(place / "socket", mark)
        port = listeners["tcp"].getsockname()[1]
        process = f"/proc/{os.getpid()}"
        secret_files = (str(place / "canary.txt"), f"{process}/environ", f"{process}/cwd/canary.txt")
        parameters = AttackParameters(mark, port, mark, str(place / "socket"), secret_files, max_bytes)
        processes, shared = frozenset(_running_descendants()), frozenset(_shared_memory())
        monitor = AttackMonitor(place, secret, parameters, listeners, processes, shared)
        try:
            yield monitor
        finally:
            monitor.end()
            del os.environ["MEMLAB_CANARY"]


def _open_listeners(path: Path, abstract: str) -> dict[str, socket.socket]:
    tcp = socket.create_server(("127.0.0.1", 0))
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.bind(tcp.getsockname())
    named, unnamed = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
    named.bind(str(path))
    path.chmod(0o666)
    unnamed.bind(f"\0{abstract}")
    for one in (named, unnamed):
        one.listen()
    found = {"tcp": tcp, "udp": udp, "a unix socket": named, "an abstract socket": unnamed}
    for one in found.values():
        one.setblocking(False)  # noqa: FBT003 - the parameter has no name
    return found


def _was_contacted(listener: socket.socket) -> bool:
    try:
        listener.recv(1) if listener.type == socket.SOCK_DGRAM else listener.accept()[0].close()
    except BlockingIOError:
        return False
    return True


def _running_descendants() -> set[int]:
    """Return the ids of the running processes below this one, in every session."""
    below: dict[int, list[int]] = {}
    for place in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, parent = place.read_text(errors="replace").rpartition(")")[2].split()[:2]
            if state not in "ZX" or int(parent) == os.getpid():
                below.setdefault(int(parent), []).append(int(place.parent.name))
    found: set[int] = set()
    heads: Iterable[int] = [os.getpid()]
    while heads := [one for head in heads for one in below.get(head, []) if one not in found]:
        found.update(heads)
    return found


def _list_folder(folder: str | Path) -> list[str]:
    try:
        return [one.name for one in Path(folder).iterdir()]
    except OSError:  # removed by another process in the meantime
        return []


def _describe_process(process: int) -> str:
    with contextlib.suppress(OSError):
        command = Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        status = Path(f"/proc/{process}/status").read_text()
        user = re.search(r"^Uid:\s+(\d+)", status, re.MULTILINE)
        return f"{process} of user {user[1] if user else '?'}: {command[:200]}"
    return f"{process}, which has ended"


def _shared_memory() -> set[str]:
    """Return a line for each System V object of the kernel: its kind, key, number and permissions."""
    found = set()
    for kind in REMOVE_SHARED_MEMORY:
        with contextlib.suppress(OSError):
            lines = Path(f"/proc/sysvipc/{kind}").read_text().splitlines()[1:]
            found |= {f"{kind} {' '.join(line.split()[:3])}" for line in lines}
    return found
