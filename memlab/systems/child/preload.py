"""Finds the modules that a system's file imports, so that its sandbox imports them once and not for every cell."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from memlab.sandbox.isolation.view import import_path
from memlab.systems.child.file_reference import FileReference


@cache
def imported_modules(reference: FileReference) -> tuple[str, ...]:
    """Return the absolute imports at the top level of a file, in its order, without those from its own package.

    A sandbox does not have the file's folder in its import path when it imports them: modules beside the file, which
    are the system's own, are imported by each cell for itself.
    """
    path = Path(reference.path) if reference.path else _file_of(reference.module)
    try:
        tree = ast.parse(path.read_bytes()) if path else None
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        tree = None
    own = {reference.module.partition(".")[0], "__future__"}
    names = dict.fromkeys(name for name in (_imports(tree) if tree else ()) if name.partition(".")[0] not in own)
    uses_async = tree is not None and any(isinstance(one, ast.AsyncFunctionDef) for one in ast.walk(tree))
    return (*names, *(["asyncio"] if uses_async and "asyncio" not in names else []))


def _imports(block: ast.AST) -> Iterator[str]:
    for statement in ast.iter_child_nodes(block):
        if isinstance(statement, ast.Import):
            yield from (one.name for one in statement.names)
        elif isinstance(statement, ast.ImportFrom) and not statement.level:
            yield statement.module or ""
        elif isinstance(statement, ast.If | ast.Try | ast.With):
            yield from _imports(statement)


def _file_of(module: str) -> Path | None:
    """Return the file of a module, found without importing anything; None if it is not a plain file."""
    for folder in import_path():
        place = Path(folder, *module.split("."))
        for file in (place.with_suffix(".py"), place / "__init__.py"):
            if file.is_file():
                return file
    return None
