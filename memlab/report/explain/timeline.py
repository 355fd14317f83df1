"""The timeline of one sample with a number at each line, so that an answer can point to what could have told."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import wrap

from rich.text import Text

from memlab.harness.attacks.catalogue import unknown_attacks
from memlab.harness.attacks.overlay import Overlay
from memlab.harness.attacks.targets import injected_events
from memlab.harness.check.evidence import deciding_steps
from memlab.harness.check.past import Past
from memlab.harness.scenarios.answer_keys import answer_keys
from memlab.harness.scenarios.errors import BadScenario
from memlab.harness.scenarios.loading import Template, load
from memlab.report.explain.story import INDENT, asked, grouped, holds, told, when
from memlab.report.text import escape_invisible
from memlab.terms import Event, Key, Probe, Restart, Result, Scenario, Step

NUMBER = "{:>3}  "
FEW = 3
"""So many lines are named; of more, how many they are."""


class Untold(Exception):
    """A timeline that cannot be told again; the message says why."""


@dataclass(frozen=True)
class Row:
    """One line of a page: `lead` stands before its first words, and what is wrapped stands below them."""

    lead: str
    words: str
    style: str = ""

    def wrapped(self, width: int) -> str:
        """Break the line to a width; what cannot be seen is shown."""
        below = " " * len(self.lead)
        return "\n".join(
            wrap(
                escape_invisible(self.words),
                width,
                initial_indent=self.lead,
                subsequent_indent=below,
                break_on_hyphens=False,
            )
        )


@dataclass(frozen=True)
class Line:
    """One numbered line of a timeline: the steps that it tells, when they were, in words, and in the rows of a page."""

    number: int
    steps: list[Step]
    time: str
    words: str
    rows: list[Row]

    @property
    def place(self) -> str:
        """Point to it."""
        return f"line {self.number}, {self.time}"


class AnnotatedTimeline:
    """A scenario told line by line; line 0 is the world as it stands at the start.

    `attack` holds the ids of the events that an attack has laid over it; their lines are marked.
    """

    def __init__(self, scenario: Scenario, attack: Collection[str] = ()) -> None:
        self.scenario = scenario
        self.attack = attack
        self._asked = asked(scenario)
        self._tells = {
            (probe.id, claim): deciding_steps(Past(scenario, probe), claim, forbidden)
            for probe in scenario.timeline
            if isinstance(probe, Probe)
            for claim, forbidden in probe.forbid.items()
        }
        self._numbers: dict[str, int] = {}
        self.lines = self._lines()
        self._line_of = {id(step): line for line in self.lines for step in line.steps}
        self._probes = {step.id: line for line in self.lines for step in line.steps if isinstance(step, Probe)}

    def lead(self, probe: str) -> str:
        """Give what stands before a probe's line: its number and its time."""
        return self._probes[probe].rows[0].lead

    def could_have_told(self, probe: str, claim: str) -> list[Line]:
        """List the lines that could have told that a claim must not be served."""
        lines = (self._line_of[id(step)] for step in self._tells.get((probe, claim), []))
        return list({line.number: line for line in lines}.values())

    def told_in(self, claim: str, probe: str) -> str:
        """Name the lines before a probe that state a claim; "" where none does."""
        known = self.scenario.claims.get(claim)
        asked_at = self._probes[probe].number
        return self._told_at(one for one in known.events if self._numbers[one] < asked_at) if known else ""

    def _told_at(self, events: Iterable[str]) -> str:
        return _numbers(sorted({self._numbers[event] for event in events if event in self._numbers}))

    def set_in(self, pin: str, probe: str) -> str:
        """Name the last line before a probe that sets a rule, a goal or a to-do; "" where none does."""
        return _numbers([line.number for line in self._since(pin, probe)[:1]])

    def crashed_since(self, pin: str, probe: str) -> bool:
        """Tell whether the process crashed between the line that sets a pin and a probe."""
        steps = [step for line in self._since(pin, probe) for step in line.steps]
        return any(isinstance(step, Restart) and step.how == "crash" for step in steps)

    def _since(self, pin: str, probe: str) -> list[Line]:
        """List the lines before a probe, from the last that sets a pin; none where none does."""
        before = self.lines[: self._probes[probe].number]
        starts = [line.number for line in before if any(_sets(step, pin) for step in line.steps)]
        return before[starts[-1] :] if starts else []

    def _lines(self) -> list[Line]:
        matter = {step.id for steps in self._tells.values() for step in steps if isinstance(step, Event)}
        start = holds(self.scenario.world)
        rows = [Row(NUMBER.format(0), start)] if start else []
        lines = [Line(0, [self.scenario.world], "from the start", start or "the world never held it", rows)]
        last = "the start"
        for number, group in enumerate(grouped(self.scenario, matter | self._asked.keys(), self.attack), 1):
            first = group[0]
            self._numbers |= {step.id: number for step in group if isinstance(step, Event)}
            if isinstance(first, Event | Probe):
                last = when(first.time)
            plain = Text.from_markup("\n".join(told(group, self.scenario, self.attack))).plain.split("\n")
            words = "; ".join(line[len(INDENT) :] for line in plain)
            time = last if isinstance(first, Event | Probe) else f"after {last}"
            lines.append(Line(number, group, time, words, list(self._rows(number, group, plain))))
        return lines

    def _rows(self, number: int, group: list[Step], plain: list[str]) -> Iterator[Row]:
        """Lay out a line with what it comes from, and the claims that it is about; of a probe only what is asked."""
        events = [step for step in group if isinstance(step, Event)]
        about = [one for step in events for one in (step.id, *step.erases)]
        names = dict.fromkeys(name for event in about for name in self._asked.get(event, ()))
        origin = self._told_at(one for step in events for one in step.derived_from) if len(group) == 1 else ""
        after = f"  (from {origin})" * bool(origin) + f"  [{', '.join(names)}]" * bool(names)
        lead = NUMBER.format(number)
        for line in plain[:1] if isinstance(group[0], Probe) else plain:
            yield Row(lead + line[: len(INDENT)], line[len(INDENT) :] + after * (line is plain[-1]))
            lead = " " * len(lead)


