"""Plain BM25: the texts of all events in one SQLite FTS5 table, with its defaults and no defence.

Unlike bucket-search it stores no names or descriptions, keeps repeated texts, leaves no stop words out of the query,
and fills no context with recent lines. Score: Robertson and Zaragoza 2009, The Probabilistic Relevance Framework, with
SQLite's k1 = 1.2 and b = 0.75.
"""

from __future__ import annotations

import re
import sqlite3

from memlab.memory.context import CHARS_PER_TOKEN
from memlab.memory.text import replace_surrogates
from memlab.systems.notes import fill_budget
from memlab.terms import Event, Workspace

ABOUT = "SQLite FTS5 over the texts of all events, best BM25 score first; nothing else."
_WORD = re.compile(r"\w+")


class BM25:
    """One table on disk, written with each event."""

    def __init__(self, workspace: Workspace) -> None:
        path = workspace.directory / "bm25.db"
        self._table = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._table.execute("PRAGMA journal_mode = wal")
        self._table.execute("PRAGMA synchronous = off")
        self._table.execute("CREATE VIRTUAL TABLE IF NOT EXISTS events USING fts5(text, tokenize='porter unicode61')")

    def observe(self, event: Event) -> None:
        for text in (event.text, *event.todo):
            if text:
                self._table.execute("INSERT INTO events VALUES (?)", (replace_surrogates(text),))

    def recall(self, query: str, k: int = 5) -> list[str]:
        """Return the k texts with the best score; of equal ones the older first."""
        words = dict.fromkeys(_WORD.findall(query.lower()))
        match = " OR ".join(f'"{word}"' for word in words)
        if not match:
            return []
        pick = "SELECT text FROM events WHERE events MATCH ? ORDER BY rank, rowid LIMIT ?"
        return [text for (text,) in self._table.execute(pick, (replace_surrogates(match), k))]

    def assemble(self, task: str, budget: int) -> str:
        """Fill the budget with the best texts for the task, each whole."""
        return fill_budget(self.recall(task, budget * CHARS_PER_TOKEN), budget)

    def close(self) -> None:
        """Close the table."""
        self._table.close()
