"""Semantic memory: the Fact record, and when two facts are about the same subject."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from math import isfinite

from memlab.memory.text import clean, fold, replace_surrogates, slug
from memlab.memory.trust import USER, Provenance

_GENERATED = re.compile(r"(?:fact|said|learned)-[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class Fact:
    """One version of a statement about the world, with its source and trust rank.

    `name` is a slug; `about` is the subject, if the slug does not name it; `type` is any word, such as user or project;
    `superseded_by` is the id of the statement that replaced it. `importance` in [0, 1] decides between equals. Raises
    ValueError if out of range.
    """

    name: str
    body: str
    description: str = ""
    type: str = "project"
    about: str = ""
    origin: Provenance = field(default_factory=Provenance)
    rank: int = USER
    superseded_by: str = ""
    importance: float = 0.5

    def __post_init__(self) -> None:
        if not 0 <= self.importance <= 1:
            raise ValueError(f"fact {self.name}: importance {self.importance} is not in [0, 1]; 0.5 is the usual one")

    @property
    def text(self) -> str:
        """The served text: the body."""
        return self.body

    @property
    def id(self) -> str:
        """The id of the statement, not of the subject: every version has its own."""
        return self.origin.id

    @property
    def has_given_name(self) -> bool:
        """Whether its writer chose the name; the memory names a fact without one by a digest."""
        return not _GENERATED.fullmatch(self.name)

    @property
    def key(self) -> str:
        """The text by which the fact is found."""
        return f"{self.heading} {self.body}"

    @property
    def heading(self) -> str:
        """Its name, its subject and its description: what finds it beside its body."""
        return f"{self.name} {self.about} {self.description}"


def normalize_fact(fact: Fact) -> Fact:
    """Return a fact as it is stored: its name a slug, lone surrogates replaced.

    Raises Refused if the name is no slug, ValueError if there is no id or the time is not finite.
    """
    origin = fact.origin
    if not origin.id or not isfinite(origin.time):
        raise ValueError(
            f"fact {fact.name}: id {origin.id!r}, time {origin.time}: a statement needs an id of its own and a finite "
            "time in seconds since 1970; give both in its Provenance"
        )
    cleaned: Fact = clean(fact)
    return replace(cleaned, name=slug(fact.name))


def subject(name: str) -> str:
    """Return a name or subject in the form that is compared."""
    return replace_surrogates(fold(name))


def same_subject(one: Fact, other: Fact) -> bool:
    """Return whether two facts have the same subject: equal names, or equal and not empty `about`."""
    about = subject(one.about)
    return subject(one.name) == subject(other.name) or bool(about and about == subject(other.about))
