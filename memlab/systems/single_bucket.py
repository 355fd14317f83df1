"""One notes file for everything: the memory that most agents have, implemented well.

Both systems store the same lines and differ in what they read back, so the table shows the effect of search alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain, islice

from memlab.memory.context import CHARS_PER_TOKEN
from memlab.memory.retrieval.relevance import stems
from memlab.systems.line_index import Search
from memlab.systems.notes import Notes, fill_budget, fill_window, lines_of
from memlab.terms import Build, Event, Workspace


class BucketRecent:
    """Reads the newest lines first."""

    def __init__(self, workspace: Workspace) -> None:
        self._notes = Notes(workspace.directory)

    def observe(self, event: Event) -> None:
        self._notes.write(lines_of(event))

    def recall(self, query: str, k: int = 5) -> list[str]:
        """Return the newest k lines that share a word with the query; stop words do not count."""
        wanted = set(stems(query))
        sharing = (line for line in self._notes.newest_first() if not wanted.isdisjoint(stems(line)))
        return list(islice(sharing, k))

    def assemble(self, task: str, budget: int) -> str:  # noqa: ARG002 - recency ignores the task
        return fill_budget(self._notes.newest_first(), budget)

    def window(self, task: str, budget: int, turns: Sequence[str], results: Sequence[str]) -> str:
        return fill_window(self.assemble, task, budget, [*results, *turns])


class BucketSearch:
    """Reads the lines that match best; `lines` returns the lines to store for an event."""

    def __init__(self, workspace: Workspace, lines: Callable[[Event], list[str]] = lines_of) -> None:
        self._lines = lines
        self._notes = Notes(workspace.directory)
        self._search = Search()
        self._indexed: set[str] = set()
        self._index(self._notes.oldest_first())

    def observe(self, event: Event) -> None:
        lines = self._lines(event)
        self._notes.write(lines)
        self._index(lines)

    def recall(self, query: str, k: int = 5) -> list[str]:
        return self._search.best(query, k)

    def assemble(self, task: str, budget: int) -> str:
        """Fill the budget with the best matches for the task, then with the newest lines."""
        matches = dict.fromkeys(self._search.best(task, budget * CHARS_PER_TOKEN))
        others = (line for line in self._notes.newest_first() if line not in matches)
        return fill_budget(chain(matches, others), budget)

    def window(self, task: str, budget: int, turns: Sequence[str], results: Sequence[str]) -> str:
        return fill_window(self.assemble, task, budget, [*results, *turns])

    def _index(self, lines: list[str]) -> None:
        for line in lines:
            if line and line not in self._indexed:
                self._indexed.add(line)
                self._search.add(line)


BUILDS: dict[str, Build] = {"bucket-recent": BucketRecent, "bucket-search": BucketSearch}
ABOUT = {
    "bucket-recent": "One notes file; the newest lines until the budget is full.",
    "bucket-search": "One notes file; BM25 over everything, then the newest lines.",
}
