"""Episodic memory: an append-only log, episodes.jsonl, with a search index."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from memlab.memory.episode import Episode, Step, from_record, is_episode_record, is_tombstone, to_record
from memlab.memory.indexing.episode_index import EpisodeIndex
from memlab.memory.indexing.episode_schema import to_blob
from memlab.memory.indexing.neighbours import Hit
from memlab.memory.storage.journal import Journal, Record, Sync


class Episodes:
    """The log and its index; `sync` is the durability (see Journal)."""

    def __init__(self, directory: Path, sync: Sync = "batch", *, links: bool = False) -> None:
        self._log = Journal(directory / "episodes.jsonl", sync, links=links)
        self._index = EpisodeIndex(directory / "episodes.index", self._log, links=links)
        self._no_tombstones_at = (0, -1)  # identity of the log when it last had no tombstone

    def append(self, episode: Episode) -> tuple[int, int]:
        """Append an episode, and return the log's new identity. Raises as Journal does.

        The episode is with the operating system when this returns.
        """
        with self.exclusive():
            inode, start, length = place = self._log.append(to_record(episode))
            self._index.note_append(episode.id, place)
            identity = inode, start + length
            if self._no_tombstones_at == (inode, start):
                self._no_tombstones_at = identity
            return identity

    def recent(self) -> Iterator[Episode]:
        """Yield episodes newest first, reading from the end of the log."""
        return (from_record(record) for record in self._log.backwards() if is_episode_record(record))

    def replay(self) -> Iterator[Episode]:
        """Yield episodes oldest first, one at a time."""
        return (from_record(record) for _, record in self._log.replay() if is_episode_record(record))

    def steps(self, first: Collection[Step] = ()) -> list[Episode]:
        """Return the steps of tasks newest first, up to the latest of a kind in `first`, reading nothing else."""
        return list(map(from_record, self._index.steps(first)))

    def get(self, identity: str) -> Episode | None:
        """Return the last episode with an id."""
        record = self._index.record(identity)
        return from_record(record) if record else None

    def is_erased(self, identity: str) -> bool:
        """Return whether an id has a tombstone; fast while the log has no tombstones at all."""
        seen = self.identity
        if seen == self._no_tombstones_at:
            return False
        erased = self._index.is_erased(identity)
        if not erased and not self._index.has_erasures():
            self._no_tombstones_at = seen
        return erased

    def near(self, question: Sequence[str], limit: int) -> list[tuple[Episode, Hit]]:
        """Return episodes found by stemmed words, their own and their neighbours', best first, and what is near them.

        At most `limit` are from trusted sources and `limit` from others. Of several episodes with one text only the
        latest from the most trusted source is returned.
        """
        return [(from_record(record), hit) for record, hit in self._index.near(question, limit)]

    def speakers(self, question: Sequence[str]) -> set[str]:
        """Return the words of a question that are in the name of a speaker."""
        return self._index.speakers(question)

    @property
    def identity(self) -> tuple[int, int]:
        """(inode, size) of the log; it changes with every write."""
        return self._log.identity

    def recurring(self, sessions: int) -> Iterator[tuple[list[Episode], list[Episode]]]:
        """Yield, for each text logged in at least this many sessions, its first episode in each of the first ones.

        Each text yields two lists in order of time: episodes of trusted sources (maybe too few), and of all sources.
        Other writers wait meanwhile.
        """
        with self.exclusive():
            for trusted, every in self._index.recurring(sessions):
                first = [from_record(record) for record in self._log.at(every)]
                taught = first if trusted == every else [from_record(record) for record in self._log.at(trusted)]
                if len(first) == len(every):  # else somebody edited the log in place
                    yield taught, first

    def derived_ids(self, ids: Collection[str]) -> set[str]:
        """Return the ids of the episodes that restate or summarise any of these."""
        return self._index.derived_ids(ids)

    def erase(self, ids: Collection[str], time: float) -> bool:
        """Replace these ids by tombstones in the log and the index, whichever store they were in.

        A damaged line goes with the id that stands in it. Return whether no file has their words any more.
        """
        doomed = [to_blob(json.dumps(identity, ensure_ascii=False)) for identity in ids]
        with self.exclusive():
            is_clean = self._rewrite(
                lambda record: None if _is_in(ids, record.get("id", record.get("erased"))) else record, doomed
            )
            for identity in sorted(ids):
                self._log.append({"erased": identity, "time": time})
            self._log.sync()
            return is_clean

    def damaged(self) -> Iterator[tuple[str, int, str]]:
        """Yield file, line number and text of what is neither an episode nor a tombstone."""
        return self._log.damaged(lambda record: is_episode_record(record) or is_tombstone(record))

    def summarised_ids(self) -> set[str]:
        """Return the ids in the log that already have a summary: their forgetting was interrupted."""
        return self._index.summarised_ids()

    def drop(self, ids: Collection[str]) -> None:
        """Remove episodes from the log without tombstones, after everything appended is on disk."""
        with self.exclusive():
            self._log.sync()
            self._rewrite(lambda record: None if _is_in(ids, record.get("id")) else record)

    def exclusive(self) -> AbstractContextManager[None]:
        """Return the lock that keeps other writers out for several steps that belong together."""
        return self._log.lock

    def frequency(self, question: Collection[str]) -> tuple[Mapping[str, int], int]:
        """Return the number of distinct texts that contain each word, and the number of distinct texts."""
        return self._index.frequency(question)

    def close(self) -> None:
        """Close the log and its index."""
        self._log.close()
        self._index.close()

    def _rewrite(self, change: Callable[[Record], Record | None], doomed: Collection[bytes] = ()) -> bool:
        self._no_tombstones_at = (0, -1)
        self._index.reset()  # first, so that a crash leaves an empty index rather than one with erased text
        self._log.rewrite(change, doomed)
        return self._index.reset()


def _is_in(ids: Collection[str], identity: object) -> bool:
    return isinstance(identity, str) and identity in ids  # an id edited by hand may be unhashable
