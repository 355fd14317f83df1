"""Isolation by bubblewrap: a sandbox sees the files of one Python and its own, and nothing else of the machine."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from memlab.sandbox.inside import limits, seccomp
from memlab.sandbox.isolation.interpreter import PACKAGES, Interpreter, interpreter
from memlab.sandbox.isolation.level import (
    SHARED,
    SUPERVISING,
    THREATS,
    Threat,
    Wrapped,
    limit_process,
    limit_system,
    until_ended,
    watch_disk,
)
from memlab.sandbox.isolation.trial import failed_attempts, failed_system_attempts, why_not_running
from memlab.sandbox.isolation.users import is_root, plain_user
from memlab.sandbox.isolation.view import View
from memlab.sandbox.sandbox import HOME, Sandbox, SupervisedSandbox, variables

SCRATCH, PROVIDED = "/scratch", "/provided"
SIZE = 80 << 20
"""Bytes of the one writable folder, in memory: a little more than the size at which a sandbox is ended."""
LINKS = ("/lib", "/lib32", "/lib64", "/libx32")
DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")
TEMPORARY_FOLDERS = ("/tmp", "/dev/shm")  # noqa: S108 - of the sandbox alone
TEMPORARY_SIZE = 1 << 30
SETTINGS = {
    "/proc/sys/user/max_user_namespaces": ("0", "sysctl user.max_user_namespaces=10000"),
    "/proc/sys/kernel/unprivileged_userns_clone": ("0", "sysctl kernel.unprivileged_userns_clone=1"),
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns": (
        "1",
        (
            "give /usr/bin/bwrap an AppArmor profile that allows userns (Ubuntu: apt install apparmor-profiles, then "
            "copy bwrap-userns-restrict from /usr/share/apparmor/extra-profiles to /etc/apparmor.d and load it), or "
            "sysctl kernel.apparmor_restrict_unprivileged_userns=0"
        ),
    ),
}
"""Settings by which a system denies user namespaces to plain users: the value that does, and how to change it."""
REQUIREMENT = "It needs bubblewrap 0.8 or later, and in a container the right to make user namespaces"


class Bubblewrap:
    """Namespaces of its own for files, processes, network and users."""

    name = "bubblewrap"

    @property
    def holds(self) -> frozenset[Threat]:
        """All threats; "disk" only on machines whose system calls are known, since shared memory is no file."""
        return frozenset(THREATS) if seccomp.known() else frozenset(THREATS) - {"disk"}

    def problem(self) -> str:
        """Return what is missing here, and how to get it; "" if it works."""
        if absent := _absent():
            return absent
        try:
            with plain_user() as user:
                message = why_not_running([*sandbox(), interpreter().path], variables(SCRATCH), user)
        except OSError as error:
            return str(error)
        return f"{message}. {_advice()}" if message else failed_attempts(self)

    def wrap(self, view: View) -> Wrapped:
        """Return how to start a process that sees only this view, and no process or network of ours."""
        apart = ["--unshare-all", *(["--share-net"] if view.network else []), "--unshare-user", "--disable-userns"]
        apart += ["--die-with-parent", "--new-session", "--as-pid-1", "--cap-drop", "ALL", "--chdir", os.sep, "--"]
        return Wrapped((shutil.which("bwrap") or "bwrap", *_mounts(view), *apart), limit_system(sockets=True))

    def system_problem(self) -> str:
        """See Level.system_problem."""
        if absent := _absent():
            return absent
        message = failed_system_attempts(self)
        return f"{message}. {_advice()}" if message else ""

    def python_version(self) -> str:
        """Return the version of the Python that its sandboxes run."""
        return interpreter().version

    def start_sandbox(self, provided: str = "") -> Sandbox:
        """See Level.start_sandbox."""
        with until_ended() as resources:
            return SupervisedSandbox(
                [*sandbox(provided), interpreter().path],
                f"{SCRATCH}/{HOME}",
                env=variables(SCRATCH, PROVIDED if provided else ""),
                first=watch_disk(SCRATCH),
                before=limit_process("forbid(pretend=False)", limits.THREADS + SUPERVISING),  # of its own namespace
                user=resources.enter_context(plain_user()),
                on_end=resources.close,
            )


def _mounts(view: View) -> list[str]:
    """Return the options that make a view visible; temporary folders are empty, and all but `writable` is read-only."""
    masks = view.masks()
    bound = {one: ["--ro-bind-try", one, one] for one in view.readable}
    bound |= {one: ["--symlink", str(Path(one).readlink()), one] for one in view.readable if Path(one).is_symlink()}
    hidden = {one: ["--tmpfs", one] if Path(one).is_dir() else ["--ro-bind", os.devnull, one] for one in masks}
    places = hidden | {one: options for one, options in bound.items() if one not in hidden}
    options = ["--proc", "/proc", "--dev", "/dev"]
    for folder in TEMPORARY_FOLDERS:
        options += ["--size", f"{TEMPORARY_SIZE}", "--tmpfs", folder]
    options += [option for place in sorted(places) for option in places[place]]
    options += [option for place in sorted(view.writable) for option in ("--bind", place, place)]
    sealed = [*(one for one in masks if Path(one).is_dir()), "/dev", "/proc", "/"]
    return options + [option for place in sealed for option in ("--remount-ro", place)]


@cache
def sandbox(provided: str = "") -> tuple[str, ...]:
    """Return the command that runs Python in the sandbox: only SCRATCH is writable, and there is no /proc."""
    extra = ["--ro-bind", provided, PROVIDED] if provided else []
    files = [*extra, *_bound(interpreter()), *(one for device in DEVICES for one in ("--dev-bind-try", device, device))]
    scratch = ["--perms", "0700", "--size", f"{SIZE}", "--tmpfs", SCRATCH, "--chdir", SCRATCH, "--remount-ro", "/"]
    apart = ["--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session"]
    first = "--as-pid-1"  # so bwrap waits for it, and the learner's process cannot signal it
    return (shutil.which("bwrap") or "bwrap", *files, *scratch, *apart, first, "--cap-drop", "ALL", "--")


def _absent() -> str:
    if sys.platform != "linux":
        return "it needs Linux"
    return "" if shutil.which("bwrap") else "it is not installed: apt install bubblewrap"


def _bound(python: Interpreter) -> list[str]:
    """Return the options that make a Python visible: its file, its library, shared libraries; no installed packages."""
    folders = _outermost([*python.stdlib, *(str(Path(one).parent) for one in python.libraries)])
    files = [*folders, python.path, *SHARED]
    bound = [one for file in files for one in ("--ro-bind-try", file, file)]
    links = [link for link in map(Path, LINKS) if link.is_symlink()]
    bound += [one for link in links for one in ("--symlink", str(link.readlink()), str(link))]
    for loader in sorted(one for folder in LINKS for one in Path(folder).glob("ld-*.so*")):
        bound += ["--ro-bind", os.path.realpath(loader), f"{os.path.realpath(loader.parent)}/{loader.name}"]
    for shut in sorted(str(one) for folder in folders for name in PACKAGES for one in Path(folder).glob(f"**/{name}")):
        bound += ["--tmpfs", shut, "--remount-ro", shut]
    return bound


def _outermost(folders: Iterable[str]) -> list[str]:
    """Return the folders that are not inside another one."""
    found: list[str] = []
    for folder in sorted(set(folders)):
        if not any(folder.startswith(f"{outer}/") for outer in found):
            found.append(folder)
    return found


def _advice() -> str:
    """Return the system setting to change for bubblewrap, or what bubblewrap requires."""
    for setting, (denied, way) in SETTINGS.items():
        if Path(setting).exists() and Path(setting).read_text(encoding="ascii").strip() == denied:
            return f"This machine denies user namespaces. To allow them: {way}"
    return REQUIREMENT if not is_root() else f"{REQUIREMENT}, also for plain users, since root never runs a sandbox"
