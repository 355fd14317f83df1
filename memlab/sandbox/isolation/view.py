"""What a sandboxed memory system may see of the machine: its Python with all packages, and its own folder."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store")
"""Programs and libraries of the system."""
SETTINGS = (
    "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "passwd", "group", "nsswitch.conf", "localtime", "timezone", "ssl",
    "pki", "ca-certificates", "mime.types", "alternatives", "resolv.conf", "hosts", "gai.conf",
)  # fmt: skip
"""Files of /etc that libraries read."""


@dataclass(frozen=True)
class View:
    """Files that a process may read, without those that are `hidden`, folders it may write to, and the network.

    `listed` are folders of which it may see the names of the entries. All paths are without links.
    """

    readable: tuple[str, ...]
    hidden: tuple[str, ...]
    writable: tuple[str, ...]
    network: bool = False
    listed: tuple[str, ...] = ()

    def masks(self) -> list[str]:
        """Return the hidden places that would be visible without a mask, outermost first."""
        found: list[str] = []
        for path in sorted({os.path.realpath(one) for one in self.hidden if os.path.lexists(one)}):
            around = [one for one in (*self.readable, *found) if is_inside(path, one)]
            shown = around and max(around, key=len) not in found
            if shown and not any(is_inside(path, one) for one in self.writable):
                found.append(path)
        return found

    def visible(self) -> list[str]:
        """Return places that together contain everything readable and nothing hidden."""
        masks = self.masks()
        return [one for place in self.readable for one in _without(place, masks, self.readable)]


def is_inside(path: str, folder: str) -> bool:
    """Return whether a path is a folder or in it."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def executable() -> str:
    """Return the path of this Python without links in its folder, so that a virtual environment stays one."""
    given = Path(sys.executable)
    return str(given.parent.resolve() / given.name)


def import_path() -> list[str]:
    """Return the folders and files from which this process imports, without links."""
    return list(dict.fromkeys(os.path.realpath(one) for one in sys.path if one))


@cache
def python_places() -> tuple[str, ...]:
    """Return the places of this Python, its packages, and the system's programs and libraries."""
    own = [sys.prefix, sys.base_prefix, str(Path(sys.executable).resolve().parent)]
    packages = [one for one in import_path() if Path(one).name in {"site-packages", "dist-packages"}]
    settings = [f"/etc/{name}" for name in SETTINGS]
    places = [*(os.path.realpath(one) for one in (*own, *packages)), *SYSTEM, *settings]
    return tuple(dict.fromkeys(one for one in places if Path(one).exists() and one != os.sep))


def _without(place: str, masks: list[str], readable: tuple[str, ...]) -> Iterator[str]:
    """Yield the parts of a place that are outside all masks, or readable themselves."""
    if place in masks:
        return
    if not any(is_inside(mask, place) for mask in masks):
        yield place
        return
    with os.scandir(place) as entries:
        for entry in entries:
            if entry.path not in readable and not entry.is_symlink():
                yield from _without(entry.path, masks, readable)
