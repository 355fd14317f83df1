"""A self-contained HTML page without scripts, which loads nothing."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from importlib.resources import files

from memlab.report.html.elements import Markup, element, fragment


def number_cell(text: str) -> Markup:
    """Return a table cell with a number."""
    return element("td", text, class_="number")


def number_heads(*names: str) -> list[Markup]:
    """Return the headings of columns of numbers."""
    return [element("th", name, scope="col", class_="number") for name in names]


def render_page(title: str, *body: str) -> str:
    """Return a page whose content policy allows our own style and embedded images only.

    Even if a student's markup got into it, it could not use a script, a style, a form or an address.
    """
    style = files("memlab.grading.reports").joinpath("page.css").read_text(encoding="utf-8")
    ours = b64encode(sha256(style.encode()).digest()).decode("ascii")
    policy = f"default-src 'none'; style-src 'sha256-{ours}'; img-src data:; base-uri 'none'; form-action 'none'"
    head = fragment(
        Markup('<meta charset="utf-8">'),
        Markup(f'<meta http-equiv="Content-Security-Policy" content="{policy}">'),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        Markup('<meta name="color-scheme" content="light dark">'),
        element("title", title),
        element("style", Markup(style)),
    )
    return f'<!doctype html>\n<html lang="en">{element("head", head)}{element("body", *body)}</html>\n'
