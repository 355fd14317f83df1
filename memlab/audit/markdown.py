"""Reads Markdown and plain text: one entry for each list item, paragraph, table row, and line of code."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memlab.audit.entry import Entry, Role

_FENCE = re.compile(r"^\s*(```|~~~)")
_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")
_ALONE = re.compile(r"^\s*(?:#{1,6}\s|\||>|<!--|---\s*$|[\w-]+:\s)")
"""A line that no next line continues: a heading, a table row, a quotation, a field of a header."""


def read_markdown(file: str, text: str, role: Role) -> Iterator[Entry]:
    """Yield the entries of a text in order. The lines of one paragraph or list item are one entry, with line breaks."""
    start, lines, in_code = 0, list[str](), False
    for number, line in enumerate(text.splitlines(), 1):
        is_fence = bool(_FENCE.match(line))
        ends = is_fence or in_code or not line.strip() or _ITEM.match(line) or _ALONE.match(line)
        if ends and lines:
            yield Entry(file, start, "\n".join(lines), role)
            lines = []
        if is_fence:
            in_code = not in_code
        elif in_code or _ALONE.match(line):
            if line.strip():
                yield Entry(file, number, line, role, is_prose=False)
        elif line.strip():
            start = start if lines else number
            lines.append(line)
    if lines:
        yield Entry(file, start, "\n".join(lines), role)
