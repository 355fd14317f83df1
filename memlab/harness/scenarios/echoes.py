"""Adds echoes to a scenario: the agent repeats every second statement that a probe judges, right after it.

Without them, a lie is repeated more often than the truth, and a memory that serves only what was stated once passes.
"""

from __future__ import annotations

import hashlib
import random
from collections import defaultdict
from dataclasses import replace

from memlab.terms import Claim, Event, Kind, Probe, Scenario, Step

KINDS: frozenset[Kind] = frozenset({"fact", "turn", "tool", "episode"})
LONGEST = 400
"""Characters of a text that is repeated at most: an agent repeats no long tool result."""
SHARE = 0.5
OPENINGS = ("Noted:", "I have written down:", "So, to repeat it:")


def with_echoes(scenario: Scenario) -> Scenario:
    """Return the scenario with echoes, which state the claims of what they repeat; the same for the same sample."""
    chance = random.Random(f"echoes:{scenario.id}:{scenario.seed}")  # noqa: S311 - a sample, not a secret
    probes = [step for step in scenario.timeline if isinstance(step, Probe)]
    judged = {claim for probe in probes for claim in (*(probe.expect or ()), *probe.keep, *probe.forbid)}
    claims_of: dict[str, list[str]] = defaultdict(list)
    for claim_id in sorted(judged & scenario.claims.keys()):
        for event in scenario.claims[claim_id].events:
            claims_of[event].append(claim_id)
    added: dict[str, list[str]] = defaultdict(list)
    timeline: list[Step] = []
    for step in scenario.timeline:
        timeline.append(step)
        if isinstance(step, Event) and step.id in claims_of and _can_be_echoed(step) and chance.random() < SHARE:
            echo = _echo(step, chance.choice(OPENINGS))
            timeline.append(echo)
            for claim_id in claims_of[step.id]:
                added[claim_id].append(echo.id)
    claims = {claim.id: _stated_by(claim, added[claim.id]) for claim in scenario.claims.values()}
    return replace(scenario, timeline=tuple(timeline), claims=claims)


def _can_be_echoed(event: Event) -> bool:
    return event.kind in KINDS and len(event.text) <= LONGEST


def _echo(event: Event, opening: str) -> Event:
    return Event(
        id=hashlib.blake2s(f"echo:{event.id}".encode(), digest_size=6).hexdigest(),
        kind="turn",
        time=event.time,
        session=event.session,
        source="agent",
        text=f"{opening} {event.text}",
        about=event.about,
        derived_from=(event.id,),
    )


def _stated_by(claim: Claim, events: list[str]) -> Claim:
    return replace(claim, events=(*claim.events, *events)) if events else claim
