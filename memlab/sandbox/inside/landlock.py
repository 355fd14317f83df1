"""Restricts what a process and its children can open, by landlock(7): files that Python needs, and one folder.

Everything else is denied. Newer kernels also deny TCP, and signals and abstract sockets to other processes. Landlock
does not hide that a file exists.
"""

from __future__ import annotations

import ctypes
import os
import platform
import stat
import struct
from collections.abc import Iterable

CREATE, ADD, RESTRICT = 444, 445, 446
"""Numbers of its system calls, the same on every machine."""
VERSION = 1
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR, TRUNCATE, IOCTL_DEV = 1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 14, 1 << 15
MAKE_CHAR, MAKE_SOCK, MAKE_BLOCK = 1 << 6, 1 << 9, 1 << 11
OF_A_FILE = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
ALL = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
"""The rights on files that can be denied, by the version that introduced them."""
TCP, SCOPES = {4: 0b11}, {6: 0b11}
"""Bind and connect; abstract sockets and signals: by the version that introduced them."""
LEAST = 3
"""The first version that denies truncating a file by its path."""


def version() -> int:
    """Return the version of landlock that the kernel has, 0 for none."""
    if platform.system() != "Linux":
        return 0
    found: int = ctypes.CDLL(None).syscall(CREATE, None, 0, VERSION)
    return max(0, found)


def confine(
    readable: Iterable[str],
    runnable: Iterable[str],
    listed: Iterable[str],
    homes: Iterable[str],
    *,
    network: bool = False,
) -> None:
    """Allow to read `readable`, read and run `runnable`, list `listed`, and do anything in `homes`; deny the rest."""
    has = version()
    if has < LEAST:
        raise OSError(f"landlock {has}, expected {LEAST} or later")
    files = _newest(ALL, has)
    ruleset = _call(
        CREATE, struct.pack("=QQQ", files, 0 if network else _newest(TCP, has), _newest(SCOPES, has)), _size(has), 0
    )
    for places, rights in (
        (readable, READ_FILE | READ_DIR),
        (runnable, READ_FILE | EXECUTE),
        (listed, READ_DIR),
        ([os.devnull], READ_FILE | WRITE_FILE),
        (homes, files & ~(EXECUTE | MAKE_CHAR | MAKE_SOCK | MAKE_BLOCK)),
    ):
        for place in places:
            _allow(ruleset, place, rights)
    ctypes.CDLL(None).prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS, which landlock requires
    _call(RESTRICT, ruleset, 0)
    os.close(ruleset)


def drop_capabilities() -> None:
    """Give up what root may do beyond a plain user, permanently."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS: no program that is started gets them back
    if libc.capset(struct.pack("=Ii", 0x20080522, 0), struct.pack("=6I", 0, 0, 0, 0, 0, 0)):
        raise OSError(ctypes.get_errno(), "capset")


def _allow(ruleset: int, place: str, rights: int) -> None:
    try:
        number = os.open(place, os.O_PATH | os.O_CLOEXEC)  # type: ignore[attr-defined,unused-ignore] # of Linux
    except FileNotFoundError:  # a missing file needs no permission
        return
    if not stat.S_ISDIR(os.fstat(number).st_mode):
        rights &= OF_A_FILE
    _call(ADD, ruleset, 1, struct.pack("=Qi", rights, number), 0)
    os.close(number)


def _newest(of: dict[int, int], has: int) -> int:
    return next((of[one] for one in sorted(of, reverse=True) if one <= has), 0)


def _size(has: int) -> int:
    return 24 if has >= min(SCOPES) else 16 if has >= min(TCP) else 8


def _call(number: int, *arguments: object) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    found: int = libc.syscall(number, *arguments)
    if found < 0:
        raise OSError(ctypes.get_errno(), "landlock")
    return found
