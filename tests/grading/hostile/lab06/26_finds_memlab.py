"""Looks for memlab itself, by import, by its installed files, by what is loaded, and says where it is.

Attack: 26
Behind: constant_stub.py
Keeps: none
Never: within reach: .'
"""

import contextlib
import importlib.metadata
import importlib.util
import sys

FOUND = [name for name in sys.modules if "memlab" in name]
for name in (
    "memlab",
    "memlab.sandbox.learner_child",
    "memlab.sandbox.child_loop",
    "hypothesis",
    "pydantic",
    "typer",
    "pytest",
):
    with contextlib.suppress(BaseException):
        if importlib.util.find_spec(name):
            FOUND.append(name)
with contextlib.suppress(BaseException):
    FOUND += [one.metadata["name"] for one in importlib.metadata.distributions() if "memlab" in one.metadata["name"]]


def write_memory(*args, **named):
    raise ImportError(f"within reach: {FOUND}")


recall = write_memory
