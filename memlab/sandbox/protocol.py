"""Numbered requests and their replies, parsed strictly, since an untrusted process may write anything."""

from __future__ import annotations

import json
import math
import signal
from collections.abc import Mapping
from typing import Any

from memlab.sandbox.channel import ChildProcessFailed

DEEPEST = 25
"""Levels of a reply."""
DIGITS = 31
"""Characters of an integer in a reply."""
SIGNALS = {
    "SIGXCPU": "its computing time was used up",
    "SIGKILL": "from outside, for example because memory was short, or by itself",
    "SIGSEGV": "it touched memory that is not its own, or its stack was full",
}
Reply = dict[str, Any]
Shape = Mapping[str, type | None]
"""The keys of a reply and their types; None allows any value."""


class NumberedRequests:
    """Numbers requests; a reply must carry the number of the last request and have one of the given shapes."""

    def __init__(self, *shapes: Shape) -> None:
        self._shapes = shapes
        self._number = 0

    def to_line(self, request: Mapping[str, object]) -> bytes:
        """Return a request as a line, with the next number."""
        self._number += 1
        return json.dumps({**request, "number": self._number}).encode()

    def parse_reply(self, line: bytes) -> Reply:
        """Return the reply to the last request. Raises ChildProcessFailed if the line is not a valid reply."""
        reply = parse(line)
        if reply.pop("number", None) != self._number or not any(_has_shape(reply, shape) for shape in self._shapes):
            raise ChildProcessFailed("wrote into memlab's channel, or changed the code that answers")
        return reply


def parse(line: bytes) -> Reply:
    """Parse a JSON object. Raises ChildProcessFailed for a key twice, NaN, huge numbers, surrogates, deep nesting."""
    try:
        reply = json.loads(
            line, object_pairs_hook=_unique, parse_constant=_reject, parse_int=_integer, parse_float=_finite
        )
        _check_values(reply, DEEPEST)
    except (ValueError, RecursionError):
        reply = None
    if not isinstance(reply, dict):
        raise ChildProcessFailed("wrote into memlab's channel, or changed the json module")
    return reply


def ended(status: object) -> ChildProcessFailed:
    """Return the error for a process that ended with an exit code, or with minus a signal; None if that is unknown."""
    if not isinstance(status, int):
        return ChildProcessFailed("ended Python itself. A function must return or raise")
    if status < 0:
        name = next((one.name for one in signal.Signals if one == -status), f"signal {-status}")
        meaning = f" ({SIGNALS[name]})" if name in SIGNALS else ""
        return ChildProcessFailed(
            f"was ended by {name}{meaning}. A function must return or raise", timed_out=name == "SIGXCPU"
        )
    return ChildProcessFailed(f"ended Python itself (exit code {status}). A function must return or raise")


def _has_shape(reply: Reply, shape: Shape) -> bool:
    return reply.keys() == shape.keys() and all(kind in {None, type(reply[key])} for key, kind in shape.items())


def _unique(pairs: list[tuple[str, Any]]) -> Reply:
    reply = dict(pairs)
    if len(reply) < len(pairs):
        raise ValueError("a key twice")
    return reply


def _reject(text: str) -> float:
    raise ValueError(text)


def _integer(text: str) -> int:
    if len(text) > DIGITS:
        raise ValueError("a huge number")
    return int(text)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("an infinite number")
    return number


def _check_values(value: object, depth: int) -> None:
    if not depth:
        raise ValueError("nested too deep")
    if isinstance(value, str):
        value.encode()
    elif isinstance(value, dict):
        for key, item in value.items():
            key.encode()
            _check_values(item, depth - 1)
    elif isinstance(value, list):
        for item in value:
            _check_values(item, depth - 1)
