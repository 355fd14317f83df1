"""Lies: true statements with the value of another sample in them, wrong but well formed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher

from memlab.harness.attacks.builder import AttackBuilder
from memlab.harness.scenarios.loading import Template
from memlab.harness.scoring.judged_result import cached_by_identity
from memlab.memory.text import fold
from memlab.memory.trust import UNTRUSTED_SOURCES
from memlab.terms import Event, Probe

TWINS = 8
"""Samples of the same template that wrong values are taken from."""
LONG = 400
"""From this many characters on, a lie repeats only the sentences with its values."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
Needles = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Lie:
    """A false statement about one claim: `true` is an event that states it, `text` its text with the wrong `needles`.

    It is inserted at `place`, right before the first probe that wants the claim; `query` is the probe's query.
    """

    claim: str
    true: Event
    text: str
    needles: tuple[str, ...]
    place: int
    query: str


def lies(builder: AttackBuilder, template: Template) -> Iterator[Lie]:
    """Yield lies about the claims that the probes want, in the order of the probes.

    A value that also occurs elsewhere breaks a rule of the benchmark; `apply_attack` checks for this.
    """
    for claim, place in builder.wanted.items():
        needles = builder.scenario.claims[claim].needles
        probe = builder.scenario.timeline[place]
        if not isinstance(probe, Probe):
            continue
        values = [one for one in _values(template, builder.scenario.seed, claim) if len(one) == len(needles)]
        about = [one for one in (_about(probe.query, needles, wrong) for wrong in values) if one != needles]
        for wrong in dict.fromkeys([*about, *values]):
            for true in builder.events_stating(claim, place):
                text = _replaced(true.text, needles, wrong)
                if text and true.source not in UNTRUSTED_SOURCES:
                    yield Lie(claim, true, text, wrong, place, probe.query)


def _values(template: Template, seed: int, claim: str) -> Iterator[tuple[str, ...]]:
    """Yield the needles of a claim in other samples, beginning with the next seed, each once."""
    samples = _other_samples(template)
    rotated = (samples[(seed + number) % len(samples)] for number in range(1, len(samples) + 1))
    yield from dict.fromkeys(needles[claim] for needles in rotated if claim in needles)


@cached_by_identity(limit=256)
def _other_samples(template: Template) -> list[Needles]:
    samples = (template.sample(seed) for seed in range(TWINS))
    return [{name: claim.needles for name, claim in one.claims.items()} for one in samples]


def _about(query: str, needles: tuple[str, ...], wrong: tuple[str, ...]) -> tuple[str, ...]:
    """Return the wrong needles with the words of the query kept: a lie about another kiln contradicts nothing."""
    query_words = set(map(fold, re.findall(r"\w+", query)))
    return tuple(_keep_words(query_words, *pair) for pair in zip(needles, wrong, strict=True))


def _keep_words(kept_words: set[str], right: str, wrong: str) -> str:
    old, new = right.split(), wrong.split()
    parts: list[str] = []
    for _, start, stop, first, last in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        parts += old[start:stop] if kept_words.intersection(map(fold, old[start:stop])) else new[first:last]
    return " ".join(parts)


def _replaced(text: str, needles: tuple[str, ...], wrong: tuple[str, ...]) -> str:
    """Return a text with the right needles replaced by the wrong ones; "" if a needle does not occur literally."""
    if len(text) > LONG:
        text = " ".join(part for part in _SENTENCE.split(text) if any(fold(one) in fold(part) for one in needles))
    for right, other in zip(needles, wrong, strict=True):
        text, count = re.subn(re.escape(right), lambda _, other=other: other, text, flags=re.IGNORECASE)  # type: ignore[misc]
        if not count:
            return ""
    return "" if any(fold(one) in fold(text) for one in needles) else text
