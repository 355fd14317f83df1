"""Episodic memory of document 004: one row for each finished task, searched by keyword and vector."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Sequence
from dataclasses import astuple, dataclass, field, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memlab.memory.context import one_line
from memlab.memory.episode import Run
from memlab.systems.documents.hermes.legs import Fusion, Legs
from memlab.systems.documents.parts.encoder import hash512
from memlab.systems.documents.parts.prompt import Plan
from memlab.terms import Event

LONGEST_RESULT = 199
"""[s] `key_result` has fewer than 200 characters."""
SKILL_FROM_TOOLS = 3
"""[m] A successful task with three tool results or more becomes a skill."""
SCHEMA = """
CREATE TABLE IF NOT EXISTS episodes (
    session_id TEXT PRIMARY KEY,
    created_at TIMESTAMP,
    task_description TEXT,
    task_category TEXT,
    steps_taken INTEGER,
    tools_used TEXT,
    execution_time_seconds REAL,
    success BOOLEAN,
    key_result TEXT,
    error_encountered TEXT,
    error_resolution TEXT,
    skills_applied TEXT,
    new_skill_created TEXT,
    embedding BLOB
)
"""
"""[s] The table of the document; tools and skills are JSON lists."""
INDEX = "CREATE INDEX IF NOT EXISTS idx_created_at ON episodes(created_at)"
_ERROR = re.compile(r"error|failed|Traceback")


@dataclass(frozen=True, slots=True)
class Episode:
    """The record of one task [s]; `created_at` is in seconds since 1970."""

    session_id: str
    created_at: float
    task_description: str
    task_category: str
    steps_taken: int
    tools_used: tuple[str, ...]
    execution_time_seconds: float
    success: bool
    key_result: str
    error_encountered: str | None = None
    error_resolution: str | None = None
    skills_applied: tuple[str, ...] = ()
    new_skill_created: str | None = None

    @property
    def is_valuable(self) -> bool:
        """Whether it may be injected: successful, or its error has a documented resolution [s]."""
        return self.success or self.error_resolution is not None

    def lines(self) -> list[str]:
        """Return the episode as it is injected [s]."""
        status = "successful" if self.success else "failed but resolved"
        day = f"{datetime.fromtimestamp(self.created_at, UTC):%b %d}"
        lines = [f"- **Similar task** ({status}, {day}): {self.key_result}"]
        if self.error_resolution is not None:
            lines.append(f"  - **Pitfall**: {self.error_encountered} → {self.error_resolution}")
        return lines


@dataclass
class Session:
    """What has happened since a session, or its last task, began; in RAM, so a crash loses it."""

    id: str
    events: list[Event] = field(default_factory=list)
    plan: Plan = field(default_factory=Plan)
    goal: str = ""
    todo: tuple[str, ...] = ()
    done: list[str] = field(default_factory=list)

    def follow(self, event: Event) -> None:
        """Add an event."""
        self.events.append(event)
        if event.kind == "task":
            self.goal, self.todo, self.done = event.text, event.todo, []
        self.plan.follow(event)
        if event.kind == "done":
            self.done = list(self.plan.done)

    def texts(self, *kinds: str) -> list[str]:
        """Return the texts of the events of some kinds, the oldest first."""
        return [event.text for event in self.events if event.kind in kinds]

    @property
    def is_successful(self) -> bool:
        """Whether all to-dos are done, or what the record of the run says."""
        return self.run.success if self.run else len(self.done) == len(self.todo)

    @property
    def run(self) -> Run | None:
        """The record of the run that the last event has, if it has one."""
        return self.events[-1].run if self.events else None

    def episode(self) -> Episode | None:
        """Return the record of the session, None if nothing was said or done in it."""
        spoken = [event for event in self.events if event.kind in {"turn", "episode", "tool", "end"} and event.text]
        if not (self.goal or spoken):
            return None
        if self.run:
            return self._recorded(self.run)
        by_agent = [event.text for event in spoken if event.source == "agent"]
        result = one_line((by_agent or [spoken[-1].text] if spoken else [""])[-1])[:LONGEST_RESULT]
        description = one_line(self.goal or spoken[0].text)
        error, resolution = self._error()
        tools = [event for event in self.events if event.kind == "tool"]
        return Episode(
            self.id,
            self.events[-1].time,
            description,
            description.partition(" ")[0].lower(),
            len(self.done) + len(tools),
            tuple(dict.fromkeys(event.name for event in tools if event.name)),
            self.events[-1].time - self.events[0].time,
            self.is_successful,
            result,
            error,
            resolution,
        )

    def _recorded(self, run: Run) -> Episode:
        """Return the record of the session as the record of its run has it."""
        last = self.events[-1]
        return Episode(
            self.id,
            last.time,
            one_line(run.task or self.goal),
            run.category or one_line(run.task or self.goal).partition(" ")[0].lower(),
            run.steps,
            run.tools,
            run.seconds,
            run.success,
            one_line(run.result or last.text)[:LONGEST_RESULT],
            run.error or None,
            run.resolution or None,
            run.skills,
            run.learned or None,
        )

    def _error(self) -> tuple[str | None, str | None]:
        """Return the last error of a tool, and the agent's next words if a to-do was completed after them."""
        error = answer = resolution = None
        for event in self.events:
            failing = [line for line in event.text.splitlines() if _ERROR.search(line)]
            if event.kind == "tool" and failing:
                error, answer, resolution = one_line(failing[0]), None, None
            elif event.kind in {"turn", "episode"} and event.source == "agent" and error and not answer:
                answer = one_line(event.text)
            elif event.kind == "done" and answer:
                resolution = answer
        return error, resolution


