"""HTML that cannot be broken by what is stored in it: everything is escaped but what this module made."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

_FORBIDDEN = re.compile(
    "[^\t\n\r\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
    "|[\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2028\u2029\u206a-\u206f\u3164\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]"
)


_VOID = frozenset({"img"})


class Markup(str):
    """A piece of HTML that is safe as it stands."""

    __slots__ = ()


def visible(text: str) -> str:
    """Write what XML forbids, or a reader cannot see, as its code point, so that nothing hides in a report."""
    return _FORBIDDEN.sub(lambda found: f"\N{WHITE SQUARE}{ord(found[0]):04x}", text)


def element(name: str, *inside: str, **attributes: str) -> Markup:
    """Make one element; what is no Markup is escaped. `class_` names the class, `data_x` becomes `data-x`."""
    names = {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items()}
    opening = "".join(f' {key}="{escape(visible(value))}"' for key, value in names.items())
    return Markup(f"<{name}{opening}>" if name in _VOID else f"<{name}{opening}>{together(*inside)}</{name}>")


def together(*inside: str) -> Markup:
    """Put pieces side by side; what is no Markup is escaped."""
    return Markup("".join(piece if isinstance(piece, Markup) else escape(visible(piece)) for piece in inside))


def section(name: str, title: str, *inside: str) -> Markup:
    """Make a section under its heading, which links can name."""
    return element("section", element("h2", title), *inside, id=name)


def grid(name: str, caption: str, heads: Iterable[str], rows: Iterable[str]) -> Markup:
    """Make a table, which scrolls by itself where it is too wide."""
    inside = (element("caption", caption), element("thead", element("tr", *heads)), element("tbody", *rows))
    return element("div", element("table", *inside, class_=name), class_="scroll", tabindex="0")


def head(*inside: str) -> Markup:
    """Make the head of a column."""
    return element("th", *inside, scope="col")
