"""The versions of memlab and of the systems of a run: two runs with equal versions execute the same code."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from memlab.systems.child.file_reference import FileReference, parse_reference
from memlab.systems.registry import ENTRY_POINTS, all_entries, registered
from memlab.version import __version__

PACKAGE = Path(__file__).resolve().parents[1]


@cache
def memlab_version() -> str:
    """Return the version of memlab with a digest of its source: "0.1.0 (source 3f2a91c04b7d)"."""
    files = sorted(path for path in PACKAGE.rglob("*.py") if "data" not in path.relative_to(PACKAGE).parts)
    return f"{__version__} (source {_digest(files)})"


def system_version(name: str) -> str:
    """Return the version of a system that is not part of memlab; "" for one that is.

    That of `path/to/file.py:Class` is a digest of the file and of the modules that it imports from its own folder and
    the current one, that of an entry point its package and version, that of an MCP server its command. Raises
    UnknownSystem.
    """
    if name in {one.name for one in all_entries()}:
        return ""
    if named := registered(name):
        return named.about
    if ".py" in name or "/" in name:
        return f"source {_digest(_sources(parse_reference(name)))}"
    from importlib.metadata import entry_points  # noqa: PLC0415 - slow to import, and only needed for outside names

    found = [one.dist for one in entry_points(group=ENTRY_POINTS, name=name)]
    return " ".join(f"{one.name} {one.version}" for one in found if one is not None)


def versioned(names: Iterable[str]) -> list[str]:
    """Return each name with the version of its system: "mine.py:Mine (source 5d21...)"; raises UnknownSystem."""
    return [f"{name} ({version})" if (version := system_version(name)) else name for name in names]


def _sources(reference: FileReference) -> list[Path]:
    """Return a system's file and the files of its own modules that it imports, directly or not."""
    found: dict[Path, None] = {}
    waiting = [Path(reference.path)]
    while waiting:
        file = waiting.pop()
        if file not in found:
            found[file] = None
            waiting += (one for one in _imported_files(file, reference.folders) if PACKAGE not in one.parents)
    return sorted(found)


def _imported_files(file: Path, folders: Iterable[str]) -> Iterator[Path]:
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return  # its own import fails too
    for one in ast.walk(tree):
        if isinstance(one, ast.Import):
            for alias in one.names:
                yield from _module_files(alias.name, folders)
        elif isinstance(one, ast.ImportFrom):
            inside = [str(file.parents[one.level - 1])] if 0 < one.level <= len(file.parents) else folders
            for alias in one.names:
                yield from _module_files(".".join(filter(None, (one.module, alias.name))), inside)


def _module_files(module: str, folders: Iterable[str]) -> Iterator[Path]:
    """Return the files of a dotted name: its packages, and the module itself where the last part is one."""
    parts = module.split(".")
    for place in (Path(folder, *parts[:count]) for folder in folders for count in range(1, len(parts) + 1)):
        beside = place.with_name("__init__.py")  # a relative import executes it; elsewhere there is none
        yield from (one for one in (beside, place.with_suffix(".py"), place / "__init__.py") if one.is_file())


def _digest(files: Iterable[Path]) -> str:
    """Return a digest of the contents of files, in this order."""
    found = hashlib.blake2s(digest_size=6)
    for path in files:
        found.update(hashlib.blake2s(path.read_bytes()).digest())
    return found.hexdigest()
