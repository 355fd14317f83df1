"""Every row of the documents, in the order of `memlab systems`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

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

MODULES = (
    *(transcript_rag, lesson_sqlite, typed, generative_agents, hermes, profiles, explicit_write, implicit_write),
    *(vcn, recite_only),
)
ENTRIES: tuple[Entry, ...] = tuple(entry for module in MODULES for entry in module.ENTRIES)
WITH_MODEL: Mapping[str, Callable[[Model, Reject], Entry]] = {
    one.name: one.with_model
    for module in (lesson_sqlite, typed, generative_agents, profiles, explicit_write, implicit_write)
    for one in module.BRACKETS
} | {claude_memory.NAME: claude_memory.with_model}
"""The rows that a model has a part in, by name. claude-memory has no entry without one."""
