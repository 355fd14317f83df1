"""What the tests of the facts as files tell and ask; their folder is a fixture in conftest.py."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from memlab.memory.facts import Fact
from memlab.memory.markdown_store.store import FactFiles
from memlab.memory.retrieval.relevance import words
from memlab.memory.trust import Provenance, rank

Open = Callable[[], FactFiles]


def fact(identity: str, body: str, name: str = "timezone", source: str = "user", time: float = 1.0) -> Fact:
    return Fact(name, body, origin=Provenance(source, "s1", time, identity), rank=rank(source))


def standing(store: FactFiles, question: str = "timezone") -> list[str]:
    return [found.body for found in store.search(words(question), 10)]


def swap(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