class EpisodicStore:
    """The table of episodes, and its two search legs."""

    def __init__(self, path: Path, fusion: Fusion = "rrf") -> None:
        self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._db.execute("PRAGMA journal_mode = wal")
        self._db.execute("PRAGMA synchronous = off")
        self._db.execute(SCHEMA)
        self._db.execute(INDEX)
        self._episodes: dict[str, Episode] = {}
        self._legs = Legs(fusion)
        names = [one.name for one in fields(Episode)]
        for row in self._db.execute(f"SELECT {', '.join(names)} FROM episodes ORDER BY rowid"):  # noqa: S608 - fields
            record: dict[str, Any] = dict(zip(names, row, strict=True))
            record |= {name: tuple(json.loads(record[name])) for name in ("tools_used", "skills_applied")}
            self._remember(Episode(**record | {"success": bool(record["success"])}))

    def save_episode(self, episode: Episode) -> None:
        """Add an episode, or replace that of the same session id."""
        values = [json.dumps(one) if isinstance(one, tuple) else one for one in astuple(episode)]
        embedding = hash512(_text(episode)).tobytes()
        places = ", ".join("?" * (len(values) + 1))
        self._db.execute(f"INSERT OR REPLACE INTO episodes VALUES ({places})", [*values, embedding])  # noqa: S608
        self._remember(episode)

    def search_similar(self, query: str, top_k: int = 5) -> list[Episode]:
        """Return the k episodes with the best fused score."""
        return [self._episodes[key] for key, _ in self._legs.search(query, top_k)]

    def count_of(self, session: str) -> int:
        """Return how many tasks of a session have an episode: the first has its id, later ones a number too."""
        return sum(key.partition("#")[0] == session for key in self._episodes)

    def close(self) -> None:
        """Close the database."""
        self._db.close()

    def _remember(self, episode: Episode) -> None:
        self._episodes[episode.session_id] = episode
        self._legs.put(episode.session_id, _text(episode))


def experience(found: Sequence[Episode], most: int) -> list[list[str]]:
    """Return the lines of each of at most so many valuable episodes."""
    return [episode.lines() for episode in found if episode.is_valuable][:most]


def _text(episode: Episode) -> str:
    return f"{episode.task_description} {episode.key_result}"
