"""The template from which a learner's processes are forked: it has imported what they need, and loads no file."""

from __future__ import annotations

# what the labs use; not a package, which would show its modules to files that do not import them
import collections
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
from memlab.sandbox.learner_child import run_copy

IMPORTED = (collections, dataclasses, dt, functools, hashlib, inspect, itertools, pathlib, re, typing)


def run() -> None:
    """Start copies until the channel is closed."""
    supervise_many(run_copy)
