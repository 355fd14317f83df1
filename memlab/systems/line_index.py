"""BM25 over lines: SQLite FTS5 with Porter stemming; stop words are left out of the query."""

from __future__ import annotations

import re
import sqlite3

from memlab.memory.retrieval.relevance import COMMONEST


class Search:
    """An index in memory, updated before each search."""

    def __init__(self) -> None:
        self._pending: list[tuple[str]] = []
        self._index = sqlite3.connect(":memory:", check_same_thread=False)
        self._index.execute("CREATE VIRTUAL TABLE lines USING fts5(line, tokenize='porter unicode61')")

    def add(self, line: str) -> None:
        """Add a line; a repeated line is indexed twice."""
        self._pending.append((line,))

    def best(self, query: str, count: int) -> list[str]:
        """Return at most `count` lines that share a stem with the query, best first; of equal ones the newer first."""
        words = content_words(query)
        if not words:
            return []
        with self._index:
            self._index.executemany("INSERT INTO lines VALUES (?)", self._pending)
        self._pending = []
        match = " OR ".join(f'"{word}"' for word in words)
        pick = "SELECT line FROM lines WHERE lines MATCH ? ORDER BY rank, rowid DESC LIMIT ?"
        return [line for (line,) in self._index.execute(pick, (match, count))]


def content_words(text: str) -> list[str]:
    """Return the distinct words of a query without stop words."""
    return [word for word in dict.fromkeys(re.findall(r"\w+", text.lower())) if word not in COMMONEST]
