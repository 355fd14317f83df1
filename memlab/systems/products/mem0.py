"""mem0 without its model: a text is stored as it is, not as facts that a model infers.

Source: https://docs.mem0.ai
"""

from __future__ import annotations

import os
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

from memlab.models.embedders import Embedder
from memlab.systems.products.product import Product, Store
from memlab.terms import Memory, Workspace

USER = "user"
_own_folder: list[TemporaryDirectory[str]] = []


class Mem0(Store):
    """A Memory over Qdrant on disk, with `infer=False`."""

    infer = False

    def __init__(self, embedder: Embedder, workspace: Workspace) -> None:
        _keep_to_itself()
        from mem0 import Memory

        places = {"path": str(workspace.directory / "qdrant"), "on_disk": True, "embedding_model_dims": embedder.width}
        self._memory = Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": {"collection_name": "memory", **places}},
                "llm": {"provider": "openai", "config": {"api_key": "never used"}},
                "embedder": {"provider": "openai", "config": {"api_key": "never used"}},
                "history_db_path": str(workspace.directory / "history.db"),
            }
        )
        self._memory.embedding_model = _embedding(embedder)

    def add(self, key: str, text: str) -> None:
        self._memory.add(text, user_id=USER, infer=self.infer, metadata={"event": key})

    def recall(self, query: str, k: int = 5) -> list[Memory]:
        if not query.strip():
            return []
        found = self._memory.search(query, top_k=k, filters={"user_id": USER})
        return [Memory(one["memory"], sources=(one["metadata"]["event"],)) for one in found["results"]]

    def remove(self, key: str) -> None:
        while found := self._memory.get_all(filters={"user_id": USER, "event": key})["results"]:
            for one in found:
                self._memory.delete(one["id"])

    def close(self) -> None:
        """Close both databases."""
        self._memory.vector_store.client.close()
        self._memory.close()


def _embedding(embedder: Embedder) -> Any:  # noqa: ANN401 - what mem0 expects of an embedder
    def embed(text: str, _: str | None = None) -> list[float]:
        return embedder.embed([text])[0]

    def embed_batch(texts: list[str], _: str | None = None) -> list[list[float]]:
        return embedder.embed(texts)

    return SimpleNamespace(embed=embed, embed_batch=embed_batch, config=SimpleNamespace(embedding_dims=embedder.width))


def _keep_to_itself() -> None:
    """Before mem0 is imported: no telemetry, and no folder in the user's home."""
    if not _own_folder:
        _own_folder.append(TemporaryDirectory(prefix="memlab-mem0-"))
        os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": _own_folder[0].name}


ENTRIES = Product(
    "mem0",
    "mem0 without inference: each event is one memory, found by similarity.",
    Mem0,
    ("mem0",),
    "mem0ai",
    "mem0",
    "infer=False, Qdrant on disk, threshold 0.1",
).with_embedders()
