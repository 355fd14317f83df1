"""Isolation by landlock and seccomp: a room opens the files of one Python and its own, and has few system calls."""

from __future__ import annotations

import os

from memlab.sandbox.isolation.inside import landlock, seccomp
from memlab.sandbox.isolation.interpreter import interpreter
from memlab.sandbox.isolation.level import HOME, THREATS, Threat, bounded, until_ended, variables, watched
from memlab.sandbox.isolation.scratch import scratch
from memlab.sandbox.isolation.trial import tried
from memlab.sandbox.isolation.users import plain_user
from memlab.sandbox.sandbox import Sandbox
from memlab.sandbox.standalone import statement


class Landlock:
    """The machine's own view, in which all but a few files is shut.

    What landlock lets pass: to ask for a file's size and times, and, of the same user, to change its times. Its mode
    and owner, which landlock lets pass too, are kept by another user, or by a filter that pretends the change.
    """

    name = "landlock"
    holds: frozenset[Threat] = frozenset(THREATS)

    def problem(self) -> str:
        """Say what is missing for it to work here, and how to get it."""
        if landlock.version() < landlock.LEAST:
            return "it needs Linux 6.2 or later, started with landlock among its security modules (lsm=landlock,...)"
        if not seccomp.known():
            return "the system calls of this machine are not known to memlab: it needs x86_64 or aarch64"
        return tried(self)

    def python_version(self) -> str:
        """Tell the version of the Python that its rooms run."""
        return interpreter().version

    def start_sandbox(self) -> Sandbox:
        """Give a fresh room. Raises OSError where that does not work here."""
        python = interpreter()
        with until_ended() as kept:
            place = kept.enter_context(scratch())
            user = kept.enter_context(plain_user())
            if user is not None:
                os.chown(place, user, user)
            readable = [*python.modules, "/etc/ld.so.cache", "/usr/share/zoneinfo", "/dev/urandom"]
            runnable = [python.path, *python.libraries]
            shut = f"confine({readable!r}, {runnable!r}, {python.stdlib!r}, {place!r})"
            return Sandbox(
                [python.path],
                f"{place}/{HOME}",
                env=variables(place),
                first=statement(landlock, shut) + watched(place),
                before=bounded(pretend=user is None),
                user=user,
                on_end=kept.close,
            )
