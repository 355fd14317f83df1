"""Reads and writes the folder of an untrusted process from outside: never follows a link or waits for a pipe.

Runs in the supervisor: it imports nothing but the standard library.
"""

from __future__ import annotations

import base64
import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing takes as long as starting Python
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    Request = Mapping[str, Any]
ACTIONS = ("make_folder", "write", "link", "remove", "read", "list_files", "list_around")
DATA = "MEMLAB_DATA"
"""The environment variable of a supervisor that names a folder with data files."""
LARGEST = 500_000
"""Bytes of a file that is read."""
MOST = 2_000
"""Files that are listed."""


class UnusableFile(Exception):
    """A file or folder cannot be read; the message says why, as the end of a sentence."""


class SandboxFolder:
    """The current folder of the process, below `home`; requests name paths relative to it.

    Each new folder has a link to every file in the folder `data`.
    """

    def __init__(self, home: str, data: str = "") -> None:
        self._home = home
        self._folder = home
        self._data = data
        self._provided = os.listdir(data) if data else []

    def actions(self) -> dict[str, Callable[[Request], object]]:
        """Return the actions that a request can name."""
        return {name: getattr(self, name) for name in ACTIONS}

    def make_folder(self, request: Request) -> str:
        """Empty `home`; make a new folder in it with some files; return its path."""
        for name in os.listdir(self._home):
            remove(os.path.join(self._home, name))
        self._folder = os.path.join(self._home, str(request["number"]))
        os.mkdir(self._folder)
        for name in self._provided:
            os.symlink(os.path.join(self._data, name), os.path.join(self._folder, name))
        for path, data in request["files"].items():
            self.write({"path": path, "data": data})
        return self._folder

    def write(self, request: Request) -> None:
        """Write a regular file; replace an existing one."""
        place = self._cleared(request["path"])
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        with os.fdopen(os.open(place, flags, 0o666), "wb") as file:
            file.write(base64.b64decode(request["data"]))

    def link(self, request: Request) -> None:
        """Make a link, symbolic or hard; replace an existing file."""
        place = self._cleared(request["path"])
        if request["hard"]:
            os.link(self._place(request["target"]), place)
        else:
            os.symlink(request["target"], place)

    def remove(self, request: Request) -> None:
        """Remove a file or a folder, if there is one."""
        remove(self._place(request["path"]))

    def read(self, request: Request) -> str | None:
        """Return the bytes of a regular file as base64; None if there is none. Raises UnusableFile for any other."""
        flags = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))
        try:
            number = os.open(self._place(request["path"]), flags)
        except (FileNotFoundError, NotADirectoryError):
            return None
        with os.fdopen(number, "rb") as file:
            if not stat.S_ISREG(os.fstat(number).st_mode):
                raise UnusableFile("is no regular file")
            data = file.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise UnusableFile(f"has more than {LARGEST:,} bytes")
        return base64.b64encode(data).decode()

    def list_files(self, request: Request) -> list[str]:
        """Return the sorted paths of the regular files below a folder. Raises UnusableFile if there are too many."""
        paths: list[str] = []
        for path in _walk(self._place(request["under"])):
            paths.append(os.path.relpath(path, self._folder).replace(os.sep, "/"))
            _check_count(paths)
        return sorted(paths)

    def list_around(self, _: Request) -> list[str]:
        """Return the names of the folder's entries and, as ../name, of those of its parent; none that was provided."""
        names = [f"../{name}" for name in os.listdir(self._home) if name != os.path.basename(self._folder)]
        names += [name for name in os.listdir(self._folder) if not self._is_provided(name)]
        _check_count(names)
        return sorted(names)

    def _is_provided(self, name: str) -> bool:
        return name in self._provided and os.path.islink(os.path.join(self._folder, name))

    def _cleared(self, path: str) -> str:
        place = self._place(path)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        remove(place)
        return place

    def _place(self, path: str) -> str:
        return os.path.normpath(os.path.join(self._folder, path))


def _check_count(paths: list[str]) -> None:
    if len(paths) > MOST:
        raise UnusableFile(f"has more than {MOST:,} files")


def _walk(folder: str) -> Iterator[str]:
    """Yield the regular files below a folder, at any depth."""
    folders = [folder]
    while folders:
        try:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
                    elif entry.is_file(follow_symlinks=False):
                        yield entry.path
        except OSError:  # a folder that cannot be opened counts as empty
            continue


def remove(place: str) -> None:
    """Remove a file, or a folder with its contents, even without permissions."""
    try:
        os.unlink(place)
    except (FileNotFoundError, NotADirectoryError):
        return
    except (IsADirectoryError, PermissionError):  # the error for a folder on Linux, and on other systems
        if os.path.islink(place):
            raise
        os.chmod(place, stat.S_IRWXU)
        for name in os.listdir(place):
            remove(os.path.join(place, name))
        os.rmdir(place)
