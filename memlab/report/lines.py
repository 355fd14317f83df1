"""Lines of a report as data: a producer returns them, and each output (terminal, notebook, HTML) renders them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from textwrap import wrap
from typing import Literal, NamedTuple

from rich.console import Console
from rich.text import Text

from memlab.report.html.elements import Markup, element
from memlab.report.text import escape_invisible

Style = Literal["", "bold", "dim", "red", "green", "yellow", "cyan", "bold magenta"]


class Span(NamedTuple):
    """Text in one style."""

    text: str
    style: Style = ""


@dataclass(frozen=True)
class Line:
    """One line: `lead` is its first column (a time, a number, a label), and wrapped text is indented below the rest."""

    lead: str
    spans: tuple[Span, ...] = ()
    style: Style = ""

    @property
    def text(self) -> str:
        """Return the text after the lead, with invisible characters escaped."""
        return escape_invisible("".join(span.text for span in self.spans))

    def __str__(self) -> str:
        return escape_invisible(self.lead) + self.text


BLANK = Line("")


def line(lead: str, text: str, style: Style = "") -> Line:
    """Return a line in one style."""
    return Line(lead, (Span(text),), style)


def to_rich(lines: Iterable[Line]) -> Text:
    """Render lines for a notebook, in colour."""
    return Text("\n").join(Text.assemble(_lead(each), _coloured(each)) for each in lines)


def to_wrapped(each: Line, width: int, console: Console) -> Text:
    """Render one line for a terminal, in colour, wrapped to a width."""
    lead = _lead(each)
    parts = _coloured(each).wrap(console, width - len(lead)) or [Text()]
    for part in parts:
        part.rstrip()
    return lead + Text("\n" + " " * len(lead)).join(parts)


def _lead(each: Line) -> Text:
    return Text(escape_invisible(each.lead), each.style or "dim")


def _coloured(each: Line) -> Text:
    return Text.assemble(*((escape_invisible(span.text), span.style or each.style) for span in each.spans))


def to_plain(each: Line, width: int) -> str:
    """Render one line as plain text, wrapped to a width."""
    lead = escape_invisible(each.lead)
    below = " " * len(lead)
    return "\n".join(wrap(each.text, width, initial_indent=lead, subsequent_indent=below, break_on_hyphens=False))


def to_html(lines: Iterable[Line]) -> Markup:
    """Render lines as a block in which wrapped text is indented, at any width of the page."""
    paragraphs = (
        element("p", element("i", each.lead), each.text, **({"class_": each.style} if each.style else {}))
        for each in lines
    )
    return element("div", *paragraphs, class_="lines")
