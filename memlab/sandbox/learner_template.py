"""The template from which a learner's processes are forked: it has imported what they need, and loads no file."""

from __future__ import annotations

# what the labs use; not a package, which would show its modules to files that do not import them
import collections
import contextlib
import dataclasses
import datetime as dt
import functools
import hashlib
import inspect
import itertools
import pathlib
import re
import typing

from memlab.sandbox.forked_children import supervise_many
from memlab.sandbox.inside.limits import set_limits
from memlab.sandbox.inside.seccomp import forbid, known
from memlab.sandbox.learner_child import run_copy

IMPORTED = (collections, contextlib, dataclasses, dt, functools, hashlib, inspect, itertools, pathlib, re, typing)


def run() -> None:
    """Start copies until the channel is closed."""
    supervise_many(run_bounded)


def run_bounded(descriptor: int, code: object) -> None:
    """Answer requests within the bounds of a grader's sandbox, except that nothing of the machine is hidden."""
    set_limits(None)
    if known():
        with contextlib.suppress(OSError):  # a kernel without filters
            forbid(pretend=False)
    run_copy(descriptor, code)
