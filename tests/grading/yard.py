"""What stands around an attack while it is graded, so that nothing that it does beside its grade goes unseen."""

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

from attack import Knows

from memlab.sandbox.folders import in_memory_folder

MEANWHILE = 2.0
"""Seconds in which what was killed is to be gone: the kernel takes its time over a bomb."""
SUBREAPER = 36
LIBC = ctypes.CDLL(None)
REMOVES: Mapping[str, Callable[[int], object]] = {
    "shm": lambda number: LIBC.shmctl(number, 0, None),
    "sem": lambda number: LIBC.semctl(number, 0, 0),
    "msg": lambda number: LIBC.msgctl(number, 0, None),
}
"""What the kernel shares between processes, by its file in /proc/sysvipc, and how it is removed."""
PLACES = (
    *("/", "/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/run", "/run/lock", "."),  # noqa: S108 - to be looked at
    *("/etc/cron.d", "/etc/profile.d", "/etc/ld.so.conf.d", "/var/spool/cron/crontabs", "/autograder/results"),
)
"""Where an attack writes its mark, beside its home and the folders of the test."""


@dataclass
class Yard:
    """A folder with a secret in it, listeners that nobody is to reach, and what there was before."""

    folder: Path
    secret: str
    knows: Knows
    doors: dict[str, socket.socket] = field(default_factory=dict)
    before: frozenset[int] = frozenset()
    shared: frozenset[str] = frozenset()

    def left_running(self) -> list[str]:
        """Name what still runs that did not run before; what only has to be reaped is reaped."""
        until = time.monotonic() + MEANWHILE
        while (left := list(_descendants() - self.before)) and time.monotonic() < until:
            for one in left:
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(one, os.WNOHANG)
            time.sleep(0.02)
        return [_line(one) for one in left]

    def left_lying(self) -> list[str]:
        """Name the files with its mark wherever an attack writes one, and the memory that the kernel keeps for it."""
        home = Path("~").expanduser()
        folders: list[str | Path] = [*PLACES, *sys.path, tempfile.gettempdir(), Path(tempfile.gettempdir()).parent]
        folders += [home, home / ".config/autostart", home / ".config/systemd/user", home / ".local/lib"]
        folders += [self.folder, *self.folder.parents]
        places = {Path(one).absolute() for one in folders if Path(one).is_dir() and os.access(one, os.R_OK)}
        rooms = [f"{one}/{name}" for one in (in_memory_folder(), tempfile.gettempdir()) if one for name in _inside(one)]
        places |= {Path(room, name) for room in rooms if "/memlab-" in room for name in _inside(room)}
        files = [f"{place}/{name}" for place in places for name in _inside(place) if self.knows.mark in name]
        return sorted(files) + sorted(_shared() - self.shared)

    def reached(self) -> list[str]:
        """Name the listeners that somebody spoke to."""
        return [name for name, door in self.doors.items() if _spoken_to(door)]

    def end(self) -> None:
        """Take away whatever is left, so that one test that fails does not fail the next."""
        for one in _descendants() - self.before:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(one, signal.SIGKILL)
        for place in self.left_lying():
            with contextlib.suppress(OSError):
                Path(place).unlink()
        for line in _shared() - self.shared:
            kind, _, number, _ = line.split()
            REMOVES[kind](int(number))
        for door in self.doors.values():
            door.close()


@contextmanager
def yard(most: int) -> Iterator[Yard]:
    """Make a yard: whoever can list a folder finds the secret, by its name, in a file that anybody may read."""
    LIBC.prctl(SUBREAPER, 1, 0, 0, 0)  # what outlives its parent becomes a child of ours
    with tempfile.TemporaryDirectory(prefix="yard-") as folder:
        place = Path(folder)
        place.chmod(0o755)
        secret = f"canary-{secrets.token_hex(16)}"
        (place / "canary.txt").write_text(secret)
        (place / "canary.txt").chmod(0o644)
        os.environ["MEMLAB_CANARY"] = secret
        mark = f"mh{secrets.token_hex(6)}"
        doors = _doors(place / "socket", mark)
        port = doors["tcp"].getsockname()[1]
        look = (str(place / "canary.txt"), f"/proc/{os.getpid()}/environ", f"/proc/{os.getpid()}/cwd/canary.txt")
        known = Knows(mark, port, mark, str(place / "socket"), look, most)
        made = Yard(place, secret, known, doors, frozenset(_descendants()), frozenset(_shared()))
        try:
            yield made
        finally:
            made.end()
            del os.environ["MEMLAB_CANARY"]


def _doors(path: Path, abstract: str) -> dict[str, socket.socket]:
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
        one.setblocking(False)  # noqa: FBT003 - so it is called
    return found


def _spoken_to(door: socket.socket) -> bool:
    try:
        door.recv(1) if door.type == socket.SOCK_DGRAM else door.accept()[0].close()
    except BlockingIOError:
        return False
    return True


def _descendants() -> set[int]:
    """Give the processes below this one that are not dead, whatever session they have gone to."""
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


def _inside(folder: str | Path) -> list[str]:
    try:
        return [one.name for one in Path(folder).iterdir()]
    except OSError:  # another's, which has gone since
        return []


def _line(process: int) -> str:
    with contextlib.suppress(OSError):
        told = Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        status = Path(f"/proc/{process}/status").read_text()
        user = re.search(r"^Uid:\s+(\d+)", status, re.MULTILINE)
        return f"{process} of user {user[1] if user else '?'}: {told[:200]}"
    return f"{process}, which has gone since"


def _shared() -> set[str]:
    """List what the kernel shares between processes, a line each: its kind, key, number and permissions."""
    found = set()
    for kind in REMOVES:
        with contextlib.suppress(OSError):
            lines = Path(f"/proc/sysvipc/{kind}").read_text().splitlines()[1:]
            found |= {f"{kind} {' '.join(line.split()[:3])}" for line in lines}
    return found
