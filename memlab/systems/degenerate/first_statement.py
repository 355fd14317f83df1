"""Heuristics that a harness must not reward: pins, and the first or the unrepeated statement on each subject."""

from __future__ import annotations

import json
from typing import TypedDict

from memlab.memory.retrieval.relevance import jaccard, stem_set
from memlab.systems.degenerate.one_fact import best_matches, insert_before_todo
from memlab.systems.degenerate.pins_only import PINNING, PinsOnly
from memlab.systems.notes import lines_of
from memlab.terms import Build, Event, Workspace

SERVED = 3
"""The number of lines in a context; more lines would let in more lies."""
MATCHES = 200
"""The number of best matches that are compared with each other."""
SIMILAR = 0.5
"""Two lines with at least this Jaccard index restate each other."""


class Statement(TypedDict):
    """A stored line, and the text, subject, id and lineage of its event."""

    line: str
    text: str
    subject: str
    id: str
    derived_from: list[str]


class FirstStatement(PinsOnly):
    """Stores the pins, and searches the first statement on each subject."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._notes = workspace.directory / "told.jsonl"
        known = self._notes.read_text(encoding="utf-8").split("\n")[:-1] if self._notes.exists() else []
        self._statements: list[Statement] = [json.loads(line) for line in known]

    def observe(self, event: Event) -> None:
        super().observe(event)
        if event.kind not in {*PINNING, "erase"}:
            subject = event.about or event.name or event.id
            statements = [
                Statement(
                    line=line, text=event.text, subject=subject, id=event.id, derived_from=list(event.derived_from)
                )
                for line in lines_of(event)
            ]
            self._statements += statements
            with self._notes.open("a", encoding="utf-8") as notes:
                notes.writelines(json.dumps(one) + "\n" for one in statements)

    def recall(self, query: str, k: int = 5) -> list[str]:
        """Return k of the best matches among the first believed statement on each subject."""
        first: dict[str, str] = {}
        for one in self._believed(query):
            first.setdefault(one["subject"], one["line"])
        return best_matches(first.values(), query, k)

    def assemble(self, task: str, budget: int) -> str:
        return insert_before_todo(super().assemble(task, budget), self.recall(task, SERVED), budget)

    def _believed(self, query: str) -> list[Statement]:  # noqa: ARG002 - the first statement does not depend on the query
        return self._statements


class Unrepeated(FirstStatement):
    """Ignores what is repeated: matches similar to another match, and statements of a derivation chain."""

    def _believed(self, query: str) -> list[Statement]:
        linked = {parent for one in self._statements for parent in one["derived_from"]}
        found = set(best_matches((one["line"] for one in self._statements), query, MATCHES))
        matches = [(one, stem_set(one["text"])) for one in self._statements if one["line"] in found]
        return [
            one
            for one, own_words in matches
            if not one["derived_from"]
            and one["id"] not in linked
            and not any(other is not one and jaccard(own_words, words) >= SIMILAR for other, words in matches)
        ]


BUILDS: dict[str, Build] = {"first-told": FirstStatement, "told-once": Unrepeated}
ABOUT = {
    "first-told": "Believes the first statement on each subject: wins where the truth comes before the lie.",
    "told-once": "Believes the first statement that is not restated: wins where only lies are repeated or passed on.",
}
