"""How a fact reads as a markdown file, and what such a file says after a person has had it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from memlab.memory.facts import Fact
from memlab.memory.storage import frontmatter
from memlab.memory.text import digest, replace_surrogates

USUAL_TYPE, USUAL_IMPORTANCE = "project", 0.5
_OURS = {"name", "description", "type", "about", "importance"}
_DIGEST = "metadata.digest"


@dataclass(frozen=True, slots=True)
class Page:
    """What a file says, and whether it stands there as a store wrote it, so that its provenance can be believed."""

    fact: Fact
    untouched: bool


def write(path: Path, fact: Fact) -> None:
    """Write a fact's file: first what a person may change, then its provenance, then the body."""
    header = {"name": fact.name, "description": fact.description, "type": fact.type, "about": fact.about}
    header |= {"importance": "" if fact.importance == USUAL_IMPORTANCE else repr(fact.importance)}
    header |= frontmatter.header_of(fact.origin, fact.rank)
    frontmatter.write(path, header | {_DIGEST: _digest(fact)}, fact.body)


def read(path: Path) -> Page:
    """Read a fact's file; the file's name is the fact's. Raises OSError if it cannot be read.

    A line of the header that tells the store nothing is taken for the beginning of the body, so that it is not lost.
    """
    header, body = frontmatter.read(path)
    header, body = {key: replace_surrogates(value) for key, value in header.items()}, replace_surrogates(body)
    odd = [f"{key}: {value}" for key, value in header.items() if key not in _OURS and not key.startswith("metadata.")]
    importance = _importance(header.get("importance", ""))
    if importance is None:
        odd.append(f"importance: {header['importance']}")
    fact = Fact(
        path.stem,
        "\n".join([*odd, "", body]) if odd else body,
        header.get("description", ""),
        header.get("type", USUAL_TYPE),
        header.get("about", ""),
        *frontmatter.origin_of(header, ""),
        importance=USUAL_IMPORTANCE if importance is None else importance,
    )
    return Page(fact, header.get(_DIGEST) == _digest(fact))


def content(fact: Fact) -> tuple[str, ...]:
    """Give what a fact says: all that a person may change. How lines end, and white space at the end, says nothing."""
    body = fact.body.replace("\r\n", "\n").rstrip()
    return (fact.description, fact.type or USUAL_TYPE, fact.about, repr(float(fact.importance)), body)


def _digest(fact: Fact) -> str:
    return digest(fact.name, *content(fact), *frontmatter.header_of(fact.origin, fact.rank).values())


def _importance(written: str) -> float | None:
    try:
        importance = float(written or USUAL_IMPORTANCE)
    except ValueError:
        return None
    return importance if 0 <= importance <= 1 else None
