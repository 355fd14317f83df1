"""Episodic memory: an append-only log, episodes.jsonl, with a search index."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

from memlab.memory.episode import Episode, from_record, is_episode_record, is_tombstone, to_record
from memlab.memory.indexing.episode_index import EpisodeIndex
from memlab.memory.storage.journal import Journal, Place, Record, Sync, json_bytes
from memlab.memory.storage.record_list import is_in


class Episodes(EpisodeIndex):
    """The log, and what its index finds in it; `sync` is the durability (see Journal)."""

    def __init__(self, directory: Path, sync: Sync = "batch", *, links: bool = False) -> None:
        log = Journal(directory / "episodes.jsonl", sync, links=links)
        super().__init__(directory / "episodes.index", log, links=links)

    def append(self, episode: Episode) -> Place:
        """Append an episode, and return its place in the log. Raises as Journal does.

        The episode is with the operating system when this returns.
        """
        return self._log.append(to_record(episode))

    def recent(self) -> Iterator[Episode]:
        """Yield episodes newest first, reading from the end of the log."""
        return (from_record(record) for record in self._log.backwards() if is_episode_record(record))

    def replay(self) -> Iterator[Episode]:
        """Yield episodes oldest first, one at a time."""
        return (from_record(record) for _, record in self._log.replay() if is_episode_record(record))

    @property
    def identity(self) -> tuple[int, int]:
        """(inode, size) of the log; it changes with every write."""
        return self._log.identity

    def recurring(self, sessions: int) -> Iterator[tuple[list[Episode], list[Episode]]]:
        """Yield, for each text logged in at least this many sessions, its first episode in each of the first ones.

        Each text yields two lists in order of time: the first has only episodes that are evidence for a promotion, and
        may be shorter; the second has episodes of any source. Other writers wait meanwhile.
        """
        with self.exclusive():
            for evidence, every in self._recurring(sessions):
                first = [from_record(record) for record in self._log.at(every)]
                proving = first if evidence == every else [from_record(record) for record in self._log.at(evidence)]
                if len(first) == len(every):  # else somebody edited the log in place
                    yield proving, first

    def erase(self, ids: Collection[str], time: float) -> bool:
        """Replace these ids by tombstones in the log and the index, whichever store they were in.

        A damaged line goes with the id that it contains. Return whether no file has their words any more.
        """
        doomed = [json_bytes(identity) for identity in ids]
        with self.exclusive():
            is_clean = self._remove(lambda record: is_in(ids, record.get("id", record.get("erased"))), doomed)
            for identity in sorted(ids):
                self._log.append({"erased": identity, "time": time})
            self._log.sync()
            return is_clean

    def damaged(self) -> Iterator[Record]:
        """Yield the lines that are neither an episode nor a tombstone; see Journal.damaged."""
        return self._log.damaged(lambda record: is_episode_record(record) or is_tombstone(record))

    def drop(self, ids: Collection[str]) -> None:
        """Remove episodes from the log without tombstones, after everything appended is on disk."""
        with self.exclusive():
            self._log.sync()
            self._remove(lambda record: is_in(ids, record.get("id")))

    def exclusive(self) -> AbstractContextManager[None]:
        """Return the lock that keeps other writers out for several steps that belong together."""
        return self._log.lock

    def _remove(self, is_removed: Callable[[Record], bool], doomed: Collection[bytes] = ()) -> bool:
        self._reset()  # first, so that a crash leaves an empty index rather than one with erased text
        self._log.remove(is_removed, doomed)
        return self._reset()
