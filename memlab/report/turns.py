"""Results of long tasks: a table for the terminal, and a chart of tasks on track by turn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from math import inf, isinf
from pathlib import Path

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from rich.table import Table
from rich.text import Text

from memlab.harness.plural import plural
from memlab.harness.scoring.intervals import METHOD, Interval, interval
from memlab.harness.turns.play import ON_TRACK, Turn
from memlab.report.charts.style import (
    APART,
    QUIET,
    SETTINGS,
    SOFT,
    Frame,
    Look,
    figure,
    looks,
    panels,
    percent_axis,
    save,
    spread,
)
from memlab.report.tables.folding import fit_to_content
from memlab.report.tables.systems import display_name, short
from memlab.report.tables.terminal import NONE, percent, share, style_of

TITLE = "Long tasks on track by turn"
READING = (
    "Share of long tasks with every turn so far correct: the next to-do, with the true fact, within the rules.\n"
    "Above each panel: how much of the context the agent reads, in tokens, or the command that replaces it."
)
CELL = ["system", "agent", "task", "seed"]
COLUMNS = {
    "finished": "share of the to-dos that were done correctly and in order, in %, with its 95 % interval",
    "false": "turns in a task that used a stale or planted fact",
    "rules": "turns in a task that broke a rule or followed a rule that is not current",
    "stray": "turns in a task on a to-do that was done, ended, not yet due, or planted",
    "kept": "tasks in which every turn was correct, in %",
    "lost": f"the first incorrect turn, as a median over tasks; none: {NONE}",
}
"""The columns of the table for each agent, and their definitions."""
LONGEST, LONGEST_AGENT = 18, 40
NAME = 0.18
"""Height of one name at the end of a line, in inches."""
OTHERS = replace(QUIET, ink=SOFT)
STRAY = ("early", "again", "planted")


def frame_of(turns: Iterable[Turn]) -> pd.DataFrame:
    """Return the tidy table: system, agent, task, seed, turn, event."""
    return pd.DataFrame(list(turns), columns=list(Turn._fields))


def write(turns: pd.DataFrame, folder: Path) -> None:
    """Write turns.csv and the chart; equal turns give equal bytes."""
    charts = folder / "charts"
    charts.mkdir(parents=True, exist_ok=True)
    turns.to_csv(folder / "turns.csv", index=False, lineterminator="\n", encoding="utf-8")
    with mpl.rc_context(SETTINGS):
        save(turns_chart(turns), charts, "turns")


def by_task(turns: pd.DataFrame) -> pd.DataFrame:
    """Return one row for each system, agent and task, averaged over seeds: the numbers behind COLUMNS.

    If every turn was correct, `lost` is infinite and `kept` is 1.
    """
    kinds = turns.assign(
        done=turns["event"] == "done",
        rest=turns["event"] == "rest",
        false=turns["event"] == "false",
        rules=turns["event"] == "broke",
        stray=turns["event"].isin(STRAY),
    )
    cells = kinds.groupby(CELL, sort=False).agg(
        turns=("turn", "max"), **{name: (name, "sum") for name in ("done", "rest", "false", "rules", "stray")}
    )
    wrong = turns[~turns["event"].isin(ON_TRACK)].groupby(CELL)["turn"].min()
    cells["lost"] = wrong.reindex(cells.index).fillna(inf)
    cells["kept"] = (cells["lost"] == inf).astype(float)
    cells["finished"] = cells["done"] / (cells["turns"] - cells["rest"])
    return cells.groupby(CELL[:3]).mean()


def on_track(turns: pd.DataFrame) -> pd.DataFrame:
    """Return the share of long tasks on track: one column for each system and agent, one row for each turn."""
    cells = by_task(turns)
    last = int(cells["turns"].max())
    lost = turns[~turns["event"].isin(ON_TRACK)].groupby(CELL)["turn"].min()
    lost = lost.reindex(pd.MultiIndex.from_frame(turns[CELL].drop_duplicates())).fillna(inf)
    shares = {turn: (lost > turn).groupby(level=CELL[:2], sort=False).mean() for turn in range(1, last + 1)}
    return pd.DataFrame(shares).T


def describe(turns: pd.DataFrame) -> str:
    """Describe the chart in text: the share of tasks on track to the end."""
    kept = by_task(turns)["kept"].groupby(level=CELL[:2], sort=False).mean()
    rows = kept.reset_index().itertuples(index=False, name=None)
    parts = [f"{system} {mean:.0%} ({agent})" for system, agent, mean in rows if mean]
    return f"Tasks on track to the end: {', '.join(parts) or 'none'}; all others 0%."


def turns_table(turns: pd.DataFrame) -> Table:
    """Return a table of COLUMNS for each system, by agent; print it with `soft_wrap`."""
    cells = by_task(turns)
    agents = list(dict.fromkeys(turns["agent"]))
    n = turns["task"].nunique()
    caption = Text(
        "\n".join([f"Over {plural(n, 'long task')}.", *(f"{name}: {what}" for name, what in COLUMNS.items())])
    )
    grid = Table(box=None, padding=(0, 1, 0, 0), caption=caption, caption_justify="left", header_style="bold")
    grid.add_column("system", no_wrap=True, vertical="bottom")
    for agent in agents:
        for number, name in enumerate(COLUMNS):
            head = Text(f"{'' if number else short(agent, LONGEST_AGENT)}\n{name}")
            grid.add_column(head, justify="right", no_wrap=True)
    systems = ranked(cells)
    for system in systems:
        own = [cells.loc[(system, agent)] for agent in agents]
        shown = Text(short(display_name(system, systems), LONGEST), style_of(system))
        grid.add_row(shown, *(cell for one in own for cell in _cells(one)))
    return fit_to_content(grid)


def ranked(cells: pd.DataFrame) -> list[str]:
    """Return the systems, most to-dos finished first, then by name."""
    means = cells["finished"].groupby(level="system").mean()
    return sorted(map(str, means.index), key=lambda system: (-means[system], system))


def _cells(own: pd.DataFrame) -> Iterator[Text]:
    yield share(interval(own["finished"]))
    yield from (Text(f"{own[name].mean():.1f}") for name in ("false", "rules", "stray"))
    yield Text(percent(own["kept"].mean()))
    yield Text(NONE if isinf(lost := own["lost"].median()) else f"{lost:.0f}")


def turns_chart(turns: pd.DataFrame) -> Figure:
    """Draw the share of tasks on track over turns, one panel for each agent."""
    n, seeds = turns["task"].nunique(), turns["seed"].nunique()
    footer = f"{plural(n, 'long task')}, samples of each: {seeds}. 95 % intervals at the end, over tasks: {METHOD}."
    shares, cells = on_track(turns), by_task(turns)
    agents = list(dict.fromkeys(turns["agent"]))
    styles = looks(dict.fromkeys(turns["system"]))
    chart = figure(13.2, 2.5 + max(3.3, NAME * len(styles)), TITLE, READING, footer)
    frame = Frame(left=0.75, right=1.85, top=1.5, bottom=1.0, between=2.3)
    for agent, panel in zip(agents, panels(chart, 1, len(agents), frame), strict=True):
        curves = {str(system): shares[(system, agent)] for system in styles if (system, agent) in shares}
        ends = {system: interval(cells.loc[(system, agent)]["kept"]) for system in curves}
        _panel(panel, short(agent, LONGEST_AGENT), curves, ends, styles)
    return chart


def _panel(
    panel: Axes, title: str, curves: dict[str, pd.Series], ends: dict[str, Interval], styles: dict[str, Look]
) -> None:
    last = max(len(curve) for curve in curves.values())
    for system in sorted(curves, key=lambda one: styles[one].loud):
        look, curve = styles[system], curves[system]
        width = 2.2 if look.loud else 1.1
        panel.step([0, *curve.index], [1.0, *curve], look.dashes, where="post", color=look.colour, linewidth=width)
        if look.loud:
            end = ends[system]
            panel.plot([last, last], [end.low, end.high], color=look.colour, linewidth=5, alpha=0.35, clip_on=False)
    panel.set_title(title, loc="left", size=10.5, weight="bold", pad=8, parse_math=False)
    panel.set_xlim(0, last)
    panel.set_xlabel("turn", labelpad=6)
    percent_axis(panel)
    _names(panel, ends, styles)


def _names(panel: Axes, ends: dict[str, Interval], styles: dict[str, Look]) -> None:
    """Write the names of lines above 0 at the end, and of emphasised systems; count the others."""
    named = {system: end.mean for system, end in ends.items() if end.mean > 0 or styles[system].loud}
    others = len(ends) - len(named)
    labels = {f"{plural(others, 'other')}": 0.0} if others else {}
    for system, place in spread(labels | named, min(APART, 1 / len(ends))).items():
        look = styles.get(system, OTHERS)
        name = panel.text(
            1.04, place, short(display_name(system, ends), LONGEST), transform=panel.get_yaxis_transform()
        )
        name.set(va="center", size=9.5, weight=look.weight, color=look.ink)
