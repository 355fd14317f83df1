"""What things are called: texts folded for comparison, safe names, digests; and the no that every store may say."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Collection

LONGEST_SLUG = 64
_SLUG = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")
# NFKC sorts a run of marks (accents) in squared time, so only 30 of them count, as in Unicode's Stream-Safe Text Format
_MARKS = re.compile(r"((?:[^\w\s\x00-\x7f]|[\uff9e\uff9f]){30})(?:[^\w\s\x00-\x7f]|[\uff9e\uff9f])+")
_ZERO_WIDTH = dict.fromkeys(
    [0x00AD, 0x034F, 0x061C, 0x180E, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0xFEFF]
)


class Refused(Exception):
    """A memory says no: the message names the rule, the value, and what would be accepted."""


def fold(text: str) -> str:
    """Fold a text for comparison: NFKC, zero-width characters out, case folded, white space to single spaces."""
    if text.isascii():
        return " ".join(text.lower().split())
    visible = unicodedata.normalize("NFKC", _MARKS.sub(r"\1", text)).translate(_ZERO_WIDTH)
    return " ".join(unicodedata.normalize("NFKC", visible.casefold()).split())


def whole(text: str) -> str:
    """Put U+FFFD in the place of half characters (lone surrogates), which no file and no table can hold."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def listed(name: str, texts: Collection[str]) -> Collection[str]:
    """Give a list of texts. Raises TypeError for a single text, of which each letter would be taken for one."""
    if isinstance(texts, str):
        raise TypeError(f"{name} {texts!r}: this is one text where a list is meant; write [{texts!r}]")
    return texts


def slug(name: str) -> str:
    """Give the safe form of a name, after NFKC, zero-width removal and case folding.

    Raises Refused unless it is 1 to 64 lower-case letters and digits in words joined by `-` or `_`: then it is a file
    name that leads nowhere else, a line of an index that forges nothing, and one spelling per subject.
    """
    plain = unicodedata.normalize("NFKC", name).translate(_ZERO_WIDTH).casefold()
    if len(plain) > LONGEST_SLUG or not _SLUG.fullmatch(plain):
        shown = ascii(name if len(name) <= LONGEST_SLUG else name[:LONGEST_SLUG] + "...")
        raise Refused(
            f"name {shown}: a name is a slug, 1 to {LONGEST_SLUG} of a-z and 0-9 in words joined by '-' or '_'; "
            "choose one such as 'deploy-script'"
        )
    return plain


def digest(*said: str) -> str:
    """Name a content: 16 hex digits of SHA-256, the same in every process."""
    return hashlib.sha256("\0".join(said).encode("utf-8", "surrogatepass")).hexdigest()[:16]
