"""Chroma: a vector database.

Source: https://docs.trychroma.com
"""

from __future__ import annotations

from memlab.models.embedders import Embedder
from memlab.systems.products.product import Product, Store
from memlab.terms import Workspace


class Chroma(Store):
    """A persistent collection; the vectors are handed over, so that nothing is downloaded."""

    def __init__(self, embedder: Embedder, workspace: Workspace) -> None:
        import chromadb

        settings = chromadb.config.Settings(anonymized_telemetry=False)
        self._client = chromadb.PersistentClient(str(workspace.directory / "chroma"), settings)
        space = {"hnsw": {"space": "cosine"}}
        self._texts = self._client.get_or_create_collection("memory", configuration=space, embedding_function=None)
        self._embed = embedder.embed

    def add(self, key: str, text: str) -> None:
        self._texts.upsert(ids=[key], documents=[text], embeddings=self._embed([text]))

    def recall(self, query: str, k: int = 5) -> list[str]:
        found = self._texts.query(query_embeddings=self._embed([query]), n_results=k)["documents"]
        return list(found[0])

    def remove(self, key: str) -> None:
        self._texts.delete(ids=[key])

    def close(self) -> None:
        """Let the database go."""
        self._client.close()


_ABOUT = "Chroma, a vector database: one document for each event, nearest by cosine."
ENTRIES = Product(
    "chroma", _ABOUT, Chroma, ("chromadb",), "chromadb", "chroma", "PersistentClient, HNSW cosine"
).with_embedders()
