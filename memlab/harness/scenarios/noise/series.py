"""Recognises series: numbered log lines and the like, which open with the same words and differ in numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from memlab.terms import Event

SHORTEST = 3
"""The statements of a series at least."""
WORDS = 3
"""The opening of a text without numbers: its first words."""
_NUMBER = re.compile(r"[0-9]+")
Opening = tuple[str, str, str]


def in_series(events: Iterable[Event]) -> set[str]:
    """Return the ids of the events that open like at least two others of their kind and source."""
    openings = {event.id: _opening(event) for event in events}
    common = Counter(openings.values())
    return {identity for identity, opening in openings.items() if common[opening] >= SHORTEST}


def _opening(event: Event) -> Opening:
    """Return kind, source and the text up to its first number, which counts as any number."""
    number = _NUMBER.search(event.text)
    text = event.text[: number.start()] + "0" if number else " ".join(event.text.split()[:WORDS])
    return event.kind, event.source, text
