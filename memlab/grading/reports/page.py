"""A page that needs nothing but itself, runs nothing, and can load nothing."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from importlib.resources import files

from memlab.report.html.elements import Markup, element, fragment


def number_cell(text: str) -> Markup:
    """Make a cell of figures."""
    return element("td", text, class_="number")


def number_heads(*names: str) -> list[Markup]:
    """Make the heads of columns of figures."""
    return [element("th", name, scope="col", class_="number") for name in names]


def render_page(title: str, *body: str) -> str:
    """Compose a page. Its policy lets a browser use our own style and the images in it, and nothing else.

    Should markup of a stranger's ever slip through, it has no script, no style, no form and no address to call.
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
