"""Pins, and a guess at the truth from who spoke first and what nobody restated: a harness must ask who speaks."""

from __future__ import annotations

import json
from typing import TypedDict

from memlab.memory.text import overlap, word_set
from memlab.systems.notes import lines_of
from memlab.systems.one_fact import best_matches, insert_before_todo
from memlab.systems.pins_only import PINNING, PinsOnly
from memlab.terms import Build, Event, Workspace

SERVED = 3
"""Lines that go into a context: more of them would let more lies in."""
MATCHES = 200
"""So many of the best matches are compared with each other."""
ALIKE = 0.5


class Told(TypedDict):
    """One thing that was told: as a line, without its title, on which subject, under which id, and restating which."""

    line: str
    text: str
    subject: str
    id: str
    derived_from: list[str]


class FirstTold(PinsOnly):
    """Keeps the pins, and searches the first statement on each subject."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._notes = workspace.directory / "told.jsonl"
        known = self._notes.read_text(encoding="utf-8").split("\n")[:-1] if self._notes.exists() else []
        self._told: list[Told] = [json.loads(line) for line in known]

    def observe(self, event: Event) -> None:
        """Follow the pins; write down what else is told, and on which subject."""
        super().observe(event)
        if event.kind not in {*PINNING, "erase"}:
            subject = event.about or event.name or event.id
            told = [
                Told(line=line, text=event.text, subject=subject, id=event.id, derived_from=list(event.derived_from))
                for line in lines_of(event)
            ]
            self._told += told
            with self._notes.open("a", encoding="utf-8") as notes:
                notes.writelines(json.dumps(one) + "\n" for one in told)

    def recall(self, query: str, k: int = 5) -> list[str]:
        """Give k of the best matches, none of them on a subject of which something else was believed first."""
        first: dict[str, str] = {}
        for one in self._believed(query):
            first.setdefault(one["subject"], one["line"])
        return best_matches(first.values(), query, k)

    def assemble(self, task: str, budget: int) -> str:
        """Give the rules and the goal, some matches as far as the budget allows, and the to-do last."""
        return insert_before_todo(super().assemble(task, budget), self.recall(task, SERVED), budget)

    def _believed(self, query: str) -> list[Told]:  # noqa: ARG002 - who was first does not depend on the question
        return self._told


class ToldOnce(FirstTold):
    """Forgets first what was told twice: what is half alike to another match, or a derived chain links."""

    def _believed(self, query: str) -> list[Told]:
        linked = {parent for one in self._told for parent in one["derived_from"]}
        found = set(best_matches((one["line"] for one in self._told), query, MATCHES))
        matches = [(one, word_set(one["text"])) for one in self._told if one["line"] in found]
        return [
            one
            for one, said in matches
            if not one["derived_from"]
            and one["id"] not in linked
            and not any(other is not one and overlap(said, words) >= ALIKE for other, words in matches)
        ]


BUILDS: dict[str, Build] = {"first-told": FirstTold, "told-once": ToldOnce}
ABOUT = {
    "first-told": "Believes the first statement on each subject: wins where the truth is told before the lie.",
    "told-once": "Believes the first that nobody restates: wins where only lies are repeated or passed on.",
}
