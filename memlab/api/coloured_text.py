"""Text that prints plainly in Python, and in colour in Jupyter and in a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rich.console import Console, ConsoleOptions
from rich.text import Text

from memlab.report.lines import Line, to_plain, to_rich, to_wrapped
from memlab.report.tables.folding import WIDTH


class ColouredText:
    """Lines of a report: `str` wraps them at 120 characters, Jupyter and a terminal show their colours."""

    def __init__(self, lines: Iterable[Line]) -> None:
        self.lines = list(lines)

    def __str__(self) -> str:
        return "\n".join(to_plain(line, WIDTH) for line in self.lines)

    __repr__ = __str__

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        """Render the lines, wrapped at 120 characters, or at the width of a narrower terminal."""
        width = min(options.max_width, WIDTH) if console.is_terminal else WIDTH
        for line in self.lines:
            yield to_wrapped(line, width, console)

    def _repr_mimebundle_(self, **_: object) -> dict[str, Any]:
        """Return what Jupyter displays."""
        bundle = to_rich(self.lines)._repr_mimebundle_([], [])
        return {**bundle, "text/plain": str(self)}
