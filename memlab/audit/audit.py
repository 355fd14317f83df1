"""The audit: reads a memory, and runs every check on it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from memlab.audit.checks.contradictions import contradictions
from memlab.audit.checks.duplicates import duplicates
from memlab.audit.checks.instructions import instructions
from memlab.audit.checks.missing import missing
from memlab.audit.checks.reach import over_budget, unreachable
from memlab.audit.checks.secrets import hide_secrets, secrets
from memlab.audit.entry import Entry, Finding, Unreadable
from memlab.audit.reading import read
from memlab.audit.repository import Repository

MOST_STATEMENTS = 50_000


class Audit(NamedTuple):
    """The result of an audit: findings by file and line, the number of statements, and the files left out."""

    findings: tuple[Finding, ...]
    entries: int
    unreadable: tuple[Unreadable, ...]


def audit(path: Path, root: Path | None = None, budget: int | None = None) -> Audit:
    """Audit the memory in a file or folder. `root` is the repository that it speaks of, by default the one it is in.

    `budget` is how many tokens of an instruction file an agent loads. The first MOST_STATEMENTS are audited; where the
    others begin is in `unreadable`. Raises OSError for a path that is not there.
    """
    entries, unreadable = read(path)
    for first in entries[MOST_STATEMENTS : MOST_STATEMENTS + 1]:
        reason = f"from line {first.line} on: the first {MOST_STATEMENTS:,} of {len(entries):,} statements are audited"
        unreadable.append(Unreadable(first.file, f"{reason}; audit it in parts"))
    del entries[MOST_STATEMENTS:]
    found = sorted(_findings(entries, _repository(path, root, entries), budget), key=lambda one: (one.file, one.line))
    shown = tuple(one._replace(evidence=hide_secrets(one.evidence)) for one in found)
    return Audit(shown, len(entries), tuple(unreadable))


def _findings(entries: Sequence[Entry], world: Repository, budget: int | None) -> Iterator[Finding]:
    yield from missing(entries, world)
    yield from duplicates(entries)
    yield from contradictions(entries)
    yield from instructions(entries)
    yield from secrets(entries)
    yield from unreachable(entries)
    if budget is not None:
        yield from over_budget(entries, budget)


def repository_of(path: Path) -> Path:
    """Return the repository that a file or folder is in: the nearest folder with `.git`, else its own folder."""
    folder = (path if path.is_dir() else path.parent).resolve()
    return next((one for one in (folder, *folder.parents) if (one / ".git").exists()), folder)


def _repository(path: Path, root: Path | None, entries: Sequence[Entry]) -> Repository:
    top, folder = (root or repository_of(path)).resolve(), (path if path.is_dir() else path.parent).resolve()
    base = folder.relative_to(top).as_posix() if folder.is_relative_to(top) else ""
    return Repository(top, frozenset(entry.file if base in {"", "."} else f"{base}/{entry.file}" for entry in entries))
