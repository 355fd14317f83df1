"""One fact per markdown file, and MEMORY.md with one line each: a store that a person can read, edit and mend."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from memlab.memory import frontmatter
from memlab.memory.journal import Journal, Record
from memlab.memory.naming import digest
from memlab.memory.relevance import words
from memlab.memory.semantic import Fact, MayReplace, same_subject, successor
from memlab.memory.trust import NOT_TRUSTED, USER, Provenance, may_replace


class FactFiles:
    """The fact store as files: facts/<name>.md for what stands, facts.history.jsonl for all that stands no more.

    A body that was edited by hand counts as the user's word from then on. A statement that a higher rank outranks under
    the same name stands in the history file, since the name has one file. Small stores only: a search reads them all.
    """

    def __init__(self, directory: Path, replaces: MayReplace = may_replace) -> None:
        self._folder = directory / "facts"
        self._index = directory / "MEMORY.md"
        self._past = Journal(directory / "facts.history.jsonl")
        self._replaces = replaces

    def put(self, fact: Fact) -> None:
        """See FactStore.put."""
        with self._past.lock.held():
            if fact.id in {known.id for known in self._all()} | self._buried():
                return
            beaten = [old for old in self.rivals(fact) if self._replaces(fact.rank, old.rank)]
            for old in [] if fact.superseded_by else beaten:
                self._retire(replace(old, superseded_by=fact.id))
            if fact.superseded_by or self._path(fact).exists():
                self._past.append(asdict(fact))
            else:
                _write(self._path(fact), fact)
            self._settle()

    def get(self, identity: str) -> Fact | None:
        """See FactStore.get."""
        return next((fact for fact in self._all() if fact.id == identity), None)

    def search(self, question: Sequence[str], limit: int, *, retired: bool = False) -> list[Fact]:
        """See FactStore.search."""
        asked = set(question)
        shared = [
            (len(asked & set(words(fact.key))), fact) for fact in self._all() if bool(fact.superseded_by) == retired
        ]
        ranked = [fact for score, fact in sorted(shared, key=lambda one: (-one[0], -one[1].origin.time)) if score]
        trusted = [fact for fact in ranked if fact.rank > NOT_TRUSTED]
        return trusted[:limit] + [fact for fact in ranked if fact.rank == NOT_TRUSTED][:limit]

    def rivals(self, fact: Fact) -> list[Fact]:
        """See FactStore.rivals."""
        standing = [one for one in self._all() if not one.superseded_by and one.id != fact.id]
        same = [one for one in standing if same_subject(one, fact)]
        return sorted(same, key=lambda one: (-one.rank, -one.origin.time))

    def history(self, name: str) -> list[Fact]:
        """See FactStore.history."""
        return [fact for fact in self._all() if fact.name == name]

    def as_of(self, time: float) -> list[Fact]:
        """See FactStore.as_of."""
        known = {fact.id: fact for fact in self._all() if fact.origin.time <= time}
        later = {fact.id: fact.origin.time for fact in self._all()}
        return [fact for fact in known.values() if later.get(fact.superseded_by, time + 1) > time]

    def derived(self, ids: Collection[str]) -> set[str]:
        """See FactStore.derived."""
        return {fact.id for fact in self._all() if not set(ids).isdisjoint(fact.origin.derived_from)}

    def erase(self, ids: Collection[str]) -> None:
        """See FactStore.erase."""
        with self._past.lock.held():
            told = self._all()
            kept = [fact for fact in told if fact.id not in ids]
            for fact in (fact for fact in told if fact.id in ids):
                self._past.append({"erased": fact.id})
                self._drop(fact)
            for place, old in enumerate(kept):
                if old.superseded_by in ids:
                    anew = asdict(replace(old, superseded_by=successor(old, kept[place + 1 :], self._replaces)))
                    self._change(old.id, anew)
            self._settle()

    def frequency(self, question: Collection[str]) -> tuple[Mapping[str, int], int]:
        """See FactStore.frequency."""
        keys = [set(words(fact.key)) for fact in self._all()]
        return Counter(word for key in keys for word in key if word in question), len(keys)

    def close(self) -> None:
        """See FactStore.close."""
        self._past.close()

    def _all(self) -> list[Fact]:
        return sorted([*self._history(), *map(_read, self._folder.glob("*.md"))], key=lambda fact: fact.origin.time)

    def _history(self) -> Iterator[Fact]:
        for _, _, record in self._past.replay():
            if "body" in record:
                origin = record["origin"] | {"derived_from": tuple(record["origin"]["derived_from"])}
                yield Fact(**record | {"origin": Provenance(**origin)})

    def _buried(self) -> set[str]:
        return {record["erased"] for _, _, record in self._past.replay() if "erased" in record}

    def _path(self, fact: Fact) -> Path:
        return self._folder / f"{fact.name}.md"

    def _standing(self, fact: Fact) -> bool:
        return self._path(fact).exists() and _read(self._path(fact)).id == fact.id

    def _retire(self, fact: Fact) -> None:
        """Move a statement that stood into the history."""
        if self._standing(fact):
            self._past.append(asdict(fact))
            self._path(fact).unlink()
        else:
            self._change(fact.id, asdict(fact))

    def _drop(self, fact: Fact) -> None:
        """Take a statement out of its file, or out of the history."""
        if self._standing(fact):
            self._path(fact).unlink()
        else:
            self._change(fact.id, None)

    def _change(self, identity: str, record: Record | None) -> None:
        """Put another record in the place of a statement in the history, or none."""
        self._past.rewrite(lambda known: record if known.get("origin", {}).get("id") == identity else known)

    def _settle(self) -> None:
        """Give what ranks highest of those that stand under a name the file of that name, and its line."""
        foremost: dict[str, Fact] = {}
        for fact in sorted(self._all(), key=lambda fact: -fact.rank):
            if not fact.superseded_by:
                foremost.setdefault(fact.name, fact)
        for fact in foremost.values():
            if not self._standing(fact):
                if self._path(fact).exists():
                    self._past.append(asdict(_read(self._path(fact))))
                _write(self._path(fact), fact)
                self._change(fact.id, None)
        listed = [foremost[name] for name in sorted(foremost)]
        lines = [f"- [{fact.name}](facts/{fact.name}.md) -- {' '.join(fact.description.split())}" for fact in listed]
        frontmatter.replace(self._index, "\n".join([*lines, ""]))


def _write(path: Path, fact: Fact) -> None:
    header = {"name": fact.name, "description": fact.description, "type": fact.type, "about": fact.about}
    header |= frontmatter.header_of(fact.origin, fact.rank)
    frontmatter.write(path, header | {"body": digest(fact.body)}, fact.body)


def _read(path: Path) -> Fact:
    """Read one fact; a body that is not the one that was written is the user's, said when the file was saved."""
    header, body = frontmatter.read(path)
    name, description, about = path.stem, header.get("description", ""), header.get("about", "")
    if header.get("body") != digest(body):
        origin = Provenance("user", "", path.stat().st_mtime, digest(f"{name}\n{body}"))
        return Fact(name, body, description, header.get("type", "project"), about, origin, USER)
    return Fact(name, body, description, header.get("type", ""), about, *frontmatter.origin_of(header, name))
