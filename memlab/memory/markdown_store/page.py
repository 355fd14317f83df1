"""Reads and writes one fact as a markdown file."""

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
    """The fact in a file, and whether the file is as a store wrote it, so that its provenance can be trusted."""

    fact: Fact
    untouched: bool


def write(path: Path, fact: Fact) -> None:
    """Write a fact's file: first the fields that a person may change, then the provenance, then the body."""
    header = {"name": fact.name, "description": fact.description, "type": fact.type, "about": fact.about}
    header |= {"importance": "" if fact.importance == USUAL_IMPORTANCE else repr(fact.importance)}
    header |= frontmatter.header_of(fact.origin, fact.rank)
    frontmatter.write(path, header | {_DIGEST: _digest(fact)}, fact.body)


def read(path: Path) -> Page:
    """Read a fact's file; the name of the file is that of the fact. Raises OSError if it cannot be read.

    A header line with an unknown field is put before the body, so that it is not lost.
    """
    header, body = frontmatter.read(path)
    header, body = {key: replace_surrogates(value) for key, value in header.items()}, replace_surrogates(body)
    unknown = [key for key in header if key not in _OURS and not key.startswith("metadata.")]
    others = [f"{key}: {header[key]}" for key in unknown]
    importance = _importance(header.get("importance", ""))
    if importance is None:
        others.append(f"importance: {header['importance']}")
    fact = Fact(
        path.stem,
        "\n".join([*others, "", body]) if others else body,
        header.get("description", ""),
        header.get("type", USUAL_TYPE),
        header.get("about", ""),
        *frontmatter.origin_of(header, ""),
        importance=USUAL_IMPORTANCE if importance is None else importance,
    )
    return Page(fact, header.get(_DIGEST) == _digest(fact))


def content(fact: Fact) -> tuple[str, ...]:
    """Return all that a person may change in a fact, without line endings and trailing white space."""
    body = fact.body.replace("\r\n", "\n").rstrip()
    return (fact.description, fact.type or USUAL_TYPE, fact.about, repr(float(fact.importance)), body)


def _digest(fact: Fact) -> str:
    return digest(fact.name, *content(fact), *frontmatter.header_of(fact.origin, fact.rank).values())


def _importance(text: str) -> float | None:
    try:
        importance = float(text or USUAL_IMPORTANCE)
    except ValueError:
        return None
    return importance if 0 <= importance <= 1 else None
