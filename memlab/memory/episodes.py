"""What happened: an append-only episodes.jsonl that can be replayed and searched."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

from memlab.memory.episode import Episode, from_record, is_episode_record, to_record
from memlab.memory.indexing.episode_index import EpisodeIndex
from memlab.memory.indexing.episode_schema import ERASED
from memlab.memory.storage.journal import Record, Sync
from memlab.memory.storage.segments import FULL, Place, Segments
from memlab.memory.text import coverage, weigh, words

CANDIDATES = 40
"""So many memories a store may offer from trusted sources, and again from the others, before any is weighed."""


@dataclass
class End:
    """How far a log was read: so many bytes of each file, by its inode, and what stands last there.

    A rewritten file may get an inode again, and a torn line is cut: then something else stands there. None is for what
    was not looked at.
    """

    sizes: dict[int, int]
    last: bytes | None


class Episodes:
    """The log, its index beside it, and the answers that take both.

    The file that is appended to is sealed at `full` bytes and a new one begun; `sync` says what a power cut can take of
    it (see Journal).
    """

    def __init__(self, directory: Path, sync: Sync = "batch", full: int = FULL) -> None:
        self._log = Segments(directory / "episodes.jsonl", sync, full)
        self._index = EpisodeIndex(directory / "episodes.index", self._log)
        self._spotless = (0, -1)  # the identity of the log when it was last known to hold no tombstone
        self._last: tuple[tuple[int, int], tuple[int, int], Episode] | None = None

    def append(self, episode: Episode) -> None:
        """Add one episode; it is in the system's hands when this returns. Raises OSError and ValueError as Journal."""
        with self.exclusive():
            before = self.identity
            self._log.append(to_record(episode))
            self._last = before, self.identity, episode
            self._index.note_append(episode.id, *self._last[:2])
            self._spotless = self._last[1] if self._spotless == before else self._spotless

    def recent(self) -> Iterator[Episode]:
        """Yield episodes newest first, reading the log from its end."""
        return (from_record(record) for record in self._log.backwards() if is_episode_record(record))

    def replay(self) -> Iterator[Episode]:
        """Yield episodes oldest first, one at a time."""
        return (from_record(record) for record in self._log.replay() if is_episode_record(record))

    def steps(self) -> Iterator[Episode]:
        """Yield newest first what set, moved or ended a task, and read nothing else."""
        return chain.from_iterable(map(self._read, self._index.steps()))

    def get(self, identity: str) -> Episode | None:
        """Give one episode by its id, as it was told last."""
        place = self._index.place(identity)
        return next(iter(self._read([place])), None) if place else None

    def is_erased(self, identity: str) -> bool:
        """Tell whether a tombstone bears this id; while the log is known to hold none, nothing is looked up."""
        seen = self.identity
        if seen == self._spotless:
            return False
        erased = self._index.place(identity) == ERASED
        if not erased and not self._index.has_erasures():
            self._spotless = seen
        return erased

    def search(self, query: str, k: int) -> list[Episode]:
        """Give the k episodes that fit a query best, and of those that fit alike the latest first.

        How well one fits is the share of the query's words that it holds, each weighed by how rare it is. What was
        told in the same words is one: the latest telling by the most trusted. None if no word is shared.
        """
        asked = words(query)
        weights = weigh(asked, *self.frequency(asked))
        found = self.matching(asked, max(k, CANDIDATES))
        fits = {one.id: round(coverage(weights, words(f"{one.kind} {one.detail}")), 3) for one in found}
        return sorted(found, key=lambda one: (-fits[one.id], -one.origin.time))[:k]

    def matching(self, question: Sequence[str], limit: int) -> list[Episode]:
        """Find episodes by stemmed words: so many from trusted sources, and again so many from the others."""
        return self._read(self._index.search(question, limit))

    @property
    def identity(self) -> tuple[int, int]:
        """Give (inode, size) of the file that is appended to: the same as long as nobody has written."""
        return self._log.identity

    def end(self) -> End:
        """Tell where the log ends."""
        sizes = self._log.sizes()
        return End(sizes, self._log.last(sizes))

    def appended_since(self, end: End, most: int) -> list[Episode] | None:
        """Give what was told after an end of the log, and move that on; None for more, or if any was taken away."""
        inode, size = self.identity
        seen = end.sizes.get(inode)
        if seen == size:
            return []
        if self._last and self._last[:2] == ((inode, seen), (inode, size)):  # our own: no need to read it
            end.sizes[inode], end.last = size, None
            return None if self._last[2].forgot else [self._last[2]]
        if seen is None or end.last is None or end.last[-1:] not in b"\n" or self._log.last(end.sizes) != end.last:
            return None
        lines = list(islice(self._log.tail(end.sizes), most + 1))
        if len(lines) > most:
            return None
        end.sizes.update({inode: offset + length for (inode, offset, length), _ in lines})
        end.last = self._log.last(end.sizes)
        told = [from_record(record) for _, record in lines if is_episode_record(record)]
        return told if len(told) == len(lines) and not any(one.forgot for one in told) else None

    def recurring(self, sessions: int) -> Iterator[tuple[list[Episode], list[Episode]]]:
        """Yield, for every text told in at least so many sessions, its first telling in each of the first of them.

        They come twice, by their time: those by sources that may teach, maybe too few, and those by anybody.
        """
        for taught, told in self._index.recurring(sessions):
            first = self._read(told)
            yield first if taught == told else self._read(taught), first

    def derived_ids(self, ids: Collection[str]) -> set[str]:
        """Give the ids of the episodes that restate any of these, or sum them up."""
        return self._index.derived_ids(ids)

    def erase(self, ids: Collection[str], time: float) -> None:
        """Leave of these ids a tombstone without content, in the log and in the index, whatever store they stood in."""
        with self.exclusive():
            self._rewrite(lambda record: None if _among(ids, record.get("id", record.get("erased"))) else record)
            for identity in sorted(ids):
                self._log.append({"erased": identity, "time": time})
            self._log.sync()

    def summarised_ids(self) -> set[str]:
        """Give the ids that stand in the log although a summary stands in their place: they were being forgotten."""
        return self._index.summarised_ids()

    def drop(self, ids: Collection[str]) -> None:
        """Take episodes out of the log without a trace, once all that was appended is on the disk."""
        with self.exclusive():
            self._log.sync()
            self._rewrite(lambda record: None if _among(ids, record.get("id")) else record)

    def exclusive(self) -> AbstractContextManager[None]:
        """Keep other writers out, for several steps that belong together."""
        return self._log.lock.hold()

    def frequency(self, question: Collection[str]) -> tuple[Mapping[str, int], int]:
        """Tell how many distinct texts hold each word, and how many there are."""
        return self._index.frequency(question)

    def close(self) -> None:
        """Let go of the log and its index."""
        self._log.close()
        self._index.close()

    def _rewrite(self, change: Callable[[Record], Record | None]) -> None:
        self._spotless = (0, -1)
        self._index.reset()  # first: a crash then leaves an index that knows nothing, not one that knows the erased
        self._log.rewrite(change)
        self._index.reset()

    def _read(self, places: Sequence[Place]) -> list[Episode]:
        return [from_record(record) for record in self._log.at(places) if is_episode_record(record)]


def _among(ids: Collection[str], identity: object) -> bool:
    return isinstance(identity, str) and identity in ids  # what a hand put there need not be hashable
