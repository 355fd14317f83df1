"""LoCoMo: very long conversations of two people, with questions that cite the turns which answer them.

Format: `locomo10.json` of github.com/snap-research/locomo (Maharana et al. 2024, arXiv 2402.17753).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from memlab.harness.datasets.reading import DataFile
from memlab.harness.datasets.shape import ABSTENTION, Conversation, Question, Statement
from memlab.terms import Event

EXPECTED = "locomo10.json of LoCoMo, a list of objects with `conversation` and `qa`"
ADVERSARIAL = 5
KINDS = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", ADVERSARIAL: ABSTENTION}
"""The categories of a question by their number in the file."""
_TURN_ID = re.compile(r"D\d+:\d+")
_TIME = "%I:%M %p on %d %B, %Y"


class Turn(BaseModel):
    """One turn; a shared image is described by `blip_caption`."""

    speaker: str
    dia_id: str
    text: str
    blip_caption: str = ""


class Asked(BaseModel):
    """One question with the ids of the turns that answer it."""

    question: str
    evidence: list[str]
    category: int


class Sample(BaseModel):
    """One conversation: `session_1` is a list of turns, `session_1_date_time` its time."""

    sample_id: str = ""
    qa: list[Asked]
    conversation: dict[str, Any]


def load(path: Path, left_out: Collection[str] = ()) -> list[Conversation]:
    """Read the conversations. `left_out` are ids of questions with wrong labels, such as `conv-26/12`.

    A question's id is its conversation's id and its number in `qa`, from 0. Evidence that names no turn is ignored;
    questions of categories 1 to 4 without any other are left out, since nothing can be judged. Raises BadDataset.
    """
    file = DataFile.read(path, EXPECTED)
    return [_conversation(file, *numbered, left_out) for numbered in enumerate(file.parse(list[Sample]))]


def _conversation(file: DataFile, number: int, sample: Sample, left_out: Collection[str]) -> Conversation:
    name = sample.sample_id or f"conversation-{number}"
    events = tuple(_events(file, number, sample.conversation))
    texts = {event.id: event.text for event in events}
    questions = tuple(
        question
        for place, row in enumerate(sample.qa)
        if (identity := f"{name}/{place}") not in left_out
        for question in _question(file, (number, place), row, identity, texts)
    )
    return Conversation(name, events, questions)


def _question(
    file: DataFile, place: tuple[int, int], row: Asked, identity: str, texts: dict[str, str]
) -> Iterator[Question]:
    kind = KINDS.get(row.category)
    if kind is None:
        what = f"is {row.category}: a category is one of {', '.join(map(str, KINDS))}"
        raise file.error_at([place[0], "qa", place[1], "category"], what)
    ids = dict.fromkeys(one for text in row.evidence for one in _TURN_ID.findall(text) if one in texts)
    evidence = tuple(Statement(one, texts[one]) for one in ids)
    cluster = identity.rpartition("/")[0]
    if kind == ABSTENTION:
        yield Question(identity, kind, row.question, cluster)
    elif evidence:
        yield Question(identity, kind, row.question, cluster, evidence)


def _events(file: DataFile, number: int, conversation: dict[str, Any]) -> Iterator[Event]:
    sessions = [name for name in conversation if re.fullmatch(r"session_\d+", name)]
    if not sessions:
        raise file.error_at([number, "conversation"], "lacks `session_1`, a list of turns")
    for session in sorted(sessions, key=lambda name: int(name.rpartition("_")[2])):
        start = _time(file, number, conversation, f"{session}_date_time")
        turns = file.validate(conversation[session], list[Turn], [number, "conversation", session])
        for place, turn in enumerate(turns):
            shared = f" [shares {turn.blip_caption}]" if turn.blip_caption else ""
            text = f"{turn.speaker}: {turn.text}{shared}"
            yield Event(turn.dia_id, "turn", start + place, session, "user", text)


def _time(file: DataFile, number: int, conversation: dict[str, Any], name: str) -> float:
    value = conversation.get(name)
    try:
        return datetime.strptime(str(value), _TIME).replace(tzinfo=UTC).timestamp()
    except ValueError:
        raise file.error_at(
            [number, "conversation", name], f"is {value!r}, not a time such as '1:56 pm on 8 May, 2023'"
        ) from None
