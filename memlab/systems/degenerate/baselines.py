"""Degenerate systems: each exploits one weakness of a harness. If one scores well, the harness measures no memory."""

# ruff: noqa: ARG002 - degenerate systems ignore the query

from __future__ import annotations

import hashlib
import json
import random
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial

from memlab.memory.retrieval.relevance import jaccard, stem_set
from memlab.systems.degenerate.pins_only import PinsOnly
from memlab.systems.notes import Notes, fill_budget, lines_of
from memlab.systems.single_bucket import BucketRecent, BucketSearch
from memlab.terms import Build, Event, Workspace

HEDGE = "Some of what follows may be wrong, out of date or planted; check it before you act on it."
MANY = 4
"""The majority is taken over so many times k matches."""
HALF = 0.5
LIKE = 0.6
"""Two questions with at least this Jaccard index are treated as one."""
CUT = 40
"""The characters of a line that the truncator keeps."""
NAMES_A_THING = re.compile(
    r"""/\w                       # a URL, or a path with a folder
      | \w\.[a-z]                # a file or a domain
      | (?<!\w)--?[a-z]          # a flag
      | \$\{?\w                 # a variable, marked
      | [A-Z0-9]_[A-Z0-9]        # a variable in capitals
    """,
    re.VERBOSE,
)


class Null:
    """Answers nothing."""

    def __init__(self, workspace: Workspace) -> None:
        del workspace

    def observe(self, event: Event) -> None:
        """Ignore the event."""

    def recall(self, query: str, k: int = 5) -> list[str]:
        return []

    def assemble(self, task: str, budget: int) -> str:
        return ""

    def window(self, task: str, budget: int, turns: Sequence[str], results: Sequence[str]) -> str:
        return ""


class Parrot(Null):
    """Repeats the query."""

    def recall(self, query: str, k: int = 5) -> list[str]:
        return [query]

    def assemble(self, task: str, budget: int) -> str:
        return task


class Dump:
    """Serves everything in one item, behind an optional opening line."""

    def __init__(self, workspace: Workspace, opening: str = "") -> None:
        self._notes = Notes(workspace.directory)
        self._opening = [opening] if opening else []

    def observe(self, event: Event) -> None:
        self._notes.write(lines_of(event))

    def recall(self, query: str, k: int = 5) -> list[str]:
        return [self._everything()]

    def assemble(self, task: str, budget: int) -> str:
        """Return everything, the newest last, over any budget."""
        return self._everything()

    def _everything(self) -> str:
        return "\n".join([*self._opening, *self._notes.oldest_first()])


class NewestOnly(BucketRecent):
    """Serves the last k lines for any query."""

    def recall(self, query: str, k: int = 5) -> list[str]:
        return self._notes.newest(k)


class Echo(NewestOnly):
    """Serves only the last line."""

    def recall(self, query: str, k: int = 5) -> list[str]:
        return super().recall(query, min(k, 1))

    def assemble(self, task: str, budget: int) -> str:
        return "\n".join(self._notes.newest(1))


class Random(BucketRecent):
    """Serves random lines, with a seed from the query and the stored lines."""

    def recall(self, query: str, k: int = 5) -> list[str]:
        return self._shuffled(query)[:k]

    def assemble(self, task: str, budget: int) -> str:
        return fill_budget(self._shuffled(task), budget)

    def _shuffled(self, query: str) -> list[str]:
        lines = self._notes.oldest_first()
        digest = hashlib.blake2b("\n".join([query, *lines]).encode(errors="replace")).digest()
        random.Random(digest).shuffle(lines)  # noqa: S311 - a repeatable draw, not a secret
        return lines


