"""What happened: an append-only episodes.jsonl that can be replayed and searched."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from memlab.memory.episode import Episode, episode_of, record_of
from memlab.memory.episode_index import EpisodeIndex, Place
from memlab.memory.journal import Journal, Sync


class Episodes:
    """The log, its index beside it, and the answers that take both."""

    def __init__(self, directory: Path, sync: Sync = "batch") -> None:
        self._log = Journal(directory / "episodes.jsonl", sync)
        self._index = EpisodeIndex(directory / "episodes.index", self._log)

    def append(self, episode: Episode) -> None:
        """Add one episode; it is in the system's hands when this returns."""
        self._log.append(record_of(episode))

    def recent(self) -> Iterator[Episode]:
        """Yield episodes newest first, reading the log from its end."""
        return (episode_of(record) for record in self._log.backwards() if "detail" in record)

    def steps(self) -> Iterator[Episode]:
        """Yield newest first what set, moved or ended a task."""
        return (
            episode_of(record) for record in self._log.backwards(b'"step"') if "detail" in record and record.get("step")
        )

    def replay(self) -> Iterator[Episode]:
        """Yield episodes oldest first, one at a time."""
        return (episode_of(record) for _, _, record in self._log.replay() if "detail" in record)

    def get(self, identity: str) -> Episode | None:
        """Give one episode by its id."""
        place = self._index.place(identity)
        return self._read([place])[0] if place and place[0] >= 0 else None

    def erased(self, identity: str) -> bool:
        """Tell whether a tombstone bears this id."""
        place = self._index.place(identity)
        return place is not None and place[0] < 0

    def search(self, question: Sequence[str], limit: int) -> list[Episode]:
        """Find episodes by their words: of those told in the same words the most trusted, then the latest."""
        return self._read(self._index.search(question, limit))

    def recurring(self, sessions: int) -> Iterator[list[Episode]]:
        """Yield the episodes that were told in the same words in at least so many sessions, group by group."""
        for ids in self._index.recurring(sessions):
            yield [episode for episode in map(self.get, ids) if episode]

    def derived(self, ids: Collection[str]) -> set[str]:
        """Give the ids of the episodes that restate any of these."""
        return self._index.derived(ids)

    def erase(self, ids: Collection[str], time: float) -> None:
        """Leave of these ids a tombstone without content, in the log and in the index, whatever store they stood in."""
        self._log.rewrite(lambda record: None if record.get("id") in ids else record)
        for identity in sorted(ids):
            self._log.append({"erased": identity, "time": time})
        self._index.reset()

    def frequency(self, question: Collection[str]) -> tuple[Mapping[str, int], int]:
        """Tell how many distinct texts hold each word, and how many there are."""
        return self._index.frequency(question)

    def close(self) -> None:
        """Let go of the log and its index."""
        self._log.close()
        self._index.close()

    def _read(self, places: Sequence[Place]) -> list[Episode]:
        return [episode_of(record) for record in self._log.at(places) if "detail" in record]
