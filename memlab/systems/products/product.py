"""What all products have in common: what is stored of an event, how they are built, and what a result records."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from typing import Any, cast

from memlab.models.embedders import WORDLLAMA, Embedder, unit
from memlab.systems.documents.parts import encoder
from memlab.systems.entry import Entry
from memlab.systems.fallback import complete
from memlab.systems.notes import lines_of
from memlab.systems.products.contract import NotJudged, why_not_judged
from memlab.systems.user_class import verbs_of
from memlab.terms import Event, Memory, MemorySystem, Workspace

HASHED = Embedder(encoder.NAME, encoder.WIDTH, lambda texts: [unit(encoder.hash512(text)) for text in texts])
"""Shared words and parts of words: no weights."""


class Store(ABC):
    """A product that keeps texts by key and searches them: one text for each event, as `lines_of` gives it.

    memlab assembles a context from what `recall` returns.
    """

    def observe(self, event: Event) -> None:
        """Store the lines of an event, or remove the events that it erases."""
        if event.kind == "erase":
            for key in event.erases:
                self.remove(key)
        elif lines := lines_of(event):
            self.add(event.id, "\n".join(lines))

    @abstractmethod
    def add(self, key: str, text: str) -> None:
        """Store a text."""

    @abstractmethod
    def recall(self, query: str, k: int = 5) -> Sequence[Memory | str]:
        """Return at most k texts, the best first."""

    @abstractmethod
    def remove(self, key: str) -> None:
        """Remove the text of a key, if it is there."""


@dataclass(frozen=True, slots=True)
class Product:
    """A row of the table: `make` builds it, and memlab's `extra` installs the `modules` that it imports.

    Each result records the version of the distribution `package` and the `settings` that were chosen for it.
    """

    name: str
    about: str
    make: Callable[..., Any]
    modules: tuple[str, ...]
    package: str
    extra: str
    settings: str

    def build(self, workspace: Workspace) -> MemorySystem:
        """Build the product, as `build_judged` does."""
        system = build_judged(self.name, self.make, workspace)
        cast("Any", system).version = f"{self.package} {version(self.package)}; {self.settings}"
        return system

    def entry(self) -> Entry:
        """Return the row's entry."""
        return Entry(self.name, self.about, "products", self.build, modules=self.modules, extra=self.extra)

    def with_embedders(self) -> tuple[Entry, Entry]:
        """Return two rows of a `make` that also takes an embedder, as first argument.

        One has the embedder without weights; the other, `NAME+wordllama`, has trained word vectors.
        """
        hashed, trained = (
            replace(
                self,
                make=partial(self.make, one),
                modules=(*self.modules, *one.modules),
                settings=f"{self.settings}, embedder {one.name}",
            )
            for one in (HASHED, WORDLLAMA)
        )
        return hashed.entry(), replace(trained, name=f"{self.name}+{WORDLLAMA.name}").entry()


def build_judged(name: str, make: Callable[[Workspace], Any], workspace: Workspace) -> MemorySystem:
    """Build a product with all verbs; one that does not find what was planted is replaced by NotJudged."""
    reason = why_not_judged(name, make)
    made = NotJudged(reason) if reason else make(workspace)
    return complete(name, made, frozenset(verbs_of(made)))
