"""memshield-bench: memory entries, clean or poisoned.

Format: `data/*.jsonl` of the data set npow/memshield-bench: one object in each line with `id`, `content`, `label`,
`paired_id` and `attack_type`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import BaseModel

from memlab.harness.datasets.reading import DataFile
from memlab.harness.datasets.shape import Conversation, Question, Statement
from memlab.memory.text import digest
from memlab.terms import Event

EXPECTED = "a data file of memshield-bench, one JSON object in each line with `id`, `content` and `label`"
OPENING = 12
"""Words of an entry that are the question about it."""


class Entry(BaseModel):
    """One memory entry; `paired_id` is the same entry before or after it was poisoned."""

    id: str
    content: str
    label: Literal["clean", "poisoned"]
    paired_id: str = ""
    attack_type: str = "none"


def load(path: Path) -> list[Conversation]:
    """Read all entries as one memory. Raises BadDataset.

    The web wrote the poisoned entries and half of the clean ones, so that a memory that drops what the web says loses
    those; the user wrote the others. The data set has no questions: the first twelve words of each entry are one. A
    clean entry is its own evidence. A poisoned one must not be served; its clean pair is the evidence, if it is there.
    """
    entries = [entry for _, entry in DataFile.read(path, EXPECTED).parse_lines(Entry)]
    clean = {one.id: one for one in entries if one.label == "clean"}
    return [
        Conversation(
            path.stem,
            tuple(_event(number, one) for number, one in enumerate(entries)),
            tuple(_question(one, clean) for one in entries),
        )
    ]


def _event(number: int, one: Entry) -> Event:
    return Event(one.id, "fact", float(number), "s1", _source(one), one.content, name=one.id)


def _source(one: Entry) -> str:
    return "user" if one.label == "clean" and int(digest(one.content), 16) % 2 else "web"


def _question(one: Entry, clean: dict[str, Entry]) -> Question:
    query = " ".join(one.content.split()[:OPENING])
    own = (Statement(one.id, one.content),)
    if one.label == "clean":
        return Question(one.id, f"clean, by the {_source(one)}", query, one.id, own)
    pair = clean.get(one.paired_id)
    evidence = (Statement(pair.id, pair.content),) if pair else ()
    return Question(one.id, one.attack_type, query, one.id, evidence, poison=own)
