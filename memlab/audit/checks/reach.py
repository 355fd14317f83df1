"""Statements that nobody could retrieve: without words to search for, outside an index, or behind a budget."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from memlab.audit.entry import Entry, Finding
from memlab.memory.context import count_tokens
from memlab.memory.retrieval.relevance import stems

INDEX = "MEMORY.md"
_LINK = re.compile(r"\]\(([^)#\s]+\.md)\)")


def unreachable(entries: Sequence[Entry]) -> Iterator[Finding]:
    """Yield the records without a word that a question could have, and the notes that their index does not list."""
    for entry in entries:
        if entry.role == "records" and not stems(entry.text):
            yield Finding(
                "unreachable", entry.file, entry.line, "has no word that a question could contain", entry.text
            )
    for index in {entry.file for entry in entries if posixpath.basename(entry.file) == INDEX}:
        folder = posixpath.dirname(index)
        linked = {link for entry in entries if entry.file == index for link in _LINK.findall(entry.text)}
        listed = {posixpath.normpath(posixpath.join(folder, link)) for link in linked}
        beside = {entry.file for entry in entries if posixpath.dirname(entry.file) == folder and entry.role == "notes"}
        for file in sorted(beside - listed - {index}) if linked else ():
            yield Finding("unreachable", file, 1, f"is not listed in {index}, so no agent opens it", file, file)


def over_budget(entries: Sequence[Entry], budget: int) -> Iterator[Finding]:
    """Yield for each instruction file its first statement that a budget in tokens would cut."""
    loaded = (entry for entry in entries if entry.role == "instructions")
    for file, some in groupby(loaded, key=lambda entry: entry.file):
        used = 0
        for entry in some:
            used += count_tokens(entry.text)
            if used > budget:
                what = f"this and what follows is beyond {budget:,} tokens"
                yield Finding("over-budget", file, entry.line, what, entry.text, str(budget))
                break
