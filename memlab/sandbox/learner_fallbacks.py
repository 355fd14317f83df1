"""What a learner's process uses in place of things that a sandbox lacks: a user's name, locks shared by processes.

Imports nothing but the standard library, and little of it.
"""

from __future__ import annotations

import os
import sys
from types import ModuleType

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing takes as long as starting Python
    from typing import Any
RECURSIVE = 0
"""The kind of a lock that its owner may acquire again."""


def install_fallbacks() -> None:
    """Name the user and group of this process, and let the locks of `multiprocessing` work without shared memory."""
    locks = ModuleType("_multiprocessing")
    vars(locks).update(SemLock=SemLock, sem_unlink=str, flags={})
    sys.modules["_multiprocessing"] = locks
    os.utime = _only_existing(os.utime)
    try:
        import grp  # noqa: PLC0415 - not everywhere
        import pwd  # noqa: PLC0415 - not everywhere
    except ImportError:
        return
    name, user, group = os.environ.get("USER", ""), os.getuid(), os.getgid()
    home = os.path.expanduser("~")
    _answer_also(pwd, "getpwuid", user, pwd.struct_passwd((name, "x", user, group, "", home, "")))
    _answer_also(grp, "getgrgid", group, grp.struct_group((name, "x", group, [])))


def _only_existing(utime: Any) -> Any:  # noqa: ANN401 - a function of os
    """Return os.utime that fails for a missing file, which Path.touch relies on and a sandbox may only pretend."""

    def checked(path: Any, *times: Any, **named: Any) -> None:  # noqa: ANN401 - the arguments of os.utime
        os.stat(path, **{name: value for name, value in named.items() if name in {"dir_fd", "follow_symlinks"}})
        utime(path, *times, **named)

    for known in (os.supports_fd, os.supports_dir_fd, os.supports_follow_symlinks):
        if utime in known:
            known.add(checked)
    return checked


def _answer_also(module: Any, function: str, number: int, entry: object) -> None:  # noqa: ANN401 - a module
    """Let a function of a module return `entry` for `number`, if the machine has none."""
    ask = getattr(module, function)

    def answer(asked: int) -> object:
        try:
            return ask(asked)
        except KeyError:
            if asked != number:
                raise
            return entry

    setattr(module, function, answer)


class SemLock:
    """A semaphore of the module `_multiprocessing` for a process that cannot start another: shared by its threads."""

    SEM_VALUE_MAX = 2**31 - 1

    def __init__(self, kind: int, value: int, maxvalue: int, name: str, unlink: bool) -> None:  # noqa: ARG002, FBT001 - the signature of the original
        import threading  # noqa: PLC0415 - slow to import, and `multiprocessing` has imported it

        self.kind, self.maxvalue, self.handle, self.name = kind, maxvalue, id(self), None
        self._identify = threading.get_ident
        self._free = threading.Semaphore(value)
        self._owner = self._times = 0

    def acquire(self, block: bool = True, timeout: float | None = None) -> bool:  # noqa: FBT001, FBT002 - likewise
        """Acquire it; return False if that takes longer than `timeout` seconds."""
        if self.kind != RECURSIVE or not self._is_mine():
            limit = None if timeout is None or not block else max(0.0, timeout)
            if not self._free.acquire(block, limit):
                return False
            self._owner = self._identify()
        self._times += 1
        return True

    def release(self) -> None:
        """Release it once."""
        if self.kind == RECURSIVE and not self._is_mine():
            raise AssertionError("attempt to release recursive lock not owned by thread")
        if self.kind != RECURSIVE and self._get_value() >= self.maxvalue:
            raise ValueError("semaphore or lock released too many times")
        self._times -= 1
        if self.kind != RECURSIVE or not self._times:
            self._free.release()

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()

    def _count(self) -> int:
        return self._times

    def _is_mine(self) -> bool:
        return self._times > 0 and self._owner == self._identify()

    def _get_value(self) -> int:
        return self._free._value  # noqa: SLF001 - it has no other way

    def _is_zero(self) -> bool:
        return not self._get_value()

    def _after_fork(self) -> None:
        """Nothing is forked."""
