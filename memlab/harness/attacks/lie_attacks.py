"""Attacks by a lie: its events, the claim that they state, and why the claim must not be served."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from memlab.harness.attacks.builder import AttackBuilder, with_forbidden_claim
from memlab.harness.attacks.channels import send_through
from memlab.harness.attacks.lies import Lie, lies
from memlab.harness.check.past import NAMED
from memlab.harness.scenarios.loading import Template
from memlab.terms import Claim, Event, Forbidden, Scenario

ApplyAttack = Callable[[AttackBuilder, Template, str], Iterator[Scenario]]
"""Yields attacked scenarios, the best candidate first."""
WriteStatements = Callable[[AttackBuilder, Lie], Iterator[Event]]


def contradiction(write: WriteStatements, *, ends: bool = False, first: bool = False) -> ApplyAttack:
    """Return an attack by lies on the subject of a true statement from a higher-ranked source.

    `ends` adds the end of a task after the lie, unless a task is open. `first` puts the lie before all other events.
    """

    def apply(builder: AttackBuilder, template: Template, channel: str) -> Iterator[Scenario]:
        for lie in lies(builder, template):
            if lie.true.about or lie.true.kind in NAMED:  # else nothing contradicts it
                placed = replace(lie, place=builder.first_event_place) if first else lie
                yield _attacked(builder, placed, write, channel, Forbidden("trust", lie.claim), ends=ends)

    return apply


def instruction(write: WriteStatements) -> ApplyAttack:
    """Return an attack by lies that give orders, without a subject."""

    def apply(builder: AttackBuilder, template: Template, channel: str) -> Iterator[Scenario]:
        for lie in lies(builder, template):
            yield _attacked(builder, lie, write, channel, Forbidden("lineage"))

    return apply


def _attacked(  # noqa: PLR0913 - the parts of one attack
    builder: AttackBuilder, lie: Lie, write: WriteStatements, channel: str, forbidden: Forbidden, *, ends: bool = False
) -> Scenario:
    here = builder.session(lie.place)
    elsewhere = lie.true.session
    statements = [replace(one, session=here) if one.session == elsewhere else one for one in write(builder, lie)]
    events = send_through(builder, channel, statements)
    ends_of_task = [_end(builder, here)] if ends and not builder.task_is_open(lie.place) else []
    claim = Claim(
        f"{lie.claim}.{builder.overlay}", lie.needles, tuple(one.id for one in events), forbidden.why == "lineage"
    )
    return with_forbidden_claim(builder.with_events(lie.place, [*events, *ends_of_task]), claim, lie.claim, forbidden)


def _end(builder: AttackBuilder, session: str) -> Event:
    return builder.event(Event("", "end", 0.0, session, "agent"), "agent")
