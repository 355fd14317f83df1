"""BM25 over lines: SQLite FTS5 with Porter stemming, the commonest words left out of the query."""

from __future__ import annotations

import re
import sqlite3

from memlab.memory.text import COMMONEST


class Search:
    """An index in memory, brought up to date only when it is asked."""

    def __init__(self) -> None:
        self._waiting: list[tuple[str]] = []
        self._index: sqlite3.Connection | None = None

    def add(self, line: str) -> None:
        """Take one line; the same line taken twice stands twice."""
        self._waiting.append((line,))

    def best(self, query: str, count: int) -> list[str]:
        """List at most `count` lines that share a stem with the query: best first, newer before older when equal."""
        words = content_words(query)
        if not words:
            return []
        match = " OR ".join(f'"{word}"' for word in words)
        rows = self._current().execute(
            "SELECT line FROM lines WHERE lines MATCH ? ORDER BY rank, rowid DESC LIMIT ?", (match, count)
        )
        return [line for (line,) in rows]

    def _current(self) -> sqlite3.Connection:
        if self._index is None:
            self._index = sqlite3.connect(":memory:", isolation_level=None)
            self._index.execute("CREATE VIRTUAL TABLE lines USING fts5(line, tokenize='porter unicode61')")
        if self._waiting:
            self._index.execute("BEGIN")
            self._index.executemany("INSERT INTO lines VALUES (?)", self._waiting)
            self._index.execute("COMMIT")
            self._waiting = []
        return self._index


def content_words(text: str) -> list[str]:
    """List the distinct words of a query that carry meaning."""
    return [word for word in dict.fromkeys(re.findall(r"\w+", text.lower())) if word not in COMMONEST]
