"""What happened: an append-only episodes.jsonl that can be replayed and searched."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from memlab.memory.episode_index import EpisodeIndex, Place
from memlab.memory.journal import Journal, Record, Sync
from memlab.memory.trust import USER, Provenance

Step = Literal["", "task", "done", "end"]


@dataclass(frozen=True, slots=True)
class Episode:
    """One thing that happened. `kind` is free (log, deploy, turn, tool); `step` marks what moved the task on.

    An episode that says what it is `about` states a fact as well, and the fact speaks for it. `held` says that
    untrusted text gave orders. Both are kept, since they happened; neither is served from here.
    """

    kind: str
    detail: str
    origin: Provenance = field(default_factory=Provenance)
    rank: int = USER
    step: Step = ""
    todo: tuple[str, ...] = ()
    about: str = ""
    held: bool = False

    @property
    def text(self) -> str:
        """What is served: the detail."""
        return self.detail

    @property
    def id(self) -> str:
        """The id under which others name it in `derived_from`."""
        return self.origin.id


class Episodes:
    """The log, its index beside it, and the answers that take both."""

    def __init__(self, directory: Path, sync: Sync = "batch") -> None:
        self._log = Journal(directory / "episodes.jsonl", sync)
        self._index = EpisodeIndex(directory / "episodes.index", self._log)

    def append(self, episode: Episode) -> None:
        """Add one episode; it is in the system's hands when this returns."""
        self._log.append(_record(episode))

    def recent(self) -> Iterator[Episode]:
        """Yield episodes newest first, reading the log from its end."""
        return (_episode(record) for record in self._log.backwards() if "detail" in record)

    def steps(self) -> Iterator[Episode]:
        """Yield newest first what set, moved or ended a task."""
        return (
            _episode(record) for record in self._log.backwards(b'"step"') if "detail" in record and record.get("step")
        )

    def replay(self) -> Iterator[Episode]:
        """Yield episodes oldest first, one at a time."""
        return (_episode(record) for _, _, record in self._log.replay() if "detail" in record)

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
        return [_episode(record) for record in self._log.at(places) if "detail" in record]


def _record(episode: Episode) -> Record:
    origin = episode.origin
    record: Record = {"id": origin.id, "time": origin.time, "session": origin.session, "kind": episode.kind}
    record |= {"detail": episode.detail, "source": origin.source, "rank": episode.rank}
    for name in ("step", "about", "held"):
        if getattr(episode, name):
            record[name] = getattr(episode, name)
    if origin.derived_from:
        record["derived_from"] = list(origin.derived_from)
    if episode.todo:
        record["todo"] = list(episode.todo)
    return record


def _episode(record: Record) -> Episode:
    restates = tuple(record.get("derived_from", ()))
    origin = Provenance(record["source"], record["session"], record["time"], record["id"], restates)
    todo = tuple(record.get("todo", ()))
    step, about, held = record.get("step", ""), record.get("about", ""), record.get("held", False)
    return Episode(record["kind"], record["detail"], origin, record["rank"], step, todo, about, held)