def retell(results: Sequence[Result], paths: Mapping[str, Path]) -> AnnotatedTimeline:
    """Sample the scenario of some results of one cell again, from its file among `paths`, by its id.

    Raises Untold where there is no such file, or where it says something else than when the results were played.
    """
    key = results[0].key
    path = paths.get(key.scenario)
    if path is None:
        raise Untold(
            f"The timeline is not shown: no file of {key.scenario} is at hand. Name its folder with `--folder`."
        )
    try:
        template = load(path)
        clean = template.sample(key.seed)
    except (BadScenario, OSError) as error:
        raise Untold(f"The timeline is not shown: its file cannot be read any more. {error}") from error
    scenario = _attacked(template, clean, key.overlay) if key.overlay else clean
    now = answer_keys(scenario)
    if not all(_same(result.key, now.get(result.key.probe)) for result in results):
        raise Untold(
            f"The timeline is not shown: {key.scenario} has changed since this was played. The answers are judged by "
            "the key of the run. Play it again with `memlab compare` to see both."
        )
    return AnnotatedTimeline(scenario, injected_events(clean, scenario))


def _attacked(template: Template, clean: Scenario, overlay: str) -> Scenario:
    """Lay an attack of a run over its sample again."""
    if gone := unknown_attacks(overlay):
        raise Untold(
            f"The timeline is not shown: {', '.join(gone)} is told otherwise now, or not at all. The answers are "
            "judged by the key of the run. Play it again with `memlab compare --attacks` to see both."
        )
    return Overlay(template, tuple(overlay.split("+")))(clean) or clean


def scenario_paths(folders: Iterable[Path]) -> dict[str, Path]:
    """Find the scenario files below some folders, by the id that their place gives them."""
    return {f"{path.parent.name}/{path.stem}": path for folder in folders for path in sorted(folder.rglob("*.yaml"))}


def _same(played: Key, now: Key | None) -> bool:
    """Tell whether a probe is as it was; the runs of older versions do not say what the rest of the file was."""
    return now is not None and played == (now if played.file else replace(now, file=""))


def _sets(step: Step, pin: str) -> bool:
    return isinstance(step, Event) and step.kind in {"rule", "task"} and pin in {step.text, *step.todo}


def _numbers(lines: Sequence[int]) -> str:
    """Name some lines."""
    if not lines:
        return ""
    named = ", ".join(map(str, lines[:FEW]))
    more = f" and {len(lines) - FEW} more" if len(lines) > FEW else ""
    return f"line{'s' * (len(lines) > 1)} {named}{more}"
