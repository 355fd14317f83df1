"""All that was told to a store of files, in the order told: facts.jsonl, and the same in memory."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import IO

from memlab.memory.facts import Fact, MayReplace, subject, successor
from memlab.memory.storage.journal import Journal, Record
from memlab.memory.text import words
from memlab.memory.trust import Provenance


class FactJournal:
    """Statements with what each superseded, tombstones, and which statement each view last showed.

    What stands in memory was read from the file, so it is the same in every process that has caught up. Whoever calls
    anything that writes holds the lock and has caught up.
    """

    def __init__(self, path: Path, replaces: MayReplace) -> None:
        self._file = Journal(path)
        self._replaces = replaces
        self.lock = self._file.lock
        self._forget()

    def _forget(self) -> None:
        self._held: IO[bytes] | None = None
        self._inode = self._end = 0
        self.told: dict[str, Fact] = {}
        self.words: dict[str, frozenset[str]] = {}
        self.tombstones: set[str] = set()
        self.shown: dict[str, str] = {}
        self._named: dict[str, list[str]] = {}
        self._subjects: dict[str, tuple[str, str]] = {}

    @property
    def changed(self) -> bool:
        """Tell whether the file holds what this process has not read."""
        return self._file.identity != (self._inode, self._end)

    @property
    def version(self) -> tuple[int, int]:
        """Give what was read: the file's inode, and how many of its bytes."""
        return self._inode, self._end

    def catch_up(self) -> None:
        """Read what was told since; everything, if the file was rewritten or cut.

        The file is held open meanwhile, so that no other can be given its inode and be taken for it.
        """
        inode, size = self._file.identity
        if inode != self._inode or size < self._end:
            self._release()
            self._held = self._file.path.open("rb") if inode else None
        for offset, length, record in self._file.replay(self._end):
            try:
                self._take(record)
            except (KeyError, TypeError, ValueError) as error:
                where = f"{self._file.path}, byte {offset}"
                raise ValueError(f"{where}: no statement of this store ({error!r}); mend or delete the line") from error
            self._end = offset + length
        self._inode = inode

    def put(self, fact: Fact) -> None:
        """Keep a statement; those that stand on its subject and that it may replace are superseded by it."""
        if fact.id not in self.told and fact.id not in self.tombstones:
            speaks = fact.superseded_by in {"", fact.id}
            beaten = [old.id for old in self.rivals(fact) if self._replaces(fact.rank, old.rank)] if speaks else []
            self._append({"fact": asdict(fact), "beats": beaten})

    def show(self, views: Mapping[str, str]) -> None:
        """Note which statement the view of each of these names shows now; none where the id is empty."""
        self._append({"shown": dict(views)})

    def tombstone(self, ids: Collection[str]) -> None:
        """Leave tombstones, and decide anew what the erased had superseded."""
        for identity in sorted(set(ids) - self.told.keys() - self.tombstones):
            self._append({"buried": identity})
        if self.told.keys().isdisjoint(ids):
            return
        kept = [fact for fact in self.told.values() if fact.id not in ids]
        gone = self.tombstones.union(ids)
        for place, old in enumerate(kept):
            if old.superseded_by in gone:
                kept[place] = replace(old, superseded_by=successor(old, kept[place + 1 :], self._replaces))
        records = {fact.id: {"fact": asdict(fact), "beats": []} for fact in kept}
        self._file.rewrite(lambda record: _after(record, records))
        self.catch_up()

    def foremost(self, name: str) -> Fact | None:
        """Give what ranks highest of what stands under a name."""
        stands = [fact for fact in self.history(name) if not fact.superseded_by]
        return max(stands, key=lambda fact: fact.rank, default=None)

    def history(self, name: str) -> list[Fact]:
        """Give all that was told under a name, in the order told."""
        return [self.told[identity] for identity in self._named.get(name, ())]

    @property
    def names(self) -> list[str]:
        """The names of facts, in their order."""
        return sorted(self._named)

    def rivals(self, fact: Fact) -> list[Fact]:
        """Give what stands on a fact's subject beside it: the highest rank first, then the latest."""
        name, about = subject(fact.name), subject(fact.about)

        def same(known: Fact) -> bool:
            its_name, its_about = self._subjects[known.id]
            return known.id != fact.id and (its_name == name or bool(about and its_about == about))

        latest = [one for one in reversed(self.told.values()) if not one.superseded_by and same(one)]
        return sorted(latest, key=lambda one: -one.rank)

    def close(self) -> None:
        """Let go of the file, and of what was read from it."""
        self._file.close()
        self._release()

    def _release(self) -> None:
        if self._held is not None:
            self._held.close()
        self._forget()

    def _append(self, record: Record) -> None:
        self._file.append(record)
        self.catch_up()

    def _take(self, record: Record) -> None:
        """Take one record of the file into memory."""
        if "fact" in record:
            fact = _fact(record["fact"])
            for old in record["beats"]:
                self.told[old] = replace(self.told[old], superseded_by=fact.id)
            self.told[fact.id] = fact
            self.words[fact.id] = frozenset(words(fact.key))
            self._named.setdefault(fact.name, []).append(fact.id)
            self._subjects[fact.id] = subject(fact.name), subject(fact.about)
        elif "buried" in record:
            self.tombstones.add(record["buried"])
        elif "shown" in record:
            self.shown |= record["shown"]


def _after(record: Record, kept: Mapping[str, Record]) -> Record:
    """Give what stands in the place of a record once only these statements are kept."""
    if "fact" not in record:
        return record
    identity = record["fact"]["origin"]["id"]
    return kept.get(identity, {"buried": identity})


def _fact(record: Record) -> Fact:
    origin = Provenance(**record["origin"] | {"derived_from": tuple(record["origin"]["derived_from"])})
    return Fact(**record | {"origin": origin})
