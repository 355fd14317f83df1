"""LongMemEval: for each question a history of chat sessions; the turns with the answer are marked.

Format: `longmemeval_s.json`, `longmemeval_m.json` or `longmemeval_oracle.json` of github.com/xiaowu0162/LongMemEval
(Wu et al. 2024, arXiv 2410.10813).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from pydantic import BaseModel

from memlab.harness.datasets.reading import DataFile
from memlab.harness.datasets.shape import ABSTENTION, Conversation, Question, Statement
from memlab.terms import Event

EXPECTED = "a file of LongMemEval, a list of objects with `question_id`, `haystack_sessions` and `haystack_dates`"
UNANSWERABLE = "_abs"
"""The end of the id of a question that the history does not answer."""
UPDATE = "knowledge-update"
_TIME = "%Y/%m/%d (%a) %H:%M"
_SOURCES = {"user": "user", "assistant": "agent"}
_LISTS = ("haystack_dates", "haystack_session_ids")


class Turn(BaseModel):
    """One turn; `has_answer` marks evidence."""

    role: Literal["user", "assistant"]
    content: str
    has_answer: bool | None = None


class Instance(BaseModel):
    """One question and its history."""

    question_id: str
    question_type: str
    question: str
    haystack_dates: list[str]
    haystack_session_ids: list[str]
    haystack_sessions: list[list[Turn]]
    answer_session_ids: list[str]


def load(path: Path) -> list[Conversation]:
    """Read one conversation for each question, its sessions by date. Raises BadDataset.

    Evidence is the marked turns. In a knowledge update, those of the last session that has any are the newest value,
    and those of earlier ones are superseded. A question with no marked turn is left out, unless it has no answer.
    """
    file = DataFile.read(path, EXPECTED)
    found = (_conversation(file, *numbered) for numbered in enumerate(file.parse(list[Instance])))
    return [conversation for conversation in found if conversation.questions]


def _conversation(file: DataFile, number: int, one: Instance) -> Conversation:
    for name in _LISTS:
        if len(getattr(one, name)) != len(one.haystack_sessions):
            what = (
                f"has {len(getattr(one, name))} entries for {len(one.haystack_sessions)} sessions: each needs its own"
            )
            raise file.error_at([number, name], what)
    starts = [_time(file, number, *dated) for dated in enumerate(one.haystack_dates)]
    sessions = sorted(range(len(starts)), key=starts.__getitem__)
    events: list[Event] = []
    marked: list[list[Statement]] = []
    for session in sessions:
        # the same session id may occur twice in one history
        name = f"{one.haystack_session_ids[session]}#{session}"
        own = list(_events(name, starts[session], one.haystack_sessions[session]))
        events += [event for event, _ in own]
        marked.append([Statement(event.id, event.text) for event, has_answer in own if has_answer])
    return Conversation(one.question_id, tuple(events), tuple(_question(one, [some for some in marked if some])))


def _events(session: str, start: float, turns: Sequence[Turn]) -> Iterator[tuple[Event, bool]]:
    for place, turn in enumerate(turns):
        identity = f"{session}:{place}"
        yield (
            Event(identity, "turn", start + place, session, _SOURCES[turn.role], turn.content),
            bool(turn.has_answer),
        )


def _question(one: Instance, marked: Sequence[Sequence[Statement]]) -> Iterator[Question]:
    name = one.question_id
    if name.endswith(UNANSWERABLE):
        yield Question(name, ABSTENTION, one.question, name)
    elif marked:
        evidence = tuple(statement for some in marked for statement in some)
        changed = one.question_type == UPDATE and len(marked) > 1
        newer = tuple(marked[-1]) if changed else ()
        older = tuple(statement for some in marked[:-1] for statement in some) if changed else ()
        yield Question(name, one.question_type, one.question, name, evidence, newer, older)


def _time(file: DataFile, number: int, place: int, value: str) -> float:
    try:
        return datetime.strptime(value, _TIME).replace(tzinfo=UTC).timestamp()
    except ValueError:
        what = f"is {value!r}, not a time such as '2023/05/20 (Sat) 02:21'"
        raise file.error_at([number, "haystack_dates", place], what) from None
