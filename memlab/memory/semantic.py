"""What is true: the fact record, its subject, and the protocol of the stores that keep it."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from memlab.memory.trust import USER, Provenance

MayReplace = Callable[[int, int], bool]
LONGEST_SLUG = 64
_SLUG = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")
_ZERO_WIDTH = dict.fromkeys(
    [0x00AD, 0x034F, 0x061C, 0x180E, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0xFEFF]
)


class Refused(Exception):
    """A memory says no: the message names the rule, the value, and what would be accepted.

    It stands in memlab.memory.semantic; `from memlab.memory import Refused` gives it too.
    """


def fold(text: str) -> str:
    """Fold a text for comparison: NFKC, zero-width characters out, case folded, white space to single spaces."""
    if text.isascii():
        return " ".join(text.lower().split())
    visible = unicodedata.normalize("NFKC", text).translate(_ZERO_WIDTH)
    return " ".join(unicodedata.normalize("NFKC", visible.casefold()).split())


def slug(name: str) -> str:
    """Give the safe form of a name, after NFKC, zero-width removal and case folding.

    Raises Refused unless it is 1 to 64 lower-case letters and digits in words joined by `-` or `_`: then it is a file
    name that leads nowhere else, a line of an index that forges nothing, and one spelling per subject.
    """
    plain = unicodedata.normalize("NFKC", name).translate(_ZERO_WIDTH).casefold()
    if len(plain) > LONGEST_SLUG or not _SLUG.fullmatch(plain):
        shown = ascii(name if len(name) <= LONGEST_SLUG else name[:LONGEST_SLUG] + "...")
        raise Refused(
            f"name {shown}: a name is a slug, 1 to {LONGEST_SLUG} of a-z and 0-9 in words joined by '-' or '_'; "
            "choose one such as 'deploy-script'"
        )
    return plain


def digest(*said: str) -> str:
    """Name a content: 16 hex digits of SHA-256, the same in every process."""
    return hashlib.sha256("\0".join(said).encode("utf-8", "surrogatepass")).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Fact:
    """One version of one statement about the world, with who said it and how far that lineage is trusted.

    `name` is a slug, `about` names the subject where the slug does not, `type` is user, project or reference;
    `superseded_by` is the id of the statement that replaced it.
    """

    name: str
    body: str
    description: str = ""
    type: str = "project"
    about: str = ""
    origin: Provenance = field(default_factory=Provenance)
    rank: int = USER
    superseded_by: str = ""

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
        """Leave of these statements a tombstone without content."""

    def frequency(self, question: Collection[str]) -> tuple[Mapping[str, int], int]:
        """Tell how many statements hold each word, and how many statements there are."""

    def close(self) -> None:
        """Let go of files."""


def same_subject(name: str, about: str, other_name: str, other_about: str) -> bool:
    """Tell whether two facts are about the same thing: equal slugs, or both carry the same `about`; nothing vaguer."""
    return fold(name) == fold(other_name) or bool(fold(about) and fold(about) == fold(other_about))
