"""The timeline of one sample with a number at each line, so that an answer can refer to the lines that decide it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from memlab.harness.attacks.attack_kinds import unknown_attacks
from memlab.harness.attacks.overlay import Overlay
from memlab.harness.attacks.targets import injected_events
from memlab.harness.check.evidence import deciding_steps
from memlab.harness.check.past import Past
from memlab.harness.scenarios.answer_keys import answer_keys
from memlab.harness.scenarios.conditions import Conditions
from memlab.harness.scenarios.errors import BadScenario
from memlab.harness.scenarios.loading import Template, load
from memlab.report.explain.story import claims_by_event, group_lines, grouped, timestamp, world_sentence
from memlab.report.lines import Line, line
from memlab.terms import Event, Key, Probe, Result, Scenario, Step

NUMBER = "{:>3}  "
FEW = 3
"""At most so many line numbers are listed; the others are counted."""


class TimelineUnavailable(Exception):
    """The timeline of a sample cannot be built again; the message says why and what to do."""


@dataclass(frozen=True)
class TimelineEntry:
    """One numbered entry: its steps, their time, and its text, as one string and as lines."""

    number: int
    steps: list[Step]
    time: str
    text: str
    lines: list[Line]

    @property
    def place(self) -> str:
        """Return a reference to this entry, such as `line 4, Mon 05 Jan 09:03`."""
        return f"line {self.number}, {self.time}"


class AnnotatedTimeline:
    """The numbered entries of a scenario; entry 0 is the world at the start.

    `attack` holds the ids of the events that an attack has added; their lines are marked. `noise` holds those of the
    surrounding statements; a run of them is one line.
    """

    def __init__(self, scenario: Scenario, attack: Collection[str] = (), noise: Collection[str] = ()) -> None:
        self.scenario = scenario
        self.attack = attack
        self.noise = noise
        self._claims = claims_by_event(scenario)
        self._evidence = {
            (probe.id, claim): deciding_steps(Past(scenario, probe), claim, forbidden)
            for probe in scenario.timeline
            if isinstance(probe, Probe)
            for claim, forbidden in probe.forbid.items()
        }
        self._numbers: dict[str, int] = {}
        self.entries = self._build()
        self._entry_of = {id(step): entry for entry in self.entries for step in entry.steps}
        self._probes = {step.id: entry for entry in self.entries for step in entry.steps if isinstance(step, Probe)}

    def lead(self, probe: str) -> str:
        """Return the number and the time of a probe, which are printed before its text."""
        return self._probes[probe].lines[0].lead

    def evidence_against(self, probe: str, claim: str) -> list[TimelineEntry]:
        """Return the entries that show that a claim must not be served."""
        entries = (self._entry_of[id(step)] for step in self._evidence.get((probe, claim), []))
        return list({entry.number: entry for entry in entries}.values())

    def lines_stating(self, claim: str, probe: str) -> str:
        """Name the lines before a probe that state a claim; "" if none does."""
        known = self.scenario.claims.get(claim)
        end = self._probes[probe].number
        return self._lines_of(event for event in known.events if self._numbers[event] < end) if known else ""

    def line_setting(self, pin: str, probe: str) -> str:
        """Name the last line before a probe that sets a rule, a goal or a to-do; "" if none does."""
        before = self.entries[: self._probes[probe].number]
        setting = [entry.number for entry in before if any(_sets(step, pin) for step in entry.steps)]
        return _name_lines(setting[-1:])

    def _lines_of(self, events: Iterable[str]) -> str:
        return _name_lines(sorted({self._numbers[event] for event in events if event in self._numbers}))

    def _build(self) -> list[TimelineEntry]:
        relevant = {step.id for steps in self._evidence.values() for step in steps if isinstance(step, Event)}
        world = world_sentence(self.scenario.world)
        lines = [line(NUMBER.format(0), world)] if world else []
        entries = [TimelineEntry(0, [self.scenario.world], "from the start", world or "the world never had it", lines)]
        last = "the start"
        shown = relevant | self._claims.keys()
        for number, group in enumerate(grouped(self.scenario, shown, self.attack, self.noise), 1):
            first = group[0]
            self._numbers |= {step.id: number for step in group if isinstance(step, Event)}
            if isinstance(first, Event | Probe):
                last = timestamp(first.time)
            plain = group_lines(group, self.scenario, self.attack)
            text = "; ".join(each.text for each in plain)
            time = last if isinstance(first, Event | Probe) else f"after {last}"
            entries.append(TimelineEntry(number, group, time, text, list(self._annotated(number, group, plain))))
        return entries

    def _annotated(self, number: int, group: list[Step], plain: list[Line]) -> Iterator[Line]:
        """Add the entry's number, the lines it derives from, and its claims; a probe keeps its question only."""
        events = [step for step in group if isinstance(step, Event)]
        about = [event for step in events for event in (step.id, *step.erases)]
        names = dict.fromkeys(name for event in about for name in self._claims.get(event, ()))
        origin = self._lines_of(event for step in events for event in step.derived_from) if len(group) == 1 else ""
        after = f"  (from {origin})" * bool(origin) + f"  [{', '.join(names)}]" * bool(names)
        lead = NUMBER.format(number)
        for each in plain[:1] if isinstance(group[0], Probe) else plain:
            yield line(lead + each.lead, each.text + after * (each is plain[-1]))
            lead = " " * len(lead)


