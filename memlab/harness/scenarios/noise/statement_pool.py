"""The statements of memlab's own scenarios that can stand as background in any other."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from memlab.harness.scenarios.loading import Template, library, load_all
from memlab.harness.scenarios.noise.series import in_series
from memlab.harness.scenarios.timeline import SPEAKING
from memlab.terms import TASK_NOTES, Event

LONGEST = 300
"""Characters of a background text."""


@cache
def statement_pool() -> tuple[tuple[str, tuple[Event, ...]], ...]:
    """Return the id of each of memlab's own scenarios with its statements, in their order.

    They include outdated, refuted and false ones of all sources: each is short, gives no orders, restates nothing, and
    belongs to no series and no task.
    """
    return tuple((template.file.id, tuple(_statements(template))) for template in load_all([library()]))


def _statements(template: Template) -> Iterator[Event]:
    timeline = template.timeline_without_repeats(seed=0)
    orders = {event for claim in timeline.orders for event in timeline.stated[claim]}
    spoken = [one for one in timeline.events_by_id.values() if one.kind in SPEAKING and one.type not in TASK_NOTES]
    series = in_series(spoken)
    for event in spoken:
        if event.id not in orders | series and len(event.text) <= LONGEST and not event.derived_from:
            yield event
