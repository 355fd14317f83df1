"""Every row of a product, in the order of `memlab systems`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from memlab.models.model import Model
from memlab.systems.documents.parts.model_stand_ins import Reject
from memlab.systems.entry import Entry
from memlab.systems.products import (
    anthropic_tool,
    chroma,
    langgraph_stores,
    langmem_tools,
    llamaindex,
    mem0,
    mem0_inference,
    memoripy,
    txtai,
)

ENTRIES: tuple[Entry, ...] = (
    *mem0.ENTRIES,
    *langgraph_stores.ENTRIES,
    *langmem_tools.ENTRIES,
    *chroma.ENTRIES,
    *llamaindex.ENTRIES,
    *memoripy.ENTRIES,
    *txtai.ENTRIES,
    *anthropic_tool.ENTRIES,
)
WITH_MODEL: Mapping[str, Callable[[Model, Reject], Entry]] = {mem0_inference.NAME: mem0_inference.with_model}
"""The rows that are played only with a model, by name."""
