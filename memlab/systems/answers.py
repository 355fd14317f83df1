"""Validates the answers of memory systems; an invalid or missing answer raises SystemFailed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from traceback import walk_tb

from memlab.terms import Memory

OURS = tuple(str(Path(__file__).parent / name) for name in ("child/program", "user_class", "in_process"))
"""The files that call a user's code: no place of an error in it."""
ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
DETAIL = 300
"""Most characters of a system's own message that an error quotes."""
LONGEST = 2**24
"""Most characters of one answer, all items together: a longer one fails. One over the budget is only cut."""


class SystemFailed(Exception):
    """A system gave no valid answer: it raised, timed out, ended, or returned something else.

    `printed` is what it had printed, if its process is gone.
    """

    printed = ""


def memories_of(system: str, recalled: object) -> tuple[Memory, ...]:
    """Return the memories that recall() returned, a list or tuple of str or Memory. Raises SystemFailed if invalid."""
    if not isinstance(recalled, list | tuple):
        raise SystemFailed(
            f"recall() of {system!r} returned {_kind(recalled)}; it must return a list of strings or Memory. "
            "Return [] when nothing is known."
        )
    memories = tuple(_memory(system, number, item) for number, item in enumerate(recalled, start=1))
    texts = [text for memory in memories for text in (memory.text, *memory.notes)]
    _check(f"recall() of {system!r}", [*texts, *filter(None, (memory.store for memory in memories))])
    return memories


def texts_of(system: str, recalled: object, k: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return all item texts, uncut, and the notes of the first k items. Raises SystemFailed like memories_of."""
    memories = memories_of(system, recalled)
    return tuple(item.text for item in memories), tuple(note for item in memories[:k] for note in item.notes)


def stores_of(recalled: Sequence[Memory | str], k: int) -> tuple[str, ...]:
    """Return the store of each of the first k items, "" if unknown; an empty tuple if all are unknown."""
    stores = tuple(item.store if isinstance(item, Memory) else "" for item in recalled[:k])
    return stores if any(stores) else ()


def context_of(system: str, assembled: object, verb: str = "assemble") -> str:
    """Return the string that assemble() or window() returned, uncut. Raises SystemFailed if it is no string."""
    if not isinstance(assembled, str):
        raise SystemFailed(
            f"{verb}() of {system!r} returned {_kind(assembled)}; it must return one string. "
            'Return "" when there is nothing to say.'
        )
    _check(f"{verb}() of {system!r}", [assembled])
    return assembled


def failure(system: str, doing: str, error: BaseException) -> SystemFailed:
    """Return the SystemFailed for an error that a system raised while `doing` something ("recall()", "loading")."""
    if isinstance(error, SystemFailed):
        return error
    return SystemFailed(
        f"{doing} of {system!r} raised {one_line(type(error).__name__)}{_message(error)}{_place(error)}"
    )


def one_line(text: str) -> str:
    """Return a system's message as one line of at most DETAIL characters, with unprintable characters escaped.

    Addresses, as in `<Mine object at 0x7f45>`, are removed, because they differ in each run.
    """
    words = ADDRESS.sub("", " ".join(text[: 2 * DETAIL].split()))[:DETAIL]
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in words)


def _memory(system: str, number: int, item: object) -> Memory:
    place = f"item {number} of recall() of {system!r}"
    if isinstance(item, str):
        return Memory(item)
    if not isinstance(item, Memory):
        raise SystemFailed(f"{place} is {_kind(item)}; every item must be a string or a Memory.")
    for part, value in (("text", item.text), ("store", item.store)):
        if not isinstance(value, str):
            raise SystemFailed(f"{place} is a Memory whose {part} is {_kind(value)}; it must be a string.")
    if not isinstance(item.notes, list | tuple) or not all(isinstance(note, str) for note in item.notes):
        raise SystemFailed(f"{place} is a Memory whose notes are {_kind(item.notes)}; they must be a tuple of strings.")
    return item


def _check(place: str, texts: Sequence[str]) -> None:
    """Raise SystemFailed if texts are too long or no valid Unicode."""
    length = sum(map(len, texts)) + len(texts)
    if length > LONGEST:
        raise SystemFailed(f"{place} returned {length:,} characters; at most {LONGEST:,} are read. Keep to the budget.")
    try:
        "".join(texts).encode()
    except UnicodeEncodeError as error:
        half = error.object[error.start]
        raise SystemFailed(
            f"{place} returned {half!r}, half of a surrogate pair, which is no Unicode text. "
            'Decode bytes with errors="replace".'
        ) from None


def _kind(value: object) -> str:
    return "None" if value is None else f"a value of type {type(value).__name__}"


def _message(error: BaseException) -> str:
    try:
        message = one_line(str(error))
    except BaseException:  # noqa: BLE001 - the judged system wrote this __str__, and its failure is being recorded
        message = ""
    return f": {message}" if message else ""


def _place(error: BaseException) -> str:
    """Return the file and line of the last frame that belongs to the system itself."""
    frames = [(trace.f_code.co_filename, line) for trace, line in walk_tb(error.__traceback__)]
    own = [f" ({Path(file).name}, line {line})" for file, line in frames if not file.startswith(OURS)]
    return own[-1] if own else ""
