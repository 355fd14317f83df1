"""txtai: an embeddings database.

Source: https://neuml.github.io/txtai
"""

from __future__ import annotations

from pathlib import Path

from memlab.models.embedders import Embedder
from memlab.systems.products.product import Product, Store
from memlab.terms import Workspace


class Txtai(Store):
    """Vectors of an external embedder with their texts in SQLite, written to disk when it is closed."""

    def __init__(self, embedder: Embedder, workspace: Workspace) -> None:
        from txtai import Embeddings

        self._folder = str(workspace.directory / "txtai")
        self._texts = Embeddings(method="external", transform=embedder.embed, content=True)
        self._is_empty = not Path(self._folder).exists()
        if not self._is_empty:
            self._texts.load(self._folder, config={"transform": embedder.embed})

    def add(self, key: str, text: str) -> None:
        self._texts.upsert([(key, text, None)])
        self._is_empty = False

    def recall(self, query: str, k: int = 5) -> list[str]:
        return [] if self._is_empty or not query else [found["text"] for found in self._texts.search(query, k)]

    def remove(self, key: str) -> None:
        self._texts.delete([key])

    def close(self) -> None:
        """Write the index to disk."""
        if not self._is_empty:
            self._texts.save(self._folder)
        self._texts.close()


ENTRIES = Product(
    "txtai",
    "txtai, an embeddings database: one document for each event, nearest by cosine.",
    Txtai,
    ("txtai",),
    "txtai",
    "txtai",
    "content in SQLite, external vectors, Faiss",
).with_embedders()
