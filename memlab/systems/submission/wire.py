"""What passes between memlab and a child: one JSON object a line, over a socket, each read within a time limit."""

from __future__ import annotations

import dataclasses
import json
import socket
import time
from typing import Any

from memlab.memory.world import ScriptedWorld
from memlab.terms import Event

LARGEST = 128 * 2**20
"""Bytes of one message: more is refused before it is read to the end."""
CHUNK = 2**20
Message = dict[str, Any]
EVENT_FIELDS = tuple(field.name for field in dataclasses.fields(Event))


class Garbled(Exception):
    """What came is not one JSON object on a line of at most LARGEST bytes."""


class Wire:
    """One end of a socket that carries messages."""

    def __init__(self, end: socket.socket) -> None:
        self.end = end
        self._rest = bytearray()

    def send(self, message: Message, limit: float | None = None) -> None:
        """Send one message. Raises TimeoutError after `limit` seconds, OSError when nobody listens."""
        self.end.settimeout(limit)
        self.end.sendall(json.dumps(message).encode() + b"\n")

    def receive(self, limit: float | None = None) -> Message:
        """Wait for one message. Raises TimeoutError after `limit` seconds, EOFError at the end, Garbled."""
        deadline = None if limit is None else time.monotonic() + limit
        searched = 0
        while (end := self._rest.find(b"\n", searched)) < 0:
            searched = len(self._rest)
            if searched > LARGEST:
                raise Garbled(f"more than {LARGEST >> 20} MB without an end")
            if deadline is not None and (left := deadline - time.monotonic()) <= 0:
                raise TimeoutError
            self.end.settimeout(None if deadline is None else left)
            piece = self.end.recv(CHUNK)
            if not piece:
                raise EOFError
            self._rest += piece
        line = bytes(self._rest[:end])
        del self._rest[: end + 1]
        return _object(line)

    def close(self) -> None:
        """Hang up."""
        self.end.close()


def event_to_json(event: Event) -> Message:
    """Write an event as plain JSON values."""
    return {name: getattr(event, name) for name in EVENT_FIELDS}


def event_from_json(message: Message) -> Event:
    """Read what event_to_json wrote."""
    fields: Message = {name: tuple(value) if isinstance(value, list) else value for name, value in message.items()}
    return Event(**fields)


def world_to_json(world: ScriptedWorld) -> Message:
    """Write a scripted world as plain JSON values."""
    return dataclasses.asdict(world)


def world_from_json(message: Message) -> ScriptedWorld:
    """Read what world_to_json wrote."""
    commands = {name: (tuple(flags), by) for name, (flags, by) in message["commands"].items()}
    others = {kind: {name: tuple(pair) for name, pair in message[kind].items()} for kind in ("files", "env", "links")}
    return ScriptedWorld(commands=commands, **others)


def _object(line: bytes) -> Message:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise Garbled(f"a line that is no JSON: {line[:40]!r}") from error
    if not isinstance(message, dict):
        raise Garbled(f"a line that is no JSON object: {line[:40]!r}")
    return message
