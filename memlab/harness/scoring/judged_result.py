"""One Result parsed for scoring: the claims it serves, its stray lines, the pins that it contains."""

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
    """Cache a pure function's results for its last `limit` arguments, compared by identity.

    For frozen values that cannot be hashed because they hold dictionaries.
    """

    def decorate(function: Callable[[A], B]) -> Callable[[A], B]:
        cache: dict[int, tuple[A, B]] = {}

        def cached(argument: A) -> B:
            found = cache.get(id(argument))
            if found is None:
                if len(cache) >= limit:
                    del cache[next(iter(cache))]
                found = cache[id(argument)] = (argument, function(argument))
            return found[1]

        return cached

    return decorate


class Requirement(NamedTuple):
    """One thing that an answer must contain: a claim (one of CLAIMS) by its id, or a pin by its text."""

    what: Literal["expected", "to keep", "rule", "goal", "next to-do"]
    name: str


CLAIMS = ("expected", "to keep")


def required_pins(key: Key) -> list[Requirement]:
    """List the pins that every context must contain: the rules, the goal, the next to-do."""
    goal = [Requirement("goal", key.goal)] if key.goal else []
    todo = [Requirement("next to-do", item) for item in key.todo[:1]]
    return [*(Requirement("rule", rule) for rule in key.rules), *goal, *todo]


@cached_by_identity(limit=1024)
def claim_matcher(key: Key) -> ClaimMatcher:
    """Return the matcher of a key's claims."""
    return ClaimMatcher(key.claims)


class JudgedResult:
    """One Result, parsed once for all metrics. E, F and K are the expected, forbidden and kept claims, R the served."""

    def __init__(self, result: Result) -> None:
        self.key = result.key
        self.items = result.items[: self.key.k] if self.key.verb == "recall" else result.items
        self.expected = frozenset(self.key.expect or ())
        self._matcher = claim_matcher(result.key)

    @cached_property
    def lines(self) -> list[str]:
        """List the lines of all items, folded, without blank ones."""
        return lines_of(self.items)

    @cached_property
    def ranking(self) -> list[str | None]:
        """List R in order of appearance, each claim once; None stands for an item that adds no claim."""
        seen: dict[str, None] = {}
        ranking: list[str | None] = []
        for item in self.items:
            served = self._matcher.claims_in(fold(item))
            new = sorted(served.keys() - seen.keys(), key=lambda claim: (served[claim], claim))
            seen |= dict.fromkeys(new)
            ranking += new or [None]
        return ranking

    @cached_property
    def served(self) -> frozenset[str]:
        """Return R."""
        return frozenset(claim for claim in self.ranking if claim is not None)

    @cached_property
    def stray_lines(self) -> int:
        """Count the lines that do not come from an event with a served claim."""
        return sum(not self._belongs(line) for line in self.lines)

    @cached_property
    def pins_present(self) -> list[bool]:
        """Return, for each required pin and then each claim of K, whether the context contains all of it."""
        return [contains_pin(pin.name, self.lines) for pin in required_pins(self.key)] + [
            one in self.served for one in self.key.keep
        ]

    @cached_property
    def missing(self) -> list[Requirement]:
        """List the required claims and pins that the answer does not contain."""
        unserved = [Requirement("expected", claim) for claim in self.key.expect or () if claim not in self.served]
        if self.key.verb == "recall":
            return unserved
        kept = [*required_pins(self.key), *(Requirement("to keep", claim) for claim in self.key.keep)]
        return unserved + [one for one, there in zip(kept, self.pins_present, strict=True) if not there]

    @cached_property
    def ends_with_todos(self) -> bool:
        """Return whether the context ends with open to-dos only, the next one first."""
        todo = [fold(item) for item in self.key.todo]
        tail: list[str] = []
        for line in reversed(self.lines):
            items = listed_todos(line, todo)
            tail[:0] = items
            if not items and not is_heading(line):
                return tail[:1] == todo[:1] and self._is_other_content(line)
        return tail[:1] == todo[:1]

    def _is_other_content(self, line: str) -> bool:
        """Return whether a line contains a claim, a rule or the goal: the to-dos may follow it."""
        if any(self._matcher.needles_in(line)):
            return True
        if any(contains_pin(item, [line]) for item in self.key.done):
            return False
        pins = lines_of([*self.key.rules, self.key.goal])
        return any(contains_pin(pin, [line]) for pin in pins) or self._belongs(line)

    def _belongs(self, line: str) -> bool:
        if line in self._texts or any(claim in self.served for claim, *_ in self._matcher.needles_in(line)):
            return True
        return any(line in text or text in line for text in self._texts)

    @cached_property
    def _texts(self) -> frozenset[str]:
        return frozenset(lines_of([text for claim in self.served for text in self.key.texts.get(claim, ())]))


@cached_by_identity(limit=1)
def judged_result(result: Result) -> JudgedResult:
    """Parse a result; consecutive calls with the same result share one JudgedResult."""
    return JudgedResult(result)
