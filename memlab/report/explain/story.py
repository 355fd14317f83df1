"""A scenario told as a story, for a person who wants to predict what each memory will do."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from itertools import groupby

from rich.markup import escape

from memlab.harness.attacks.catalogue import attack_description
from memlab.harness.scoring.explanations import REASONS
from memlab.memory.world import Change
from memlab.report.text import escape_invisible
from memlab.terms import Event, Kind, Probe, Restart, Scenario, Step

MANY = 4
"""So many events in a row that say nothing a probe asks for are told in one line."""
SHOWN = 160
"""Letters of a text that are shown, and before the first thing in it that matters."""
BEFORE = 60
INDENT = " " * 18
ATTACK = "ATTACK"

_TOLD: dict[Kind, Callable[[Event], str]] = {
    "rule": lambda e: f"sets {e.name}: {quote(e.text)}" if e.text else f"withdraws {e.name}",
    "fact": lambda e: f"states {e.name} ({e.description}): {quote(e.text)}",
    "skill": lambda e: f"teaches {e.name}, for {e.type}: {quote(e.text)}",
    "episode": lambda e: f"logs {quote(e.text)}" if e.type == "log" else f"logs {e.type}: {quote(e.text)}",
    "turn": lambda e: f"says {quote(e.text)}",
    "tool": lambda e: f"returns {quote(e.text)}" if e.source == "tool" else f"reads: {quote(e.text)}",
    "task": lambda e: f"begins a task, {quote(e.text)}: {', '.join(e.todo)}",
    "done": lambda e: f"checks off {quote(e.text)}",
    "end": lambda e: f"ends the task{': ' + quote(e.text) if e.text else ''}",
    "compact": lambda _: "lets history be condensed",
    "erase": lambda e: f"asks to forget {e.name or _events(len(e.erases))}",
}


def story(scenario: Scenario, attack: Collection[str] = ()) -> str:
    """Tell a scenario as rich markup: its paragraph, what is lived in order, and what is asked.

    `attack` holds the ids of the events that an attack has laid over it; they are marked.
    """
    lines = [
        f"[bold]{escape(escape_invisible(scenario.title))}[/bold]",
        f"[dim]{scenario.id}, seed {scenario.seed}[/dim]",
        "",
    ]
    lines += [escape(escape_invisible(scenario.story.strip())), ""]
    if attack:
        lines += [f"[red]{under(scenario.overlay)}[/red]", ""]
    if start := holds(scenario.world):
        lines += [f"[dim]{escape(escape_invisible(start))}[/dim]", ""]
    for group in grouped(scenario, asked(scenario), attack):
        lines += told(group, scenario, attack)
    return "\n".join(lines)


def under(overlay: str) -> str:
    """Say what an attack does to a story."""
    return f"But it is attacked, in the lines marked {ATTACK}. {overlay}: {attack_description(overlay)}."


def asked(scenario: Scenario) -> dict[str, list[str]]:
    """Give the claims that each event states and a probe asks about, by the event's id."""
    names = {name: None for step in scenario.timeline if isinstance(step, Probe) for name in _names(step)}
    found: dict[str, list[str]] = {}
    for name in names:
        for event in scenario.claims[name].events if name in scenario.claims else ():
            found.setdefault(event, []).append(name)
    return found


def grouped(scenario: Scenario, matter: Collection[str], attack: Collection[str] = ()) -> Iterator[list[Step]]:
    """Divide the timeline into what is told at once: each step alone, but many in a row of which no event matters.

    Many in a row of an attack, all of one origin, are told at once too.
    """

    def of_attack(step: Step) -> tuple[str, ...] | None:
        return step.derived_from if isinstance(step, Event) and step.id in attack else None

    alike = groupby(scenario.timeline, lambda step: (_quiet(step, matter), of_attack(step)))
    for kind, steps in alike:
        group = list(steps)
        yield from [group] if kind != (False, None) and len(group) > MANY else ([step] for step in group)


def told(group: list[Step], scenario: Scenario, attack: Collection[str] = ()) -> list[str]:
    """Tell a step, or many of them, in lines of rich markup: the time in a column of its own, then the words."""
    events = [step for step in group if isinstance(step, Event)]
    mark = f"[red]{ATTACK}:[/red] " if any(one.id in attack for one in events) else ""
    return list(_many(events, mark) if len(group) > 1 else _lines(group[0], scenario, mark))


