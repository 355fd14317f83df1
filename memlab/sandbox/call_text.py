"""Formats calls and starting conditions for the message of a failed check."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

LONGEST_ARGUMENT = 60
"""Characters of one argument in a message."""


def format_call(name: str, args: Iterable[object], named: Mapping[str, object]) -> str:
    """Return a call as it is written in code: recall('which package manager')."""
    parts = [_shorten(value) for value in args] + [f"{key}={_shorten(value)}" for key, value in named.items()]
    return f"{name}({', '.join(parts)})"


def format_surroundings(texts: Mapping[str, str], env: Mapping[str, str], commands: Mapping[str, str]) -> list[str]:
    """Return one line in brackets for each file, variable and command that a folder starts with."""
    lines = [f"{name} holds {_shorten(text)}" if text else f"{name} is there" for name, text in texts.items()]
    lines += [f"${name} is {_shorten(value)}" for name, value in env.items()]
    lines += [f"HELP[{name!r}] is {_shorten(page)}" for name, page in commands.items()]
    return [f"({line})" for line in lines]


def _shorten(value: object) -> str:
    text = repr(value)
    return text if len(text) <= LONGEST_ARGUMENT else f"{text[: LONGEST_ARGUMENT - 4]}...{text[-1]}"
