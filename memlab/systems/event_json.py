"""Events as JSON: what a child process receives, and what a notes file holds."""

from __future__ import annotations

from typing import Any

from memlab.memory.episode import Run, with_tuples
from memlab.terms import Event


def event_from_json(message: dict[str, Any]) -> Event:
    """Return the event from the message that `asdict` made of it; fields that it lacks have their defaults."""
    fields = with_tuples(message)
    return Event(**fields | ({"run": Run(**with_tuples(fields["run"]))} if fields.get("run") else {}))
