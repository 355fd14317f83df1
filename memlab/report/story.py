"""A scenario told as a story, for a person who wants to predict what each memory will do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import groupby

from rich.markup import escape

from memlab.harness.verdict import REASONS
from memlab.memory.world import Change
from memlab.report.markup import visible
from memlab.terms import Event, Kind, Probe, Restart, Scenario, Step

MANY = 4
"""So many events in a row that say nothing a probe asks for are told in one line."""
SHOWN = 160
INDENT = " " * 18

_TOLD: dict[Kind, Callable[[Event], str]] = {
    "rule": lambda e: f"sets {e.name}: {_quote(e.text)}" if e.text else f"withdraws {e.name}",
    "fact": lambda e: f"states {e.name} ({e.description}): {_quote(e.text)}",
    "skill": lambda e: f"teaches {e.name}, for {e.type}: {_quote(e.text)}",
    "episode": lambda e: f"logs {e.type}: {_quote(e.text)}",
    "turn": lambda e: f"says {_quote(e.text)}",
    "tool": lambda e: f"returns {_quote(e.text)}",
    "task": lambda e: f"begins a task, {_quote(e.text)}: {', '.join(e.todo)}",
    "done": lambda e: f"checks off {_quote(e.text)}",
    "end": lambda e: f"ends the task{': ' + _quote(e.text) if e.text else ''}",
    "compact": lambda _: "lets history be condensed",
    "erase": lambda e: f"asks to forget {e.name or f'{len(e.erases)} events'}",
}


def story(scenario: Scenario) -> str:
    """Tell a scenario as rich markup: its paragraph, what is lived in order, and what is asked."""
    lines = [f"[bold]{escape(visible(scenario.title))}[/bold]", f"[dim]{scenario.id}, seed {scenario.seed}[/dim]", ""]
    lines += [escape(visible(scenario.story.strip())), "", *_world(scenario.world)]
    asked = {name for step in scenario.timeline if isinstance(step, Probe) for name in _names(step)}
    matter = {event for name in asked if name in scenario.claims for event in scenario.claims[name].events}
    for quiet, steps in groupby(scenario.timeline, lambda step: _quiet(step, matter)):
        group = list(steps)
        if quiet and len(group) > MANY:
            lines += _many([step for step in group if isinstance(step, Event)])
        else:
            lines += [line for step in group for line in _lines(step, scenario)]
    return "\n".join(lines)


def _quiet(step: Step, matter: set[str]) -> bool:
    return isinstance(step, Event) and step.id not in matter and step.kind in {"episode", "turn", "tool", "fact"}


def _names(probe: Probe) -> tuple[str, ...]:
    return (*(probe.expect or ()), *probe.forbid, *probe.keep)


def _lines(step: Step, scenario: Scenario) -> Iterator[str]:
    if isinstance(step, Event):
        yield f"[dim]{_when(step.time)}[/dim]  [cyan]{step.source}[/cyan] {escape(_TOLD[step.kind](step))}"
    elif isinstance(step, Change):
        yield from _change(step)
    elif isinstance(step, Restart):
        how = "the process crashes and starts again" if step.how == "crash" else "a new session begins"
        yield f"{INDENT}[yellow]{how}[/yellow]"
    else:
        yield from _probe(step, scenario)


def _many(events: list[Event]) -> Iterator[str]:
    first, last = events[0], events[-1]
    yield f"[dim]{_when(first.time)}  {len(events)} more events, from {escape(_quote(first.text))}"
    yield f"{INDENT}to {escape(_quote(last.text))}[/dim]"


def _probe(probe: Probe, scenario: Scenario) -> Iterator[str]:
    asks = f"recall, {probe.k} items" if probe.verb == "recall" else f"assemble, {probe.budget} tokens"
    query = f"[bold magenta]? {escape(visible(probe.query))}[/bold magenta]"
    yield f"[dim]{_when(probe.time)}[/dim]  {query}  [dim]({asks})[/dim]"
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
    return f": {escape(' ... '.join(_quote(needle) for needle in claim.needles))}" if claim else ""


def _world(world: Change) -> Iterator[str]:
    things = [("files", world.files), ("variables", world.env), ("commands", world.commands), ("links", world.links)]
    told = [f"{what} {', '.join(names)}" for what, names in things if names]
    if told:
        yield f"[dim]The world holds {escape('; '.join(told))}.[/dim]"
        yield ""


def _change(change: Change) -> Iterator[str]:
    for things in (change.files, change.env, change.commands, change.links):
        for name, value in things.items():
            yield f"{INDENT}[yellow]{change.actor} {'removes' if value is None else 'writes'} {escape(name)}[/yellow]"


def _when(time: float) -> str:
    return datetime.fromtimestamp(time, UTC).strftime("%a %d %b %H:%M")


def _quote(text: str) -> str:
    words = visible(" ".join(text.split()))
    return f'"{words if len(words) <= SHOWN else words[: SHOWN - 3] + "..."}"'
