"""What a fact store promises, in the plainest words."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from memlab.memory.facts import Fact
from memlab.memory.text import fold


class NaiveFacts:
    """Everything told, in the order in which it was told."""

    def __init__(self) -> None:
        self.statements: list[Fact] = []
        self.tombstones: set[str] = set()

    def put(self, fact: Fact) -> None:
        """Supersede what stands on the same subject and ranks no higher, then add."""
        if fact.id in self.tombstones or fact.id in {known.id for known in self.statements}:
            return
        for place, old in enumerate(self.statements):
            if not old.superseded_by and same_subject(old, fact) and fact.rank >= old.rank:
                self.statements[place] = replace(old, superseded_by=fact.id)
        self.statements.append(fact)

    def erase(self, ids: Collection[str]) -> None:
        """Tell everything again but these."""
        kept = [fact for fact in self.statements if fact.id not in ids]
        self.tombstones |= {fact.id for fact in self.statements} & set(ids)
        self.statements = []
        for fact in kept:
            self.put(replace(fact, superseded_by=""))

    def standing(self) -> list[Fact]:
        return [fact for fact in self.statements if not fact.superseded_by]

    def as_of(self, time: float) -> set[str]:
        """Give the ids of what had been said and not yet superseded."""
        times = {fact.id: fact.origin.time for fact in self.statements}
        known = [fact for fact in self.statements if fact.origin.time <= time]
        return {fact.id for fact in known if not fact.superseded_by or times[fact.superseded_by] > time}


def same_subject(one: Fact, other: Fact) -> bool:
    """Tell whether two facts are on the same subject, as the design says it: the same slug or the same `about`."""
    return one.name == other.name or (bool(fold(one.about)) and fold(one.about) == fold(other.about))
