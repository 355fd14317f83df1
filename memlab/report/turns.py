"""What thirty turns and more leave of a task: a table for the terminal, and a chart over turns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import inf, isinf
from pathlib import Path

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import blended_transform_factory
from rich.table import Table
from rich.text import Text

from memlab.harness.scoring.intervals import METHOD, Interval, interval
from memlab.harness.turns.play import ON_TRACK, Turn
from memlab.report.charts.style import FAINT, SETTINGS, SOFT, Frame, Look, figure, looks, panels, save, spread
from memlab.report.tables.systems import short
from memlab.report.tables.terminal import NONE, percent, span, style_of, whole

TITLE = "How long does an agent keep the thread?"
READING = (
    "Share of long tasks in which every turn so far went right: the next to-do, with the true fact, within the rules.\n"
    "Over each panel: how much of the assembled text the agent reads, in tokens, or the command that acts in its place."
)
CELL = ["system", "agent", "task", "seed"]
COLUMNS = {
    "finished": "to-dos done right and in order, of those there were, in %, with its 95 % interval",
    "false": "turns in a task on a fact that is stale or planted",
    "rules": "turns in a task against a rule, or after one that does not stand",
    "stray": "turns in a task on what was done, ended, not yet due, or asked for by nobody",
    "kept": "tasks in which nothing went wrong from the first turn to the last, in %",
    "lost": f"the turn at which the first thing went wrong, as a median over tasks; none: {NONE}",
}
"""What the table counts for each agent."""
LONGEST, LONGEST_AGENT = 18, 40
"""Letters of a system's name, and of an agent's, which may be a whole command."""
STRAY = ("early", "again", "planted")


def frame_of(turns: Iterable[Turn]) -> pd.DataFrame:
    """Give the tidy table: system, agent, task, seed, turn, event."""
    return pd.DataFrame(list(turns), columns=list(Turn._fields))


def write(turns: pd.DataFrame, folder: Path) -> None:
    """Write turns.csv and the chart; the same turns give the same bytes."""
    charts = folder / "charts"
    charts.mkdir(parents=True, exist_ok=True)
    turns.to_csv(folder / "turns.csv", index=False, lineterminator="\n", encoding="utf-8")
    with mpl.rc_context(SETTINGS):
        save(turns_chart(turns), charts, "turns")


def by_task(turns: pd.DataFrame) -> pd.DataFrame:
    """Give one row for each system, agent and task, its seeds averaged: the numbers behind COLUMNS.

    Where nothing went wrong `lost` is infinite and `kept` is 1.
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
    """Give the share of long tasks still on track: one column for each system and agent, one row for each turn."""
    cells = by_task(turns)
    last = int(cells["turns"].max())
    lost = turns[~turns["event"].isin(ON_TRACK)].groupby(CELL)["turn"].min()
    lost = lost.reindex(pd.MultiIndex.from_frame(turns[CELL].drop_duplicates())).fillna(inf)
    shares = {turn: (lost > turn).groupby(level=CELL[:2], sort=False).mean() for turn in range(1, last + 1)}
    return pd.DataFrame(shares).T


def in_words(turns: pd.DataFrame) -> str:
    """Say what the chart shows, for those who cannot see it: the tasks kept to the end, where there are any."""
    kept = by_task(turns)["kept"].groupby(level=CELL[:2], sort=False).mean()
    told = [f"{system} {share:.0%} ({agent})" for system, agent, share in _triples(kept) if share]
    return f"Tasks on track to the end: {', '.join(told) or 'none'}; all others 0%."


def _triples(shares: pd.Series) -> Iterator[tuple[str, str, float]]:
    yield from shares.rename("share").reset_index().itertuples(index=False, name=None)


def turns_table(turns: pd.DataFrame) -> Table:
    """Lay out COLUMNS for each system, by agent; print it with `soft_wrap`."""
    cells = by_task(turns)
    agents = list(dict.fromkeys(turns["agent"]))
    n = turns["task"].nunique()
    caption = Text("\n".join([f"Over {n} long tasks.", *(f"{name}: {what}" for name, what in COLUMNS.items())]))
    grid = Table(box=None, padding=(0, 1, 0, 0), caption=caption, caption_justify="left", header_style="bold")
    grid.add_column("system", no_wrap=True, vertical="bottom")
    for agent in agents:
        for number, name in enumerate(COLUMNS):
            grid.add_column(
                Text(f"{short(agent, LONGEST_AGENT) if not number else ''}\n{name}"), justify="right", no_wrap=True
            )
    for system in ranked(cells):
        own = [cells.loc[(system, agent)] for agent in agents]
        grid.add_row(Text(short(system, LONGEST), style_of(system)), *(cell for one in own for cell in _cells(one)))
    return whole(grid)


def ranked(cells: pd.DataFrame) -> list[str]:
    """Give the systems, most to-dos finished first, then by name."""
    means = cells["finished"].groupby(level="system").mean()
    return sorted(map(str, means.index), key=lambda system: (-means[system], system))


def _cells(own: pd.DataFrame) -> Iterator[Text]:
    found = interval(own["finished"])
    yield Text.assemble(percent(found.mean), (f" {span(found)}", "dim"))
    yield from (Text(f"{own[name].mean():.1f}") for name in ("false", "rules", "stray"))
    yield Text(percent(own["kept"].mean()))
    yield Text(NONE if isinf(lost := own["lost"].median()) else f"{lost:.0f}")


def turns_chart(turns: pd.DataFrame) -> Figure:
    """Draw the share of tasks on track over turns, one panel for each agent."""
    n, seeds = turns["task"].nunique(), turns["seed"].nunique()
    footer = f"{n} long tasks, samples of each: {seeds}. 95 % intervals at the end, over tasks: {METHOD}."
    shares, cells = on_track(turns), by_task(turns)
    agents = list(dict.fromkeys(turns["agent"]))
    styles = looks(dict.fromkeys(turns["system"]))
    made = figure(13.2, 5.8, TITLE, READING, footer)
    frame = Frame(left=0.75, right=1.85, top=1.5, bottom=1.0, between=2.3)
    for agent, panel in zip(agents, panels(made, 1, len(agents), frame), strict=True):
        curves = {str(system): shares[(system, agent)] for system in styles if (system, agent) in shares}
        ends = {system: interval(cells.loc[(system, agent)]["kept"]) for system in curves}
        _panel(panel, short(agent, LONGEST_AGENT), curves, ends, styles)
    return made


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
    panel.set_ylim(-0.02, 1.02)
    panel.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "25", "50", "75", "100 %"])
    panel.tick_params(axis="y", colors=SOFT)
    panel.grid(axis="y", color=FAINT, linewidth=0.7)
    _names(panel, ends, styles)


def _names(panel: Axes, ends: dict[str, Interval], styles: dict[str, Look]) -> None:
    """Name each line that is still above the ground at the end, and the loud ones; count the others."""
    named = {system: end.mean for system, end in ends.items() if end.mean > 0 or styles[system].loud}
    others = len(ends) - len(named)
    labels = {f"{others} others": 0.0} if others else {}
    where = blended_transform_factory(panel.transAxes, panel.transData)
    for system, place in spread(labels | named).items():
        look = styles.get(system)
        panel.text(
            1.04,
            place,
            short(system, LONGEST),
            va="center",
            size=9.5,
            weight="bold" if look and look.loud else "normal",
            color=look.ink if look else SOFT,
            transform=where,
        )
