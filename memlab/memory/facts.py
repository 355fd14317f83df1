"""What is true: the fact record, its subject, and the protocol of the stores that keep it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Protocol

from memlab.memory.text import fold, replace_surrogates, slug
from memlab.memory.trust import USER, Provenance

MayReplace = Callable[[int, int], bool]


@dataclass(frozen=True, slots=True)
class Fact:
    """One version of one statement about the world, with who said it and how far that lineage is trusted.

    `name` is a slug, `about` names the subject where the slug does not, `type` is user, project or reference;
    `superseded_by` is the id of the statement that replaced it, or its own for a withdrawal, which says that what stood
    on its subject stands no more, and puts nothing in its place; `importance` in [0, 1] decides between equals. Raises
    ValueError if it is out of range.
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
        """What is served: the body."""
        return self.body

    @property
    def id(self) -> str:
        """The id of the statement, not of the subject: every version has its own."""
        return self.origin.id

    @property
    def key(self) -> str:
        """All the words by which the fact can be found."""
        return f"{self.name} {self.about} {self.description} {self.body}"


class FactStore(Protocol):
    """Where facts live. Nothing is overwritten: a statement supersedes others on its subject, and all stay.

    What is later is decided by the order in which statements were told, never by their times, for a clock may jump.
    `question` is a list of stemmed words; `limit` bounds what comes back from trusted sources, and again what comes
    back from the others, so that neither can crowd the other out.
    """

    @property
    def location(self) -> str:
        """Name the file in which a person reads the facts."""

    def put(self, fact: Fact) -> None:
        """Keep a statement; those on its subject that it may replace are superseded. A known id changes nothing.

        One that is superseded already supersedes nothing, unless it is a withdrawal. Raises as `normalize_fact` does.
        """

    def get(self, identity: str) -> Fact | None:
        """Give one statement by its id, superseded or not."""

    def search(self, question: Sequence[str], limit: int, *, retired: bool = False) -> list[Fact]:
        """Find statements that stand (or those that were superseded) by their words, best first.

        Among equals the more important comes first, then the one told later.
        """

    def version(self) -> object:
        """Give a mark that stays equal until somebody changes what the store holds."""

    def rivals(self, fact: Fact) -> list[Fact]:
        """Give the other statements on a fact's subject that stand, those of higher rank first, then the latest."""

    def history(self, name: str) -> list[Fact]:
        """Give every statement under a name, oldest first."""

    def as_of(self, time: float) -> list[Fact]:
        """Give the statements that stood at a time (seconds since 1970, UTC)."""

    def derived_ids(self, ids: Collection[str]) -> set[str]:
        """Give the ids of the statements that restate any of these."""

    def erase(self, ids: Collection[str]) -> None:
        """Leave of the known among these a tombstone, an id without content, under which nothing is told again.

        What they had superseded is decided anew among what remains, as if the erased had never been told: it stands
        again, and outranks what ranks lower, unless another statement told after it supersedes it.
        """

    def tombstone(self, ids: Collection[str]) -> None:
        """Erase these, and leave a tombstone of those too that were never told here."""

    def statements(self) -> Iterator[Fact]:
        """Yield every statement, superseded or not, in the order told."""

    def tombstones(self) -> set[str]:
        """Give the ids that have a tombstone."""

    def frequency(self, question: Collection[str]) -> tuple[Mapping[str, int], int]:
        """Tell how many statements hold each word, and how many statements there are."""

    def close(self) -> None:
        """Let go of files."""


def copy(source: FactStore, target: FactStore) -> None:
    """Tell one store all that another holds, tombstones first, in the order told; what it knows already stays as it is.

    Into an empty store it is without loss. May be run again after it was cut short.
    """
    target.tombstone(source.tombstones())
    for fact in source.statements():
        target.put(fact)


def normalize_fact(fact: Fact) -> Fact:
    """Give a fact as every store keeps it: its name a slug, U+FFFD in the place of half characters.

    Raises Refused if the name is no slug, ValueError if there is no id or the time is not finite.
    """
    origin = fact.origin
    if not origin.id or not isfinite(origin.time):
        raise ValueError(
            f"fact {fact.name}: id {origin.id!r}, time {origin.time}: a statement needs an id of its own and a finite "
            "time in seconds since 1970; give both in its Provenance"
        )
    clean = replace_surrogates
    return replace(
        fact,
        name=slug(fact.name),
        body=clean(fact.body),
        description=clean(fact.description),
        type=clean(fact.type),
        about=clean(fact.about),
        origin=Provenance(
            clean(origin.source),
            clean(origin.session),
            origin.time,
            clean(origin.id),
            tuple(map(clean, origin.derived_from)),
            clean(origin.quote),
        ),
        superseded_by=clean(fact.superseded_by),
    )


def subject(name: str) -> str:
    """Fold a name, or what a statement is about, so that equal subjects are spelled alike."""
    return replace_surrogates(fold(name))


def same_subject(one: Fact, other: Fact) -> bool:
    """Tell whether two facts are about the same thing: equal slugs, or both carry the same `about`; nothing vaguer."""
    about = subject(one.about)
    return subject(one.name) == subject(other.name) or bool(about and about == subject(other.about))


def successor(old: Fact, later: Iterable[Fact], replaces: MayReplace) -> str:
    """Give the id of what supersedes a statement: the first on its subject, of those told later, that may; or none."""
    return next((new.id for new in later if same_subject(old, new) and replaces(new.rank, old.rank)), "")
