"""Why a claim must not be served, derived from the timeline alone: what cannot be derived may not be forbidden."""

from __future__ import annotations

from collections.abc import Callable

from memlab.harness.check.past import Past
from memlab.harness.check.refutation import is_confirmed, why_not_refuted
from memlab.memory.text import fold
from memlab.memory.trust import UNTRUSTED
from memlab.terms import Event, Forbidden, Why


def why_not_derivable(past: Past, claim: str, forbidden: Forbidden) -> str:
    """Say why a claim could not have been known to be forbidden at the probe; "" where it could."""
    return _WHYS[forbidden.why](past, claim, forbidden)


def _world(past: Past, claim: str, _: Forbidden) -> str:
    for event in past.events_stating(claim):
        reasons = [why_not_refuted(event.text, needle, past.worlds) for needle in _needles(past, claim)]
        if all(reasons):
            return f"the world does not refute it: {'; '.join(reasons)}. Let the world lose what it names"
    return ""


def _version(past: Past, claim: str, _: Forbidden) -> str:
    for event in past.events_stating(claim):
        if not any(past.superseding_events(event, claim)):
            return (
                f"nothing supersedes {_called(event)}: no later event on the same subject, with a source that ranks at "
                "least as high, says otherwise. Give both the same `name` or `about`, or another `why`"
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
            return f"the world refutes {against!r} and confirms this. Set it against a claim that holds"
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
        return "it is not marked as giving orders, and what untrusted sources say may be true. Mark it `orders: true`"
    for event in past.events_stating(claim):
        if not any(one.source in UNTRUSTED for one in past.lineage(event)):
            return f"the lineage of {_called(event)} reaches no untrusted source. Add `derived_from` or another `why`"
    return ""


def _erased(past: Past, claim: str, _: Forbidden) -> str:
    for event in past.events_stating(claim):
        if not past.is_erased(event):
            return (
                f"{_called(event)} is not erased, nor is what it derives from, by the user or by its own source. "
                "Erase it before the probe"
            )
    return ""


def _ended(past: Past, claim: str, _: Forbidden) -> str:
    for event in past.events_stating(claim):
        if event.kind not in {"task", "done"}:
            return f"{_called(event)} states it too, and only a task can end. Forbid what the task alone states"
        if not any(map(past.ends_a_task, past.steps_after(event))):
            return "its task is not over. Let an `end`, another `task` or `restart: session` come before the probe"
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
    "nothing": lambda *_: (
        "nothing decides it, which only family 'limits' may forbid. Give another `why`, or move the file"
    ),
}
