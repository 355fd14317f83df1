"""A table that is divided into several, one below the other, if a terminal is too narrow for all columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Literal, NamedTuple

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

WIDTH = 120
"""Characters of a line, if the output is not a terminal."""


class Column(NamedTuple):
    """One column; its width is that of its widest cell."""

    head: str | Text
    cells: Sequence[str | Text]
    justify: Literal["left", "right"] = "right"

    def width(self) -> int:
        """Return its width in characters, with the space after it."""
        return 1 + max(cell_len(line) for cell in (self.head, *self.cells) for line in str(cell).split("\n"))


@dataclass(frozen=True)
class Folded:
    """A table of several parts, each with the columns `names` first; no cell is truncated.

    Print it with `soft_wrap`, so that a single column that is still too wide is wrapped.
    """

    names: Sequence[Column]
    columns: Sequence[Column]
    caption: str

    def parts(self, width: int) -> list[list[Column]]:
        """Divide the columns into as few parts as the width allows, in order."""
        room = width - sum(column.width() for column in self.names)
        parts: list[list[Column]] = [[]]
        for column in self.columns:
            if parts[-1] and sum(one.width() for one in (*parts[-1], column)) > room:
                parts.append([])
            parts[-1].append(column)
        return parts

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Table | Text]:
        """Render the parts, then the caption."""
        width = options.max_width if console.is_terminal else WIDTH
        for number, part in enumerate(self.parts(width)):
            if number:
                yield Text()
            yield _table([*self.names, *part])
        yield Text("\n".join(line for part in self.caption.split("\n") for line in wrap(part, width)), "dim italic")


def fit_to_content(grid: Table) -> Table:
    """Make every column as wide as its content, so that a narrow console truncates none."""
    wide_enough = Console(width=10 * WIDTH)
    grid.width = Measurement.get(wide_enough, wide_enough.options, grid).maximum
    return grid


def _table(columns: Sequence[Column]) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), header_style="bold", width=sum(one.width() for one in columns))
    align: Literal["top", "bottom"] = "bottom" if any("\n" in str(one.head) for one in columns) else "top"
    for column in columns:
        table.add_column(column.head, justify=column.justify, no_wrap=True, vertical=align)
    for cells in zip(*(column.cells for column in columns), strict=True):
        table.add_row(*cells)
    return table
