"""Erasing a statement with all that was derived from it, out of every store.

Afterwards the memory answers as if the erased had never been told: which facts stand, what has recurred and which task
is at hand is decided anew among what remains. Two things stay as they are: a tombstone refuses what restates the
erased, and a rule or skill that the erased had replaced is gone. No order comes back without being given again.
"""

from __future__ import annotations

from collections.abc import Collection

from memlab.memory.admission import Admission
from memlab.memory.naming import Refused
from memlab.memory.procedural import Rule, Rules
from memlab.memory.question import Stores
from memlab.memory.trust import USER, Provenance, may_erase


def check_right(ids: Collection[str], origin: Provenance, admission: Admission) -> None:
    """Raise Refused unless the user erases, or a source what it wrote itself; who only restates has no such right."""
    user = admission.rank(origin) == USER
    for identity in ids:
        author = admission.author(identity)
        if not user and (origin.derived_from or not may_erase(origin.source, author)):
            raise Refused(
                f"erase {identity} by {origin.source}: {author or 'somebody else'} wrote it; ask the user to erase it"
            )


def lineage_down(ids: Collection[str], stores: Stores, admission: Admission) -> set[str]:
    """Give the ids with those of everything that restates them, however far removed."""
    doomed = set(ids)
    while True:
        skills = {skill.id for skill in stores.skills.all() if not doomed.isdisjoint(skill.origin.derived_from)}
        kept = stores.facts.derived(doomed) | stores.episodes.derived(doomed) | skills
        more = (kept | admission.derived(doomed)) - doomed
        if not more:
            return doomed
        doomed |= more


def erase(doomed: Collection[str], stores: Stores, rules: Rules, time: float) -> None:
    """Take the content of these ids out of every store; the log keeps a tombstone of each."""
    for skill in stores.skills.all():
        if skill.id in doomed:
            stores.skills.erase(skill.name)
    for rule in rules.all():
        if rule.id in doomed:
            rules.put(Rule(rule.name, ""))
    stores.facts.erase(doomed)
    stores.episodes.erase(doomed, time)
