"""Finds the evidence against a claim: the steps of the timeline that show that it must not be served."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from memlab.harness.check.past import Past
from memlab.harness.check.refutation import why_not_refuted
from memlab.memory.text import fold
from memlab.memory.trust import UNTRUSTED_SOURCES
from memlab.memory.world import Change
from memlab.terms import Event, Forbidden, Step, Why


def deciding_steps(past: Past, claim: str, forbidden: Forbidden) -> list[Step]:
    """Return the steps that show why a claim must not be served, at most one per event that states it, without repeats.

    Such a step is the change of the world, the last of the highest-ranked statements, the erasure or the end of the
    task. For `orders` it is the untrusted event at the root of the lineage; for `nothing` there is none.
    """
    found = [
        step for event in past.events_stating(claim) for step in _STEPS[forbidden.why](past, event, claim, forbidden)
    ]
    return list({id(step): step for step in found}.values())


def _world(past: Past, event: Event, claim: str, _: Forbidden) -> Iterator[Step]:
    """Yield the change since which the world refutes an event's text; the initial world if it always did."""
    changes = [past.scenario.world, *(step for step in past.steps if isinstance(step, Change))]
    for needle in filter(fold, past.scenario.claims[claim].needles):
        count = len(changes)
        while count and not why_not_refuted(event.text, needle, past.worlds[:count]):
            count -= 1
        if count < len(changes):
            yield changes[count]
            return


def _version(past: Past, event: Event, claim: str, _: Forbidden) -> Iterator[Step]:
    yield from _highest(past, past.superseding_events(event, claim))


def _trust(past: Past, event: Event, _: str, forbidden: Forbidden) -> Iterator[Step]:
    yield from _highest(past, past.outranking_events(event, forbidden.against))


def _highest(past: Past, rivals: Iterable[Event]) -> list[Event]:
    """Return the last event with the highest rank, as a list of at most one."""
    return sorted(rivals, key=lambda one: (past.rank(one), one.time))[-1:]


def _lineage(past: Past, event: Event, *_: object) -> Iterator[Step]:
    yield from [one for one in past.lineage(event) if one.source in UNTRUSTED_SOURCES][-1:]


def _erased(past: Past, event: Event, *_: object) -> Iterator[Step]:
    yield from islice(past.erasures(event), 1)


def _ended(past: Past, event: Event, *_: object) -> Iterator[Step]:
    yield from islice(filter(past.ends_a_task, past.steps_after(event)), 1)


_STEPS: dict[Why, Callable[[Past, Event, str, Forbidden], Iterator[Step]]] = {
    "world": _world,
    "version": _version,
    "trust": _trust,
    "lineage": _lineage,
    "erased": _erased,
    "ended": _ended,
    "failed": lambda _past, event, *_: iter([event]),
    "nothing": lambda *_: iter(()),
}
