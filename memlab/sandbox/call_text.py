"""How calls, and what stands around a learner's file, are written where a person reads what led to an answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

SHOWN = 60
"""Characters of one argument, as a message shows it."""


def shown(name: str, args: Iterable[object], named: Mapping[str, object]) -> str:
    """Write a call as it stands in code: recall('which package manager')."""
    words = [_short(one) for one in args] + [f"{key}={_short(one)}" for key, one in named.items()]
    return f"{name}({', '.join(words)})"


def given(texts: Mapping[str, str], env: Mapping[str, str], commands: Mapping[str, str]) -> list[str]:
    """Tell what a folder begins with, in brackets, since nobody called it."""
    told = [f"{name} holds {_short(text)}" if text else f"{name} is there" for name, text in texts.items()]
    told += [f"${name} is {_short(value)}" for name, value in env.items()]
    told += [f"HELP[{name!r}] is {_short(page)}" for name, page in commands.items()]
    return [f"({one})" for one in told]


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 4]}...{text[-1]}"
