"""LangGraph's stores: in memory, and in SQLite with sqlite-vec.

Source: https://langchain-ai.github.io/langgraph/concepts/memory
"""

from __future__ import annotations

import sqlite3
from typing import Any

from memlab.models.embedders import Embedder
from memlab.systems.answers import SystemFailed
from memlab.systems.products.product import Product, Store
from memlab.terms import Workspace

NAMESPACE = ("memory",)


class LangGraphStore(Store):
    """A BaseStore with an index over the texts."""

    def __init__(self, store: Any) -> None:  # noqa: ANN401 - a BaseStore
        self._store = store

    def add(self, key: str, text: str) -> None:
        self._store.put(NAMESPACE, key, {"text": text})

    def recall(self, query: str, k: int = 5) -> list[str]:
        return [item.value["text"] for item in self._store.search(NAMESPACE, query=query, limit=k)]

    def remove(self, key: str) -> None:
        self._store.delete(NAMESPACE, key)

    def close(self) -> None:
        """Close the database, if the store has one."""
        if isinstance(connection := getattr(self._store, "conn", None), sqlite3.Connection):
            connection.close()


def index_of(embedder: Embedder) -> dict[str, Any]:
    """Return the index of the field `text`; SqliteStore reads `text_fields` in place of the documented `fields`."""
    return {"dims": embedder.width, "embed": embedder.embed, "fields": ["text"], "text_fields": ["text"]}


def _in_memory(embedder: Embedder, _: Workspace) -> LangGraphStore:
    from langgraph.store.memory import InMemoryStore

    return LangGraphStore(InMemoryStore(index=index_of(embedder)))


def _in_sqlite(embedder: Embedder, workspace: Workspace) -> LangGraphStore:
    from langgraph.store.sqlite import SqliteStore

    if not hasattr(sqlite3.Connection, "enable_load_extension"):
        raise SystemFailed("SqliteStore searches with sqlite-vec, and this Python was built without SQLite extensions")
    path = workspace.directory / "store.db"
    store = SqliteStore(sqlite3.connect(path, isolation_level=None, check_same_thread=False), index=index_of(embedder))
    store.setup()
    return LangGraphStore(store)


ENTRIES = (
    *Product(
        "langgraph-memory",
        "LangGraph's InMemoryStore: one item for each event, nearest by cosine; a restart loses all.",
        _in_memory,
        ("langgraph.store.memory",),
        "langgraph",
        "langgraph",
        "InMemoryStore",
    ).with_embedders(),
    *Product(
        "langgraph-sqlite",
        "LangGraph's SqliteStore: one item for each event, nearest by cosine.",
        _in_sqlite,
        ("langgraph.store.sqlite",),
        "langgraph-checkpoint-sqlite",
        "langgraph",
        "SqliteStore",
    ).with_embedders(),
)
