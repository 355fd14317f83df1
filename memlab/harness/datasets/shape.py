"""The common shape of all data sets: conversations of events, and questions about them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from memlab.terms import Event

ABSTENTION = "abstention"
"""The kind of a question that the conversation does not answer."""


class Statement(NamedTuple):
    """An event that a question is about. `needle` is the text by which it is recognised: its words, without labels."""

    id: str
    needle: str


@dataclass(frozen=True, slots=True)
class Question:
    """One question about a conversation, and the events that answer it.

    `evidence` are the events that answer it; without any, the best answer is none. `newer` and `older` are statements
    of the current and of a superseded value, `poison` are planted statements. The answers to questions of one `cluster`
    are not independent.
    """

    id: str
    kind: str
    query: str
    cluster: str
    evidence: tuple[Statement, ...] = ()
    newer: tuple[Statement, ...] = ()
    older: tuple[Statement, ...] = ()
    poison: tuple[Statement, ...] = ()


@dataclass(frozen=True, slots=True)
class Conversation:
    """Events in the order in which they happened, and the questions that are asked after the last one."""

    id: str
    events: tuple[Event, ...]
    questions: tuple[Question, ...]
