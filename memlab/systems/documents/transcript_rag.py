"""transcript-rag: every transcript is stored, and searched by similarity.

Source: the lesson "The Memory Taxonomy & Persistent Stores" (document 001), which calls it the naive design: "store
every conversation transcript and RAG over it". It says how this fails: transcripts are mostly noise, contradictions
have no current version, and nothing says where a statement came from. Here it is built as well as it can be.

Writes: each event at once, as the words that were said, without source, kind or version.
Stores: chunks of up to three turns of one session.
Recalls: the chunks with the largest cosine.
Prompt: the most similar chunks that fit, the oldest first. It has neither rules nor a plan of its own.
Wins: nothing is lost when it is written, and no model is paid. A question in the words of the conversation finds them.
Loses: two thirds of a chunk are noise, which costs precision and tokens. Old and new value are served together, a lie
    as readily as the truth, and rules are only found by luck.
"""

from __future__ import annotations

from dataclasses import dataclass

from memlab.memory.context import CHARS_PER_TOKEN, count_tokens
from memlab.systems.documents.parts.encoder import NAME, VectorIndex
from memlab.systems.documents.parts.records import Records
from memlab.systems.entry import Entry
from memlab.systems.notes import fill_budget
from memlab.terms import Event, Workspace

TURNS = 3
"""[m] A chunk has up to three consecutive turns of one session."""
OVERLAP = 1
"""[m] The last turn of a chunk is the first of the next."""
LONGEST_CHUNK = 400
"""[m] In tokens; a longer turn is several pieces."""


@dataclass(slots=True)
class Chunk:
    """The turns of one chunk, which grows until it is full."""

    key: str
    turns: list[str]

    @property
    def text(self) -> str:
        """The turns, one a line."""
        return "\n".join(self.turns)


class TranscriptRag:
    """Writes each event at once; never updates and never deletes."""

    def __init__(self, workspace: Workspace) -> None:
        self._turns = Records(workspace.directory / "transcript.jsonl")
        self._chunks: dict[str, Chunk] = {}
        self._open: dict[str, Chunk] = {}
        self._index = VectorIndex()
        for turn in self._turns.values():
            self._add(turn["session"], turn["text"])

    def observe(self, event: Event) -> None:
        """Store what was said, whoever said it; an erasure erases nothing."""
        text = "\n".join(filter(None, [event.text, *event.todo]))
        if text and event.kind != "erase":
            self._turns[str(len(self._turns))] = {"session": event.session, "text": text, "time": event.time}
            self._add(event.session, text)

    def recall(self, query: str, k: int = 5) -> list[str]:
        """Return the k chunks that are most similar to the query."""
        return [self._chunks[key].text for key, _ in self._index.nearest(query, k)]

    def assemble(self, task: str, budget: int) -> str:
        """Fill the budget with the most similar chunks, the oldest first."""
        room, taken = budget, set()
        for key, _ in self._index.nearest(task, len(self._chunks)):
            size = count_tokens(f"{self._chunks[key].text}\n")
            if size <= room:
                taken.add(key)
                room -= size
        return fill_budget((chunk.text for key, chunk in self._chunks.items() if key in taken), budget)

    def _add(self, session: str, text: str) -> None:
        longest = LONGEST_CHUNK * CHARS_PER_TOKEN
        for start in range(0, len(text), longest):
            self._add_turn(session, text[start : start + longest])

    def _add_turn(self, session: str, turn: str) -> None:
        chunk = self._open.get(session)
        if chunk is None or len(chunk.turns) == TURNS or not _fits(chunk.turns, turn):
            before = chunk.turns[-OVERLAP:] if chunk else []
            chunk = Chunk(str(len(self._chunks)), before if _fits(before, turn) else [])
            self._chunks[chunk.key] = self._open[session] = chunk
        chunk.turns.append(turn)
        self._index.put(chunk.key, chunk.text)


def _fits(turns: list[str], turn: str) -> bool:
    return count_tokens("\n".join([*turns, turn])) <= LONGEST_CHUNK


ENTRIES = (
    Entry("transcript-rag", f"Lesson 001: transcripts in chunks, searched by {NAME}.", "documents", TranscriptRag),
)
