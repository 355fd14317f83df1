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
    """Read all entries as one memory: the user wrote the clean ones, the web the poisoned ones. Raises BadDataset.

    The data set has no questions: the first twelve words of each entry are one. For a clean entry it is the evidence.
    For a poisoned one it must not be served; its clean pair is the evidence, if the file has it.
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
    source = "user" if one.label == "clean" else "web"
    return Event(one.id, "fact", float(number), "s1", source, one.content, name=one.id.lower())


def _question(one: Entry, clean: dict[str, Entry]) -> Question:
    query = " ".join(one.content.split()[:OPENING])
    own = (Statement(one.id, one.content),)
    if one.label == "clean":
        return Question(one.id, "clean", query, one.id, own)
    pair = clean.get(one.paired_id)
    evidence = (Statement(pair.id, pair.content),) if pair else ()
    return Question(one.id, one.attack_type, query, one.id, evidence, poison=own)
