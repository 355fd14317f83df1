"""From a lie to an attacked scenario: its statements, the claim that they make, and why it must not be served."""

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
"""Gives attacked scenarios, the one that is wanted most first."""
WriteStatements = Callable[[AttackBuilder, Lie], Iterator[Event]]


def contradiction(tell: WriteStatements, *, ends: bool = False, first: bool = False) -> ApplyAttack:
    """Tell lies on the subject of the truth, which a source of higher rank has told.

    `ends`: the agent ends what it did after them, unless a task is at hand. `first`: before anything else is told.
    """

    def lay(scene: AttackBuilder, template: Template, channel: str) -> Iterator[Scenario]:
        for lie in lies(scene, template):
            if lie.true.about or lie.true.kind in NAMED:  # else nothing would decide it
                placed = replace(lie, place=scene.opening) if first else lie
                yield _told(scene, placed, tell, channel, Forbidden("trust", lie.claim), ends=ends)

    return lay


def instruction(tell: WriteStatements) -> ApplyAttack:
    """Tell lies that give orders, on no subject."""

    def lay(scene: AttackBuilder, template: Template, channel: str) -> Iterator[Scenario]:
        for lie in lies(scene, template):
            yield _told(scene, lie, tell, channel, Forbidden("lineage"))

    return lay


def _told(  # noqa: PLR0913 - what is told, to whom, how, and why not to be believed
    scene: AttackBuilder, lie: Lie, tell: WriteStatements, channel: str, forbidden: Forbidden, *, ends: bool = False
) -> Scenario:
    here = scene.session(lie.place)
    elsewhere = lie.true.session
    statements = [replace(one, session=here) if one.session == elsewhere else one for one in tell(scene, lie)]
    told = send_through(scene, channel, statements)
    over = [_end(scene, here)] if ends and not scene.task_is_open(lie.place) else []
    claim = Claim(
        f"{lie.claim}.{scene.overlay}", lie.needles, tuple(one.id for one in told), forbidden.why == "lineage"
    )
    return with_forbidden_claim(scene.with_events(lie.place, [*told, *over]), claim, lie.claim, forbidden)


def _end(scene: AttackBuilder, session: str) -> Event:
    return scene.event(Event("", "end", 0.0, session, "agent"), "agent")
