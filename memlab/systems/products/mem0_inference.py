"""mem0 with its inference: a language model extracts the memories from each text.

Source: https://docs.mem0.ai. The prompt, the storage and the search are mem0's; the model is that of `--model`, with
its budget and its recording: `memlab compare --systems mem0-infer --model openai:NAME@URL`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from types import SimpleNamespace
from typing import Any

from pydantic import BaseModel, ConfigDict

from memlab.models.embedders import Embedder
from memlab.models.model import MalformedAnswer, Model, row_name
from memlab.models.parsing import parse_answer
from memlab.systems.documents.parts.model_stand_ins import Reject
from memlab.systems.entry import Entry
from memlab.systems.products.mem0 import Mem0
from memlab.systems.products.product import HASHED, Product
from memlab.terms import Workspace

NAME = "mem0-infer"
_TEXTS = {"text": {"type": "string"}, "attributed_to": {"type": "string", "enum": ["user", "assistant"]}}
_CLOSED = {"type": "object", "additionalProperties": False}
_MEMORY = {**_CLOSED, "properties": _TEXTS, "required": list(_TEXTS)}
SCHEMA = {
    "title": "record_memories",
    **_CLOSED,
    "properties": {"memory": {"type": "array", "items": _MEMORY}},
    "required": ["memory"],
}
"""The fields that mem0 reads, of the answer that its prompt describes."""
_DATES = re.compile(r"(## Observation Date\n)\S+(\n+## Current Date\n)\S+(?=\s+# Output:\s*\Z)")


class _Memory(BaseModel):
    model_config = ConfigDict(strict=True, extra="allow")

    text: str


class _Memories(BaseModel):
    model_config = ConfigDict(strict=True, extra="allow")

    memory: list[_Memory]


class Mem0Inferring(Mem0):
    """A Memory with `infer=True`; each memory has the id of the event whose text it was extracted from.

    An erasure deletes the memories of its events. mem0 also keeps the last ten texts, which the model sees with the
    next one, and has no call to delete these.
    """

    infer = True

    def __init__(self, embedder: Embedder, model: Model, reject: Reject, workspace: Workspace) -> None:
        super().__init__(embedder, workspace)
        self._memory.llm = SimpleNamespace(generate_response=self._generate)
        self._model, self._reject, self._clock = model, reject, workspace.clock

    @property
    def not_judged(self) -> str:
        """Why no probe is judged, and how many memories there are."""
        count = self._memory.vector_store.client.count(self._memory.vector_store.collection_name).count
        return f"{NAME} rewrites what it stores, and claims are recognised by their words; it has {count} memories"

    def _generate(self, messages: Sequence[Mapping[str, str]], **_: Any) -> str:  # noqa: ANN401 - mem0's own options
        """Return the model's answer; a malformed one is rejected and not stored.

        The dates of the prompt are the scenario's: a recorded answer is found again on another day.
        """
        system, user = (one["content"] for one in messages)
        today = datetime.fromtimestamp(self._clock(), UTC).date()
        try:
            answer = self._model.complete(system, _DATES.sub(rf"\g<1>{today}\g<2>{today}", user), SCHEMA)
            found = parse_answer(answer, _Memories)
        except MalformedAnswer as error:
            self._reject(f"{NAME}: {self._model.name}: {error}")
            found = _Memories(memory=[])
        return found.model_dump_json()


def with_model(model: Model, reject: Reject) -> Entry:
    """Return the row with a model; `reject` is called with the reason for each answer that may not be stored."""
    return Product(
        row_name(NAME, model),
        f"mem0 with its inference: {model.name} extracts the memories; not judged, since it rewrites texts.",
        partial(Mem0Inferring, HASHED, model, reject),
        ("mem0",),
        "mem0ai",
        "mem0",
        f"infer=True, model {model.name}, Qdrant on disk, threshold 0.1, embedder {HASHED.name}",
    ).entry()
