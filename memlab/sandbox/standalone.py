"""Modules of memlab as source text: a process without memlab gets them with `python -c`."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from types import ModuleType

LOAD = """\
import sys
sources = {sources!r}
for name in sources:
    module = sys.modules[name] = type(sys)(name)
    exec(compile(sources[name], name, "exec"), vars(module))
for name in sources:
    del sys.modules[name]
module.{call}
"""


def program(*modules: ModuleType, call: str) -> str:
    """Return a program that defines modules, each after those that it imports, and calls a function of the last one.

    The modules cannot be imported by anything else in the process.
    """
    return LOAD.format(sources=sources(modules), call=call)


def sources(modules: Iterable[ModuleType]) -> dict[str, str]:
    """Return the source text of each module by its name."""
    return {module.__name__: inspect.getsource(module) for module in modules}


def statement(module: ModuleType, call: str) -> str:
    """Return a statement that runs a module in a namespace of its own, and makes a call there."""
    source = f"{inspect.getsource(module)}\n{call}"
    return f"exec({source!r}, {{'__name__': {module.__name__!r}}})\n"
