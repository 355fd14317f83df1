"""Checks texts against the scripted world. Shares no code with a freshness guard, so that it cannot share its bugs."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from memlab.memory.text import fold
from memlab.memory.trust import UNTRUSTED_SOURCES
from memlab.memory.world import Lookup, ScriptedWorld, symbols

_OPENING, _CLOSING = "\"'`([{<*", "\"'`()]}>*,;:!?."
_VARIABLE = re.compile(r"\$\{?([A-Za-z_]\w*)\}?|([A-Z][A-Z0-9_]+)(?:=.*)?")
_EXTENSION = re.compile(r"\.(sh|py|ya?ml|json|toml|md|txt|jsx?|tsx?|cfg|ini|lock|sql|csv|html|css|xml|tf|pem|service)$")
_LINE_NUMBER = re.compile(r"(?<=\w):\d+(?::\d+)?$")  # app/main.py:42
_SYMBOL = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")


def why_not_refuted(text: str, needle: str, worlds: Sequence[ScriptedWorld]) -> str:
    """Return why the last world does not refute the words of a text that contain a needle; "" if it does.

    A word counts as a file, a variable or a symbol if it named one in any of the worlds, also an earlier one.
    """
    found = list(_lookups(text, needle, worlds))
    if any(lookup.presence == "absent" for _, lookup in found):
        return ""
    if found:
        return f"at the probe {', '.join(f'{thing} is {_presence(lookup)}' for thing, lookup in found)}"
    return f"no path, variable, flag or symbol contains its needle {needle!r} in {text[:80]!r}"


def _presence(lookup: Lookup) -> str:
    return f"{lookup.presence} ({lookup.reason})" if lookup.reason else lookup.presence


def is_confirmed(text: str, needle: str, worlds: Sequence[ScriptedWorld]) -> bool:
    """Return whether all that a needle's words name is in the last world, and not from an untrusted source."""
    found = list(_lookups(text, needle, worlds))
    return bool(found) and all(
        lookup.presence == "present" and lookup.by not in UNTRUSTED_SOURCES for _, lookup in found
    )


def _lookups(text: str, needle: str, worlds: Sequence[ScriptedWorld]) -> Iterator[tuple[str, Lookup]]:
    for number, word in _words_with(text, needle):
        yield from _word_lookups(text, number, word, worlds)


def _words_with(text: str, needle: str) -> Iterator[tuple[int, str]]:
    """Yield the words of a text that overlap a needle, with their numbers."""
    words = [(number, word) for number, word in enumerate(text.split()) if fold(word)]
    joined = " ".join(fold(word) for _, word in words)
    start = joined.find(fold(needle))
    stop = start + len(fold(needle))
    place = 0
    for number, word in words:
        end = place + len(fold(word))
        if start >= 0 and place < stop and end > start:
            yield number, _bare(word)
        place = end + 1


def _bare(word: str) -> str:
    visible = (char for char in unicodedata.normalize("NFKC", word) if unicodedata.category(char) != "Cf")
    return _LINE_NUMBER.sub("", "".join(visible).lstrip(_OPENING).rstrip(_CLOSING))


def _word_lookups(text: str, number: int, word: str, worlds: Sequence[ScriptedWorld]) -> Iterator[tuple[str, Lookup]]:
    """Yield the lookups of a word, one for each kind of thing that it may name."""
    world = worlds[-1]
    if word.startswith("-"):
        flag = word.split("=", maxsplit=1)[0]
        command = _command(text, number, worlds)
        yield f"{command} {flag}".strip(), world.flag(command, flag)
        return
    if found := _VARIABLE.fullmatch(word):
        name = found[1] or found[2]
        if found[1] or "_" in name or any(name in one.env for one in worlds):
            yield f"${name}", world.variable(name)
    if _is_path(word, worlds):
        yield word, world.file(word)
    if _SYMBOL.fullmatch(word) and _was_symbol(word, worlds):
        yield f"{word}()", world.symbol(word)


def _command(text: str, number: int, worlds: Sequence[ScriptedWorld]) -> str:
    """Return the command of a flag: the last known command before it, else the first after it."""
    words = [_bare(word) for word in text.split()]
    known = {name for world in worlds for name in world.commands}
    before = [word for word in words[:number] if word in known]
    return next((word for word in (*before[::-1], *words[number:]) if word in known), "")


def _is_path(word: str, worlds: Sequence[ScriptedWorld]) -> bool:
    """Return whether a word is a path, and not prose, a URL, a domain or a date."""
    if "://" in word or not word:
        return False
    was_there = any(world.file(word).presence == "present" for world in worlds)
    if "/" not in word:
        return was_there or _EXTENSION.search(word) is not None
    first = word.removeprefix("./").split("/")[0]
    folders = {name.split("/")[0] for world in worlds for name in world.files}
    return was_there or first in folders or ("." not in first and _EXTENSION.search(word) is not None)


def _was_symbol(word: str, worlds: Sequence[ScriptedWorld]) -> bool:
    last = word.rsplit(".", 1)[-1]
    sources = [source for world in worlds for path, (source, _) in world.files.items() if path.endswith(".py")]
    return any(last in symbols(source) for source in sources) or (bool(sources) and "_" in last)
