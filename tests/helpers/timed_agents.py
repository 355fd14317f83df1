"""The reference and the published design as running agents, and the table of their ratios."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

from memlab.memory import MemoryMix, Provenance

BUDGET = 300
"""In tokens: the published design's own default of 1,200 characters."""
Act = Callable[[], object]
Seconds = Sequence[float]
Coming = tuple[Iterator[list[str]], Iterator[list[str]]]
Show = Callable[[str, str, str, float, str], None]


@dataclass(frozen=True, eq=False)
class Life:
    """What life.py left: its folders, the peaks of its memory in MB, and the questions and events that come next."""

    folder: Path
    peaks: dict[str, float]
    questions: list[str]
    tasks: list[str]
    episodes: list[list[str]]
    facts: list[list[str]]

    @cache  # noqa: B019 - there is one life a run
    def coming(self, directory: str) -> Coming:
        """Return the next events of a directory's memory; they continue from test to test."""
        return iter(self.episodes), iter(self.facts)


class Agent:
    """A running agent over one memory, the reference or the published one: what it lives through is the same."""

    def __init__(self, mix: Any, coming: Coming) -> None:  # noqa: ANN401 - a lab's file has no type
        self.mix = mix
        self._ours = isinstance(mix, MemoryMix)
        self._episodes, self._facts = coming

    def log(self) -> None:
        """Live through one more thing."""
        kind, source, detail = next(self._episodes)
        origin_field = {"origin": Provenance(source, "today")} if self._ours else {}
        self.mix.log_episode(kind, detail, **origin_field)

    def assemble(self, task: str = "") -> None:
        """Compose the prompt: of a task that says nothing, rules, recent episodes and scratchpad."""
        self.mix.assemble(task, BUDGET if self._ours else 4 * BUDGET)

    def turn(self, task: str) -> None:
        """Take one turn: one more episode, then the prompt."""
        self.log()
        self.assemble(task)

    def prompted(self, task: str) -> float:
        """Take one turn and give the seconds that its prompt took."""
        self.log()
        return seconds(lambda: self.assemble(task))

    def write(self) -> None:
        """Keep one more fact."""
        name, source, description, body = next(self._facts)
        if self._ours:
            self.mix.write_fact(name, description, body, origin=Provenance(source, "today"))
        else:
            self.mix.write_fact(name, description, body)


@dataclass(frozen=True)
class Side:
    """One of two that are timed by turns: what it does, and what makes it ready, which is not timed."""

    act: Act
    prepare: Act = lambda: None


def seconds(act: Act) -> float:
    start = time.perf_counter()
    act()
    return time.perf_counter() - start


class Table:
    """The lines of the table that ends the run: medians in milliseconds, their ratio, and its limit if it has one."""

    def __init__(self, show: Show) -> None:
        self._show = show

    def slower(self, what: str, ours: Seconds, base: Seconds, limit: float | None = None) -> float:
        """Give how many times as long ours takes as its base."""
        ratio = median(ours) / median(base)
        self._show(what, _ms(ours), _ms(base), ratio, f"<= {limit:,g}" if limit else "")
        return ratio

    def ahead(self, what: str, ours: Seconds, theirs: Seconds, limit: float | None = None) -> float:
        """Give how many times as long the published design takes as ours."""
        ratio = median(theirs) / median(ours)
        self._show(what, _ms(ours), _ms(theirs), ratio, f">= {limit:,g}" if limit else "")
        return ratio


def _ms(measured: Seconds) -> str:
    return f"{1000 * median(measured):,.3f} ms"
