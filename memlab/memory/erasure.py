"""Erases a statement and everything derived from it from every store.

Afterwards the memory answers as if the erased statements had never been stored: current facts, recurring episodes and
the current task are computed from the rest. Three exceptions: a tombstone refuses restatements of the erased; a rule or
skill that the erased one had replaced does not come back; and the user's own statements (rules, and what was released
from quarantine) stay, whatever they were derived from.
"""

from __future__ import annotations

import errno
from collections.abc import Collection
from dataclasses import dataclass

from memlab.memory.admission import Admission
from memlab.memory.retrieval.stores import Stores
from memlab.memory.rules import Rules
from memlab.memory.storage.record_list import UNWRITABLE, RecordList
from memlab.memory.text import Refused, digest, replace_surrogates
from memlab.memory.trust import USER, Provenance


@dataclass(frozen=True, slots=True)
class Erasure:
    """Writes each erasure to a file before carrying it out, so that one cut short by a crash is completed later."""

    pending: RecordList  # erasures that were decided and not completed
    stores: Stores
    rules: Rules
    admission: Admission
    refresh: RecordList

    def decide(self, ids: Collection[str], origin: Provenance) -> set[str]:
        """Record that these ids, and everything derived from them, are to be erased; return the ids that exist.

        Raises Refused unless the source is the user, or the author and the user derived nothing from them. If every
        source counts as the user (see Admission), only the given ids are erased.
        """
        doomed = set(map(replace_surrogates, ids))
        if self.admission.ranks_sources:
            given, doomed = doomed, self._with_derived(doomed)
            self._require_right(given, doomed - given, origin)
        time = self.admission.stamp(origin).time
        existing = {identity for identity in doomed if self.admission.authors(identity)}
        self.pending.add({"id": digest(*sorted(doomed)), "ids": sorted(doomed), "time": time})
        return existing

    def carry_out(self) -> None:
        """Carry out all recorded erasures; the log keeps a tombstone for each id.

        Raises BlockingIOError if another process holds a file that still has erased words; the next call tries again.
        """
        blocked = 0  # another process may decide more meanwhile, and carries them out itself
        for erasure in self.pending.all():
            doomed = set(erasure["ids"])
            with self.stores.episodes.exclusive():
                self.stores.skills.erase(doomed)
                self.rules.erase(doomed)
                is_clean = self.stores.facts.erase(doomed)
                is_clean &= self.stores.episodes.erase(doomed, erasure["time"])
                is_clean &= self.stores.vectors.drop_erased()
                self.admission.quarantine.erase(doomed)
                self.refresh.erase(doomed)
                if is_clean:
                    self.pending.remove({erasure["id"]})
                else:
                    blocked += len(doomed)
        if blocked:
            raise BlockingIOError(
                errno.EAGAIN,
                f"{blocked} statements are erased and no method returns them, but another process still reads "
                "facts.db, episodes.index or vectors.db and keeps their words on the disk; close it, then erase again "
                "or reopen",
                str(self.pending.path),
            )

    def resume(self) -> None:
        """Complete interrupted erasures when a memory is opened.

        A file that cannot be cleaned now is an error only if a store still has, and would serve, an erased statement.
        """
        decided = [identity for erasure in self.pending.all() for identity in erasure["ids"]]
        try:
            self.carry_out()
        except OSError as error:
            if error.errno not in {errno.EAGAIN, *UNWRITABLE} or any(map(self.admission.authors, decided)):
                raise

    def _require_right(self, given: Collection[str], derived: Collection[str], origin: Provenance) -> None:
        """Raise Refused unless the source is the user or the only author; a derived statement has no author rights.

        What the user derived from another source's statement is not that source's to erase.
        """
        if self.admission.rank(origin) == USER:
            return
        for identity in (*given, *derived):
            authors = self.admission.authors(identity)
            is_own = identity in given and not origin.derived_from and authors == {origin.source}
            if not is_own and (identity in given or "user" in authors):
                who = " and ".join(sorted(authors)) or "somebody else"
                raise Refused(f"erase {identity} by {origin.source}: {who} wrote it; ask the user to erase it")

    def _with_derived(self, ids: set[str]) -> set[str]:
        stores = (self.stores.facts, self.stores.episodes, self.stores.skills, self.admission)
        doomed, more = set[str](), ids
        while more:
            doomed |= more
            more = set[str]().union(*(store.derived_ids(more) for store in stores)) - doomed
        return doomed
