"""The notes file of bucket-guarded: one append-only file of events, and which of them may be believed.

The state is a function of the file: it is computed by replaying the events, at the start and after an erasure.
"""

from __future__ import annotations

import json
import os
import weakref
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from memlab.memory.heuristics.injection import is_instruction, without_instructions
from memlab.memory.retrieval.relevance import stem_set
from memlab.memory.text import Refused, clean, digest, fold, slug
from memlab.memory.trust import AGENT, NOT_TRUSTED, USER, lowest_rank, may_replace, rank
from memlab.systems.event_json import event_from_json
from memlab.terms import Event

CONTENT = frozenset({"fact", "skill", "episode", "turn", "tool", "end"})
"""The kinds of events whose text is searched."""
NAMED = frozenset({"fact", "skill"})
"""The kinds of events whose name is a subject; a tool's output has the name of the tool."""
TASK = frozenset({"task", "done", "end"})
FIELDS = tuple(one.name for one in fields(Event))
_encode = json.JSONEncoder(default=asdict).encode


@dataclass(slots=True, eq=False)
class Note:
    """One event with its trust rank; `held` is in quarantine; `newer` is the note that superseded it."""

    event: Event
    rank: int
    held: bool = False
    newer: Note | None = None

    @property
    def text(self) -> str:
        """The text that may be served: an untrusted one without its instructions."""
        return without_instructions(self.event.text) if self.rank == NOT_TRUSTED else self.event.text

    @property
    def subjects(self) -> list[str]:
        """The subjects of a statement: the name of a fact or skill, its `about`, or none."""
        event = self.event
        names = [f"{event.kind} {event.name}"] if event.kind in NAMED and event.name else []
        return [*names, *([f"about {fold(event.about)}"] if event.about else [])]


@dataclass(slots=True)
class State:
    """What the file says: notes by id and by subject, the sessions of each trusted text, erased ids, pins."""

    notes: dict[str, Note] = field(default_factory=dict)
    current: dict[str, list[Note]] = field(default_factory=dict)
    superseded: list[Note] = field(default_factory=list)
    sessions: dict[str, set[str]] = field(default_factory=dict)
    erased: set[str] = field(default_factory=set)
    rules: dict[str, tuple[str, str]] = field(default_factory=dict)
    goal: str = ""
    todo: list[str] = field(default_factory=list)


