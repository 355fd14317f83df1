"""The rules of the benchmark that can be checked without running systems."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from memlab.harness.check.case import Case
from memlab.harness.check.derivation import why_not_derivable
from memlab.harness.check.past import Past
from memlab.harness.plural import plural
from memlab.harness.scenarios.answer_keys import event_texts, lineage_sources
from memlab.harness.scenarios.budgets import least_context_budget
from memlab.harness.scenarios.errors import ScenarioError, suggest
from memlab.harness.scenarios.schema import ATTACKS, LIMITS
from memlab.harness.scoring.needles import ClaimMatcher
from memlab.memory.context import count_tokens
from memlab.memory.text import fold
from memlab.memory.trust import UNTRUSTED_SOURCES
from memlab.terms import Event

HISTORY = 3
"""The history must be at least this many times the budget, so that a context cannot contain all of it."""


def static_errors(case: Case) -> Iterator[ScenarioError]:
    """Yield every broken rule of one sample."""
    for rule in RULES:
        yield from rule(case)


def _forbids_are_derivable(case: Case) -> Iterator[ScenarioError]:
    if case.scenario.family == LIMITS:
        return
    for probe in case.probes:
        past = Past(case.scenario, probe)
        for claim, forbidden in probe.forbid.items():
            problem = why_not_derivable(past, claim, forbidden)
            if problem:
                text = f"forbids {claim!r} by `why: {forbidden.why}`, but {problem}."
                yield case.probe_error(probe, text, "forbid", claim)


def _probes_judge_something(case: Case) -> Iterator[ScenarioError]:
    for probe in case.probes:
        both = sorted({*(probe.expect or ()), *probe.keep} & probe.forbid.keys())
        if both:
            yield case.probe_error(probe, f"both wants and forbids {', '.join(both)}. Remove one of the two.")
        key = case.answer_keys[probe.id]
        if probe.verb == "recall" and probe.expect is None and not probe.forbid:
            yield case.probe_error(probe, "has no answer key. Add `expect:` or `forbid:`.")
        if probe.verb != "recall" and not (key.rules or key.goal or key.keep):
            yield case.probe_error(probe, "has nothing to keep: no rule, no goal, no claim. Add `keep:` or a task.")
        wanted = len(probe.expect or ())
        if wanted > probe.k:
            yield case.probe_error(probe, f"expects {wanted} claims in k = {probe.k}. Raise `k:`.", "k")


def _empty_answers_fail_attacks(case: Case) -> Iterator[ScenarioError]:
    forbidding = [probe for probe in case.probes if probe.forbid]
    wanting = [probe for probe in forbidding if probe.expect or case.answer_keys[probe.id].keep]
    if case.scenario.family in ATTACKS and forbidding and not wanting:
        text = "forbids a claim, but no probe that forbids also expects or keeps one: an empty answer would pass."
        yield case.probe_error(forbidding[0], f"{text} Add `expect:`, or a claim to `keep:`.")


def _events_contain_their_needles(case: Case) -> Iterator[ScenarioError]:
    for claim in case.scenario.claims.values():
        if not any(map(fold, claim.needles)):
            yield case.claim_error(claim.id, "has neither a needle nor a text. Add `needles:`.")
        for needle in claim.needles:
            lacking = [event for one in claim.events if not _has_needle(event := case.events[one], needle)]
            if lacking:
                where = f"the {lacking[0].kind} {lacking[0].text[:60]!r}, which states it"
                more = f", and in {plural(len(lacking) - 1, 'more event')}" if len(lacking) > 1 else ""
                fix = "Give it `needles:` that occur in every event that states it."
                yield case.claim_error(claim.id, f"lacks its needle {needle!r} in {where}{more}. {fix}")


def _has_needle(event: Event, needle: str) -> bool:
    """Return whether a needle is in an event's text or to-dos, and in its quote if it has one."""
    texts = fold(" ".join((event.text, *event.todo))), *filter(None, [fold(event.quote)])
    return all(fold(needle) in text for text in texts)


