"""In which words a learner's file is told things: the same words as the laws', unless somebody puts others there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Words = Callable[[str], str]
"""Says a text in other words of the same length; said twice, it is the text again."""
WORDED = ("args", "env", "commands", "folder", "path", "under", "target", "ok", "printed", "says")
"""The keys of questions and answers whose texts are worded, as a law tells them or as it hears them."""


def worded(told: Mapping[str, Any], words: Words) -> dict[str, Any]:
    """Put a question, or an answer, into other words; the names of functions and parameters stay."""
    new = {key: _each(value, words) if key in WORDED else value for key, value in told.items()}
    if "named" in told:
        new["named"] = {key: _each(value, words) for key, value in told["named"].items()}
    return new


def reworded(data: bytes, words: Words) -> bytes:
    """Put the text of a file into other words, whatever else it holds."""
    return words(data.decode("latin-1")).encode("latin-1")


def _each(value: Any, words: Words) -> Any:  # noqa: ANN401 - whatever is told
    if isinstance(value, str):
        return words(value)
    if isinstance(value, list | tuple):
        return [_each(one, words) for one in value]
    if isinstance(value, Mapping):
        return {_each(key, words): _each(one, words) for key, one in value.items()}
    return value
