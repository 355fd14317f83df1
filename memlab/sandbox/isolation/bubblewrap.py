"""Isolation by bubblewrap: a room sees the files of one Python, itself, and nothing else of the machine."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from memlab.sandbox.isolation.inside import seccomp
from memlab.sandbox.isolation.interpreter import PACKAGES, Interpreter, interpreter
from memlab.sandbox.isolation.level import HOME, THREATS, Threat, bounded, until_ended, variables, watched
from memlab.sandbox.isolation.trial import refused, tried
from memlab.sandbox.isolation.users import plain_user, root
from memlab.sandbox.sandbox import Sandbox

SCRATCH = "/scratch"
SIZE = 80 << 20
"""Bytes of the one folder that can be written, in memory: some more than at which a room is ended."""
LINKS = ("/lib", "/lib32", "/lib64", "/libx32")
DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")
GATES = {
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
"""Settings by which a system keeps user namespaces from plain users: the value that does, and what opens them."""
OTHERWISE = "It needs bubblewrap 0.8 or later, and in a container the right to make user namespaces"


class Bubblewrap:
    """Namespaces of its own for all that there is: files, processes, network, users."""

    name = "bubblewrap"

    @property
    def holds(self) -> frozenset[Threat]:
        """Hold all; shared memory, and files without a name, only on machines whose system calls are known."""
        return frozenset(THREATS) if seccomp.known() else frozenset(THREATS) - {"disk"}

    def problem(self) -> str:
        """Say what is missing for it to work here, and how to get it."""
        if sys.platform != "linux":
            return "it needs Linux"
        if shutil.which("bwrap") is None:
            return "it is not installed: apt install bubblewrap"
        try:
            with plain_user() as user:
                said = refused([*sandbox(), interpreter().path], variables(SCRATCH), user)
        except OSError as error:
            return str(error)
        return f"{said}. {_way()}" if said else tried(self)

    def python_version(self) -> str:
        """Tell the version of the Python that its rooms run."""
        return interpreter().version

    def start_sandbox(self) -> Sandbox:
        """Give a fresh room. Raises OSError where that does not work here."""
        with until_ended() as kept:
            return Sandbox(
                [*sandbox(), interpreter().path],
                f"{SCRATCH}/{HOME}",
                env=variables(SCRATCH),
                first=watched(SCRATCH),
                before=bounded(pretend=False),
                user=kept.enter_context(plain_user()),
                on_end=kept.close,
            )


@cache
def sandbox() -> tuple[str, ...]:
    """Give the command before Python: nothing can be written but in SCRATCH, and there is no /proc."""
    files = [*_bound(interpreter()), *(one for device in DEVICES for one in ("--dev-bind-try", device, device))]
    scratch = ["--perms", "0700", "--size", f"{SIZE}", "--tmpfs", SCRATCH, "--chdir", SCRATCH, "--remount-ro", "/"]
    apart = ["--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session"]
    first = "--as-pid-1"  # bwrap waits for it, and no signal of the learner's reaches it
    return (shutil.which("bwrap") or "bwrap", *files, *scratch, *apart, first, "--cap-drop", "ALL", "--")


def _bound(python: Interpreter) -> list[str]:
    """Let a Python be seen: itself, its library, the folders of what that loads, and no installed package."""
    folders = _outermost([*python.stdlib, *(str(Path(one).parent) for one in python.libraries)])
    files = [*folders, python.path, "/etc/ld.so.cache", "/usr/share/zoneinfo"]
    bound = [one for file in files for one in ("--ro-bind-try", file, file)]
    links = [link for link in map(Path, LINKS) if link.is_symlink()]
    bound += [one for link in links for one in ("--symlink", str(link.readlink()), str(link))]
    for loader in sorted(one for folder in LINKS for one in Path(folder).glob("ld-*.so*")):
        bound += ["--ro-bind", os.path.realpath(loader), f"{os.path.realpath(loader.parent)}/{loader.name}"]
    for shut in sorted(str(one) for folder in folders for name in PACKAGES for one in Path(folder).glob(f"**/{name}")):
        bound += ["--tmpfs", shut, "--remount-ro", shut]
    return bound


def _outermost(folders: Iterable[str]) -> list[str]:
    """Leave out folders that lie in others."""
    found: list[str] = []
    for folder in sorted(set(folders)):
        if not any(folder.startswith(f"{outer}/") for outer in found):
            found.append(folder)
    return found


def _way() -> str:
    """Say how the system lets bubblewrap work, by the setting that stands in its way."""
    for gate, (shut, way) in GATES.items():
        if Path(gate).exists() and Path(gate).read_text(encoding="ascii").strip() == shut:
            return f"To open it: {way}"
    return OTHERWISE if not root() else f"{OTHERWISE}, also for plain users, since root never runs a room"
