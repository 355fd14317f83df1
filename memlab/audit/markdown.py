"""Reads Markdown and plain text: one entry for each list item, paragraph, table row, and line of code."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memlab.audit.entry import Entry, Role

_FENCE = re.compile(r"^\s*(```|~~~)")
_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")
_INDENTED = re.compile(r"(?: {4}|\t)")
_ALONE = re.compile(r"^\s*(?:#{1,6}\s|\||>|<!--|---\s*$|[\w-]+:\s)")
"""A line that no next line continues: a heading, a table row, a quotation, a field of a header."""


def read_markdown(file: str, text: str, role: Role) -> Iterator[Entry]:
    """Yield the entries of a text in order. The lines of one paragraph or list item are one entry, with line breaks."""
    start, lines, in_code, in_list = 0, list[str](), False, False
    for number, line in enumerate(text.splitlines(), 1):
        is_fence = bool(_FENCE.match(line))
        in_list = bool(_ITEM.match(line)) or (in_list and (line[:1].isspace() or not line))
        is_code = in_code or (not in_list and not lines and _INDENTED.match(line))
        ends = is_fence or in_code or not line.strip() or _ITEM.match(line) or _ALONE.match(line)
        if ends and lines:
            yield Entry(file, start, "\n".join(lines), role)
            lines = []
        if is_fence:
            in_code = not in_code
        elif is_code or _ALONE.match(line):
            if line.strip():
                yield Entry(file, number, line, role, is_prose=False)
        elif line.strip():
            start = start if lines else number
            lines.append(line)
    if lines:
        yield Entry(file, start, "\n".join(lines), role)
