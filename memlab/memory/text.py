"""Text helpers: comparison, safe names, digests; and Refused, the error of every store."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Collection
from dataclasses import replace
from typing import Any

LONGEST_SLUG = 64
_SLUG = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")
# NFKC sorts a run of marks (accents) in squared time, so only 30 of them count, as in Unicode's Stream-Safe Text Format
_MARKS = re.compile(r"((?:[^\w\s\x00-\x7f]|[\uff9e\uff9f]){30})(?:[^\w\s\x00-\x7f]|[\uff9e\uff9f])+")
_ZERO_WIDTH = dict.fromkeys(
    [0x00AD, 0x034F, 0x061C, 0x180E, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0xFEFF]
)


class Refused(Exception):
    """The memory refuses an operation; the message names the rule, the value, and what is accepted.

    A run continues after a refused event, and a refused question is an empty answer.

    >>> try:
    ...     memlab.MemoryMix("memory").check_off("deploy")
    ... except memlab.Refused as refused:
    ...     print(refused)
    done 'deploy': no open to-do has this text; open to-dos: none
    """


def fold(text: str) -> str:
    """Return a text for comparison: NFKC, case folded, without zero-width characters, single spaces."""
    if text.isascii():
        return " ".join(text.lower().split())
    visible = unicodedata.normalize("NFKC", _MARKS.sub(r"\1", text)).translate(_ZERO_WIDTH)
    return " ".join(unicodedata.normalize("NFKC", visible.casefold()).split())


def to_bytes(text: str) -> bytes:
    """Encode a text as UTF-8, lone surrogates included."""
    return text.encode("utf-8", "surrogatepass")


def from_bytes(data: bytes) -> str:
    """Decode what to_bytes() returned. Raises UnicodeDecodeError for other bytes."""
    return data.decode("utf-8", "surrogatepass")


def replace_surrogates(text: str) -> str:
    """Replace lone surrogates by U+FFFD, since neither UTF-8 files nor SQLite can store them."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def clean(value: Any) -> Any:  # noqa: ANN401 - any part of a record
    """Replace lone surrogates in every text of a value: a str, a tuple, a list, or a dataclass."""
    if isinstance(value, str):
        return replace_surrogates(value)
    if isinstance(value, (tuple, list)):
        return tuple(map(clean, value))
    values = {name: getattr(value, name) for name in getattr(value, "__dataclass_fields__", ())}
    changed = {name: cleaned for name, old in values.items() if (cleaned := clean(old)) is not old}
    return replace(value, **changed) if changed else value


def text_size(value: object) -> int:
    """Return the bytes of all texts in a value, in UTF-8: a str, a tuple, a list, or a dataclass."""
    if isinstance(value, str):
        return len(value) if value.isascii() else len(to_bytes(value))
    if isinstance(value, (tuple, list)):
        return sum(map(text_size, value))
    return sum([text_size(getattr(value, name)) for name in getattr(value, "__dataclass_fields__", ())])


def require_list(name: str, texts: Collection[str]) -> Collection[str]:
    """Return a list of texts unchanged. Raises TypeError for a single str, which would count as a list of letters."""
    if isinstance(texts, str):
        raise TypeError(f"{name} {texts!r}: this is one text where a list is meant; write [{texts!r}]")
    return texts


def slug(name: str) -> str:
    """Return the safe form of a name, after NFKC, removal of zero-width characters and case folding.

    Raises Refused unless it is 1 to 64 lower-case letters and digits in words joined by `-` or `_`: safe as a file
    name and as a line of an index, and one spelling per subject.
    """
    plain = unicodedata.normalize("NFKC", _MARKS.sub(r"\1", name)).translate(_ZERO_WIDTH).casefold()
    if len(plain) > LONGEST_SLUG or not _SLUG.fullmatch(plain):
        shown = ascii(name if len(name) <= LONGEST_SLUG else name[:LONGEST_SLUG] + "...")
        raise Refused(
            f"name {shown}: a name is a slug, 1 to {LONGEST_SLUG} of a-z and 0-9 in words joined by '-' or '_'; "
            "choose one such as 'deploy-script'"
        )
    return plain


def digest(*texts: str) -> str:
    """Return the first 16 hex digits of the texts' SHA-256."""
    return hashlib.sha256(to_bytes("\0".join(texts))).hexdigest()[:16]
