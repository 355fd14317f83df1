"""Adds echoes to a scenario: the agent repeats some statements right after them.

Without them, a lie is repeated more often than the truth, and a memory that serves only what was stated once passes.
"""

from __future__ import annotations

import hashlib
import random
from collections import defaultdict
from dataclasses import replace

from memlab.harness.scenarios.noise.series import in_series
from memlab.terms import Claim, Event, Kind, Probe, Scenario, Step

KINDS: frozenset[Kind] = frozenset({"fact", "turn", "tool", "episode"})
LONGEST = 400
"""The maximum length of a repeated text in characters: an agent does not repeat a long tool result."""
SHARE, OF_SERIES = 0.5, 8
"""Half of all statements are repeated, and about 8 of those in a series, so that an echo does not mark an answer."""
OPENINGS = ("Noted:", "I have written down:", "So, to repeat it:")


def with_echoes(scenario: Scenario) -> Scenario:
    """Return the scenario with echoes, which state the claims of what they repeat; the same for the same sample."""
    chance = random.Random(f"echoes:{scenario.id}:{scenario.seed}")  # noqa: S311 - a sample, not a secret
    claims_of = _judged_claims(scenario)
    series = in_series(step for step in scenario.timeline if isinstance(step, Event))
    rare = min(SHARE, OF_SERIES / max(len(series), 1))
    added: dict[str, list[str]] = defaultdict(list)
    timeline: list[Step] = []
    for step in scenario.timeline:
        timeline.append(step)
        if not isinstance(step, Event) or not _can_be_echoed(step):
            continue
        if chance.random() < (rare if step.id in series else SHARE):
            echo = _echo(step, chance.choice(OPENINGS))
            timeline.append(echo)
            for claim_id in claims_of.get(step.id, ()):
                added[claim_id].append(echo.id)
    stated = {claim.id: _stated_by(claim, added[claim.id]) for claim in scenario.claims.values()}
    return replace(scenario, timeline=tuple(timeline), claims=stated)


def _judged_claims(scenario: Scenario) -> dict[str, list[str]]:
    """Map each event that states claims of a probe's answer key to these claims."""
    probes = [step for step in scenario.timeline if isinstance(step, Probe)]
    judged = {claim for probe in probes for claim in (*(probe.expect or ()), *probe.keep, *probe.forbid)}
    found: dict[str, list[str]] = defaultdict(list)
    for claim_id in sorted(judged & scenario.claims.keys()):
        for event in scenario.claims[claim_id].events:
            found[event].append(claim_id)
    return found


def _can_be_echoed(step: Step) -> bool:
    return isinstance(step, Event) and step.kind in KINDS and len(step.text) <= LONGEST


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
