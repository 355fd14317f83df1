"""Builds the timeline of a scenario from the steps of its file: event ids, times, claims, probes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from memlab.harness.scenarios.errors import suggest
from memlab.harness.scenarios.event_parts import (
    PINS,
    EndPart,
    EpisodePart,
    ErasePart,
    EventPart,
    RulePart,
)
from memlab.harness.scenarios.schema import ChangePart, ProbePart, RepeatPart, ScenarioFile, WorldPart
from memlab.harness.scenarios.variables import Place, substitute
from memlab.harness.scenarios.world_names import world_errors
from memlab.memory.trust import UNTRUSTED_SOURCES
from memlab.memory.world import Change, ScriptedWorld
from memlab.terms import TASK_NOTES, Claim, Event, Forbidden, Kind, Probe, Restart, Step

START = 1_767_603_600.0
"""Monday, 5 January 2026, 09:00 UTC: the start of every scenario."""
STEP = 60.0
UNITS = {"minute": 60, "hour": 3_600, "day": 86_400, "week": 604_800}
MOST = 50_000
SPEAKING: frozenset[Kind] = frozenset({"fact", "skill", "episode", "turn", "tool"})


@dataclass
class Timeline:
    """A timeline under construction; `problems` are errors, each with its place in the file."""

    salt: str
    start: Change = field(default_factory=Change)
    steps: list[Step] = field(default_factory=list)
    problems: list[tuple[Place, str]] = field(default_factory=list)
    time: float = START
    session: int = 1
    rules: int = 0
    task: Event | None = None
    questions: dict[str, str] = field(default_factory=dict)
    events: dict[str, list[str]] = field(default_factory=dict)
    needles: dict[str, tuple[str, ...]] = field(default_factory=dict)
    stated: dict[str, list[str]] = field(default_factory=dict)
    orders: set[str] = field(default_factory=set)
    skills: set[str] = field(default_factory=set)
    events_by_id: dict[str, Event] = field(default_factory=dict)
    probes: set[str] = field(default_factory=set)
    world: ScriptedWorld = field(default_factory=ScriptedWorld)

    def claims(self) -> dict[str, Claim]:
        """Return every claim with its needles and the events that state it."""
        return {
            name: Claim(name, self.needles[name], tuple(events), name in self.orders)
            for name, events in self.stated.items()
        }

    def known(self, ids: tuple[str, ...], place: Place, what: str) -> tuple[str, ...]:
        """Return the ids of events for their names in the file; an unknown name is a problem."""
        for name in ids:
            if name not in self.events:
                self.problems.append(
                    (place, f"{what} {name!r}, but no earlier event has this id.{suggest(name, self.events)}")
                )
        return tuple(event for name in ids for event in self.events.get(name, ()))

    def add_event(self, kind: Kind, part: EventPart, place: Place, *, again: bool = False) -> None:
        """Add one event. `again` means that an earlier event may have the same name, as in a repeat."""
        fields = part.fields()
        if kind == "rule" and not fields["name"]:
            self.rules += 1
            fields["name"] = f"rule-{self.rules}"
        event = Event(
            id=hashlib.blake2s(f"{self.salt}:{len(self.steps)}".encode(), digest_size=6).hexdigest(),
            kind=kind,
            time=self._tick(),
            session=f"session-{self.session}",
            source=part.source,
            derived_from=self.known(part.derived_from, (*place, "derived_from"), f"this {kind} is derived from"),
            **fields,
        )
        if isinstance(part, ErasePart):
            event = self._erasing(event, self.known(part.events, (*place, "events"), "this erases"))
        elif isinstance(part, EndPart):
            event = self._with_record(event, part, place)
        elif isinstance(part, EpisodePart) and part.kind in TASK_NOTES:
            event = self._in_task(event, place)
        self._register_name(part, event, place, again=again)
        self._register_claims(kind, part, event, place)
        self.skills |= {event.name} if kind == "skill" else set()
        if event.source not in UNTRUSTED_SOURCES and kind in {"task", "end"}:
            self.task = event if kind == "task" else None
            self.questions = {}
        self.events_by_id[event.id] = event
        self.steps.append(event)

    def add_restart(self, how: Any, place: Place) -> None:  # noqa: ANN401, ARG002 - one of two words, and every step has a place
        """Add a restart. The end of a session also ends its open task, as an event."""
        if how == "session":
            if self.task:
                self.add_event("end", EventPart(source="agent"), ())
            self.session += 1
        self.steps.append(Restart(how))

    def add_probe(self, part: ProbePart, place: Place) -> None:
        """Add a probe; the claims in its key must be stated before it."""
        if part.id in self.probes:
            self.problems.append((place, f"two probes have the id {part.id!r}: give each its own id"))
        self.probes.add(part.id)
        expect = part.expect or ()
        for verb, names in (("expects", expect), ("keeps", part.keep), ("forbids", tuple(part.forbid))):
            self._check_claims(names, (*place,), f"probe {part.id!r} {verb}", pins=verb == "keeps")
        self._check_claims(
            tuple(one.against for one in part.forbid.values() if one.against), place, f"probe {part.id!r} sets against"
        )
        verb, query, budget = part.question()
        window = part.window
        self.steps.append(
            Probe(
                id=part.id,
                verb=verb,
                query=query,
                time=self._tick(),
                k=part.k,
                budget=budget,
                turns=self._texts("turn", window.turns, (*place, "window", "turns")) if window else (),
                results=self._texts("tool", window.results, (*place, "window", "results")) if window else (),
                expect=part.expect,
                forbid={name: Forbidden(one.why, one.against) for name, one in part.forbid.items()},
                keep=part.keep,
            )
        )

    def _texts(self, kind: Kind, names: tuple[str, ...], place: Place) -> tuple[str, ...]:
        """Return the texts of events in the order of the timeline; one of another kind is a problem."""
        found = set(self.known(names, place, f"this window has the {kind}"))
        events = [event for event in self.events_by_id.values() if event.id in found]
        others = {event.kind: None for event in events if event.kind != kind}
        self.problems += [
            (place, f"this window has events of kind {one!r}. List those of kind {kind!r}") for one in others
        ]
        return tuple(event.text for event in events)

    def add_change(self, part: ChangePart, place: Place) -> None:
        """Add a change of the world; a file that moves keeps its content."""
        contents = {old: self.world.files[old][0] for old in part.move if old in self.world.files}
        self.problems += [
            ((*place, "move", old), f"there is no file {old!r} to move at this point.{suggest(old, self.world.files)}")
            for old in part.move.keys() - contents.keys()
        ]
        moved = {part.move[old]: content for old, content in contents.items()}
        self.steps.append(
            self.apply_change(part, {**dict.fromkeys(contents), **moved, **part.files}, part.actor, place)
        )

    def apply_change(
        self, part: WorldPart | ChangePart, files: Mapping[str, str | None], actor: str, place: Place
    ) -> Change:
        """Return one actor's change and apply it to the scripted world; what a disk cannot hold is a problem."""
        change = Change(actor, files, dict(part.env), dict(part.commands), dict(part.links))
        self.problems += [((*place, kind, name), text) for kind, name, text in world_errors(self.world, change)]
        self.world.change(change)
        return change

    def _tick(self) -> float:
        self.time += STEP
        return self.time

    def _erasing(self, event: Event, ids: tuple[str, ...]) -> Event:
        names = sorted({self.events_by_id[one].name for one in ids} - {""})
        return replace(event, erases=ids, name=names[0] if len(names) == 1 else "")

    def _with_record(self, event: Event, part: EndPart, place: Place) -> Event:
        """Return the end of a task with the record of its run, whose words are the text of the event."""
        if part.success is None:
            return event
        if not self.task:
            self.problems.append((place, "a record of a run needs its task. Add a `task:` before it"))
        for name in part.skills:
            if name not in self.skills:
                text = f"this run uses the skill {name!r}, but no earlier event teaches it.{suggest(name, self.skills)}"
                self.problems.append(((*place, "skills"), text))
        run = part.run(self.task)
        return replace(event, run=run, text=run.text) if run else event

    def _in_task(self, event: Event, place: Place) -> Event:
        """Return a note, a question, or an answer with the words of its question; each belongs to the current task."""
        if not self.task:
            text = f"`kind: {event.type}` is for a task, and none is open. Add a `task:` before it, or rename the kind"
            self.problems.append(((*place, "kind"), text))
        elif event.type == "ask":
            self.questions[event.name] = event.text
        elif event.type == "answer":
            if event.name not in self.questions:
                text = f"this answers {event.name!r}, which is no open question.{suggest(event.name, self.questions)}"
                self.problems.append(((*place, "name"), text))
            return replace(event, description=self.questions.pop(event.name, ""))
        return event

    def _register_name(self, part: EventPart, event: Event, place: Place, *, again: bool) -> None:
        if not part.id:
            return
        if part.id in self.events and not again:
            self.problems.append(((*place, "id"), f"two events have the id {part.id!r}: give each its own id"))
        self.events.setdefault(part.id, []).append(event.id)

    def _register_claims(self, kind: Kind, part: EventPart, event: Event, place: Place) -> None:
        if part.states:
            self._check_claims(part.states, (*place, "states"), f"this {kind} states")
        if part.needles and (part.states or not part.id):
            why = "it states other claims, which have needles already" if part.states else "no id for its claim"
            self.problems.append(((*place, "needles"), f"this {kind} has needles, but {why}"))
        if not part.states and not part.needles and kind not in SPEAKING:
            return
        for name in part.states or (part.id or _anonymous_claim(event.text),):
            self.needles.setdefault(name, part.needles or (event.text,))
            self.stated.setdefault(name, []).append(event.id)
            if part.orders:
                self.orders.add(name)

    def _check_claims(self, names: tuple[str, ...], place: Place, what: str, *, pins: bool = False) -> None:
        valid = [name for name in self.stated if not name.startswith("~")]
        for name in names:
            if name not in valid and not (pins and name in PINS):
                self.problems.append(
                    (place, f"{what} {name!r}, but no earlier event states this claim.{suggest(name, valid)}")
                )


