"""memoripy: short-term and long-term memory with decay, reinforcement and a graph of concepts.

Source: https://github.com/caspianmoon/memoripy
"""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from types import SimpleNamespace
from typing import Any

import numpy as np

from memlab.models.embedders import Embedder
from memlab.systems.products.product import Product, Store
from memlab.terms import Workspace

LEAST = 0
"""The threshold of similarity in percent. With its own 40, each question makes what it did not find fade by a tenth."""


class Memoripy(Store):
    """A MemoryManager over a JSON file, written when it is closed; no text has concepts, which a model would extract.

    With content words as concepts, those that many texts share outweigh the similarity, and recall is 1 %.
    What it prints at every call is dropped. It has no way to delete, and its decay follows the real clock.
    """

    cannot = ("erase",)

    def __init__(self, embedder: Embedder, workspace: Workspace) -> None:
        import memoripy

        self._file = memoripy.JSONStorage(str(workspace.directory / "history.json"))
        with redirect_stdout(io.StringIO()):
            self._manager = memoripy.MemoryManager(*_models(embedder), storage=_written_at_the_end(self._file))

    def add(self, key: str, text: str) -> None:  # noqa: ARG002 - it makes keys of its own
        with redirect_stdout(io.StringIO()):
            vector = self._manager.get_embedding(text)[0]
            self._manager.add_interaction(text, "", vector, self._manager.extract_concepts(text))

    def recall(self, query: str, k: int = 5) -> list[str]:
        with redirect_stdout(io.StringIO()):
            found = self._manager.retrieve_relevant_interactions(query, similarity_threshold=LEAST)
        return list(dict.fromkeys(one["prompt"] for one in found))[:k]

    def remove(self, key: str) -> None:
        """Never called: see `cannot`."""

    def close(self) -> None:
        """Write the file."""
        with redirect_stdout(io.StringIO()):
            self._file.save_memory_to_history(self._manager.memory_store)


def _written_at_the_end(file: Any) -> Any:  # noqa: ANN401 - its storages have no types
    """Return a storage that reads the file and writes nothing: it would be written whole at every event."""
    return SimpleNamespace(load_history=file.load_history, save_memory_to_history=lambda _: None)


def _models(embedder: Embedder) -> tuple[Any, Any]:
    """Return what it asks of a chat model, the concepts of a text (none), and of an embedding model."""
    chat = SimpleNamespace(extract_concepts=lambda _: [])
    embedding = SimpleNamespace(
        initialize_embedding_dimension=lambda: embedder.width,
        get_embedding=lambda text: np.array(embedder.embed([text])[0]),
    )
    return chat, embedding


ENTRIES = Product(
    "memoripy",
    "memoripy without its model: similarity, decay and reinforcement, without the graph of concepts.",
    Memoripy,
    ("memoripy",),
    "memoripy",
    "memoripy",
    "JSONStorage written at the end, threshold 0, no concepts",
).with_embedders()[:1]  # it pins numpy 1, and the wordllama for that downloads its weights
