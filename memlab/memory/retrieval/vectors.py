"""Search by meaning, if an encoder is given: the vectors of the stored texts, in a disposable SQLite file."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from heapq import nlargest
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar, runtime_checkable

from memlab.memory.episode import Episode
from memlab.memory.episodes import Episodes
from memlab.memory.facts import Fact
from memlab.memory.indexing.episode_schema import text_key
from memlab.memory.indexing.fact_table import FactTable
from memlab.memory.procedural import Skill, Skills
from memlab.memory.storage.database import Database
from memlab.memory.trust import NOT_TRUSTED

T = TypeVar("T")
NEAREST = 30
"""At most 30 facts and 30 episodes of trusted sources, and as many of others, are found by their vectors."""
DIGITS = 4
"""Cosines are rounded, since their last digits depend on how many texts are compared at once."""
_SCHEMA = """
PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA secure_delete = ON;
CREATE TABLE IF NOT EXISTS vectors (encoder TEXT, key BLOB, vector BLOB, PRIMARY KEY (encoder, key));
"""


@runtime_checkable
class Encoder(Protocol):
    """Turns texts into vectors and compares them; the vectors are bytes that only the encoder reads.

    Another `name` means other vectors: a file of them is built anew.
    """

    @property
    def name(self) -> str:
        """The name of the model, such as minilm: the ranking has weights for it."""

    def encode(self, texts: Sequence[str]) -> Sequence[bytes]:
        """Return one vector for each text."""

    def cosines(self, question: str, vectors: Sequence[bytes]) -> Sequence[float]:
        """Return the cosine, in [-1, 1], of a question and each vector."""


class Similar(NamedTuple):
    """The cosines of a question and each stored text by its key, and the memories nearest to the question."""

    cosines: Mapping[bytes, float]
    nearest: Sequence[Fact | Episode]

    def cosine(self, memory: Fact | Skill | Episode) -> float:
        """Return the cosine of the question and a memory; 0 for one that was stored after the search."""
        return self.cosines.get(_key(memory), 0.0)


class _Listed(NamedTuple):
    """The memories that have a vector, by its key: id and rank of facts, ranks of texts in the log, skills."""

    facts: Mapping[bytes, tuple[str, int]]
    texts: Mapping[bytes, int]
    skills: Mapping[bytes, Skill]

    def keys(self) -> set[bytes]:
        return {*self.facts, *self.texts, *self.skills}


class Vectors:
    """The file of vectors, which catches up with the stores before each search. Superseded facts have no vector.

    Without an encoder, the next erasure deletes the file.
    """

    def __init__(  # noqa: PLR0913 - the file, the encoder and the stores
        self,
        path: Path,
        encoder: Encoder | None,
        facts: FactTable,
        episodes: Episodes,
        skills: Skills,
        *,
        links: bool = False,
    ) -> None:
        self.encoder = encoder
        self._file = Database(path, _SCHEMA, "vectors", links=links)
        self._facts = facts
        self._episodes = episodes
        self._skills = skills
        self._read: tuple[object, dict[bytes, bytes]] = None, {}  # a state of the file, and its vectors

    def search(self, question: str) -> Similar:
        """Compare a question with every stored text; without an encoder nothing is similar."""
        if self.encoder is None:
            return Similar({}, ())
        encoder, listed = self.encoder, self._list()
        vectors = self._with_repair(lambda: self._current(encoder, listed))
        found = encoder.cosines(question, [*vectors.values()]) if vectors else ()
        cosines = {key: round(value, DIGITS) for key, value in zip(vectors, found, strict=True)}
        facts = _nearest((cosines[key], rank, one) for key, (one, rank) in listed.facts.items() if key in cosines)
        texts = _nearest((cosines[key], rank, key) for key, rank in listed.texts.items() if key in cosines)
        return Similar(cosines, [*filter(None, map(self._facts.get, facts)), *self._episodes.of_texts(texts)])

    def drop_erased(self) -> bool:
        """Delete the vectors of erased texts; return whether the file on the disk is free of their bytes."""
        if not self._file.exists():
            return True
        if self.encoder is None:
            self._file.delete()
            return True
        name = self.encoder.name
        self._with_repair(lambda: self._replace(name, {}))
        return self._file.truncate_log()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _list(self) -> _Listed:
        facts = {_fact_key(identity, time): (identity, rank) for identity, time, rank in self._facts.listed()}
        return _Listed(facts, dict(self._episodes.texts()), {_key(one): one for one in self._skills.all()})

    def _current(self, encoder: Encoder, listed: _Listed) -> dict[bytes, bytes]:
        """Return the vectors by their keys; new texts are encoded, and the vectors of texts that are gone deleted."""
        known, wanted = self._known(encoder.name), listed.keys()
        missing = wanted - known.keys()
        if missing or len(known) > len(wanted):
            facts = [self._facts.get(listed.facts[key][0]) for key in listed.facts if key in missing]
            texts = self._episodes.of_texts([key for key in listed.texts if key in missing])
            skills = [one for key, one in listed.skills.items() if key in missing]
            unread: list[Fact | Skill | Episode] = [*filter(None, facts), *texts, *skills]
            texts_by_key = {_key(one): _text(one) for one in unread}
            fresh = encoder.encode([*texts_by_key.values()]) if texts_by_key else ()
            self._replace(encoder.name, dict(zip(texts_by_key, fresh, strict=True)))
            known = self._known(encoder.name)
        return known

    def _known(self, name: str) -> dict[bytes, bytes]:
        """Return the vectors of an encoder; they stay in memory until the file changes."""
        db = self._file.db
        state = db, name, *db.execute("PRAGMA data_version").fetchone()
        if state != self._read[0]:
            self._read = state, dict(db.execute("SELECT key, vector FROM vectors WHERE encoder = ?", [name]).fetchall())
        return self._read[1]

    def _replace(self, name: str, fresh: Mapping[bytes, bytes]) -> None:
        """Store vectors, and delete those of another encoder and of texts that are gone.

        An erasure waits meanwhile, so that no vector of an erased text is stored after it.
        """
        with self._episodes.exclusive() if self._file.is_writable() else nullcontext():
            wanted, known, db = self._list().keys(), self._known(name), self._file.db
            with db:
                db.execute("BEGIN IMMEDIATE")
                db.execute("DELETE FROM vectors WHERE encoder != ?", [name])
                db.executemany("DELETE FROM vectors WHERE key = ?", [(key,) for key in known if key not in wanted])
                rows = [(name, key, vector) for key, vector in fresh.items() if key in wanted]
                db.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)
            self._read = None, {}

    def _with_repair(self, query: Callable[[], T]) -> T:
        """Return the result of a query; a damaged file is deleted, and the query repeated with a new one."""
        try:
            return query()
        except sqlite3.DatabaseError:
            self._file.delete()
            return query()


def _key(memory: Fact | Skill | Episode) -> bytes:
    """Return the key of a memory's vector; episodes with the same text share one."""
    if isinstance(memory, Fact):
        return _fact_key(memory.id, memory.origin.time)
    return text_key(_text(memory))


def _fact_key(identity: str, time: float) -> bytes:
    return f"{identity} {time}".encode()


def _text(memory: Fact | Skill | Episode) -> str:
    """Return the text that is encoded."""
    if isinstance(memory, Episode):
        return memory.detail
    return f"{memory.description} {memory.text}".strip()


def _nearest(scored: Iterable[tuple[float, int, T]]) -> list[T]:
    """Return the NEAREST of trusted sources and the NEAREST of the others, by descending cosine."""
    sides: tuple[list[tuple[float, T]], list[tuple[float, T]]] = [], []
    for cosine, rank, one in scored:
        sides[rank <= NOT_TRUSTED].append((cosine, one))
    return [one for side in sides for _, one in nlargest(NEAREST, side, key=lambda pair: pair[0])]
