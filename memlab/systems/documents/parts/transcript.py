"""The messages of each session, kept until a store has learned from them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from memlab.models.extraction import Turn
from memlab.systems.documents.parts.prompt import statement
from memlab.systems.documents.parts.records import Records
from memlab.terms import Event

MESSAGES = frozenset({"turn", "tool", "episode"})
"""The kinds of events that a transcript has: what was said, returned and done."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a session, or a fact that was handed over; `time` is in seconds since 1970."""

    id: str
    session: str
    source: str
    text: str
    time: float
    is_statement: bool = False

    @property
    def turn(self) -> Turn:
        """The message as an extractor reads it."""
        return Turn(self.source, self.text)


class Transcript:
    """Messages on disk: a session that a restart interrupts is still learned from."""

    def __init__(self, directory: Path) -> None:
        self._messages = Records(directory / "transcript.jsonl")
        self._sessions: dict[str, dict[str, Message]] = {}
        for key, fields in self._messages.items():
            self._sessions.setdefault(fields["session"], {})[key] = Message(**fields)
        self._next = 1 + max(map(int, self._messages), default=0)

    def __len__(self) -> int:
        return len(self._messages)

    def add(self, event: Event) -> None:
        """Add an event to the transcript of its session."""
        is_statement = event.kind not in MESSAGES
        message = Message(event.id, event.session, event.source, statement(event), event.time, is_statement)
        key = str(self._next)
        self._next += 1
        self._messages[key] = {name: getattr(message, name) for name in Message.__slots__}
        self._sessions.setdefault(event.session, {})[key] = message

    def take_finished(self, current: str | None = None) -> Iterator[list[Message]]:
        """Remove and yield the messages of each session but the current one; without it, of every session."""
        for session in [one for one in self._sessions if one != current]:
            messages = self._sessions.pop(session)
            for key in messages:
                del self._messages[key]
            yield list(messages.values())
