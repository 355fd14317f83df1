"""Isolation by landlock and seccomp: a sandbox opens files of one Python and its own; system calls are filtered."""

from __future__ import annotations

from pathlib import Path

from memlab.sandbox.inside import landlock, seccomp
from memlab.sandbox.isolation.interpreter import interpreter
from memlab.sandbox.isolation.level import (
    SHARED,
    THREATS,
    Threat,
    Wrapped,
    limit_process,
    limit_system,
    most_processes,
    own_folder,
    until_ended,
    watch_disk,
)
from memlab.sandbox.isolation.trial import failed_attempts, failed_system_attempts
from memlab.sandbox.isolation.view import View
from memlab.sandbox.sandbox import HOME, Sandbox, SupervisedSandbox, variables
from memlab.sandbox.standalone import statement

PROCESS_FILES = ("/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat")
"""What libraries read of the machine, and the supervisor of its own children."""


class Landlock:
    """The machine's own file system, with access to a few files only.

    Landlock does not prevent reading a file's size and times, or changing times, mode and owner of the same user's
    files. Mode and owner are protected by another user, or by a system call filter that only pretends the change.
    """

    name = "landlock"
    holds: frozenset[Threat] = frozenset(THREATS)

    def problem(self) -> str:
        """Return what is missing here, and how to get it; "" if it works."""
        return self._missing() or failed_attempts(self)

    def _missing(self) -> str:
        if landlock.version() < landlock.LEAST:
            return "it needs Linux 6.2 or later, started with landlock among its security modules (lsm=landlock,...)"
        if not seccomp.known():
            return "the system calls of this machine are not known to memlab: it needs x86_64 or aarch64"
        return ""

    def wrap(self, view: View) -> Wrapped:
        """Return how to start a process that opens only the files of this view, and TCP only with its network."""
        seen = view.visible()
        listed = [*view.listed, *(one for one in view.readable if one not in seen)]
        devices = ["/dev/urandom", "/dev/random", "/dev/zero", "/dev/full", *PROCESS_FILES]
        runnable = [*seen, *view.writable]
        shut = f"confine({[*seen, *devices]!r}, {runnable!r}, {listed!r}, {view.writable!r}, network={view.network})"
        confine = statement(landlock, f"{shut}; drop_capabilities()")
        return Wrapped((), limit_system(sockets=view.network, processes=True, shut=confine))

    def system_problem(self) -> str:
        """See Level.system_problem."""
        return self._missing() or failed_system_attempts(self)

    def python_version(self) -> str:
        """Return the version of the Python that its sandboxes run."""
        return interpreter().version

    def start_sandbox(self, provided: str = "") -> Sandbox:
        """See Level.start_sandbox."""
        python = interpreter()
        with until_ended() as resources:
            place, user = own_folder(resources)
            readable = [*python.modules, *SHARED, "/dev/urandom"]
            if provided:  # its modules may need other libraries of the system
                readable += [provided, *{str(Path(one).parent) for one in python.libraries}]
            runnable = [python.path, *python.libraries]
            shut = f"confine({readable!r}, {runnable!r}, {python.stdlib!r}, {[place]!r})"
            return SupervisedSandbox(
                [python.path],
                f"{place}/{HOME}",
                env=variables(place, provided),
                first=statement(landlock, shut) + watch_disk(place),
                before=limit_process(f"forbid(pretend={user is None})", most_processes(user)),
                user=user,
                on_end=resources.close,
            )
