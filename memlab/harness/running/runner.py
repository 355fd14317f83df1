"""Runs systems on scenarios: one cell is one system on one scenario."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from statistics import median
from typing import cast

from memlab.harness.running.workspace import ScenarioEnvironment
from memlab.harness.scenarios.answer_keys import answer_keys
from memlab.memory.context import CHARS_PER_TOKEN, count_tokens
from memlab.memory.text import Refused
from memlab.memory.world import Change
from memlab.sandbox.folders import workspace_folder
from memlab.systems.abilities import declared_limits, why_not_applicable
from memlab.systems.answers import context_of, failure, one_line, stores_of, texts_of
from memlab.systems.entry import Entry
from memlab.terms import Event, Key, Memory, MemorySystem, Probe, Restart, Result, Scenario, WindowSystem


@dataclass
class Cell:
    """One system on one scenario: it observes events until it fails; every probe gets an answer or an error."""

    entry: Entry
    environment: ScenarioEnvironment
    answer_keys: Mapping[str, Key]
    system: MemorySystem | None = None
    error: str = ""
    cannot: tuple[str, ...] = ()
    observe_seconds: list[float] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    printed: str = ""

    def play(self, scenario: Scenario) -> list[Result]:
        """Run the timeline and return a result for every probe in it."""
        with self.environment.enter():
            self._attempt("building", self._build)
            for step in scenario.timeline:
                if isinstance(step, Event):
                    self.environment.time = step.time
                    self._attempt("observe()", partial(self._observe, step))
                elif isinstance(step, Probe):
                    self.environment.time = step.time
                    self.results.append(self._ask(step))
                elif isinstance(step, Restart):
                    self._attempt("restarting", self._restart)
                elif isinstance(step, Change):
                    self._attempt("a change of the world", partial(self.environment.change, step))
            self._close()
        return self.results

    def _attempt(self, doing: str, act: Callable[[], None]) -> None:
        """Call the system. After its first failure it is not called again, and every later probe reports the error."""
        if self.error:
            return
        try:
            act()
        except Refused:
            pass  # a memory may decline an event; the run continues
        except Exception as error:  # noqa: BLE001 - the failure of an evaluated system is a result
            self.error = self._without_paths(str(failure(self.entry.name, doing, error)))
            self.printed += getattr(error, "printed", "")
        try:
            self.environment.return_to_root()
        except OSError as error:
            removed = f"{doing} of {self.entry.name!r} removed the world's root ({error.strerror})"
            self.error = self.error or f"{removed}. A system must write only below its own directory."

    def _build(self) -> None:
        self.system = self.entry.build(self.environment.workspace())
        self.cannot = declared_limits(self.system)

    def _observe(self, event: Event) -> None:
        assert self.system is not None  # noqa: S101 - a cell without a system has an error
        if event.kind in self.cannot:
            return
        start = time.perf_counter()
        try:
            self.system.observe(event)
        finally:
            self.observe_seconds.append(time.perf_counter() - start)

    def _restart(self) -> None:
        self._close()
        self._build()

    def _close(self) -> None:
        self.printed += self._new_output()
        close = getattr(self.system, "close", None)
        if close is not None:
            close()
        self.system = None

    def _ask(self, probe: Probe) -> Result:
        key = self.answer_keys[probe.id]
        answer = Answer(self.entry.name, key, probe)
        has_window = callable(getattr(self.system, "window", None))
        reason = getattr(self.system, "not_judged", "") or why_not_applicable(
            self.entry.name, self.cannot, key, has_window=has_window
        )
        if not reason:
            self._attempt(f"{probe.verb}()", partial(self._answer, answer))
        printed, self.printed = self.printed + self._new_output(), ""
        missing_verb = getattr(self.system, "fallback", "")
        result = answer.result(self.error, fallback=missing_verb if missing_verb == probe.verb else "")
        return replace(
            result,
            not_applicable="" if self.error else reason,
            observe_seconds=median(self.observe_seconds or [0.0]),
            isolation=getattr(self.system, "isolation", ""),
            printed=self._without_paths(printed),
            version=getattr(self.system, "version", ""),
        )

    def _new_output(self) -> str:
        """Return what a system in a process of its own printed since the last call."""
        printed = getattr(self.system, "printed", None) if self.entry.child else None
        return printed() if callable(printed) else ""

    def _answer(self, answer: Answer) -> None:
        assert self.system is not None  # noqa: S101 - a cell without a system has an error
        if self.entry.sees_key:
            self.system.hand(answer.key)  # type: ignore[attr-defined] # the entry declares this method
        try:
            answer.fetch(self.system)
        except Refused as refused:  # a declined question is an empty answer, not a failure
            answer.notes = (one_line(str(refused)),)
        answer.items, answer.notes = (tuple(map(self._without_paths, texts)) for texts in (answer.items, answer.notes))

    def _without_paths(self, text: str) -> str:
        """Cut the path of the temporary folder out of a text, leaving /home and /root, so that runs can be compared."""
        return text.replace(str(self.environment.home.parent), "")


@dataclass
class Answer:
    """The answer of one system to one probe, cut to k items and to the budget; `tokens` counts all of it."""

    system: str
    key: Key
    probe: Probe | None = None
    items: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    broke: tuple[str, ...] = ()
    seconds: float = 0.0
    stores: tuple[str, ...] = ()
    tokens: int = 0

    def fetch(self, system: MemorySystem) -> None:
        """Call the verb of the probe and measure the time. Raises SystemFailed for an invalid answer."""
        key = self.key
        recalled: Sequence[Memory | str] = ()
        context = ""
        start = time.perf_counter()
        if key.verb == "recall":
            recalled = system.recall(key.query, key.k)
        elif self.probe and key.verb == "window":
            window = cast("WindowSystem", system)
            context = window.window(key.query, key.budget, self.probe.turns, self.probe.results)
        else:
            context = system.assemble(key.query, key.budget)
        self.seconds = time.perf_counter() - start
        if key.verb == "recall":
            items, self.notes = texts_of(self.system, recalled, key.k)
            self.items = items[: key.k]
            if key.budget:  # a data set has none
                self.items = tuple(within_budget(self.items, key.budget))
            self.broke = ("k",) if len(items) > key.k else ()
            self.stores = stores_of(recalled, len(self.items))
        else:
            items = (context_of(self.system, context, key.verb),)
            self.items = tuple(within_budget(items, key.budget)) or ("",)
            self.broke = ("budget",) if len(self.items[0]) < len(items[0]) else ()
        self.tokens = sum(map(count_tokens, items))

    def result(self, error: str, fallback: str) -> Result:
        """Return the result; with an error it has no items."""
        items, stores = ((), ()) if error else (self.items, self.stores)
        costs = 0 if error else self.tokens, self.seconds
        return Result(self.key, self.system, items, self.notes, error, self.broke, fallback, *costs, stores)


def within_budget(items: Iterable[str], budget: int) -> Iterator[str]:
    """Yield the items until `budget` tokens are used; the item that exceeds it is cut there."""
    left = budget * CHARS_PER_TOKEN
    for item in items:
        if left <= 0:
            return
        yield item[:left]
        left -= len(item)


def play(scenario: Scenario, entries: Sequence[Entry]) -> Iterator[list[Result]]:
    """Run each system on one scenario, each in an environment of its own; yield the results of each cell."""
    keys = answer_keys(scenario)
    for entry in entries:
        with scenario_environment(scenario) as environment:
            yield Cell(entry, environment, keys).play(scenario)


@contextmanager
def scenario_environment(scenario: Scenario) -> Iterator[ScenarioEnvironment]:
    """Create a scenario's environment in a temporary folder; remove the folder and its contents at the end."""
    with workspace_folder() as folder:
        yield ScenarioEnvironment(Path(folder) / "cell", scenario.world, _variables(scenario))


def error_results(scenario: Scenario, system: str, error: str) -> list[Result]:
    """Return the results of a cell that was not finished: an error at every probe."""
    return [Answer(system, key).result(error, fallback="") for key in answer_keys(scenario).values()]


def _variables(scenario: Scenario) -> set[str]:
    """Return the names of all variables that the scenario ever sets."""
    return {name for step in (scenario.world, *scenario.timeline) if isinstance(step, Change) for name in step.env}
