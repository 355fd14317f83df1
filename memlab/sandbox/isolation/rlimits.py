"""Isolation by resource limits alone: for files of people you know, if nothing better is available."""

from __future__ import annotations

import sys

from memlab.sandbox.inside import limits
from memlab.sandbox.isolation.interpreter import interpreter
from memlab.sandbox.isolation.level import (
    Threat,
    Wrapped,
    limit_process,
    most_processes,
    own_folder,
    until_ended,
    watch_disk,
)
from memlab.sandbox.isolation.trial import failed_attempts, failed_system_attempts
from memlab.sandbox.isolation.users import is_root
from memlab.sandbox.isolation.view import View
from memlab.sandbox.sandbox import HOME, Sandbox, SupervisedSandbox, variables
from memlab.sandbox.standalone import statement


class Rlimits:
    """One process with limits. It can do what its user can: read public files, write to /tmp, use the network."""

    name = "rlimits"

    @property
    def holds(self) -> frozenset[Threat]:
        """Processes, CPU time and memory; if we are root, also signals, since the sandbox has its own user."""
        bounds: frozenset[Threat] = frozenset({"processes", "cpu"})
        if sys.platform != "darwin":  # macOS does not limit memory
            bounds |= {"memory"}
        return bounds | {"orphans", "kill"} if is_root() else bounds

    def problem(self) -> str:
        """Return what is missing here, and how to get it; "" if it works."""
        return failed_attempts(self)

    def wrap(self, view: View) -> Wrapped:  # noqa: ARG002 - it hides nothing
        """Return how to start a process with limits of its processes and files."""
        return Wrapped((), statement(limits, "limit_system(processes=True)"))

    def system_problem(self) -> str:
        """See Level.system_problem."""
        return failed_system_attempts(self)

    def python_version(self) -> str:
        """Return the version of the Python that its sandboxes run."""
        return interpreter().version

    def start_sandbox(self, provided: str = "") -> Sandbox:
        """See Level.start_sandbox."""
        with until_ended() as resources:
            place, user = own_folder(resources)
            return SupervisedSandbox(
                [interpreter().path],
                f"{place}/{HOME}",
                env=variables(place, provided),
                first=watch_disk(place),
                before=limit_process("forbid_processes()", most_processes(user)),
                user=user,
                on_end=resources.close,
            )
