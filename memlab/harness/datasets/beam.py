"""BEAM: long chats with an assistant, with questions on ten abilities that cite the messages which answer them.

Two formats (Tavakoli et al. 2025, arXiv 2510.27246): one JSON list of chats with `messages` and `questions`; or the
`chat.json` of one chat of github.com/mohammadtavakoli78/BEAM, beside `probing_questions/probing_questions.json`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, Field

from memlab.harness.datasets.reading import DataFile, Place
from memlab.harness.datasets.shape import ABSTENTION, Conversation, Question, Statement
from memlab.terms import Event

EXPECTED = "a chat.json of BEAM, or a JSON list of chats with `messages` and `questions`"
QUESTIONS = Path("probing_questions") / "probing_questions.json"
EXPECTED_QUESTIONS = "the probing_questions.json of a BEAM chat, an object of lists of questions"
_TIME = "%B-%d-%Y"
_SOURCES = {"user": "user", "assistant": "agent"}


class Message(BaseModel):
    """One message; `time` is the day on which a part of the chat begins."""

    id: int
    role: Literal["user", "assistant"]
    text: str
    time: str | None = None


class Asked(BaseModel):
    """One question; `old` and `new` are the messages with the superseded and the current value."""

    kind: str
    question: str
    evidence: list[int]
    old: list[int] = Field(default_factory=list)
    new: list[int] = Field(default_factory=list)


class Chat(BaseModel):
    """One chat of the list."""

    chat: int | str
    messages: list[Message]
    questions: list[Asked]


class PublishedMessage(BaseModel):
    """One message of chat.json."""

    id: int
    role: Literal["user", "assistant"]
    content: str
    time_anchor: str | None = None


class Batch(BaseModel):
    """One part of chat.json: its turns, each a list of messages."""

    turns: list[list[PublishedMessage]]


class PublishedQuestion(BaseModel):
    """One question of probing_questions.json; the ids are a list, or lists by the role of the message."""

    question: str
    source_chat_ids: list[int] | dict[str, list[int] | int] = Field(default_factory=list)


def load(path: Path) -> list[Conversation]:
    """Read the chats of a list, or the one chat of a chat.json. Raises BadDataset."""
    file = DataFile.read(path, EXPECTED)
    found = file.parse(list[dict[str, Any]])
    if found and "turns" in found[0]:
        return [_conversation(file, (), _published(file, found, path))]
    chats = file.validate(found, list[Chat])
    return [_conversation(file, (number,), chat) for number, chat in enumerate(chats)]


def _published(file: DataFile, found: list[dict[str, Any]], path: Path) -> Chat:
    batches = file.validate(found, list[Batch])
    questions = DataFile.read(path.parent / QUESTIONS, EXPECTED_QUESTIONS).parse(dict[str, list[PublishedQuestion]])
    return Chat(
        chat=path.parent.name,
        messages=[
            Message(id=one.id, role=one.role, text=one.content.partition("->->")[0].rstrip(), time=one.time_anchor)
            for batch in batches
            for turn in batch.turns
            for one in turn
        ],
        questions=[_to_question(kind, one) for kind, some in questions.items() for one in some],
    )


def _to_question(kind: str, one: PublishedQuestion) -> Asked:
    by_role = one.source_chat_ids if isinstance(one.source_chat_ids, dict) else {"": one.source_chat_ids}
    ids = {role: [some] if isinstance(some, int) else some for role, some in by_role.items()}
    evidence = sorted({one for some in ids.values() for one in some})
    old, new = ids.get("original_info", []), ids.get("updated_info", [])
    return Asked(kind=kind, question=one.question, evidence=evidence, old=old, new=new)


def _conversation(file: DataFile, place: Place, chat: Chat) -> Conversation:
    name = f"chat-{chat.chat}"
    events = tuple(_events(file, place, chat.messages))
    texts = {event.id: event.text for event in events}

    def statements(ids: Sequence[int]) -> tuple[Statement, ...]:
        return tuple(Statement(str(one), texts[str(one)]) for one in dict.fromkeys(ids) if str(one) in texts)

    questions = []
    for number, one in enumerate(chat.questions):
        evidence = () if one.kind == ABSTENTION else statements(one.evidence)
        if evidence or one.kind == ABSTENTION:
            # a message that states both values cannot be told apart
            new, old = ([] if set(one.new) & set(one.old) else some for some in (one.new, one.old))
            questions.append(
                Question(f"{name}/{number}", one.kind, one.question, name, evidence, statements(new), statements(old))
            )
    return Conversation(name, events, tuple(questions))


def _events(file: DataFile, place: Place, messages: Sequence[Message]) -> Iterator[Event]:
    time, session = 0.0, 0
    for number, message in enumerate(messages):
        time += 1
        if message.time:
            session += 1
            time = max(time, _time(file, [*place, "messages", number, "time"], message.time))
        yield Event(str(message.id), "turn", time, f"s{session}", _SOURCES[message.role], message.text)


def _time(file: DataFile, place: Place, value: str) -> float:
    try:
        return datetime.strptime(value, _TIME).replace(tzinfo=UTC).timestamp()
    except ValueError:
        raise file.error_at(place, f"is {value!r}, not a day such as 'March-15-2024'") from None
