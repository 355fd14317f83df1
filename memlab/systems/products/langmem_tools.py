"""langmem: LangChain's tools by which an agent manages and searches memories.

Source: https://langchain-ai.github.io/langmem
"""

from __future__ import annotations

import json

from memlab.models.embedders import Embedder
from memlab.systems.products.product import Product, Store
from memlab.terms import Workspace


class LangMem(Store):
    """The two tools over a store in memory, called for every event and every question; no model rewrites a text."""

    def __init__(self, embedder: Embedder, _: Workspace) -> None:
        from langgraph.store.memory import InMemoryStore
        from langmem import create_manage_memory_tool, create_search_memory_tool

        index = {"dims": embedder.width, "embed": embedder.embed, "fields": ["content"]}
        place = {"namespace": ("memory",), "store": InMemoryStore(index=index)}
        self._manage, self._search = create_manage_memory_tool(**place), create_search_memory_tool(**place)
        self._ids: dict[str, str] = {}

    def add(self, key: str, text: str) -> None:
        answer: str = self._manage.invoke({"action": "create", "content": text})
        self._ids[key] = answer.rsplit(maxsplit=1)[-1]

    def recall(self, query: str, k: int = 5) -> list[str]:
        return [found["value"]["content"] for found in json.loads(self._search.invoke({"query": query, "limit": k}))]

    def remove(self, key: str) -> None:
        if key in self._ids:
            self._manage.invoke({"action": "delete", "id": self._ids.pop(key)})


ENTRIES = Product(
    "langmem",
    "langmem's tools to manage and search memories, over a store in memory; a restart loses all.",
    LangMem,
    ("langmem", "langgraph.store.memory"),
    "langmem",
    "langmem",
    "InMemoryStore, no model",
).with_embedders()
