"""Statements that name a path, flag, variable, symbol or target that is gone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from memlab.audit.entry import Entry, Finding
from memlab.audit.repository import Repository
from memlab.memory.heuristics.assertions import is_created
from memlab.memory.heuristics.reference_check import check

_IN_CODE_TOO = {"path", "target"}
"""Code of an example may define symbols, variables and flags of its own."""
_PATH = re.compile(r"[\w.+/-]*\w[./][\w.+/-]*")


def missing(entries: Iterable[Entry], world: Repository) -> Iterator[Finding]:
    """Yield one finding for each name that the repository does not have, on the line where it stands.

    A path is left out if the same file says elsewhere that it is created, or names it where it cannot be checked: by a
    longer path that git ignores, as an example, in a heading.
    """
    found, excused = list[Finding](), set[tuple[str, str]]()
    for entry in entries:
        seen = set[str]()
        for offset, line in enumerate(entry.text.splitlines()):
            excused.update((entry.file, name) for path in _created(line) for name in _endings(path))
            for one in check(line, world):
                if one.verdict == "unverifiable" and one.kind == "path":
                    excused.update((entry.file, name) for name in _endings(one.name))
                in_prose = entry.is_prose or one.kind in _IN_CODE_TOO
                if one.verdict == "refuted" and in_prose and one.name not in seen:
                    seen.add(one.name)
                    message = f"names the {one.kind} {one.name}, which is not there"
                    where = entry.line + offset if entry.role != "records" else entry.line
                    found.append(Finding("missing", entry.file, where, message, line.strip(), one.name))
    yield from (one for one in found if (one.file, one.about.strip("/")) not in excused)


def _created(line: str) -> Iterator[str]:
    """Yield the paths of which a line says that something creates them."""
    return (match[0] for match in _PATH.finditer(line) if is_created(line, match.start()))


def _endings(path: str) -> Iterator[str]:
    """Yield a path and what is left of it without its first folders: a/b/c, b/c, c."""
    names = path.strip("/.").split("/")
    return ("/".join(names[number:]) for number in range(len(names)))