class GuardedNotes:
    """Admits events by the rank of their source and lineage, and appends them to `notes.jsonl`."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / "notes.jsonl"
        self._open()

    def write(self, event: Event) -> Note | None:
        """Store an event; return its note if its text may be served. Raises Refused if its source may not do this."""
        event = self._admissible(event)
        if event.kind == "erase":
            self._erase(event)
            return None
        if self.state.notes.get(event.id) and self.state.notes[event.id].event == event:
            return None
        self._file.write((_encode({name: getattr(event, name) for name in FIELDS}) + "\n").encode())
        note = self._apply(event)
        if note and note.held and event.kind in {"fact", "skill"}:
            raise Refused(f"{event.kind} {event.name}: {event.source} may not give orders; it is kept in quarantine")
        return note

    def is_valid(self, note: Note) -> bool:
        """Return whether a note is current: neither held, superseded, erased, nor derived from a superseded note."""
        if note.held or note.newer or self.state.notes.get(note.event.id) is not note:
            return False
        return not any(
            parent.newer not in {None, note} and set(parent.subjects).isdisjoint(note.subjects)
            for parent in self._lineage(note)
        )

    def rivals(self, note: Note) -> list[Note]:
        """Return the current notes of higher rank on a note's subject."""
        same = (one for subject in note.subjects for one in self.state.current.get(subject, ()))
        return [one for one in same if one.rank > note.rank]

    def repeats_superseded(self, note: Note, held: frozenset[str]) -> bool:
        """Return whether a note with these words repeats a superseded statement, unless it is itself a newer one.

        It does if it has all words that only the old statement has, and at least half of those that both have.
        """
        if note.subjects:
            return False
        for old in self.state.superseded:
            new = old.newer
            if new is None or (note.event.time > new.event.time and note.rank >= new.rank):
                continue
            before, now = stem_set(old.event.text), stem_set(new.event.text)
            if note.event.id in old.event.derived_from:
                return True
            shared = before & now
            if before - now and before - now <= held and 2 * len(shared & held) >= len(shared) > 0:
                return True
        return False

    def recurs(self, note: Note) -> bool:
        """Return whether trusted sources stated the same text in several sessions."""
        return len(self.state.sessions.get(fold(note.event.text), ())) > 1

    def newest_first(self) -> Iterator[Note]:
        """Iterate over all notes, the last written first."""
        return reversed(self.state.notes.values())

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _open(self) -> None:
        """Replay the file; a line that was cut off by a crash is removed."""
        written = self._path.read_bytes() if self._path.exists() else b""
        if not written.endswith(b"\n"):
            written = written[: written.rfind(b"\n") + 1]
            self._path.write_bytes(written)
        self.state = State()
        for line in written.splitlines():
            record: dict[str, Any] = json.loads(line)
            self._apply(event_from_json(record))
        self._file = self._path.open("ab", buffering=0)
        weakref.finalize(self, self._file.close)

    def _apply(self, event: Event) -> Note | None:
        """Change the state by an admitted event; return its note if it has text to search."""
        state = self.state
        if event.kind == "erase":
            state.erased.update(event.erases)
        elif event.kind == "rule":
            name = event.name or digest(event.text)
            state.rules.pop(name, None)
            state.rules |= {name: (event.id, event.text)} if event.text else {}
        elif event.kind == "task":
            state.goal, state.todo = event.text, list(event.todo)
        elif event.kind == "done":
            done = [item for item in state.todo if fold(item) == fold(event.text)]
            for item in done[:1]:  # none, if its task was erased
                state.todo.remove(item)
        elif event.kind == "end":
            state.goal, state.todo = "", []
        return self._add(event) if event.kind in CONTENT else None

    def _add(self, event: Event) -> Note:
        """Add a note and let it supersede the notes on its subject that rank no higher."""
        state = self.state
        note = Note(event, self._rank(event))
        if note.rank == NOT_TRUSTED:
            parents = (state.notes.get(identity) for identity in event.derived_from)
            orders = is_instruction(f"{event.description}\n{event.text}".strip()) or event.kind == "skill"
            note.held = orders or any(parent.held for parent in parents if parent)
        else:
            state.sessions.setdefault(fold(event.text), set()).add(event.session)
        state.notes[event.id] = note
        for subject in note.subjects if not note.held else ():
            known = state.current.setdefault(subject, [])
            for old in [one for one in known if may_replace(note.rank, one.rank)]:
                known.remove(old)
                if not old.newer:
                    old.newer = note
                    state.superseded.append(old)
            known.append(note)
        return note

    def _rank(self, event: Event) -> int:
        """Return the lowest rank of a source and of everything it restates; an unknown id is not trusted."""
        rules = {identity for identity, _ in self.state.rules.values()}
        ranks = [rank(event.source)]
        for identity in event.derived_from:
            known = self.state.notes.get(identity)
            ranks.append(known.rank if known else USER if identity in rules else NOT_TRUSTED)
        return lowest_rank(ranks)

    def _admissible(self, event: Event) -> Event:
        """Return the event to store. Raises Refused if the source ranks too low, or if it restates the erased."""
        event = _clean(event)
        erased = self.state.erased.intersection((event.id, *event.derived_from))
        if erased and event.kind != "erase":
            raise Refused(f"{', '.join(sorted(erased))}: it was erased; state it anew, without this lineage")
        if event.kind == "rule" and self._rank(event) < USER:
            raise Refused(f"rule by {event.source}: only the user sets rules; ask the user to state it")
        if event.kind in {*TASK, "compact"} and self._rank(event) < AGENT:
            raise Refused(f"{event.kind} by {event.source}: only the user, a tool or the agent may; ask one of them")
        if event.kind == "done" and fold(event.text) not in map(fold, self.state.todo):
            raise Refused(f"done {event.text!r}: no open to-do has this text; open: {self.state.todo}")
        known = self.state.notes.get(event.id)
        if known and (known.event.text, known.event.source) != (event.text, event.source) and event.kind in CONTENT:
            return replace(event, id=digest(event.id, event.source, event.text))  # an id cannot be taken over
        return event

    def _erase(self, event: Event) -> None:
        """Rewrite the file without the erased events and all that derives from them; the ids stay refused."""
        for identity in event.erases:
            known = self.state.notes.get(identity)
            author = known.event.source if known else ""
            if self._rank(event) < USER and (event.derived_from or author != event.source):
                raise Refused(f"erase {identity} by {event.source}: {author or 'nobody'} wrote it; ask the user")
        doomed = self._with_derived(set(event.erases))
        written = [json.loads(line) for line in self._path.read_bytes().splitlines()]
        kept = [record for record in written if record["id"] not in doomed or record["kind"] == "erase"]
        kept.append(asdict(replace(event, erases=tuple(sorted(doomed)))))
        fresh = self._path.with_suffix(".new")
        fresh.write_text("".join(json.dumps(record) + "\n" for record in kept), encoding="utf-8")
        self._file.close()
        os.replace(fresh, self._path)  # noqa: PTH105 - pathlib would need the path twice
        self._open()

    def _with_derived(self, ids: set[str]) -> set[str]:
        doomed = set(ids)
        for note in self.state.notes.values():  # a note is written after those that it derives from
            if not doomed.isdisjoint(note.event.derived_from):
                doomed.add(note.event.id)
        return doomed

    def _lineage(self, note: Note) -> Iterator[Note]:
        open_ids: list[str] = list(note.event.derived_from)
        seen: set[str] = set()
        while open_ids:
            identity = open_ids.pop()
            known = self.state.notes.get(identity)
            if known and identity not in seen:
                seen.add(identity)
                open_ids += known.event.derived_from
                yield known


def _clean(event: Event) -> Event:
    """Return an event as it is stored. Raises Refused if the name of a rule, fact or skill is no slug."""
    cleaned: Event = clean(event)
    named = bool(event.name) and event.kind in {"rule", *NAMED}
    return replace(cleaned, name=slug(event.name)) if named else cleaned
