"""What is true: the fact record, its subject, and the protocol of the stores that keep it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from memlab.memory.naming import fold
from memlab.memory.trust import USER, Provenance

MayReplace = Callable[[int, int], bool]


@dataclass(frozen=True, slots=True)
class Fact:
    """One version of one statement about the world, with who said it and how far that lineage is trusted.

    `name` is a slug, `about` names the subject where the slug does not, `type` is user, project or reference;
    `superseded_by` is the id of the statement that replaced it, `importance` in [0, 1] decides between equals.
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

    `question` is a list of stemmed words; `limit` bounds what comes back from trusted sources, and again what comes
    back from the others, so that neither can crowd the other out.
    """

    def put(self, fact: Fact) -> None:
        """Keep a statement; those on its subject that it may replace are superseded. A known id changes nothing."""

    def get(self, identity: str) -> Fact | None:
        """Give one statement by its id, superseded or not."""

    def search(self, question: Sequence[str], limit: int, *, retired: bool = False) -> list[Fact]:
        """Find statements that stand (or those that were superseded) by their words, best first."""

    def rivals(self, fact: Fact) -> list[Fact]:
        """Give the other statements on a fact's subject that stand, those of higher rank first."""

    def history(self, name: str) -> list[Fact]:
        """Give every statement under a name, oldest first."""

    def as_of(self, time: float) -> list[Fact]:
        """Give the statements that stood at a time (seconds since 1970, UTC)."""

    def derived(self, ids: Collection[str]) -> set[str]:
        """Give the ids of the statements that restate any of these."""

    def erase(self, ids: Collection[str]) -> None:
        """Leave of these statements a tombstone, an id without content, under which nothing is told again.

        What they had superseded is decided anew among what remains, as if the erased had never been told: it stands
        again, and outranks what ranks lower, unless another statement told after it supersedes it.
        """

    def frequency(self, question: Collection[str]) -> tuple[Mapping[str, int], int]:
        """Tell how many statements hold each word, and how many statements there are."""

    def close(self) -> None:
        """Let go of files."""


def same_subject(one: Fact, other: Fact) -> bool:
    """Tell whether two facts are about the same thing: equal slugs, or both carry the same `about`; nothing vaguer."""
    about = fold(one.about)
    return fold(one.name) == fold(other.name) or bool(about and about == fold(other.about))


def successor(old: Fact, later: Iterable[Fact], replaces: MayReplace) -> str:
    """Give the id of what supersedes a statement: the first on its subject, of those told later, that may; or none."""
    return next((new.id for new in later if same_subject(old, new) and replaces(new.rank, old.rank)), "")
