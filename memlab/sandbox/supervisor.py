"""The process beside the learner's: it starts and ends it, hands on what is asked, and keeps its folder.

Stands alone, as it may run in a sandbox: it imports nothing but the standard library, never runs what the learner
wrote, and is told nothing of what is expected. Started as `python -c THIS home`.
"""

from __future__ import annotations

import base64
import json
import os
import signal
import stat
import subprocess
import sys
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread

TYPE_CHECKING = False
if TYPE_CHECKING:  # to import typing takes as long as Python itself
    from collections.abc import Iterator
    from typing import IO, Any

    Asked = dict[str, Any]

LONGEST = 1_000_000
"""Bytes of one answer of the learner's process."""
LARGEST = 500_000
"""Bytes of a file that is read."""
MOST = 2_000
"""Files that are listed."""
GRACE = 0.5
"""Seconds in which a process that has hung up is to end by itself, so that it can be said how."""


class Unfit(Exception):
    """What lies in the folder cannot be given: why, as the end of a sentence."""


class Learner:
    """The learner's process, and how it is started."""

    def __init__(self, given: Asked) -> None:
        self._given = given
        self._process: subprocess.Popen[bytes] | None = None
        self._rest = b""

    def start_child(self, asked: Asked) -> None:
        """End the process that there is, and start another, whose hash() is salted anew."""
        self.end()
        given = self._given
        code = f"exec({given['before']!r})\nexec({given['child']!r})"
        self._process = subprocess.Popen(  # noqa: S603 - our own Python
            [sys.executable, "-S", "-s", "-P", "-c", code, given["name"], given["made"]],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=sys.argv[1],
            env=dict(os.environ) | {"PYTHONHASHSEED": str(asked["salt"])},
            start_new_session=True,
            bufsize=0,
        )
        self._rest = b""
        self._send(json.dumps(given["source"]).encode() + b"\n")

    def ask(self, line: bytes) -> bytes:
        """Hand a question on, and give the line that comes back: W and the answer, or L and how the process ended."""
        if self._process is None:
            return b'L{"ended": null}'
        self._send(line)
        answer = self._rest
        while b"\n" not in answer and len(answer) <= LONGEST:
            more = os.read(self._process.stdout.fileno(), 65536)  # type: ignore[union-attr] # asked for above
            if not more:
                return b"L" + json.dumps({"ended": self._how()}).encode()
            answer += more
        if len(answer) > LONGEST:
            return b'L{"long": true}'
        answer, _, self._rest = answer.partition(b"\n")
        return b"W" + answer

    def end(self) -> None:
        """End the process with all that it started, unless that has left its session."""
        if self._process is None:
            return
        with suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                pipe.close()  # type: ignore[union-attr] # asked for above
        self._process = None

    def _send(self, line: bytes) -> None:
        with suppress(OSError):  # it has hung up, which is seen when it is listened to
            while line:
                line = line[os.write(self._process.stdin.fileno(), line) :]  # type: ignore[union-attr] # asked for above

    def _how(self) -> int | None:
        """Give the exit code, or minus the signal; None where the process lives on behind a closed channel."""
        assert self._process is not None  # noqa: S101 - asked for above
        try:
            return self._process.wait(GRACE)
        except subprocess.TimeoutExpired:
            return None


