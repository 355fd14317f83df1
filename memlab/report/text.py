"""Text that shows every character in it."""

from __future__ import annotations

import re

_INVISIBLE = re.compile(
    "[^\t\n\r\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
    "|[\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2028\u2029\u206a-\u206f\u3164\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]"
)


def escape_invisible(text: str) -> str:
    """Replace each character that XML forbids, or that a reader cannot see, by its code point."""
    return _INVISIBLE.sub(lambda match: f"\N{WHITE SQUARE}{ord(match[0]):04x}", text)
