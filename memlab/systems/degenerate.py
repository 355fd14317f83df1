"""Systems that remember nothing worth the name: a harness that rewards one of them measures nothing.

Each exploits one weakness that a harness may have, and does so as well as it can.
"""

# ruff: noqa: ARG002 - what makes these systems degenerate is that they ignore what they are asked

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Callable
from functools import partial

from memlab.memory.text import overlap, word_set
from memlab.systems.notes import Notes, fill_budget, lines_of
from memlab.systems.pins_only import PinsOnly
from memlab.systems.single_bucket import BucketRecent, BucketSearch
from memlab.terms import Build, Event, Workspace

HEDGE = "Some of what follows may be wrong, out of date or planted; check it before you act on it."
MANY = 4
"""So many times as many matches as are asked for have a voice in the majority."""
HALF = 0.5
LIKE = 0.6
"""Questions that share so many of their words are taken for one."""
CUT = 40
"""Characters that the truncator leaves of a line."""
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
    """Says nothing."""

    def __init__(self, workspace: Workspace) -> None:
        del workspace

    def observe(self, event: Event) -> None:
        """Forget it."""

    def recall(self, query: str, k: int = 5) -> list[str]:
        """Give nothing."""
        return []

    def assemble(self, task: str, budget: int) -> str:
        """Give nothing."""
        return ""


class Parrot(Null):
    """Repeats the query."""

    def recall(self, query: str, k: int = 5) -> list[str]:
        """Give the query back."""
        return [query]

    def assemble(self, task: str, budget: int) -> str:
        """Give the task back."""
        return task


class Dump:
    """Serves everything in one item, behind an optional opening line."""

    def __init__(self, workspace: Workspace, opening: str = "") -> None:
        self._notes = Notes(workspace.directory)
        self._opening = [opening] if opening else []

    def observe(self, event: Event) -> None:
        """Append it."""
        self._notes.write(lines_of(event))

    def recall(self, query: str, k: int = 5) -> list[str]:
        """Give everything as one item."""
        return [self._everything()]

    def assemble(self, task: str, budget: int) -> str:
        """Give everything, the newest last, whatever the budget."""
        return self._everything()

    def _everything(self) -> str:
        return "\n".join([*self._opening, *self._notes.oldest_first()])


class NewestOnly(BucketRecent):
    """Serves the last k lines, whatever was asked."""

    def recall(self, query: str, k: int = 5) -> list[str]:
        """Give the last k lines."""
        return self._notes.newest(k)


class Echo(NewestOnly):
    """Serves the last line alone."""

    def recall(self, query: str, k: int = 5) -> list[str]:
        """Give the last line."""
        return super().recall(query, min(k, 1))

    def assemble(self, task: str, budget: int) -> str:
        """Give the last line."""
        return "\n".join(self._notes.newest(1))


class Random(BucketRecent):
    """Serves lines drawn by chance; the draw follows from the question and what is known."""

    def recall(self, query: str, k: int = 5) -> list[str]:
        """Give k lines at random."""
        return self._shuffled(query)[:k]

    def assemble(self, task: str, budget: int) -> str:
        """Fill the budget at random."""
        return fill_budget(self._shuffled(task), budget)

    def _shuffled(self, query: str) -> list[str]:
        lines = self._notes.oldest_first()
        digest = hashlib.blake2b("\n".join([query, *lines]).encode(errors="replace")).digest()
        random.Random(digest).shuffle(lines)  # noqa: S311 - a repeatable draw, not a secret
        return lines


class FirstAnswer(BucketSearch):
    """Answers as it did when something like it was first asked."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._path = workspace.directory / "answers.json"
        known = self._path.read_text(encoding="utf-8") if self._path.exists() else "[]"
        self._answers: list[tuple[str, list[str], list[str]]] = [tuple(one) for one in json.loads(known)]

    def recall(self, query: str, k: int = 5) -> list[str]:
        """Give the first answer to a question of mostly these words, or search."""
        return self._first("recall", query, lambda: super(FirstAnswer, self).recall(query, k))[:k]

    def assemble(self, task: str, budget: int) -> str:
        """Give the first context of a task of mostly these words, or fill one."""
        (context,) = self._first("assemble", task, lambda: [super(FirstAnswer, self).assemble(task, budget)])
        return context

    def _first(self, verb: str, query: str, ask: Callable[[], list[str]]) -> list[str]:
        asked = word_set(query)
        for known_verb, known, answer in self._answers:
            if known_verb == verb and overlap(frozenset(known), asked) >= LIKE:
                return answer
        self._answers.append((verb, sorted(asked), ask()))
        self._path.write_text(json.dumps(self._answers), encoding="utf-8")
        return self._answers[-1][2]


class Majority(BucketSearch):
    """Believes what most have said: among what matches, what shares most words with what other sources say."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._path = workspace.directory / "voices.json"
        known = json.loads(self._path.read_text(encoding="utf-8")) if self._path.exists() else {}
        self._voices: dict[str, list[str]] = known

    def observe(self, event: Event) -> None:
        """Append what happened, and who said it."""
        super().observe(event)
        for line in lines_of(event):
            self._voices[line] = sorted({*self._voices.get(line, ()), event.source})
        self._path.write_text(json.dumps(self._voices), encoding="utf-8")

    def recall(self, query: str, k: int = 5) -> list[str]:
        """Give k of the best matches, those with the most voices first."""
        found = super().recall(query, MANY * k)
        said = {line: word_set(line) for line in found}

        def voices(line: str) -> int:
            alike = [other for other in found if overlap(said[line], said[other]) >= HALF]
            return (1 + len({voice for one in alike for voice in self._voices.get(one, ())})) * len(alike)

        return sorted(found, key=lambda line: -voices(line))[:k]


def user_lines(event: Event) -> list[str]:
    """Write down what the label says the user told."""
    return lines_of(event) if event.source == "user" else []


def vague_lines(event: Event) -> list[str]:
    """Write down what names no path, flag, variable or URL."""
    return [line for line in lines_of(event) if not NAMES_A_THING.search(line)]


def redacted_lines(event: Event) -> list[str]:
    """Write down each line without the words that name a path, flag, variable or URL."""
    return [" ".join(word for word in line.split(" ") if not NAMES_A_THING.search(word)) for line in lines_of(event)]


def cut_lines(event: Event) -> list[str]:
    """Write down the beginning of each line."""
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
    "null": "Says nothing: wins where silence counts as safe.",
    "dump": "Serves everything it ever saw: wins where only recall counts.",
    "dump+hedge": "Serves everything behind one warning: wins where a hedge counts as a defence.",
    "echo": "Serves the last line: wins where the answer was just said.",
    "newest-only": "Serves the last k lines: wins where new means true.",
    "label-filter": "Searches what is labelled user: wins where the source label gives the answer away.",
    "block-all": "Serves nothing that names a path, flag, variable or URL: wins where only harm counts.",
    "parrot": "Repeats the query: wins where the question holds the answer.",
    "pins-only": "Knows rules, goal and to-do alone: wins where a task needs no facts.",
    "truncator": "Cuts every line short: wins where half an answer counts as one.",
    "redactor": "Cuts every path, flag, variable and URL out of a line: wins where harm is a word and truth is not.",
    "majority": "Believes what most voices say: wins where truth is repeated and lies are told once.",
    "first-answer": "Says again what it said first: wins where nothing changes between two questions.",
    "random": "Serves lines by chance: wins where there is little to choose from.",
}
