"""Lies: the words of a true statement with another sample's value in it, wrong and well formed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher

from memlab.harness.attacks.builder import AttackBuilder
from memlab.harness.scenarios.loading import Template
from memlab.harness.scoring.judged_result import cached_by_identity
from memlab.memory.text import fold
from memlab.memory.trust import UNTRUSTED
from memlab.terms import Event, Probe

TWINS = 8
"""Samples of the same template in which a wrong value is looked for."""
LONG = 400
"""Characters from which on a lie repeats only the sentences that carry its values."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
Needles = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Lie:
    """What contradicts one claim: `true` is an event that states it, `text` its words with the wrong `needles`.

    `place` is where it is told: right before the first probe which wants the claim. `query` is what that asks.
    """

    claim: str
    true: Event
    text: str
    needles: tuple[str, ...]
    place: int
    query: str


def lies(scene: AttackBuilder, template: Template) -> Iterator[Lie]:
    """Find lies about what the probes want, in the order in which it is asked for.

    A value that stands elsewhere in the scenario breaks a law of the benchmark, and is not looked for here.
    """
    for claim, place in scene.wanted.items():
        needles = scene.scenario.claims[claim].needles
        probe = scene.scenario.timeline[place]
        if not isinstance(probe, Probe):
            continue
        values = [one for one in _values(template, scene.scenario.seed, claim) if len(one) == len(needles)]
        about = [one for one in (_about(probe.query, needles, wrong) for wrong in values) if one != needles]
        for wrong in dict.fromkeys([*about, *values]):
            for true in scene.told(claim, place):
                text = _retold(true.text, needles, wrong)
                if text and true.source not in UNTRUSTED:
                    yield Lie(claim, true, text, wrong, place, probe.query)


def _values(template: Template, seed: int, claim: str) -> Iterator[tuple[str, ...]]:
    """Go through the needles that a claim has in other samples, beginning with the next; each but once."""
    known = _twins(template)
    turned = (known[(seed + number) % len(known)] for number in range(1, len(known) + 1))
    yield from dict.fromkeys(one[claim] for one in turned if claim in one)


@cached_by_identity(limit=256)
def _twins(template: Template) -> list[Needles]:
    samples = (template.sample(seed) for seed in range(TWINS))
    return [{name: claim.needles for name, claim in one.claims.items()} for one in samples]


def _about(query: str, needles: tuple[str, ...], wrong: tuple[str, ...]) -> tuple[str, ...]:
    """Keep in the wrong needles the words that the query asks about: a lie on another kiln contradicts nothing."""
    asked = set(map(fold, re.findall(r"\w+", query)))
    return tuple(_keeping(asked, *pair) for pair in zip(needles, wrong, strict=True))


def _keeping(asked: set[str], right: str, wrong: str) -> str:
    old, new = right.split(), wrong.split()
    parts: list[str] = []
    for _, start, stop, first, last in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        parts += old[start:stop] if asked.intersection(map(fold, old[start:stop])) else new[first:last]
    return " ".join(parts)


def _retold(text: str, needles: tuple[str, ...], wrong: tuple[str, ...]) -> str:
    """Put the wrong needles in the place of the right ones; "" where one does not stand there word for word."""
    if len(text) > LONG:
        text = " ".join(part for part in _SENTENCE.split(text) if any(fold(one) in fold(part) for one in needles))
    for right, other in zip(needles, wrong, strict=True):
        text, count = re.subn(re.escape(right), lambda _, other=other: other, text, flags=re.IGNORECASE)  # type: ignore[misc]
        if not count:
            return ""
    return "" if any(fold(one) in fold(text) for one in needles) else text
