"""The results table and the paired differences as HTML."""

from __future__ import annotations

import pandas as pd

from memlab.harness.scoring.intervals import NOTHING, Interval
from memlab.harness.scoring.paired_tests import format_p
from memlab.report.html.elements import Markup, breakable, column_heading, element, html_table, section
from memlab.report.tables.paired import CAPTION, differences
from memlab.report.tables.systems import MARKS, OURS, display_name, groups, legend, marks, rivals
from memlab.report.tables.terminal import NONE, cost, percent, span
from memlab.report.tables.tidy import COSTS, FAMILY_OF, HALVES, SHOWN, by_system, ranked, shown_columns, tidy
from memlab.report.tables.two_by_two import CAPTION as EFFECTS_CAPTION
from memlab.report.tables.two_by_two import DESIGN, EFFECTS, finding, interaction, two_by_two

READING = (
    "Quality in %: the mean over n scenarios and its 95 % interval (≥68: 68 to 100). In the attack columns also the "
    "two halves: safe (nothing forbidden was served) and useful (everything expected was served). tokens and seconds: "
    "medians over n probes. Click a heading to sort; hover for its meaning."
)


def headline_section(title: str, scores: pd.DataFrame) -> Markup:
    """Return every headline column of every system, most scenarios passed first."""
    table = tidy(scores)
    found, marked, kinds = by_system(table), marks(scores), groups(ranked(table))
    heads = [column_heading("system"), *(_column(column, found) for column in shown_columns(table))]
    rows = []
    for system, kind in kinds.items():
        signs = (element("abbr", MARKS[mark][0], title=MARKS[mark][1]) for mark in marked[system])
        name = element("th", breakable(display_name(system, kinds)), *signs, scope="row", title=system)
        cells = [
            _cost(found[system].get(column, NOTHING), column) if column in COSTS else _share(found[system], column)
            for column in shown_columns(table)
        ]
        rows.append(element("tr", name, *cells, class_=kind, data_system=system))
    caption = READING + "".join(f" {text}." for text in legend(marked))
    return section("headline", title, html_table("headline", caption, heads, rows))


def paired_section(title: str, scores: pd.DataFrame) -> Markup:
    """Return the reference minus each rival, by question."""
    others = rivals(scores["system"].unique())
    if OURS not in set(scores["system"]) or not others:
        return section("paired", title, element("p", f"This table needs a run with {OURS} and one other memory."))
    rows = []
    for question, pairs in differences(scores, others).groupby("question", sort=False):
        cells = [_gap(Interval(*pair[2:6]), pair[6], str(pair.verdict)) for pair in pairs.itertuples(index=False)]
        n = element("td", str(pairs["n"].max()))
        rows.append(element("tr", element("th", breakable(str(question)), scope="row"), n, *cells))
    names = (breakable(display_name(one, [OURS, *others])) for one in others)
    heads = map(column_heading, (f"{OURS} against", "n", *names))
    return section("paired", title, html_table("paired", CAPTION, heads, rows))


def two_by_two_section(title: str, scores: pd.DataFrame) -> Markup:
    """Return stores x defences: the means of the four systems, then the effects, by family."""
    designs = two_by_two(scores)
    if not designs:
        return section("two-by-two", title, element("p", f"This table needs a run with {', '.join(DESIGN)}."))
    rows = []
    for system, what in DESIGN.items():
        cells = [_mean(one.means[system]) for one in designs]
        rows.append(element("tr", element("th", f"{system} ", element("small", what), scope="row"), *cells))
    for name in EFFECTS:
        found = [one.effects[name] for one in designs]
        cells = [_gap(each.interval, each.p, each.verdict) for each in found]
        rows.append(element("tr", element("th", name, scope="row"), *cells))
    families = (column_heading(f"{one.family} ", element("small", f"n={one.n}")) for one in designs)
    caption = f"{finding(designs[0])}. {interaction(designs[0])} {EFFECTS_CAPTION}"
    table = html_table("paired", caption, [column_heading("stores x defences"), *families], rows)
    return section("two-by-two", title, table)


def _mean(found: Interval) -> Markup:
    return element("td", element("b", percent(found.mean)), " ", *_small(span(found)))


def _small(text: str) -> list[Markup]:
    return [element("small", text)] if text else []


def _column(column: str, found: dict[str, dict[str, Interval]]) -> Markup:
    n = max((row.get(column, NOTHING).n for row in found.values()), default=0)
    name = Markup(column.replace("_", "_<wbr>"))
    return column_heading(element("abbr", name, title=SHOWN[column]), element("small", f"n={n}"))


def _share(row: dict[str, Interval], column: str) -> Markup:
    found = row.get(column, NOTHING)
    if not found.n:
        return element("td", NONE, data_value="-1")
    inside = [element("b", percent(found.mean)), " ", *_small(span(found))]
    if column in FAMILY_OF:
        halves = (f"{half}\N{NO-BREAK SPACE}{percent(row[f'{column}_{half}'].mean)}" for half in HALVES)
        inside.append(element("small", ", ".join(halves), class_="halves"))
    return element("td", *inside, data_value=f"{found.mean:.6f}", style=f"--share:{found.mean:.3f}")


def _cost(found: Interval, column: str) -> Markup:
    return element("td", cost(column, found), data_value=f"{found.mean:.6f}" if found.n else "-1")


def _gap(found: Interval, p: float, verdict: str) -> Markup:
    if not found.n:
        return element("td", NONE)
    limits = "" if found.n == 1 else f"{100 * found.low:+.0f} to {100 * found.high:+.0f}, {format_p(p)}"
    return element("td", element("b", f"{verdict} {100 * found.mean:+.0f}"), *_small(limits), class_=verdict)
