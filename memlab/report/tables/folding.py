"""A table that is cut into several, one below the other, where a terminal is too narrow for all its columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Literal, NamedTuple

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions
from rich.table import Table
from rich.text import Text

WIDTH = 120
"""Letters of a line, where no terminal says how many it has."""


class Column(NamedTuple):
    """One column of figures, each as wide as it is."""

    head: str | Text
    cells: Sequence[str | Text]
    justify: Literal["left", "right"] = "right"

    def width(self) -> int:
        """Give its letters, and the space behind it."""
        return 1 + max(cell_len(line) for cell in (self.head, *self.cells) for line in str(cell).split("\n"))


@dataclass(frozen=True)
class Folded:
    """A table whose first columns, `names`, stand again before each of its parts; no figure is cut short.

    What is no terminal has WIDTH columns. Print it with `soft_wrap`, so that a single column that is still too wide is
    wrapped and not cut.
    """

    names: Sequence[Column]
    columns: Sequence[Column]
    caption: str

    def parts(self, width: int) -> list[list[Column]]:
        """Divide the columns into as few parts as the width allows, in their order, each of one column at least."""
        room = width - sum(column.width() for column in self.names)
        parts: list[list[Column]] = [[]]
        for column in self.columns:
            if parts[-1] and sum(one.width() for one in (*parts[-1], column)) > room:
                parts.append([])
            parts[-1].append(column)
        return parts

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Table | Text]:
        """Lay out the parts with the caption below the last."""
        width = options.max_width if console.is_terminal else WIDTH
        for number, part in enumerate(self.parts(width)):
            if number:
                yield Text()
            yield _table([*self.names, *part])
        yield Text("\n".join(line for part in self.caption.split("\n") for line in wrap(part, width)), "dim italic")


def _table(columns: Sequence[Column]) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), header_style="bold", width=sum(one.width() for one in columns))
    stands: Literal["top", "bottom"] = "bottom" if any("\n" in str(one.head) for one in columns) else "top"
    for column in columns:
        table.add_column(column.head, justify=column.justify, no_wrap=True, vertical=stands)
    for cells in zip(*(column.cells for column in columns), strict=True):
        table.add_row(*cells)
    return table
