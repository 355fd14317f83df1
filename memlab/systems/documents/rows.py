"""Every row of the documents, in the order of `memlab systems`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from memlab.models.model import Model
from memlab.systems.documents import (
    claude_memory,
    explicit_write,
    generative_agents,
    implicit_write,
    lesson_sqlite,
    profiles,
    recite_only,
    transcript_rag,
    vcn,
)
from memlab.systems.documents.hermes import system as hermes
from memlab.systems.documents.parts.model_stand_ins import Reject
from memlab.systems.documents.typed import system as typed
from memlab.systems.entry import Entry

MODULES = {
    **dict.fromkeys((transcript_rag, lesson_sqlite), "001"),
    **dict.fromkeys((typed, generative_agents), "003"),
    **dict.fromkeys((hermes, profiles), "004"),
    **dict.fromkeys((explicit_write, implicit_write, vcn, recite_only), "000"),
}
"""The file of each system, and the number of its document."""
ENTRIES: tuple[Entry, ...] = tuple(
    replace(entry, document=document) for module, document in MODULES.items() for entry in module.ENTRIES
)
WITH_MODEL: Mapping[str, Callable[[Model, Reject], Entry]] = {
    one.name: one.with_model
    for module in (lesson_sqlite, typed, generative_agents, profiles, explicit_write, implicit_write)
    for one in module.BRACKETS
} | {claude_memory.NAME: claude_memory.with_model}
"""The rows that a model has a part in, by name. claude-memory has no entry without one."""