def _quiet(step: Step, matter: Collection[str]) -> bool:
    return isinstance(step, Event) and step.id not in matter and step.kind in {"episode", "turn", "tool", "fact"}


def _names(probe: Probe) -> tuple[str, ...]:
    return (*(probe.expect or ()), *probe.forbid, *probe.keep)


def _lines(step: Step, scenario: Scenario, mark: str) -> Iterator[str]:
    if isinstance(step, Event):
        yield f"[dim]{when(step.time)}[/dim]  {mark}[cyan]{step.source}[/cyan] {escape(_words(step, scenario))}"
    elif isinstance(step, Change):
        yield from _change(step)
    elif isinstance(step, Restart):
        how = "the process crashes and starts again" if step.how == "crash" else "a new session begins"
        yield f"{INDENT}[yellow]{how}[/yellow]"
    else:
        yield from _probe(step, scenario)


def _events(count: int) -> str:
    return "one event" if count == 1 else f"{count} events"


def _words(event: Event, scenario: Scenario) -> str:
    needles = [needle for claim in scenario.claims.values() if event.id in claim.events for needle in claim.needles]
    shown = replace(event, text=excerpt(event.text, needles))
    return escape_invisible(" ".join(_TOLD[event.kind](shown).split()))


def _many(events: list[Event], mark: str) -> Iterator[str]:
    first, last = events[0], events[-1]
    yield f"[dim]{when(first.time)}  {mark}{len(events)} more events, from {escape(quote(first.text))}"
    yield f"{INDENT}to {escape(quote(last.text))}[/dim]"


def _probe(probe: Probe, scenario: Scenario) -> Iterator[str]:
    asks = f"recall, {probe.k} items" if probe.verb == "recall" else f"assemble, {probe.budget} tokens"
    query = f"[bold magenta]? {escape(escape_invisible(probe.query))}[/bold magenta]"
    yield f"[dim]{when(probe.time)}[/dim]  {query}  [dim]({asks})[/dim]"
    if probe.expect == ():
        yield f"{INDENT}[green]nothing is to be served[/green]"
    for verb, names in (("serve", probe.expect or ()), ("keep", probe.keep)):
        yield from (f"{INDENT}[green]must {verb} {name}[/green]{_needles(name, scenario)}" for name in names)
    for name, forbidden in probe.forbid.items():
        against = f": {forbidden.against}" if forbidden.against else ""
        why = f"[dim]({REASONS[forbidden.why]}{against})[/dim]"
        yield f"{INDENT}[red]must not serve {name}[/red]{_needles(name, scenario)} {why}"


def _needles(name: str, scenario: Scenario) -> str:
    claim = scenario.claims.get(name)
    return f": {escape(' ... '.join(quote(needle) for needle in claim.needles))}" if claim else ""


def holds(world: Change) -> str:
    """Say what stands in a world at the start; "" where nothing does."""
    commands = [f"{name} ({', '.join(flags)})" if flags else name for name, flags in world.commands.items()]
    things = [("files", world.files), ("variables", world.env), ("commands", commands), ("links", world.links)]
    held = [f"{what} {', '.join(names)}" for what, names in things if names]
    return f"The world holds {'; '.join(held)}." if held else ""


def _change(change: Change) -> Iterator[str]:
    for things in (change.files, change.env, change.commands, change.links):
        for name, value in things.items():
            words = (
                f"{change.actor} removes {name}" if value is None else f"{change.actor} writes {name}{_holding(value)}"
            )
            yield f"{INDENT}[yellow]{escape(words)}[/yellow]"


def _holding(value: str | tuple[str, ...]) -> str:
    """Say what a file or variable holds, or which flags a command has."""
    text = ", ".join(value) if isinstance(value, tuple) else value
    return f": {quote(text)}" if text.strip() else ""


def when(time: float) -> str:
    """Write a moment as a reader of a diary would."""
    return datetime.fromtimestamp(time, UTC).strftime("%a %d %b %H:%M")


def quote(text: str) -> str:
    """Write a text on one line, in quotes, cut to SHOWN letters."""
    return f'"{excerpt(text)}"'


def excerpt(text: str, needles: Iterable[str] = ()) -> str:
    """Write a text on one line, cut to SHOWN letters, so that the first of some needles in it is not cut away."""
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