def _needles_occur_only_in_their_events(case: Case) -> Iterator[ScenarioError]:
    known = ClaimMatcher({name: claim.needles for name, claim in case.scenario.claims.items()})
    for probe in case.probes:
        for claim, needle, _ in known.needles_in(fold(probe.query)):
            text = f"contains {needle!r}, a needle of {claim!r}, in its query: repeating the query would pass."
            yield case.probe_error(probe, f"{text} Reword the query.", probe.verb)
    seen: set[tuple[str, str]] = set()
    for event in case.events.values():
        for claim, needle, where in _misplaced_needles(case, known, event):
            if (claim, event.kind) not in seen:  # the events of a repeat all have the same text
                seen.add((claim, event.kind))
                fix = "Use other words in one of the two, or add `states:` to that event."
                yield case.claim_error(claim, f"has its needle {needle!r} in {where}. {fix}")


def _misplaced_needles(case: Case, known: ClaimMatcher, event: Event) -> Iterator[tuple[str, str, str]]:
    """Yield (claim, needle, place) for each needle in an event that does not state its claim."""
    described = "" if event.type == "answer" else event.description  # that of an answer is its question
    for what, title in (("name", event.name), ("description", described)):
        for claim, needle, _ in known.needles_in(fold(title)):
            yield claim, needle, f"the {what} {title!r}, which a list of names alone would serve"
    if event.kind == "done":
        return  # its text is a to-do that another event states
    for text in (event.text, event.quote, *event.todo):
        for claim, needle, _ in known.needles_in(fold(text)):
            if event.id not in case.scenario.claims[claim].events:
                yield claim, needle, f"the {event.kind} {text[:60]!r}, which does not state it"


def _todos_are_list_items(case: Case) -> Iterator[ScenarioError]:
    todo: tuple[str, ...] = ()
    for event in case.events.values():
        for item in event.todo:
            if "," in item or not item.strip():
                text = f"has the to-do {item!r}, which is no list item: it must have words and no comma."
                yield case.event_error(event, f"{text} Split or reword it.", "todo")
        for item in {item for item in event.todo if event.todo.count(item) > 1}:
            yield case.event_error(event, f"has the to-do {item!r} twice. Reword one.", "todo")
        trusted = not lineage_sources(event, case.events) & UNTRUSTED_SOURCES
        if event.kind == "done" and trusted and event.text not in todo:
            yield case.event_error(event, f"is no to-do of the current task.{suggest(event.text, todo)}")
        if event.kind == "task" and trusted:
            todo = event.todo


def _budgets_are_tight_and_feasible(case: Case) -> Iterator[ScenarioError]:
    for probe in case.probes:
        if probe.verb == "recall":
            continue
        history = sum(
            count_tokens(text) for one in Past(case.scenario, probe).events.values() for text in event_texts(one)
        )
        if history < HISTORY * probe.budget:
            text = f"has a budget of {probe.budget} tokens for a history of {history}: almost everything fits."
            fix = f"Add events (`repeat:`), or set at most {history // HISTORY}."
            yield case.probe_error(probe, f"{text} {fix}", "budget")
        least = least_context_budget(case.answer_keys[probe.id])
        if probe.budget < least:
            text = f"has a budget of {probe.budget} tokens, too few for what must be kept."
            yield case.probe_error(probe, f"{text} Set at least {least}, or keep less.", "budget")


TEXT_RULES: tuple[Callable[[Case], Iterator[ScenarioError]], ...] = (
    _events_contain_their_needles,
    _needles_occur_only_in_their_events,
    _todos_are_list_items,
)
"""The rules about events, independent of the probes."""
RULES = (
    _forbids_are_derivable,
    _probes_judge_something,
    _empty_answers_fail_attacks,
    *TEXT_RULES,
    _budgets_are_tight_and_feasible,
)