def build_timeline(file: ScenarioFile, salt: str, most: int = MOST) -> Timeline:
    """Build the timeline of a file after substitution; `salt` makes the event ids opaque and reproducible."""
    timeline = Timeline(salt)
    timeline.start = timeline.apply_change(file.world, file.world.files, "user", ("world",))
    for n, rule in enumerate(file.rules):
        timeline.add_event("rule", rule if isinstance(rule, RulePart) else RulePart(body=rule), ("rules", n))
    if (total := sum(step.repeat.times if step.repeat else 1 for step in file.timeline)) > most:
        timeline.problems.append(
            (("timeline",), f"{total:,} steps are more than the maximum of {most:,}. Lower `times:`")
        )
        return timeline
    for n, step in enumerate(file.timeline):
        place: Place = ("timeline", n)
        if step.repeat:
            for number, (kind, part) in enumerate(repeated(step.repeat)):
                timeline.add_event(kind, part, (*place, "repeat", kind), again=number > 0)
        elif step.world:
            timeline.add_change(step.world, (*place, "world"))
        elif step.wait:
            count, unit = step.wait.split()
            timeline.time += int(count) * UNITS[unit.rstrip("s")]
        elif step.restart:
            timeline.add_restart(step.restart, (*place, "restart"))
        elif step.probe:
            timeline.add_probe(step.probe, (*place, "probe"))
        else:
            kind, part = step.event()
            timeline.add_event(kind, part, (*place, kind))
    return timeline


def _anonymous_claim(text: str) -> str:
    return "~" + hashlib.blake2s(text.encode(), digest_size=6).hexdigest()


def repeated(repeat: RepeatPart) -> Iterator[tuple[Kind, EventPart]]:
    """Yield a repeat's events one by one, with its own variables substituted."""
    kind, part = repeat.event()
    plain = part.model_dump()
    for number in range(1, repeat.times + 1):
        words = {"i": str(number)} | {name: turns[(number - 1) % len(turns)] for name, turns in repeat.each.items()}
        yield kind, part.model_copy(update={key: _substituted(value, words) for key, value in plain.items()})


def _substituted(value: object, words: Mapping[str, str]) -> object:
    if isinstance(value, str):
        return substitute(value, words)
    return tuple(_substituted(one, words) for one in value) if isinstance(value, tuple) else value
