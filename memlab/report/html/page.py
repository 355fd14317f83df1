"""report.html: one page without external files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from urllib.parse import quote

import pandas as pd

from memlab.harness.plural import plural
from memlab.harness.scenarios.schema import LIMITS
from memlab.harness.scoring.decisions import Decision
from memlab.harness.scoring.fixes import HEADING
from memlab.harness.scoring.intervals import METHOD
from memlab.report.charts.all import Chart
from memlab.report.charts.style import shorten
from memlab.report.html.attacks import attacks_section
from memlab.report.html.elements import Markup, element, fragment, section
from memlab.report.html.failures import failures_of, failures_section
from memlab.report.html.fixes import fixes_section
from memlab.report.html.matrix import families_section
from memlab.report.html.tables import headline_section, paired_section, two_by_two_section
from memlab.report.html.thresholds import thresholds_section
from memlab.report.tables.scores import plain
from memlab.terms import Result

TITLE = "Memory benchmark report"
LEAD = (
    "A scenario is a timeline of events and questions. A memory passes it if every answer contains what is expected "
    "and nothing that is forbidden."
)
NONE: Mapping[str, Sequence[Result]] = {}
LINKS = {
    "thresholds": "Thresholds",
    "headline": "Results",
    "charts": "Charts",
    "paired": "Paired differences",
    "two-by-two": "Stores and defences",
    "attacks": "Attack resistance",
    "families": "Results by scenario",
    "failures": "Failures",
    "fixes": HEADING,
}


def page(  # noqa: PLR0913, PLR0917 - one parameter for each part of the page
    failed: list[Result],
    scores: pd.DataFrame,
    charts: Iterable[Chart],
    scenarios: Iterable[Path] = (),
    decisions: Sequence[Decision] = (),
    own: Mapping[str, Sequence[Result]] = NONE,
) -> str:
    """Return report.html: thresholds, results, charts, comparisons, the failures in full, and what to fix first.

    `own` are the results of the user's own systems.
    """
    failures = failures_of(failed)
    main = element(
        "main",
        *([thresholds_section(LINKS["thresholds"], decisions)] if decisions else []),
        headline_section(LINKS["headline"], scores),
        section("charts", LINKS["charts"], *map(_figure, charts)),
        paired_section(LINKS["paired"], scores),
        two_by_two_section(LINKS["two-by-two"], scores),
        attacks_section(LINKS["attacks"], scores, failures),
        families_section(LINKS["families"], scores, failures),
        failures_section(LINKS["failures"], failures, scenarios),
        *([fixes_section(LINKS["fixes"], own, failures)] if own else []),
    )
    inside = fragment(
        Markup('<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'),
        Markup('<meta name="color-scheme" content="light dark">'),
        element("title", f"memlab: {TITLE}"),
        element("style", _asset("page.css")),
    )
    absent = {name for name, content in (("thresholds", decisions), ("fixes", own)) if not content}
    links = {name: title for name, title in LINKS.items() if name not in absent}
    body = element("body", _header(scores, links), main, element("script", _asset("page.js")))
    return f'<!doctype html>\n<html lang="en">{element("head", inside)}{body}</html>\n'


def _asset(name: str) -> Markup:
    return Markup(files("memlab.report").joinpath(name).read_text(encoding="utf-8"))


def _header(scores: pd.DataFrame, sections: dict[str, str]) -> Markup:
    counted = plain(scores)
    counts = {name: counted[name].nunique() for name in ("system", "scenario", "seed")}
    size = ", ".join(plural(count, name) for name, count in counts.items())
    apart = counted.loc[counted["family"] == LIMITS, "scenario"].nunique()
    size += f" ({apart} of the scenarios in {LIMITS}, which is not counted)" if apart else ""
    summary = f"{size}. The unit is the scenario: its seeds are averaged first. 95 % intervals: {METHOD}."
    links = [element("a", title, href=f"#{name}") for name, title in sections.items()]
    search = [
        element("label", f"{what} ", Markup(f'<input id="{what}" type="search" placeholder="all">'))
        for what in ("systems", "scenarios")
    ]
    head = (element("h1", TITLE), element("p", LEAD, class_="lead"), element("p", summary))
    return element("header", *head, element("nav", *links, element("span", "Filter: ", *search, class_="search")))


def _figure(chart: Chart) -> Markup:
    image = element("img", src=_data_uri(chart.svg.read_text(encoding="utf-8")), alt=f"{chart.title}. {chart.words}")
    return element("figure", image)


def _data_uri(svg: str) -> Markup:
    """Return an SVG image as a data URI, which is shorter than base64."""
    short = shorten(svg).replace('"', "'")
    return Markup("data:image/svg+xml," + quote(short, safe=" !$'*+,-./:;=?@_~{}|"))
