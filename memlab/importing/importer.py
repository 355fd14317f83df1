"""The import: writes the statements of a memory that exists into a MemoryMix, with the source `import`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from memlab.audit.audit import Audit, audit
from memlab.audit.checks.secrets import hide_secrets
from memlab.audit.entry import Unreadable
from memlab.audit.reading import read
from memlab.importing.statements import Statement, statements
from memlab.memory import MemoryMix, Provenance, Refused
from memlab.memory.text import digest

MOST_STATEMENTS = 50_000


class LeftOut(NamedTuple):
    """A statement that was not imported: its place, and why."""

    file: str
    line: int
    reason: str


@dataclass
class Imported:
    """What an import did: statements by store, those in quarantine, known before, left out; and the audit's result."""

    found: Audit
    stored: Counter[str] = field(default_factory=Counter)
    waiting: int = 0
    known: int = 0
    left_out: list[LeftOut] = field(default_factory=list)


def import_memory(
    path: Path,
    mix: MemoryMix,
    *,
    root: Path | None = None,
    rules: bool = False,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> Imported:
    """Import a file or folder. A second import of the same statements adds nothing.

    With `rules` the list items of instruction files become rules, as the user's own. `root` is that of audit(). Raises
    OSError for a path that is not there, Refused if it is in the memory's directory or has too many statements.
    """
    own = _own_folder(path, mix.directory)
    entries, _ = read(path)
    found = [one for one in statements(path, entries) if not _is_in(one.file, own)]
    if len(found) > MOST_STATEMENTS:
        raise Refused(
            f"{path}: {len(found):,} statements, and an import has at most {MOST_STATEMENTS:,}; import it in parts"
        )
    done = Imported(_audit(path, root, own))
    writer = _Writer(path, mix, done, rules)
    for number, statement in enumerate(found, 1):
        writer.write(statement)
        progress(number, len(found))
    return done


def _own_folder(path: Path, directory: Path) -> str:
    """Return where the memory's own directory is inside a path, empty if elsewhere. Raises Refused the other way."""
    source, own = path.resolve(), directory.resolve()
    if source.is_relative_to(own):
        raise Refused(f"{path}: it is in {directory}, the memory to import into; give another directory")
    return own.relative_to(source).as_posix() if own.is_relative_to(source) else ""


def _is_in(place: str, folder: str) -> bool:
    return bool(folder) and place.startswith(f"{folder}/")


def _audit(path: Path, root: Path | None, own: str) -> Audit:
    found = audit(path, root)
    unreadable: Sequence[Unreadable] = [one for one in found.unreadable if not _is_in(one.file, own)]
    findings = [one for one in found.findings if not _is_in(one.file, own)]
    return Audit(tuple(findings), found.entries, tuple(unreadable))


class _Writer:
    def __init__(self, path: Path, mix: MemoryMix, done: Imported, rules: bool) -> None:  # noqa: FBT001 - an option
        self._path, self._mix, self._done = path, mix, done
        self._times: dict[str, float] = {}
        self._with_rules = rules
        self._known = {one.id for one in mix.rules.all()} | {one["id"] for one in mix.quarantined()}

    def write(self, one: Statement) -> None:
        """Write a statement, unless it is known or may not be stored; count what happened."""
        if one.store == "rule" and not self._with_rules:
            one = one._replace(store="fact")
        if hide_secrets(one.text) != one.text:
            return self._leave_out(one, "it contains a secret")
        origin = self._origin(one)
        if self._is_known(origin.id):
            self._done.known += 1
            return None
        try:
            _WRITE[one.store](self._mix, one, origin)
        except Refused as refused:
            if not self._is_waiting(origin.id):
                return self._leave_out(one, str(refused))
        self._known.add(origin.id)
        if self._is_waiting(origin.id):
            self._done.waiting += 1
        else:
            self._done.stored[one.store] += 1
        return None

    def _origin(self, one: Statement) -> Provenance:
        """Return the provenance: the file as session, its time, and an id that is the same at every import."""
        identity = f"import-{digest(one.name or f'fact-{digest(one.text)}', one.text)}"
        if one.file not in self._times:
            file = self._path / one.file if self._path.is_dir() else self._path
            self._times[one.file] = file.lstat().st_mtime
        return Provenance("import", one.file, self._times[one.file], identity)

    def _is_known(self, identity: str) -> bool:
        stores = self._mix.facts, self._mix.episodes, self._mix.skills
        return identity in self._known or any(store.get(identity) for store in stores)

    def _is_waiting(self, identity: str) -> bool:
        return any(one["id"] == identity for one in self._mix.quarantined())

    def _leave_out(self, one: Statement, reason: str) -> None:
        self._done.left_out.append(LeftOut(one.file, one.line, reason))


def _write_rule(mix: MemoryMix, one: Statement, origin: Provenance) -> None:
    mix.write_rule(one.text, origin=Provenance("user", origin.session, origin.time, origin.id))


def _write_fact(mix: MemoryMix, one: Statement, origin: Provenance) -> None:
    mix.write_fact(one.name, one.description, one.text, type=one.type, about=one.about, origin=origin)


def _write_episode(mix: MemoryMix, one: Statement, origin: Provenance) -> None:
    mix.log_episode("import", one.text, origin=origin)


def _write_skill(mix: MemoryMix, one: Statement, origin: Provenance) -> None:
    mix.write_skill(one.name, one.text, one.description, type=one.type, origin=origin)


_WRITE: Mapping[str, Callable[[MemoryMix, Statement, Provenance], None]] = {
    "rule": _write_rule,
    "fact": _write_fact,
    "episode": _write_episode,
    "skill": _write_skill,
}
