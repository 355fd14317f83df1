"""Checks that the timeline shows why a claim must not be served."""

from __future__ import annotations

from collections.abc import Callable

from memlab.harness.check.past import Past
from memlab.harness.check.refutation import is_confirmed, why_not_refuted
from memlab.memory.text import fold
from memlab.memory.trust import UNTRUSTED_SOURCES
from memlab.terms import Event, Forbidden, Why


def why_not_derivable(past: Past, claim: str, forbidden: Forbidden) -> str:
    """Return why the timeline does not show the stated reason to forbid a claim; "" if it does."""
    return _WHYS[forbidden.why](past, claim, forbidden)


def _world(past: Past, claim: str, _: Forbidden) -> str:
    for event in past.events_stating(claim):
        reasons = [why_not_refuted(event.text, needle, past.worlds) for needle in _needles(past, claim)]
        if all(reasons):
            fix = "Remove from the world what it names; for a flag, keep its command and remove the flag"
            return f"the world does not refute it: {'; '.join(reasons)}. {fix}"
    return ""


def _version(past: Past, claim: str, _: Forbidden) -> str:
    for event in past.events_stating(claim):
        if not any(past.superseding_events(event, claim)):
            return (
                f"nothing supersedes {_called(event)}: no later event on the same subject, with a source of the same "
                "or a higher rank, makes another claim. Give both the same `name` or `about`, or another `why`"
            )
    return ""


def _trust(past: Past, claim: str, forbidden: Forbidden) -> str:
    against = forbidden.against
    for event in past.events_stating(claim):
        if not any(past.outranking_events(event, against)):
            return (
                f"no event that states {against!r} on the same subject ranks above {_called(event)}. "
                "Give both the same `name` or `about`, and the true one the better source"
            )
        if _refuted(past, against) and _confirmed(past, claim, event):
            return f"the world refutes {against!r} and confirms this claim. Use a true claim in `against:`"
    return ""


def _refuted(past: Past, claim: str) -> bool:
    return all(
        not all(why_not_refuted(event.text, needle, past.worlds) for needle in _needles(past, claim))
        for event in past.events_stating(claim)
    )


def _confirmed(past: Past, claim: str, event: Event) -> bool:
    return any(is_confirmed(event.text, needle, past.worlds) for needle in _needles(past, claim))


def _lineage(past: Past, claim: str, _: Forbidden) -> str:
    if not past.scenario.claims[claim].orders:
        return "it is not marked as giving orders, and untrusted sources may be right. Mark it `orders: true`"
    for event in past.events_stating(claim):
        if not any(one.source in UNTRUSTED_SOURCES for one in past.lineage(event)):
            return f"the lineage of {_called(event)} reaches no untrusted source. Add `derived_from` or another `why`"
        if any(map(past.is_released, past.lineage(event))):
            return f"the user accepted {_called(event)} or what it derives from by a `release`. Remove one of the two"
    return ""


def _erased(past: Past, claim: str, _: Forbidden) -> str:
    for event in past.events_stating(claim):
        if not past.is_erased(event):
            return (
                f"neither {_called(event)} nor anything that it derives from is erased by the user or by its own "
                "source. Erase it before the probe"
            )
    return ""


def _ended(past: Past, claim: str, _: Forbidden) -> str:
    for event in past.events_stating(claim):
        if not _ends_with_its_task(event):
            return f"{_called(event)} also states it, and only a task can end. Forbid a claim that only the task states"
        if not any(map(past.ends_a_task, past.steps_after(event))):
            return "its task is not over. Add an `end`, another `task` or `restart: session` before the probe"
    return ""


def _ends_with_its_task(event: Event) -> bool:
    """Return whether an event is a step of a task of which nothing stays: a note with a name becomes a fact."""
    is_note = event.kind == "episode" and (event.type == "ask" or (event.type == "note" and not event.name))
    return event.kind in {"task", "done"} or is_note


def _failed(past: Past, claim: str, _: Forbidden) -> str:
    if past.probe.verb == "recall":
        return "a question may be answered by a run that failed; only a context must not contain it"
    for event in past.events_stating(claim):
        if event.run is None or event.run.success or event.run.resolution:
            return f"{_called(event)} is no `end` with `success: false` and without a `resolution`"
    return ""


def _needles(past: Past, claim: str) -> list[str]:
    return [needle for needle in past.scenario.claims[claim].needles if fold(needle)]


def _called(event: Event) -> str:
    return f"the {event.kind} {event.text[:60]!r} by {event.source!r}"


_WHYS: dict[Why, Callable[[Past, str, Forbidden], str]] = {
    "world": _world,
    "version": _version,
    "trust": _trust,
    "lineage": _lineage,
    "erased": _erased,
    "ended": _ended,
    "failed": _failed,
    "nothing": lambda *_: "`why: nothing` is only for family 'limits'. Give another `why`, or move the file",
}
