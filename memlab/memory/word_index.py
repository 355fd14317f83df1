"""Full-text search in one SQLite file, as the facts and the episodes share it; opened when it is first asked."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from memlab.memory.trust import NOT_TRUSTED

# a killed process loses nothing that was committed; only a power cut could
_SETTINGS = "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA secure_delete = ON;"
_VOCABULARY = "CREATE VIRTUAL TABLE IF NOT EXISTS vocabulary USING fts5vocab (words, row);"


class WordIndex:
    """A file with a table whose rows have a `row` and a `trust`, and with `words`, the stemmed words of each row."""

    def __init__(self, path: Path, table: str, schema: str) -> None:
        self.path = path
        self._table = table
        self._schema = _SETTINGS + schema + _VOCABULARY
        self._opened: sqlite3.Connection | None = None

    def __bool__(self) -> bool:
        """Tell whether the file is there."""
        return self._opened is not None or self.path.exists()

    @property
    def db(self) -> sqlite3.Connection:
        """Give the connection; the file is made if it is not there."""
        if self._opened is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._opened = sqlite3.connect(self.path, isolation_level=None, timeout=30)
            self._opened.executescript(self._schema)
        return self._opened

    def search(self, pick: str, question: Sequence[str], limit: int) -> list[tuple[Any, ...]]:
        """Pick rows by stemmed words, best first: so many from trusted sources, and again so many from the others.

        `pick` is a SELECT that ends in a condition; several words are alternatives.
        """
        match = " OR ".join(f'"{word}"' for word in question)
        found: list[tuple[Any, ...]] = []
        for trusted in (True, False) if match else ():
            found += self.db.execute(
                f"{pick} AND words MATCH ? AND (trust > ?) = ? ORDER BY words.rank, row DESC LIMIT ?",
                (match, NOT_TRUSTED, trusted, limit),
            )
        return found

    def frequency(self, question: Collection[str]) -> tuple[Mapping[str, int], int]:
        """Tell how many rows hold each word, and how many rows there are."""
        rows = self.db.execute(
            "SELECT term, doc FROM vocabulary WHERE term IN (SELECT value FROM json_each(?))",
            (json.dumps([*question]),),
        )
        return dict(rows.fetchall()), self.db.execute(f"SELECT count(*) FROM {self._table}").fetchone()[0]  # noqa: S608 - our own name

    def close(self) -> None:
        """Let go of the file."""
        if self._opened:
            self._opened.close()
            self._opened = None
