"""Build HTML: every string is escaped unless this module made it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

from memlab.report.text import escape_invisible

_VOID = frozenset({"img"})
_PARTS = re.compile(r"[^/:._-]*[/:._-]|[^/:._-]+")


class Markup(str):
    """HTML that is already escaped."""

    __slots__ = ()


def element(name: str, *content: str, **attributes: str) -> Markup:
    """Return one element; what is not Markup is escaped. `class_` sets the class, `data_x` sets `data-x`."""
    names = {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items()}
    opening = "".join(f' {key}="{_escaped(value, quotes=True)}"' for key, value in names.items())
    return Markup(f"<{name}{opening}>" if name in _VOID else f"<{name}{opening}>{fragment(*content)}</{name}>")


def fragment(*content: str) -> Markup:
    """Concatenate pieces; content that is not Markup is escaped."""
    return Markup("".join(_escaped(piece, quotes=False) for piece in content))


def breakable(name: str) -> Markup:
    """Return a system's name that may be broken after the signs of a path."""
    return Markup("<wbr>".join(fragment(part) for part in _PARTS.findall(name)))


def with_code(text: str) -> Markup:
    """Return a text in which each part between backticks is an element `code`."""
    parts = text.split("`")
    return fragment(*(element("code", part) if number % 2 else part for number, part in enumerate(parts)))


def section(name: str, title: str, *content: str) -> Markup:
    """Return a section with a heading and the id `name`."""
    return element("section", element("h2", title), *content, id=name)


def html_table(name: str, caption: str, headings: Iterable[str], rows: Iterable[str]) -> Markup:
    """Return a table of the class `name`, inside an element that scrolls when the table is too wide."""
    parts = (element("caption", caption), element("thead", element("tr", *headings)), element("tbody", *rows))
    return element("div", element("table", *parts, class_=name), class_="scroll", tabindex="0")


def column_heading(*content: str) -> Markup:
    """Return the heading cell of a column."""
    return element("th", *content, scope="col")


def _escaped(text: str, *, quotes: bool) -> str:
    return text if isinstance(text, Markup) else escape(escape_invisible(text), quotes)
