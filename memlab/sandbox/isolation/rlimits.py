"""Isolation by resource limits alone: where there is nothing else, and the submissions are of people one knows."""

from __future__ import annotations

import os
import sys

from memlab.sandbox.isolation.inside import limits
from memlab.sandbox.isolation.interpreter import interpreter
from memlab.sandbox.isolation.level import HOME, Threat, until_ended, variables, watched
from memlab.sandbox.isolation.scratch import scratch
from memlab.sandbox.isolation.trial import tried
from memlab.sandbox.isolation.users import plain_user, root
from memlab.sandbox.sandbox import Sandbox
from memlab.sandbox.standalone import statement


class Rlimits:
    """One process with limits. It can do what its user can: read what everybody may, write to /tmp, use the network."""

    name = "rlimits"

    @property
    def holds(self) -> frozenset[Threat]:
        """Hold what a process is bounded in; a user of its own, which root gives it, bounds its signals too."""
        bounds: frozenset[Threat] = frozenset({"processes", "cpu"})
        if sys.platform != "darwin":  # which bounds no memory
            bounds |= {"memory"}
        return bounds | {"orphans", "kill"} if root() else bounds

    def problem(self) -> str:
        """Say what is missing for it to work here, and how to get it."""
        return tried(self)

    def python_version(self) -> str:
        """Tell the version of the Python that its rooms run."""
        return interpreter().version

    def start_sandbox(self) -> Sandbox:
        """Give a fresh room. Raises OSError where that does not work here."""
        with until_ended() as kept:
            place = kept.enter_context(scratch())
            user = kept.enter_context(plain_user())
            if user is not None:
                os.chown(place, user, user)
            return Sandbox(
                [interpreter().path],
                f"{place}/{HOME}",
                env=variables(place),
                first=watched(place),
                before=statement(limits, "bound()"),
                user=user,
                on_end=kept.close,
            )
