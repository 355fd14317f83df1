"""A result as its judge reads it: the claims it serves, the lines nobody told, the pins that stand in it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Literal, NamedTuple, TypeVar

from memlab.harness.scoring.needles import ClaimMatcher, lines_of
from memlab.harness.scoring.pins import contains_pin, is_heading, listed_todos
from memlab.memory.text import fold
from memlab.terms import Key, Result

A = TypeVar("A")
B = TypeVar("B")


def cached_by_identity(limit: int) -> Callable[[Callable[[A], B]], Callable[[A], B]]:
    """Remember what a pure function gave for the last `limit` arguments, told apart by identity.

    For frozen values that cannot be hashed because they hold dictionaries.
    """

    def remember(function: Callable[[A], B]) -> Callable[[A], B]:
        known: dict[int, tuple[A, B]] = {}

        def remembered(argument: A) -> B:
            found = known.get(id(argument))
            if found is None:
                if len(known) >= limit:
                    del known[next(iter(known))]
                found = known[id(argument)] = (argument, function(argument))
            return found[1]

        return remembered

    return remember


class Requirement(NamedTuple):
    """What an answer is to hold: one of CLAIMS by its name, or a pin by its text."""

    what: Literal["expected", "to keep", "rule", "goal", "next to-do"]
    name: str


CLAIMS = ("expected", "to keep")


def required_pins(key: Key) -> list[Requirement]:
    """List the rules, the goal and the next to-do that every context must hold."""
    goal = [Requirement("goal", key.goal)] if key.goal else []
    return [
        *(Requirement("rule", rule) for rule in key.rules),
        *goal,
        *(Requirement("next to-do", item) for item in key.todo[:1]),
    ]


@cached_by_identity(limit=1024)
def claim_matcher(key: Key) -> ClaimMatcher:
    """Give the recogniser of a key's claims."""
    return ClaimMatcher(key.claims)


class JudgedResult:
    """One result, read once for all metrics; E, F and K are expected, forbidden and kept claims, R the served."""

    def __init__(self, result: Result) -> None:
        self.key = result.key
        self.items = result.items[: self.key.k] if self.key.verb == "recall" else result.items
        self.expected = frozenset(self.key.expect or ())
        self._known = claim_matcher(result.key)

    @cached_property
    def lines(self) -> list[str]:
        """List the lines of all items, folded, without the blank ones."""
        return lines_of(self.items)

    @cached_property
    def ranking(self) -> list[str | None]:
        """List R as a reader meets it, each claim where it is first complete; None is an item that adds none."""
        seen: dict[str, None] = {}
        ranking: list[str | None] = []
        for item in self.items:
            served = self._known.claims_in(fold(item))
            new = sorted(served.keys() - seen.keys(), key=lambda claim: (served[claim], claim))
            seen |= dict.fromkeys(new)
            ranking += new or [None]
        return ranking

    @cached_property
    def served(self) -> frozenset[str]:
        """Give R."""
        return frozenset(claim for claim in self.ranking if claim is not None)

    @cached_property
    def stray(self) -> int:
        """Count the lines that belong to no text of an event that states a served claim."""
        return sum(not self._belongs(line) for line in self.lines)

    @cached_property
    def pins_present(self) -> list[bool]:
        """Tell, for each of the pins and of K, if it is whole in the context."""
        return [contains_pin(pin.name, self.lines) for pin in required_pins(self.key)] + [
            one in self.served for one in self.key.keep
        ]

    @cached_property
    def missing(self) -> list[Requirement]:
        """List what was to be served or kept and is not there."""
        unserved = [Requirement("expected", claim) for claim in self.key.expect or () if claim not in self.served]
        if self.key.verb == "recall":
            return unserved
        kept = [*required_pins(self.key), *(Requirement("to keep", claim) for claim in self.key.keep)]
        return unserved + [one for one, there in zip(kept, self.pins_present, strict=True) if not there]

    @cached_property
    def recited(self) -> bool:
        """Tell if after the last other thing that was told stand only open to-dos, the next one first."""
        todo = [fold(item) for item in self.key.todo]
        tail: list[str] = []
        for line in reversed(self.lines):
            items = listed_todos(line, todo)
            tail[:0] = items
            if not items and not is_heading(line):
                return tail[:1] == todo[:1] and self._told_otherwise(line)
        return tail[:1] == todo[:1]

    def _told_otherwise(self, line: str) -> bool:
        """Tell if a line holds a claim, a rule or the goal, and so is what a recital may come after."""
        if any(self._known.needles_in(line)):
            return True
        if any(contains_pin(item, [line]) for item in self.key.done):
            return False
        told = lines_of([*self.key.rules, self.key.goal])
        return any(contains_pin(pin, [line]) for pin in told) or self._belongs(line)

    def _belongs(self, line: str) -> bool:
        if line in self._texts or any(claim in self.served for claim, *_ in self._known.needles_in(line)):
            return True
        return any(line in told or told in line for told in self._texts)

    @cached_property
    def _texts(self) -> frozenset[str]:
        return frozenset(lines_of([text for claim in self.served for text in self.key.texts.get(claim, ())]))


@cached_by_identity(limit=1)
def judged_result(result: Result) -> JudgedResult:
    """Read a result; metrics that follow each other on one result share its reading."""
    return JudgedResult(result)
