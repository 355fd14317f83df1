"""Does the scripted world refute what a text says? The benchmark's own eyes: it must not inherit a guard's mistakes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from memlab.memory.text import fold
from memlab.memory.trust import UNTRUSTED
from memlab.memory.world import Lookup, ScriptedWorld, symbols

_OPENING, _CLOSING = "\"'`([{<*", "\"'`()]}>*,;:!?."
_VARIABLE = re.compile(r"\$\{?([A-Za-z_]\w*)\}?|([A-Z][A-Z0-9_]+)(?:=.*)?")
_EXTENSION = re.compile(r"\.(sh|py|ya?ml|json|toml|md|txt|jsx?|tsx?|cfg|ini|lock|sql|csv|html|css|xml|tf|pem|service)$")
_SYMBOL = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")


def why_not_refuted(text: str, needle: str, worlds: Sequence[ScriptedWorld]) -> str:
    """Say why the last of some worlds does not refute the words of a text that carry a needle; "" where it does.

    The earlier worlds tell what a word once named: a bare word is a file, a variable or a symbol if it was one.
    """
    seen = list(_sights(text, needle, worlds))
    if any(sight.presence == "absent" for _, sight in seen):
        return ""
    if seen:
        return f"at the probe {', '.join(f'{thing} is {sight.presence}' for thing, sight in seen)}"
    return f"no path, variable, flag or symbol carries its needle {needle!r} in {text[:80]!r}"


def is_confirmed(text: str, needle: str, worlds: Sequence[ScriptedWorld]) -> bool:
    """Tell if the last of some worlds shows what a needle's words name, and nobody untrusted put it there."""
    seen = list(_sights(text, needle, worlds))
    return bool(seen) and all(sight.presence == "present" and sight.by not in UNTRUSTED for _, sight in seen)


def _sights(text: str, needle: str, worlds: Sequence[ScriptedWorld]) -> Iterator[tuple[str, Lookup]]:
    for number, word in _carrying(text, needle):
        yield from _looks(text, number, word, worlds)


def _carrying(text: str, needle: str) -> Iterator[tuple[int, str]]:
    """Find the words of a text, with their numbers, that a needle touches."""
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
    return "".join(visible).lstrip(_OPENING).rstrip(_CLOSING)


def _looks(text: str, number: int, word: str, worlds: Sequence[ScriptedWorld]) -> Iterator[tuple[str, Lookup]]:
    """Look for what a word may name, as each kind of thing that it may be."""
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
    """Find the registered command that a flag goes with: the last one before it, else the first after it."""
    words = [_bare(word) for word in text.split()]
    known = {name for world in worlds for name in world.commands}
    before = [word for word in words[:number] if word in known]
    return next((word for word in (*before[::-1], *words[number:]) if word in known), "")


def _is_path(word: str, worlds: Sequence[ScriptedWorld]) -> bool:
    """Tell a path from prose, a URL, a domain or a date."""
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
