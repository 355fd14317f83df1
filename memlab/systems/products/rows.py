"""Every row of a product, in the order of `memlab systems`."""

from __future__ import annotations

from memlab.systems.entry import Entry
from memlab.systems.products import (
    anthropic_tool,
    chroma,
    langgraph_stores,
    langmem_tools,
    llamaindex,
    mem0,
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
