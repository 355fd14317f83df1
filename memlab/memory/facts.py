"""Semantic memory: the Fact record, the FactStore protocol, and when two facts are about the same subject."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Protocol

from memlab.memory.text import clean, fold, replace_surrogates, slug
from memlab.memory.trust import USER, Provenance

MayReplace = Callable[[int, int], bool]


@dataclass(frozen=True, slots=True)
class Fact:
    """One version of a statement about the world, with its source and trust rank.

    `name` is a slug; `about` is the subject, if the slug does not name it; `type` is user, project or reference;
    `superseded_by` is the id of the statement that replaced it. A withdrawal, which ends a subject's facts without a
    replacement, has its own id there. `importance` in [0, 1] decides between equals. Raises ValueError if out of range.
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
    def key(self) -> str:
        """The text by which the fact is found."""
        return f"{self.name} {self.about} {self.description} {self.body}"


class FactStore(Protocol):
    """A versioned store of facts: a statement supersedes others on its subject, and all versions are kept.

    Versions are ordered by when they were put, not by their times, since clocks may jump. `question` is a list of
    stemmed words. `limit` applies separately to trusted and untrusted results, so that neither crowds out the other.
    """

    @property
    def location(self) -> str:
        """The file where a person can read the facts."""

    def put(self, fact: Fact) -> None:
        """Store a statement; it supersedes those on its subject that it may replace. A known id changes nothing.

        A statement that is already superseded supersedes nothing, unless it is a withdrawal. Raises as normalize_fact.
        """

    def get(self, identity: str) -> Fact | None:
        """Return a statement by its id, superseded or not."""

    def search(self, question: Sequence[str], limit: int, *, retired: bool = False) -> list[Fact]:
        """Return current (or `retired`) statements that share words: best, then most important, then latest first."""

    def version(self) -> object:
        """Return a value that changes whenever the store's content changes."""

    def rivals(self, fact: Fact) -> list[Fact]:
        """Return the other current statements on a fact's subject, by descending rank, then latest first."""

    def history(self, name: str) -> list[Fact]:
        """Return every statement with a name, oldest first."""

    def as_of(self, time: float) -> list[Fact]:
        """Return the statements that were current at a time (seconds since 1970, UTC)."""

    def derived_ids(self, ids: Collection[str]) -> set[str]:
        """Return the ids of the statements that restate any of these."""

    def erase(self, ids: Collection[str]) -> None:
        """Replace the known ones among these by tombstones: ids without content that cannot be used again.

        Statements that they had superseded become current again, unless another later statement supersedes them.
        """

    def tombstone(self, ids: Collection[str]) -> None:
        """Erase these ids, and leave a tombstone for unknown ids as well."""

    def statements(self) -> Iterator[Fact]:
        """Yield every statement, superseded or not, in the order put."""

    def tombstones(self) -> set[str]:
        """Return the ids that have a tombstone."""

    def frequency(self, question: Collection[str]) -> tuple[Mapping[str, int], int]:
        """Return the number of statements that contain each word, and the number of statements."""

    def close(self) -> None:
        """Close the files."""


def copy(source: FactStore, target: FactStore) -> None:
    """Copy all statements and tombstones to a store, except those it has; an interrupted copy can be repeated."""
    target.tombstone(source.tombstones())
    for fact in source.statements():
        target.put(fact)


def normalize_fact(fact: Fact) -> Fact:
    """Return a fact as every store keeps it: its name a slug, lone surrogates replaced.

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


def successor(old: Fact, later: Iterable[Fact], replaces: MayReplace) -> str:
    """Return the id of the first later statement on the same subject that may replace the old one, or an empty id."""
    return next((new.id for new in later if same_subject(old, new) and replaces(new.rank, old.rank)), "")
