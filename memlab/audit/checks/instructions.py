"""Orders in records: a record says what is true, and may come from anybody."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from memlab.audit.entry import Entry, Finding
from memlab.memory.heuristics.injection import has_instruction


def instructions(entries: Iterable[Entry]) -> Iterator[Finding]:
    """Yield each record that gives instructions to its reader."""
    for entry in entries:
        if entry.role == "records" and has_instruction(entry.text):
            yield Finding(
                "instruction",
                entry.file,
                entry.line,
                "gives instructions; a record should only state facts",
                entry.text,
            )