def rebuild_timeline(results: Sequence[Result], paths: Mapping[str, Path]) -> AnnotatedTimeline:
    """Sample the scenario of one cell's results again, from its file among `paths`, by its id.

    Raises TimelineUnavailable if there is no such file, or if it has changed since the run.
    """
    key = results[0].key
    path = paths.get(key.scenario)
    if path is None:
        raise TimelineUnavailable(
            f"The timeline is not shown: there is no file for {key.scenario}. Name its folder with `--folder`."
        )
    try:
        template = load(path)
        clean = template.sample(key.seed)
    except (BadScenario, OSError) as error:
        raise TimelineUnavailable(f"The timeline is not shown: its file cannot be read. {error}") from error
    conditions = Conditions(key.labels, key.tell, key.noise)
    played = _attacked(template, clean, key.overlay) if key.overlay else clean
    scenario = conditions(played)
    now = answer_keys(scenario)
    if not all(_is_unchanged(result.key, now.get(result.key.probe)) for result in results):
        raise TimelineUnavailable(
            f"The timeline is not shown: {key.scenario} has changed since the run. The answers are scored with the "
            "answer key of the run. Run `memlab compare` again to see both."
        )
    attack = injected_events(conditions(clean), scenario) if key.overlay else frozenset[str]()
    return AnnotatedTimeline(scenario, attack, injected_events(played, scenario) - attack)


def _attacked(template: Template, clean: Scenario, overlay: str) -> Scenario:
    """Apply the attack of a run to its sample again."""
    if missing := unknown_attacks(overlay):
        raise TimelineUnavailable(
            f"The timeline is not shown: this version of memlab has no attack {', '.join(missing)}. The answers are "
            "scored with the answer key of the run. Run `memlab compare --attacks` again to see both."
        )
    return Overlay(template, tuple(overlay.split("+")))(clean) or clean


def scenario_paths(folders: Iterable[Path]) -> dict[str, Path]:
    """Map the id of each scenario file below some folders to its path."""
    return {f"{path.parent.name}/{path.stem}": path for folder in folders for path in sorted(folder.rglob("*.yaml"))}


def _is_unchanged(recorded: Key, now: Key | None) -> bool:
    """Return whether a probe's answer key is that of the run; older runs lack the hash of the file."""
    return now is not None and recorded == (now if recorded.file else replace(now, file=""))


def _sets(step: Step, pin: str) -> bool:
    return isinstance(step, Event) and step.kind in {"rule", "task"} and pin in {step.text, *step.todo}


def _name_lines(numbers: Sequence[int]) -> str:
    if not numbers:
        return ""
    listed = ", ".join(map(str, numbers[:FEW]))
    more = f" and {len(numbers) - FEW} more" if len(numbers) > FEW else ""
    return f"line{'s' * (len(numbers) > 1)} {listed}{more}"
