"""Word substitution between a check and a learner's file, so that answers cannot be hard-coded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Substitute = Callable[[str], str]
"""Replaces words of a text by others of the same length. It is its own inverse."""
KEYS = ("args", "env", "commands", "folder", "path", "under", "target", "ok", "printed", "message")
"""The keys of requests and replies whose texts are substituted."""


def substitute_texts(message: Mapping[str, Any], substitute: Substitute) -> dict[str, Any]:
    """Return a request or a reply with its texts substituted; the names of functions and parameters stay."""
    result = {key: _replace(value, substitute) if key in KEYS else value for key, value in message.items()}
    if "named" in message:
        result["named"] = {key: _replace(value, substitute) for key, value in message["named"].items()}
    return result


def substitute_bytes(data: bytes, substitute: Substitute) -> bytes:
    """Return a file's bytes with its words substituted; the file may be in any encoding."""
    return substitute(data.decode("latin-1")).encode("latin-1")


def _replace(value: Any, substitute: Substitute) -> Any:  # noqa: ANN401 - any JSON value
    if isinstance(value, str):
        return substitute(value)
    if isinstance(value, list | tuple):
        return [_replace(item, substitute) for item in value]
    if isinstance(value, Mapping):
        return {_replace(key, substitute): _replace(item, substitute) for key, item in value.items()}
    return value