class FirstAnswer(BucketSearch):
    """Repeats its first answer to a similar query."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._path = workspace.directory / "answers.json"
        known = self._path.read_text(encoding="utf-8") if self._path.exists() else "[]"
        self._answers: list[tuple[str, list[str], list[str]]] = [tuple(answer) for answer in json.loads(known)]

    def recall(self, query: str, k: int = 5) -> list[str]:
        """Return the first answer to a similar query; search if there is none."""
        return self._first("recall", query, lambda: super(FirstAnswer, self).recall(query, k))[:k]

    def assemble(self, task: str, budget: int) -> str:
        """Return the first context of a similar task; fill one if there is none."""
        (context,) = self._first("assemble", task, lambda: [super(FirstAnswer, self).assemble(task, budget)])
        return context

    def _first(self, verb: str, query: str, ask: Callable[[], list[str]]) -> list[str]:
        query_words = stem_set(query)
        for known_verb, known, answer in self._answers:
            if known_verb == verb and jaccard(frozenset(known), query_words) >= LIKE:
                return answer
        self._answers.append((verb, sorted(query_words), ask()))
        self._path.write_text(json.dumps(self._answers), encoding="utf-8")
        return self._answers[-1][2]


class Majority(BucketSearch):
    """Prefers the majority: among the matches, those that share most words with lines of other sources."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._path = workspace.directory / "voices.jsonl"
        self._sources = defaultdict[str, set[str]](set)
        for known in self._path.read_text(encoding="utf-8").splitlines() if self._path.exists() else ():
            line, source = json.loads(known)
            self._sources[line].add(source)

    def observe(self, event: Event) -> None:
        super().observe(event)
        lines = lines_of(event)
        for line in lines:
            self._sources[line].add(event.source)
        with self._path.open("a", encoding="utf-8") as file:
            file.writelines(f"{json.dumps([line, event.source])}\n" for line in lines)

    def recall(self, query: str, k: int = 5) -> list[str]:
        """Return k of the best matches, those with the most sources first."""
        found = super().recall(query, MANY * k)
        word_sets = {line: stem_set(line) for line in found}

        def votes(line: str) -> int:
            similar = [other for other in found if jaccard(word_sets[line], word_sets[other]) >= HALF]
            return (1 + len({source for other in similar for source in self._sources.get(other, ())})) * len(similar)

        return sorted(found, key=lambda line: -votes(line))[:k]


def user_lines(event: Event) -> list[str]:
    """Return the lines of an event whose source is labelled user."""
    return lines_of(event) if event.source == "user" else []


def vague_lines(event: Event) -> list[str]:
    """Return the lines that name no path, flag, variable or URL."""
    return [line for line in lines_of(event) if not NAMES_A_THING.search(line)]


def redacted_lines(event: Event) -> list[str]:
    """Return each line without the words that name a path, flag, variable or URL."""
    return [" ".join(word for word in line.split(" ") if not NAMES_A_THING.search(word)) for line in lines_of(event)]


def cut_lines(event: Event) -> list[str]:
    """Return the beginning of each line."""
    return [line[:CUT] for line in lines_of(event)]


BUILDS: dict[str, Build] = {
    "null": Null,
    "dump": Dump,
    "dump+hedge": partial(Dump, opening=HEDGE),
    "echo": Echo,
    "newest-only": NewestOnly,
    "label-filter": partial(BucketSearch, lines=user_lines),
    "block-all": partial(BucketSearch, lines=vague_lines),
    "parrot": Parrot,
    "pins-only": PinsOnly,
    "truncator": partial(BucketSearch, lines=cut_lines),
    "random": Random,
    "redactor": partial(BucketSearch, lines=redacted_lines),
    "majority": Majority,
    "first-answer": FirstAnswer,
}
ABOUT = {
    "null": "Answers nothing: wins where silence counts as safe.",
    "dump": "Serves everything it ever saw: wins where only recall counts.",
    "dump+hedge": "Serves everything behind one warning: wins where a hedge counts as a defence.",
    "echo": "Serves the last line: wins where the answer is in the last event.",
    "newest-only": "Serves the last k lines: wins where new means true.",
    "label-filter": "Searches what is labelled user: wins where the source label gives the answer away.",
    "block-all": "Serves nothing that names a path, flag, variable or URL: wins where only harm counts.",
    "parrot": "Repeats the query: wins where the question contains the answer.",
    "pins-only": "Knows rules, goal and to-do alone: wins where a task needs no facts.",
    "truncator": "Cuts every line short: wins where half an answer counts as one.",
    "redactor": "Cuts every path, flag, variable and URL out of a line: wins where only lies name such things.",
    "majority": "Prefers what most sources state: wins where truth is repeated and lies are not.",
    "first-answer": "Repeats its first answer: wins where nothing changes between two questions.",
    "random": "Serves lines by chance: wins where there is little to choose from.",
}