class SandboxFolder:
    """The folder that the learner's process stands in; nothing here follows a link or waits for a pipe."""

    def __init__(self, home: str) -> None:
        self._home = home
        self._desk = home

    def make_folder(self, asked: Asked) -> str:
        """Take away all that is there, and begin an empty folder with some files in it; give its path."""
        for name in os.listdir(self._home):
            _remove(os.path.join(self._home, name))
        self._desk = os.path.join(self._home, str(asked["number"]))
        os.mkdir(self._desk)
        for path, data in asked["files"].items():
            self.write({"path": path, "data": data})
        return self._desk

    def write(self, asked: Asked) -> None:
        """Put a regular file in a place, whatever stood there."""
        place = self._place(asked["path"])
        os.makedirs(os.path.dirname(place), exist_ok=True)
        _remove(place)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        with os.fdopen(os.open(place, flags, asked.get("mode", 0o666)), "wb") as file:
            file.write(base64.b64decode(asked["data"]))

    def link(self, asked: Asked) -> None:
        """Make a link, symbolic or hard, in a place."""
        place = self._place(asked["path"])
        os.makedirs(os.path.dirname(place), exist_ok=True)
        _remove(place)
        if asked["hard"]:
            os.link(self._place(asked["target"]), place)
        else:
            os.symlink(asked["target"], place)

    def remove(self, asked: Asked) -> None:
        """Take away what stands in a place, if anything does."""
        _remove(self._place(asked["path"]))

    def read(self, asked: Asked) -> str | None:
        """Give the bytes of a regular file, as base64; None where nothing is. Raises Unfit for anything else."""
        flags = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))
        try:
            number = os.open(self._place(asked["path"]), flags)
        except (FileNotFoundError, NotADirectoryError):
            return None
        with os.fdopen(number, "rb") as file:
            if not stat.S_ISREG(os.fstat(number).st_mode):
                raise Unfit("is no regular file")
            data = file.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise Unfit(f"has more than {LARGEST:,} bytes")
        return base64.b64encode(data).decode()

    def list_files(self, asked: Asked) -> list[str]:
        """List the regular files under a folder, sorted, with slashes. Raises Unfit for too many."""
        found: list[str] = []
        for path in _walk(self._place(asked["under"])):
            found.append(os.path.relpath(path, self._desk).replace(os.sep, "/"))
            if len(found) > MOST:
                raise Unfit(f"has more than {MOST:,} files")
        return sorted(found)

    def list_around(self, asked: Asked) -> list[str]:
        """Name what stands in the desk, and beside it."""
        del asked
        names = [f"../{name}" for name in os.listdir(self._home) if name != os.path.basename(self._desk)]
        names += os.listdir(self._desk)
        if len(names) > MOST:
            raise Unfit(f"has more than {MOST:,} files")
        return sorted(names)

    def _place(self, path: str) -> str:
        return os.path.normpath(os.path.join(self._desk, path))


def _walk(folder: str) -> Iterator[str]:
    """Give the regular files below a folder, however deep."""
    folders = [folder]
    while folders:
        try:
            with os.scandir(folders.pop()) as inside:
                for one in inside:
                    if one.is_dir(follow_symlinks=False):
                        folders.append(one.path)
                    elif one.is_file(follow_symlinks=False):
                        yield one.path
        except OSError:  # what its owner may not open holds nothing for anybody
            continue


def _remove(place: str) -> None:
    """Take away what stands in a place, a folder with all that is in it, also where the learner has shut it."""
    try:
        os.unlink(place)
    except (FileNotFoundError, NotADirectoryError):
        return
    except (IsADirectoryError, PermissionError):  # what Linux and what others say of a folder
        if os.path.islink(place):
            raise
        os.chmod(place, stat.S_IRWXU)
        for name in os.listdir(place):
            _remove(os.path.join(place, name))
        os.rmdir(place)


def _hide() -> None:
    """Keep the learner's process, which may run as the same user, out of the memory and the pipes of this one."""
    with suppress(ImportError, AttributeError, OSError):
        import ctypes  # noqa: PLC0415 - not everywhere

        ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE


def live() -> None:
    """Answer line by line until the other side hangs up: W... for the learner, S... for this process."""
    asking, telling = sys.stdin.buffer, sys.stdout.buffer
    learner = Learner(json.loads(asking.readline()))
    lines: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_listen, args=(asking, lines, learner), daemon=True).start()
    desk = SandboxFolder(sys.argv[1])
    acts = {"start_child": learner.start_child} | {
        name: getattr(desk, name)
        for name in ("make_folder", "write", "link", "remove", "read", "list_files", "list_around")
    }
    while True:
        line = lines.get()
        if line.startswith(b"W"):
            reply = learner.ask(line[1:])
        else:
            asked = json.loads(line[1:])
            try:
                reply = b"S" + json.dumps({"ok": acts[asked["do"]](asked)}).encode()
            except Unfit as unfit:
                reply = b"S" + json.dumps({"unfit": str(unfit)}).encode()
            except (OSError, ValueError, RecursionError) as error:
                reply = b"S" + json.dumps({"unfit": f"cannot be used ({type(error).__name__}: {error})"}).encode()
        telling.write(reply + b"\n")
        telling.flush()


def _listen(asking: IO[bytes], lines: SimpleQueue[bytes], learner: Learner) -> None:
    """Take in what is asked; once the other side hangs up, also in the midst of an answer, all ends here."""
    for line in asking:
        lines.put(line)
    learner.end()
    os._exit(0)


if __name__ == "__main__":
    _hide()
    live()
