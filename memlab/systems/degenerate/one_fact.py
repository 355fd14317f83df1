"""Rules, goal, to-do and one fact. If such a system scores well, the harness demands too few facts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import takewhile

from memlab.memory.context import CHARS_PER_TOKEN
from memlab.systems.degenerate.pins_only import PINNING, PinsOnly
from memlab.systems.line_index import Search
from memlab.systems.notes import Notes, lines_of
from memlab.terms import Build, Event, Workspace

Choose = Callable[[Sequence[str], str], list[str]]
"""Returns at most one of some lines, oldest first, for a question."""


def newest(lines: Sequence[str], query: str) -> list[str]:
    """Return the last line, for any question."""
    del query
    return list(lines[-1:])


def shortest(lines: Sequence[str], query: str) -> list[str]:
    """Return the shortest line that shares a word with the question."""
    return sorted(best_matches(lines, query, len(lines)), key=len)[:1]


def best(lines: Sequence[str], query: str) -> list[str]:
    """Return the line that matches the question best."""
    return best_matches(lines, query, 1)


class OneFact(PinsOnly):
    """Stores the pins, and returns one of the other lines."""

    def __init__(self, workspace: Workspace, choose: Choose) -> None:
        super().__init__(workspace)
        self._notes = Notes(workspace.directory)
        self._choose = choose

    def observe(self, event: Event) -> None:
        super().observe(event)
        if event.kind not in PINNING:
            self._notes.write(lines_of(event))

    def recall(self, query: str, k: int = 5) -> list[str]:  # noqa: ARG002 - it never serves more than one
        return self._choose(self._notes.oldest_first(), query)

    def assemble(self, task: str, budget: int) -> str:
        return insert_before_todo(super().assemble(task, budget), self.recall(task), budget)


def insert_before_todo(pins: str, lines: Iterable[str], budget: int) -> str:
    """Return the pins with lines inserted before their to-do, cut at the end of the budget in tokens."""
    pinned = pins.splitlines()
    todo = list(takewhile(lambda line: line.startswith("- "), reversed(pinned)))[::-1]
    head = pinned[: len(pinned) - len(todo)]
    room = budget * CHARS_PER_TOKEN - len(pins) - len("\n\n")
    middle = "\n".join(lines)[: max(0, room)]
    return "\n".join([*head, *([middle] if middle else []), *todo])


def best_matches(lines: Iterable[str], query: str, most: int) -> list[str]:
    """Return at most `most` of the lines that share a word with the query, best first."""
    search = Search()
    for line in lines:
        search.add(line)
    return search.best(query, most)


BUILDS: dict[str, Build] = {
    "pins+newest": partial(OneFact, choose=newest),
    "pins+shortest": partial(OneFact, choose=shortest),
    "pins+best": partial(OneFact, choose=best),
}
ABOUT = {
    "pins+newest": "Knows rules, goal and to-do, and the last line: wins where a task needs only the last event.",
    "pins+shortest": "Knows the pins and the shortest line that fits: wins where truth takes fewer words than a lie.",
    "pins+best": "Knows the pins and the one line that fits best: wins where no attack is worded like the question.",
}
