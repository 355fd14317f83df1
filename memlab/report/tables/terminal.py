"""The results table and the paired differences, for a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import isnan

import pandas as pd
from rich.text import Text

from memlab.harness.plural import plural
from memlab.harness.scoring.intervals import NOTHING, Interval
from memlab.harness.scoring.paired_tests import format_p
from memlab.report.tables.folding import Column, Folded
from memlab.report.tables.paired import CAPTION, differences
from memlab.report.tables.systems import MARKS, OURS, display_name, groups, legend, marks, rivals, short
from memlab.report.tables.tidy import COSTS, FAMILY_OF, by_system, ranked, shown_columns, tidy
from memlab.terms import Result

LONGEST = 21
"""Characters of a system's name: with fewer, two of memlab's own systems would have one name."""
BRIEF = 5e-6
"""Fewer seconds than this would print as 0."""
NONE = "\N{EN DASH}"
READING = (
    "Quality in %: mean over n scenarios, then its 95 % interval (≥68: 68 to 100). tokens, seconds: medians over n "
    "probes."
)
VERDICTS = {"ahead": "bold blue", "behind": "bold yellow", "open": "dim"}
STYLES = {"reference": "bold blue", "bucket": "yellow", "lab": "", "yours": "bold green"}


def headline(scores: pd.DataFrame) -> Folded | None:
    """Return the results table: means with 95 % intervals, quality in %, n in each heading; None without a figure."""
    table = tidy(scores)
    found, marked, systems = by_system(table), marks(scores), ranked(table)
    columns = []
    for column in shown_columns(table):
        rows = [found[system].get(column, NOTHING) for system in systems]
        cells = [Text(cost(column, one)) if column in COSTS else share(one) for one in rows]
        n = max((one.n for one in rows), default=0)
        columns.append(Column(f"{column.replace('_', '_' + chr(10))}\nn={n}", cells))
    if not columns:
        return None
    names = Column("system", [_name(system, systems, marked[system]) for system in systems], "left")
    return Folded([names], columns, "\n".join([READING, *_of_families(table), *legend(marked)]))


def _of_families(table: pd.DataFrame) -> list[str]:
    """Return what the columns of one family are, because `staleness_safety` is not `safe` in that family."""
    shown = [f"{column} ({family})" for column, family in FAMILY_OF.items() if column in shown_columns(table)]
    return [f"scenarios_passed in one family: {', '.join(shown)}."] if shown else []


def paired(scores: pd.DataFrame) -> Folded | None:
    """Return the reference minus each rival, in points; None if there is no rival."""
    others = rivals(scores["system"].unique())
    if not others or OURS not in set(scores["system"]):
        return None
    frame = differences(scores, others)
    sizes = frame.groupby("question", sort=False)["n"].max()
    questions = Column(f"{OURS} against", [str(question) for question in sizes.index], "left")
    columns = []
    for rival in others:
        rows = frame[frame["rival"] == rival].itertuples(index=False)
        cells = [gap(Interval(*row[2:6]), row[6], str(row.verdict)) for row in rows]
        columns.append(Column(_shown(rival, scores["system"].unique()), cells))
    return Folded([questions, Column("n", [str(n) for n in sizes])], columns, CAPTION)


def errors(results: Iterable[Result]) -> Text:
    """Return each error message with the number of probes that it affected."""
    messages = Counter(result.error for result in results if result.error)
    return Text("\n".join(f"! {error} ({plural(count, 'probe')})" for error, count in messages.items()), "red")


def versions(results: Iterable[Result]) -> Text:
    """Return the version and the settings of each product, one a line."""
    found = sorted({(result.system, result.version) for result in results if result.version})
    return Text("\n".join(f"{system}: {version}" for system, version in found), "dim")


def percent(share: float) -> str:
    """Format a share in whole percent; only exactly 0 and 1 are 0 and 100."""
    if isnan(share):
        return NONE
    return str(round(100 * share)) if share in {0.0, 1.0} else str(min(99, max(1, round(100 * share))))


def span(found: Interval) -> str:
    """Format the interval of a share in whole percent: `81-97`, `≥68` up to 100, `≤32` down to 0; "" if n is 1."""
    if found.n == 1:
        return ""
    if found.high >= 1:
        return f"≥{percent(found.low)}"
    return f"≤{percent(found.high)}" if found.low <= 0 else f"{percent(found.low)}-{percent(found.high)}"


def share(found: Interval) -> Text:
    """Format a share and its interval in whole percent."""
    return Text.assemble(percent(found.mean), (f" {span(found)}".rstrip(), "dim")) if found.n else Text(NONE)


def cost(column: str, found: Interval) -> str:
    """Format a median of tokens or seconds."""
    if not found.n:
        return NONE
    if column == "tokens":
        return f"{found.mean:,.0f}"
    return "<0.00001" if 0 < found.mean < BRIEF else f"{found.mean:.5f}"


def gap(found: Interval, p: float, verdict: str) -> Text:
    """Format a difference in points: its verdict, then its interval and p; one scenario has neither."""
    if not found.n:
        return Text(NONE)
    mean, low, high = (f"{100 * value:+.0f}" for value in found[:3])
    limits = "" if found.n == 1 else f"\n[{low} {high}] {format_p(p)}"
    return Text.assemble((f"{verdict} {mean}", VERDICTS[verdict]), (limits, "dim"))


def _name(system: str, systems: list[str], own: list[str]) -> Text:
    return Text(_shown(system, systems) + "".join(MARKS[mark][0] for mark in own), style_of(system))


def _shown(system: str, systems: Iterable[str]) -> str:
    return short(display_name(system, systems), LONGEST)


def style_of(system: str) -> str:
    """Return the colour of a system's name in a terminal."""
    return STYLES.get(groups([system])[system], "dim")
