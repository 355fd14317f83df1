"""Statements that name a path, flag, variable, symbol or target that is gone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from memlab.audit.entry import Entry, Finding
from memlab.audit.repository import Repository
from memlab.memory.heuristics.reference_check import check

_IN_CODE_TOO = {"path", "target"}
"""Code of an example may define symbols, variables and flags of its own."""


def missing(entries: Iterable[Entry], world: Repository) -> Iterator[Finding]:
    """Yield one finding for each name that the repository does not have, on the line where it stands."""
    for entry in entries:
        seen = set[str]()
        for offset, line in enumerate(entry.text.splitlines()):
            for found in check(line, world):
                in_prose = entry.is_prose or found.kind in _IN_CODE_TOO
                if found.verdict == "refuted" and in_prose and found.name not in seen:
                    seen.add(found.name)
                    message = f"names the {found.kind} {found.name}, which is not there"
                    where = entry.line + offset if entry.role != "records" else entry.line
                    yield Finding("missing", entry.file, where, message, line.strip(), found.name)
