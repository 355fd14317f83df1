"""Renders a scenario as a story, for a reader who wants to predict the answer of each memory system."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from itertools import groupby

from memlab.harness.attacks.attack_kinds import attack_description
from memlab.harness.plural import plural
from memlab.harness.scoring.explanations import REASONS
from memlab.memory.world import Change
from memlab.report.lines import BLANK, Line, Span, Style, line
from memlab.report.text import escape_invisible
from memlab.terms import TASK_NOTES, Event, Kind, Probe, Restart, Scenario, Step

MANY = 4
"""More consecutive events than this are one line, if no probe asks about them."""
SHOWN = 160
"""Most characters of a text that are shown."""
BEFORE = 60
"""Characters that are shown before the first needle of a long text."""
INDENT = " " * 18
UNMARKED = 0.5
"""The importance of a fact for which none is given."""
ATTACK = "ATTACK"

_SENTENCE: dict[Kind, Callable[[Event], str]] = {
    "rule": lambda e: f"sets {e.name}: {quote(e.text)}" if e.text else f"withdraws {e.name}",
    "fact": lambda e: f"states {e.name} ({e.description}): {quote(e.text)}{_said(e)}",
    "skill": lambda e: f"teaches {e.name}, for {e.type}: {quote(e.text)}",
    "episode": lambda e: f"{_logs(e)}{quote(e.text)}",
    "turn": lambda e: f"says {quote(e.text)}",
    "tool": lambda e: f"returns {quote(e.text)}" if e.source == "tool" else f"reads: {quote(e.text)}",
    "task": lambda e: f"begins a task{' of type ' * bool(e.type)}{e.type}, {quote(e.text)}: {', '.join(e.todo)}",
    "done": lambda e: f"checks off {quote(e.text)}",
    "end": lambda e: f"ends the task{_went(e)}{': ' + quote(e.text) if e.text else ''}",
    "compact": lambda _: "lets history be condensed",
    "erase": lambda e: f"asks to forget {e.name or _count(len(e.erases))}",
}
_VERBS = {"note": "notes", "ask": "asks", "answer": "answers", "release": "accepts what an untrusted source gave"}
"""The verbs of the episodes that mean more than that something happened."""


def story(scenario: Scenario, attack: Collection[str] = ()) -> list[Line]:
    """Return the lines of a story: its introduction, then events and questions in order.

    `attack` holds the ids of the events that an attack has added; their lines are marked.
    """
    lines = [line("", scenario.title, "bold"), line("", f"{scenario.id}, seed {scenario.seed}", "dim"), BLANK]
    lines += [*(line("", text) for text in scenario.story.strip().splitlines()), BLANK]
    if attack:
        lines += [line("", attack_sentence(scenario.overlay), "red"), BLANK]
    if start := world_sentence(scenario.world):
        lines += [line("", start, "dim"), BLANK]
    for group in grouped(scenario, claims_by_event(scenario), attack):
        lines += group_lines(group, scenario, attack)
    return lines


def attack_sentence(overlay: str) -> str:
    """Return what an attack adds to a story."""
    marked = f"This scenario is attacked; lines of the attack are marked {ATTACK}."
    return f"{marked} {overlay}: {attack_description(overlay)}."


def claims_by_event(scenario: Scenario) -> dict[str, list[str]]:
    """Map the id of each event to the claims that it states and a probe asks about."""
    probes = [step for step in scenario.timeline if isinstance(step, Probe)]
    names = dict.fromkeys(name for one in probes for name in (*(one.expect or ()), *one.forbid, *one.keep))
    claims: dict[str, list[str]] = {}
    for name in names:
        for event in scenario.claims[name].events if name in scenario.claims else ():
            claims.setdefault(event, []).append(name)
    return claims


def grouped(
    scenario: Scenario, relevant: Collection[str], attack: Collection[str] = (), noise: Collection[str] = ()
) -> Iterator[list[Step]]:
    """Divide the timeline into groups of one line each: single steps, and runs of events that are not relevant.

    A run of attack events with one origin is a group too. Of `noise`, the ids of surrounding statements, every kind of
    event is in a run.
    """

    def attack_origin(step: Step) -> tuple[str, ...] | None:
        return step.derived_from if isinstance(step, Event) and step.id in attack else None

    runs = groupby(scenario.timeline, lambda step: (_is_background(step, relevant, noise), attack_origin(step)))
    for kind, steps in runs:
        group = list(steps)
        yield from [group] if kind != (False, None) and len(group) > MANY else ([step] for step in group)


def group_lines(group: list[Step], scenario: Scenario, attack: Collection[str] = ()) -> list[Line]:
    """Return the lines of one group of steps; each starts with the time, or with spaces of the same width."""
    events = [step for step in group if isinstance(step, Event)]
    mark = (Span(f"{ATTACK}:", "red"), Span(" ")) if any(event.id in attack for event in events) else ()
    return list(_run_lines(events, mark) if len(group) > 1 else _step_lines(group[0], scenario, mark))


def _is_background(step: Step, relevant: Collection[str], noise: Collection[str]) -> bool:
    if not isinstance(step, Event) or step.id in relevant:
        return False
    unimportant = step.kind in {"episode", "turn", "tool", "fact"} and step.type not in {*TASK_NOTES, "release"}
    return unimportant or step.id in noise


def _step_lines(step: Step, scenario: Scenario, mark: tuple[Span, ...]) -> Iterator[Line]:
    if isinstance(step, Event):
        spans = (*mark, Span(step.source, "cyan"), Span(f" {_sentence(step, scenario)}"))
        yield Line(f"{timestamp(step.time)}  ", spans)
    elif isinstance(step, Change):
        yield from (line(INDENT, text, "yellow") for text in _changes(step))
    elif isinstance(step, Restart):
        how = "the process crashes and starts again" if step.how == "crash" else "a new session begins"
        yield line(INDENT, how, "yellow")
    else:
        yield from _probe_lines(step, scenario)


def _run_lines(events: list[Event], mark: tuple[Span, ...]) -> Iterator[Line]:
    first, last = events[0], events[-1]
    text = f"{len(events)} more events, from {quote(first.text)}"
    yield Line(f"{timestamp(first.time)}  ", (*mark, Span(text)), "dim")
    yield line(INDENT, f"to {quote(last.text)}", "dim")


def _probe_lines(probe: Probe, scenario: Scenario) -> Iterator[Line]:
    size = plural(probe.k, "item") if probe.verb == "recall" else f"{probe.budget} tokens"
    limit = f"{probe.verb}, {size}"
    limit += f", of {plural(len(probe.turns), 'turn')} and {plural(len(probe.results), 'result')}" * (
        probe.verb == "window"
    )
    query = Span(f"? {probe.query}", "bold magenta")
    yield Line(f"{timestamp(probe.time)}  ", (query, Span("  "), Span(f"({limit})", "dim")))
    if probe.expect == ():
        yield line(INDENT, "nothing is to be served", "green")
    for verb, names in (("serve", probe.expect or ()), ("keep", probe.keep)):
        yield from (_claim_line(f"must {verb} {name}", "green", name, scenario) for name in names)
    for name, forbidden in probe.forbid.items():
        against = f": {forbidden.against}" if forbidden.against else ""
        why = Span(f" ({REASONS[forbidden.why]}{against})", "dim")
        yield _claim_line(f"must not serve {name}", "red", name, scenario, why)


def _claim_line(text: str, style: Style, name: str, scenario: Scenario, *after: Span) -> Line:
    claim = scenario.claims.get(name)
    needles = f": {' ... '.join(map(quote, claim.needles))}" if claim else ""
    return Line(INDENT, (Span(text, style), Span(needles), *after))


def _logs(event: Event) -> str:
    """Return the verb of an episode, and the name of a note or question."""
    if event.type == "log":
        return "logs "
    return f"{_VERBS.get(event.type, f'logs {event.type}')} {event.name}".rstrip() + ": "


def _said(event: Event) -> str:
    """Return the words that state a fact, and its importance, if they are given."""
    parts = [f"said as {quote(event.quote)}"] * bool(event.quote)
    parts += [f"importance {event.importance:g}"] * (event.importance != UNMARKED)
    return f" ({', '.join(parts)})" if parts else ""


def _went(event: Event) -> str:
    """Return how the run of a task went, and what it used; "" if that is not recorded."""
    run = event.run
    if run is None:
        return ""
    went = "succeeded" if run.success else "failed but was resolved" if run.resolution else "failed"
    used = [f"{run.steps} steps"] * bool(run.steps) + [f"{run.seconds:g} s"] * bool(run.seconds)
    used += [f"{what} {', '.join(names)}" for what, names in (("tools", run.tools), ("skills", run.skills)) if names]
    used += [f"learned {run.learned}"] * bool(run.learned)
    return f", which {went}" + (f" ({'; '.join(used)})" if used else "")


def _count(events: int) -> str:
    return "one event" if events == 1 else f"{events} events"


def _sentence(event: Event, scenario: Scenario) -> str:
    needles = [needle for claim in scenario.claims.values() if event.id in claim.events for needle in claim.needles]
    shown = replace(event, text=excerpt(event.text, needles))
    return " ".join(_SENTENCE[event.kind](shown).split())


def world_sentence(world: Change) -> str:
    """Return what a world contains at the start; "" if nothing."""
    commands = [f"{name} ({', '.join(flags)})" if flags else name for name, flags in world.commands.items()]
    things = [("files", world.files), ("variables", world.env), ("commands", commands), ("links", world.links)]
    contents = [f"{kind} {', '.join(names)}" for kind, names in things if names]
    return f"The world holds {'; '.join(contents)}." if contents else ""


def _changes(change: Change) -> Iterator[str]:
    for things in (change.files, change.env, change.commands, change.links):
        for name, value in things.items():
            removed = value is None
            yield f"{change.actor} removes {name}" if removed else f"{change.actor} writes {name}{_content(value)}"


def _content(value: str | tuple[str, ...] | None) -> str:
    """Return the content of a file or variable, or the flags of a command, after a colon; "" if there is none."""
    text = ", ".join(value) if isinstance(value, tuple) else value or ""
    return f": {quote(text)}" if text.strip() else ""


def timestamp(time: float) -> str:
    """Format a time as `Mon 05 Jan 09:01`."""
    return datetime.fromtimestamp(time, UTC).strftime("%a %d %b %H:%M")


def quote(text: str) -> str:
    """Return a text in quotes, on one line, cut to SHOWN characters."""
    return f'"{excerpt(text)}"'


def excerpt(text: str, needles: Iterable[str] = ()) -> str:
    """Return at most SHOWN characters of a text on one line, with the first of its needles among them."""
    words = escape_invisible(" ".join(text.split()))
    if len(words) <= SHOWN:
        return words
    low, size = words.casefold(), SHOWN - len("...  ...")
    places = [(place, place + len(needle)) for needle in needles if (place := low.find(needle.casefold())) >= 0]
    first, end = min(places, default=(0, 0))
    start = words.find(" ", first - BEFORE) + 1 if end > size else 0
    shown = words[start : start + size]
    after = " ..." if len(words) > start + size else ""
    return f"{'... ' if start else ''}{shown.rpartition(' ')[0] or shown if after else shown}{after}"
