"""What a client of the server may do with the memory: each tool as a method, with its limits and its source."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex
from typing import Any, Literal

from pydantic import ValidationError

from memlab.memory import MemoryMix, Provenance, Recalled, Refused
from memlab.memory.context import one_line
from memlab.memory.text import slug, text_size
from memlab.memory.trust import rank

CALL_LIMIT = 100_000
"""Bytes of text that one call may have."""
SIZE_LIMIT = 1_000_000_000
"""Bytes of the directory from which on nothing more is written."""
MOST_RECALLED = 50
MOST_TOKENS = 100_000
CONTEXT_TOKENS = 2_000
LONGEST_CLIENT = 64
Sort = Literal["fact", "event"]


@dataclass(frozen=True)
class RecalledMemory:
    """One answer of `recall`. `date` is YYYY-MM-DD, UTC; `notes` say what to beware of, such as an untrusted source."""

    id: str
    text: str
    source: str
    date: str
    store: str
    notes: list[str]


@dataclass(frozen=True)
class Client:
    """Who calls: the name that a client gives itself, in one connection. It is the session of what it writes."""

    name: str
    connection: str

    @property
    def session(self) -> str:
        """The session in the provenance of all that this connection writes."""
        return f"{one_line(self.name)[:LONGEST_CLIENT] or 'client'} {self.connection}"


@dataclass(frozen=True)
class MemoryTools:
    """The tools on one memory. Clients are as trusted as `trust`, a source: they may name it, or one of a lower rank.

    Every method raises Refused, with one sentence, for what is not allowed.
    """

    mix: MemoryMix
    trust: str = "agent"
    size_limit: int = SIZE_LIMIT

    def remember(  # noqa: PLR0913, PLR0917 - the fields of a statement
        self, client: Client, text: str, name: str, about: str, source: str, sort: Sort
    ) -> dict[str, str]:
        """Store a fact, or log an event; return its id, name and source."""
        origin = self._writer(client, source)
        if not text.strip():
            raise Refused("text is empty: state what to remember in one or more sentences")
        if sort == "event":
            return self._log(text, about, origin)
        fact = self.mix.write_fact(name, "", text, about=about, origin=origin)
        return {"id": fact.id, "name": fact.name, "source": origin.source}

    def recall(self, query: str, k: int) -> list[RecalledMemory]:
        """Return at most k memories, best first."""
        if not 1 <= k <= MOST_RECALLED:
            raise Refused(f"k {k}: ask for 1 to {MOST_RECALLED} memories")
        return [_answer(one) for one in self.mix.recall(query, k)]

    def recite(self) -> str:
        """Return the goal of the current task and its open to-dos, the next one first."""
        pad = self.mix.working
        if not (pad.goal or pad.plan):
            return "There is no current task."
        todo = [f"- {one_line(item)}" for item in pad.todo] or ["- nothing is open: end the task"]
        return "\n".join([f"goal: {one_line(pad.goal)}", *todo])

    def begin_task(self, client: Client, goal: str, todo: Sequence[str]) -> str:
        """Begin a task; a current one is abandoned. Return what recite returns."""
        self.mix.set_task(goal, todo, self._writer(client))
        return self.recite()

    def check_off(self, client: Client, item: str) -> str:
        """Mark an open to-do as done; return what recite returns."""
        self.mix.check_off(item, self._writer(client))
        return self.recite()

    def end_task(self, client: Client, outcome: str) -> str:
        """End the task and log its outcome."""
        self.mix.end_task(outcome, self._writer(client))
        return "The task has ended."

    def forget(self, client: Client, identity: str, source: str) -> list[str]:
        """Erase a memory that the client's source wrote, and all that is derived from it; return the erased ids."""
        erased = self.mix.erase([identity], self._origin(client, source))
        if not erased:
            raise Refused(f"forget {identity!r}: no memory has this id; `recall` gives the ids")
        return sorted(erased)

    def assemble(self, task: str, budget: int) -> str:
        """Return the prompt of one turn: rules, facts, events, task and to-do, within a budget in tokens."""
        if not 1 <= budget <= MOST_TOKENS:
            raise Refused(f"budget {budget}: give 1 to {MOST_TOKENS:,} tokens")
        return self.mix.assemble(task or self.mix.working.goal, budget)

    def rules(self) -> str:
        """Return the user's rules, one in each line."""
        return "\n".join(f"- {one.text}" for one in self.mix.rules.all())

    def _log(self, text: str, about: str, origin: Provenance) -> dict[str, str]:
        origin = replace(origin, id=token_hex(8))
        self.mix.log_episode("event", text, about, origin)
        logged = self.mix.episodes.get(origin.id)
        if logged and logged.held:
            raise Refused(
                f"event: {origin.source} gives instructions, so it waits in quarantine; a person may release it"
            )
        return {"id": origin.id, "name": "", "source": origin.source}

    def _origin(self, client: Client, source: str = "") -> Provenance:
        """Return the provenance of a call. Raises Refused if the source outranks the client."""
        stated = slug(source) if source else self.trust
        if rank(stated) > rank(self.trust):
            raise Refused(
                f"source {stated!r}: this server trusts its clients as {self.trust!r}; name a source of that rank or a "
                f"lower one, such as 'web', or have the server started with --trust {stated}"
            )
        return Provenance(stated, client.session)

    def _writer(self, client: Client, source: str = "") -> Provenance:
        """Return the provenance of a call that writes. Raises Refused also if the directory is full."""
        size = _folder_size(self.mix.directory)
        if size >= self.size_limit:
            raise Refused(
                f"the memory has {size:,} bytes, and its limit is {self.size_limit:,}: forget something, or have the "
                "server started with a higher --size-limit"
            )
        return self._origin(client, source)


def require_small(tool: str, arguments: Mapping[str, Any], limit: int = CALL_LIMIT) -> None:
    """Raise Refused if the arguments of a call have too much text, or a NUL character."""
    for name, value in arguments.items():
        if _has_nul(value):
            raise Refused(f"{tool}: {name} has a NUL character; remove it")
    size = sum(text_size(value) for value in arguments.values())
    if size > limit:
        raise Refused(f"{tool}: {size:,} bytes of text; a call has at most {limit:,}, so store it in parts")


def wrong_arguments(error: ValidationError) -> str:
    """Return what is wrong with the arguments of a call, in part of a sentence; at most three of them."""
    wrong = [f"{'.'.join(map(str, one['loc']))}: {one['msg'][:1].lower()}{one['msg'][1:]}" for one in error.errors()]
    return "; ".join(wrong[:3])


def _has_nul(value: object) -> bool:
    return "\0" in value if isinstance(value, str) else isinstance(value, list) and any(map(_has_nul, value))


def _answer(found: Recalled) -> RecalledMemory:
    origin, day = found.origin, datetime.fromtimestamp(found.origin.time, UTC).strftime("%Y-%m-%d")
    return RecalledMemory(origin.id, found.text, origin.source, day, found.store, list(found.notes))


def _folder_size(folder: Path) -> int:
    size = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(FileNotFoundError):  # another process may remove its temporary files meanwhile
                size += os.lstat(Path(place) / name).st_size
    return size
