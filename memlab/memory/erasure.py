"""Erasing a statement with all that was derived from it, out of every store.

Afterwards the memory answers as if the erased had never been told: which facts stand, what has recurred and which task
is at hand is decided anew among what remains. Three things stay as they are: a tombstone refuses what restates the
erased, a rule or skill that the erased had replaced is gone, for no order comes back without being given again, and
what is the user's own word stays whatever it was made from: a rule, and what was released from quarantine.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from memlab.memory.admission import Admission
from memlab.memory.retrieval.stores import Stores
from memlab.memory.rules import Rules
from memlab.memory.storage.ledger import Ledger
from memlab.memory.text import Refused, digest, replace_surrogates
from memlab.memory.trust import USER, Provenance


class Erasure:
    """What was decided to be erased stands in a file until it is gone from every store: none is ever seen half done."""

    def __init__(self, path: Path, stores: Stores, rules: Rules, admission: Admission, refresh: Ledger) -> None:
        self._decided = Ledger(path, ids=tuple[str, ...], time=float)
        self._stores = stores
        self._rules = rules
        self._admission = admission
        self._refresh = refresh

    def decide(self, ids: Collection[str], origin: Provenance, *, trusting: bool) -> set[str]:
        """Decide to erase these ids with their lineage, all that restates them; give those that are there.

        Raises Refused unless the user erases, or a source what it wrote itself. Without `trusting`, as in Admission,
        everyone is the user, and nothing has a lineage.
        """
        doomed = set(map(replace_surrogates, ids))
        if trusting:
            self._check_right(doomed, origin)
            doomed = self._lineage_down(doomed)
        time = self._admission.stamp(origin).time
        there = {one for one in doomed if self._admission.authors(one)}
        self._decided.add({"id": digest(*sorted(doomed)), "ids": sorted(doomed), "time": time})
        return there

    def carry_out(self) -> None:
        """Take what was decided out of every store, also what a crash has cut short; the log keeps a tombstone."""
        for decided in self._decided.all():
            doomed = set(decided["ids"])
            self._stores.skills.erase(doomed)
            self._rules.erase(doomed)
            self._stores.facts.erase(doomed)
            self._stores.episodes.erase(doomed, decided["time"])
            self._admission.forget(doomed)
            self._refresh.remove(doomed)
            self._decided.remove({decided["id"]})

    def close(self) -> None:
        """Let go of the file."""
        self._decided.close()

    def _check_right(self, ids: Collection[str], origin: Provenance) -> None:
        """Refuse all but the user what they did not write themselves; who only restates has no right of an author."""
        user = self._admission.rank(origin) == USER
        for identity in ids:
            authors = self._admission.authors(identity)
            if not user and (origin.derived_from or authors != {origin.source}):
                who = " and ".join(sorted(authors)) or "somebody else"
                raise Refused(f"erase {identity} by {origin.source}: {who} wrote it; ask the user to erase it")

    def _lineage_down(self, ids: set[str]) -> set[str]:
        doomed = set(ids)
        while True:
            stores = (self._stores.facts, self._stores.episodes, self._stores.skills, self._admission)
            more = set[str]().union(*(store.derived_ids(doomed) for store in stores)) - doomed
            if not more:
                return doomed
            doomed |= more
