"""LlamaIndex: a vector index over nodes.

Source: https://docs.llamaindex.ai
"""

from __future__ import annotations

from typing import Any

from memlab.models.embedders import Embedder
from memlab.systems.products.product import Product, Store
from memlab.terms import Workspace


class LlamaIndex(Store):
    """A VectorStoreIndex with its own vector store, written to disk when it is closed.

    New nodes are inserted together, before the next question: each insertion writes the list of all nodes again.
    """

    def __init__(self, embedder: Embedder, workspace: Workspace) -> None:
        from llama_index.core import StorageContext, VectorStoreIndex, load_index_from_storage

        self._folder = workspace.directory / "llamaindex"
        model = _embedding(embedder)
        if self._folder.exists():
            context = StorageContext.from_defaults(persist_dir=str(self._folder))
            self._index = load_index_from_storage(context, embed_model=model)
        else:
            self._index = VectorStoreIndex([], embed_model=model)
        self._new: dict[str, str] = {}

    def add(self, key: str, text: str) -> None:
        self._new[key] = text

    def recall(self, query: str, k: int = 5) -> list[str]:
        if not query:  # it would have no vector
            return []
        self._insert()
        return [found.node.get_content() for found in self._index.as_retriever(similarity_top_k=k).retrieve(query)]

    def remove(self, key: str) -> None:
        self._insert()
        self._index.delete_nodes([key], delete_from_docstore=True)

    def close(self) -> None:
        """Write the index to disk."""
        self._insert()
        self._index.storage_context.persist(str(self._folder))

    def _insert(self) -> None:
        from llama_index.core.schema import TextNode

        if self._new:
            self._index.insert_nodes([TextNode(id_=key, text=text) for key, text in self._new.items()])
            self._new.clear()


def _embedding(embedder: Embedder) -> Any:  # noqa: ANN401 - a BaseEmbedding
    from llama_index.core.embeddings import BaseEmbedding

    class Offline(BaseEmbedding):  # type: ignore[misc] # its class has no types here
        def _get_text_embedding(self, text: str) -> list[float]:
            return embedder.embed([text])[0]

        def _get_query_embedding(self, query: str) -> list[float]:
            return embedder.embed([query])[0]

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return embedder.embed([query])[0]

    return Offline(model_name=embedder.name)


ENTRIES = Product(
    "llamaindex",
    "LlamaIndex: one node for each event in a VectorStoreIndex, nearest by cosine.",
    LlamaIndex,
    ("llama_index.core",),
    "llama-index-core",
    "llamaindex",
    "VectorStoreIndex, SimpleVectorStore, inserted before the next question",
).with_embedders()
