"""implicit-write and implicit-add-only: the memory reads the conversation and keeps what it guesses is worth keeping.

Source: Lab 07 (document 000): "The tool Mem0 makes the write implicit: it quietly reads the conversation and pulls out
whatever it guesses is worth keeping." After every pair of messages the extractor proposes facts, and each is compared
with the nearest memories: added, ignored, or put in the place of an old one. `implicit-add-only` is Mem0 since version
2, which only adds. No source is looked at.

Writes: after each pair of messages, the facts that the extractor finds: added, ignored, or in the place of an old one.
Stores: one list of facts with embeddings.
Recalls: the facts with the largest cosine, from 0.1.
Prompt: none of its own: memlab fills one with what is recalled, so there are no rules and no plan.
Wins: nobody has to ask: nine of ten facts of a conversation are kept, more than in any other row.
Loses: it keeps two of three lies, and 98 % of what is stored is never asked for. Its writes are in no record. A prompt
    that is only recall loses the task.
"""

from __future__ import annotations

from collections import deque
from functools import partial

from memlab.memory.retrieval.relevance import stem_set
from memlab.memory.text import digest
from memlab.systems.documents.parts.bracket import Bracket
from memlab.systems.documents.parts.encoder import NAME, VectorIndex
from memlab.systems.documents.parts.extractor import verbatim
from memlab.systems.documents.parts.prompt import statement
from memlab.systems.documents.parts.records import Records
from memlab.systems.documents.parts.same_subject import SAME_SUBJECT, is_other_value
from memlab.systems.documents.parts.stand_ins import RULES, StandIns
from memlab.systems.documents.parts.transcript import MESSAGES, Transcript
from memlab.systems.fallback import AssembledFromRecall
from memlab.terms import Event, Memory, MemorySystem, Workspace

PAIR = 2
"""[m] Messages after which the extractor runs."""
CONTEXT = 10
"""[m] A proposed fact must be quoted from the last ten messages."""
NEAREST = 10
"""[m] A proposed fact is compared with the ten nearest memories."""
ADD_BELOW, SAME_FROM = 0.6, 0.95
"""[m] By the largest cosine: below 0.6 it is new, from 0.95 it is known."""
LEAST_SIMILAR = 0.1
"""[m] Recall returns no memory with a smaller cosine."""


class ImplicitWrite:
    """One list of facts, changed after every pair of messages."""

    def __init__(self, workspace: Workspace, stand_ins: StandIns = RULES, *, only_adds: bool = False) -> None:
        self._facts = Records(workspace.directory / "facts.jsonl")
        self._unread = Transcript(workspace.directory)
        self._last: deque[str] = deque(maxlen=CONTEXT)
        self._index = VectorIndex()
        for key, fact in self._facts.items():
            self._index.put(key, fact["text"])
        self._stand_ins = stand_ins
        self._only_adds = only_adds

    def observe(self, event: Event) -> None:
        """Read a message; a fact that is handed over is one that the extractor would have found."""
        if event.kind in MESSAGES:
            self._unread.add(event)
            if len(self._unread) >= PAIR:
                self._read()
        elif event.kind in {"fact", "skill", "rule"} and event.text:
            self._keep(statement(event), event.name or event.about)

    def recall(self, query: str, k: int = 5) -> list[Memory]:
        """Return the k facts nearest to the query."""
        self._read()
        found = self._index.nearest(query, k, LEAST_SIMILAR)
        return [Memory(self._facts[key]["text"], (), "facts", score) for key, score in found]

    def stored(self) -> list[str]:
        """Return every fact that is kept now."""
        self._read()
        return [fact["text"] for fact in self._facts.values()]

    def _read(self) -> None:
        """Extract facts from the messages that were not read yet."""
        unread = [message for messages in self._unread.take_finished() for message in messages]
        turns = [message.turn for message in sorted(unread, key=lambda one: one.time)]
        self._last.extend(turn.text for turn in turns)
        for one in verbatim(self._stand_ins.extract(turns), "\n".join(self._last)):
            self._keep(one.fact, "")

    def _keep(self, text: str, subject: str) -> None:
        """ADD, UPDATE, DELETE and ADD, or do nothing."""
        near = [] if self._only_adds else self._index.nearest(text, NEAREST)
        nearest = near[0][1] if near else 0.0
        older = [key for key, score in near if self._is_replaced(key, score, text)]
        if subject and not self._only_adds:
            older += [key for key, fact in self._facts.items() if fact["subject"] == subject and key not in older]
        if nearest >= SAME_FROM and not older:
            return
        for key in older:
            del self._facts[key]
            self._index.remove(key)
        key = digest(text)
        self._facts[key] = {"text": text, "subject": subject}
        self._index.put(key, text)

    def _is_replaced(self, key: str, score: float, text: str) -> bool:
        """Return whether a new fact holds all that an old one says, or gives its subject another value."""
        old = self._facts[key]["text"]
        is_more = ADD_BELOW <= score < SAME_FROM and stem_set(old) <= stem_set(text)
        return is_more or (score >= SAME_SUBJECT and is_other_value(old, text))


def _built(name: str, workspace: Workspace, stand_ins: StandIns = RULES, *, only_adds: bool = False) -> MemorySystem:
    return AssembledFromRecall(name, ImplicitWrite(workspace, stand_ins, only_adds=only_adds))


BRACKETS = (
    Bracket(
        "implicit-write",
        f"Lab 07 (000), after Mem0: facts pulled out of each pair of messages; {NAME}, rules-v1.",
        "extracts",
        partial(_built, "implicit-write"),
    ),
    Bracket(
        "implicit-add-only",
        f"implicit-write as Mem0 since version 2: it only adds; {NAME}, rules-v1.",
        "extracts",
        partial(_built, "implicit-add-only", only_adds=True),
    ),
)
ENTRIES = tuple(entry for one in BRACKETS for entry in one.entries())
