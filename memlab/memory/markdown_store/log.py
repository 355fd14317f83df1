"""facts.jsonl: every fact of a markdown store, in the order in which they were written, also held in memory."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import IO

from memlab.memory.facts import Fact, MayReplace, subject, successor
from memlab.memory.retrieval.relevance import words
from memlab.memory.storage.journal import Journal, Record
from memlab.memory.trust import Provenance


class FactJournal:
    """Facts with what each superseded, tombstones, and the id of the fact that each markdown file shows.

    All attributes are read from the file, so they are equal in all processes that have caught up. A method that writes
    may only be called with the lock held and after catch_up().
    """

    def __init__(self, path: Path, replaces: MayReplace) -> None:
        self._file = Journal(path)
        self._replaces = replaces
        self.lock = self._file.lock
        self._forget()

    def _forget(self) -> None:
        self._open_file: IO[bytes] | None = None
        self._inode = self._end = 0
        self.facts: dict[str, Fact] = {}
        self.words: dict[str, frozenset[str]] = {}
        self.tombstones: set[str] = set()
        self.shown: dict[str, str] = {}
        self.named: dict[str, list[str]] = {}
        self._subjects: dict[str, tuple[str, str]] = {}

    @property
    def changed(self) -> bool:
        """Whether the file contains records that this process has not read."""
        return self._file.identity != (self._inode, self._end)

    @property
    def version(self) -> tuple[int, int]:
        """The file's inode, and how many of its bytes were read."""
        return self._inode, self._end

    def catch_up(self) -> None:
        """Read the records added since the last call; all of them if the file was rewritten or cut.

        The file stays open, so that no other file can get its inode.
        """
        inode, size = self._file.identity
        if inode != self._inode or size < self._end:
            self._release()
            self._open_file = self._file.path.open("rb") if inode else None
        for offset, length, record in self._file.replay(self._end):
            try:
                self._apply(record)
            except (KeyError, TypeError, ValueError) as error:
                what = f"{self._file.path}, byte {offset}: no record of this store ({error!r})"
                raise ValueError(f"{what}; correct or delete the line") from error
            self._end = offset + length
        self._inode = inode

    def put(self, fact: Fact) -> None:
        """Store a fact; it supersedes the current facts on its subject that it may replace."""
        if fact.id not in self.facts and fact.id not in self.tombstones:
            is_current = fact.superseded_by in {"", fact.id}
            replaced = [old.id for old in self.rivals(fact) if self._replaces(fact.rank, old.rank)]
            self._append({"fact": asdict(fact), "beats": replaced if is_current else []})

    def show(self, views: Mapping[str, str]) -> None:
        """Record the id of the fact that the file of each name shows now; "" for none."""
        self._append({"shown": dict(views)})

    def tombstone(self, ids: Collection[str]) -> None:
        """Replace facts by tombstones, and recompute what they had superseded."""
        for identity in sorted(set(ids) - self.facts.keys() - self.tombstones):
            self._append({"buried": identity})
        if self.facts.keys().isdisjoint(ids):
            return
        remaining = [fact for fact in self.facts.values() if fact.id not in ids]
        erased = self.tombstones.union(ids)
        for index, old in enumerate(remaining):
            if old.superseded_by in erased:
                remaining[index] = replace(old, superseded_by=successor(old, remaining[index + 1 :], self._replaces))
        records = {fact.id: {"fact": asdict(fact), "beats": []} for fact in remaining}
        self._file.rewrite(lambda record: _without_erased(record, records))
        self.catch_up()

    def current_fact(self, name: str) -> Fact | None:
        """Return the current fact with the highest rank under a name."""
        current = [fact for fact in self.history(name) if not fact.superseded_by]
        return max(current, key=lambda fact: fact.rank, default=None)

    def history(self, name: str) -> list[Fact]:
        """Return all facts under a name, in the order in which they were written."""
        return [self.facts[identity] for identity in self.named.get(name, ())]

    def rivals(self, fact: Fact) -> list[Fact]:
        """Return the other current facts on a fact's subject: the highest rank first, then the latest."""
        name, about = subject(fact.name), subject(fact.about)

        def is_rival(other: Fact) -> bool:
            other_name, other_about = self._subjects[other.id]
            return other.id != fact.id and (other_name == name or bool(about and other_about == about))

        latest = [other for other in reversed(self.facts.values()) if not other.superseded_by and is_rival(other)]
        return sorted(latest, key=lambda other: -other.rank)

    def close(self) -> None:
        """Close the file, and forget its records."""
        self._file.close()
        self._release()

    def _release(self) -> None:
        if self._open_file is not None:
            self._open_file.close()
        self._forget()

    def _append(self, record: Record) -> None:
        self._file.append(record)
        self.catch_up()

    def _apply(self, record: Record) -> None:
        """Apply one record of the file to the attributes."""
        if "fact" in record:
            origin = record["fact"]["origin"]
            origin = Provenance(**origin | {"derived_from": tuple(origin["derived_from"])})
            fact = Fact(**record["fact"] | {"origin": origin})
            for old in record["beats"]:
                self.facts[old] = replace(self.facts[old], superseded_by=fact.id)
            self.facts[fact.id] = fact
            self.words[fact.id] = frozenset(words(fact.key))
            self.named.setdefault(fact.name, []).append(fact.id)
            self._subjects[fact.id] = subject(fact.name), subject(fact.about)
        elif "buried" in record:
            self.tombstones.add(record["buried"])
        elif "shown" in record:
            self.shown |= record["shown"]


def _without_erased(record: Record, remaining: Mapping[str, Record]) -> Record:
    """Return what replaces a record if only these facts remain: its new record, or a tombstone."""
    if "fact" not in record:
        return record
    identity = record["fact"]["origin"]["id"]
    return remaining.get(identity, {"buried": identity})
