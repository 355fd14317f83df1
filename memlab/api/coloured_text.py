"""Text that prints plainly in Python, and in colour in Jupyter and in a terminal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.text import Text

from memlab.report.lines import Line, to_plain, to_rich
from memlab.report.tables.folding import WIDTH


class ColouredText:
    """Lines of a report: `str` wraps them at 120 characters, Jupyter and `rich` show their colours."""

    def __init__(self, lines: Iterable[Line]) -> None:
        self.lines = list(lines)

    def __str__(self) -> str:
        return "\n".join(to_plain(line, WIDTH) for line in self.lines)

    __repr__ = __str__

    def __rich__(self) -> Text:
        return to_rich(self.lines)

    def _repr_mimebundle_(self, **_: object) -> dict[str, Any]:
        """Return what Jupyter displays."""
        bundle = to_rich(self.lines)._repr_mimebundle_([], [])
        return {**bundle, "text/plain": str(self)}
