"""The charts of a class: the distribution of the points, and the difficulty of the tasks."""

from __future__ import annotations

import io
from base64 import b64encode
from collections.abc import Sequence

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from memlab.grading.reports.class_statistics import TaskStatistics
from memlab.grading.reports.messages import format_percent
from memlab.report.charts.style import BLUE, FAINT, INK, PALE_BLUE, SETTINGS, SOFT, Frame, figure, panels
from memlab.report.html.elements import Markup, element

BINS = 10
WIDTH = 8.4
ROW = 0.3
MAX_TITLE = 34
"""Letters of a task's title beside its bar."""
EDGE = 1e-9
POINTS = "Distribution of points"
TASKS = "Results by task, hardest first"


def count_tenths(shares: Sequence[float]) -> list[int]:
    """Count shares of the points in ten bins; the last one includes full marks."""
    counts = [0] * BINS
    for share in shares:
        counts[min(max(int(share * BINS + EDGE), 0), BINS - 1)] += 1
    return counts


def draw_points(shares: Sequence[float], middle: float) -> Markup:
    """Draw a histogram of the points, with the median as a line."""
    counts = count_tenths(shares)
    with mpl.rc_context(SETTINGS):
        subtitle = f"Number of submissions by share of the points. The line is the median, {format_percent(middle)}."
        footnote = f"n = {len(shares)}. Missing submissions count 0; failures of the grader are left out."
        chart = figure(WIDTH, 3.5, POINTS, subtitle, footnote)
        panel = panels(chart, 1, 1, Frame(left=0.45, right=0.3, top=1.15, bottom=0.75))[0]
        bars = panel.bar([10 * tenth + 5 for tenth in range(BINS)], counts, width=9.2, color=BLUE)
        panel.bar_label(bars, labels=[str(count) if count else "" for count in counts], padding=2, color=INK)
        panel.axvline(100 * middle, color=INK, linewidth=1)
        panel.set_xlim(0, 100)
        panel.set_ylim(0, 1.18 * max(counts, default=1) or 1)
        panel.set_xticks(range(0, 101, 10), [f"{mark} %" if mark == 100 else str(mark) for mark in range(0, 101, 10)])  # noqa: PLR2004 - the whole
        panel.set_yticks([])
    bins = ", ".join(f"{10 * tenth} to {10 * tenth + 10} %: {count}" for tenth, count in enumerate(counts) if count)
    return _to_image(chart, f"{POINTS}. {bins or 'nobody'}. Median {format_percent(middle)}.")


def draw_tasks(tasks: Sequence[TaskStatistics]) -> Markup:
    """Draw for each task how many earned all of its points, some, and none; the hardest task is on top."""
    height = 2.0 + ROW * len(tasks)
    with mpl.rc_context(SETTINGS):
        subtitle = "Share of the submissions that attempted the task and earned all, some or none of its points."
        chart = figure(WIDTH, height, TASKS, subtitle, "Right: mean share of the points.")
        panel = panels(chart, 1, 1, Frame(left=2.75, right=0.75, top=1.2, bottom=0.6))[0]
        for row, task in enumerate(tasks):
            _draw_bar(panel, row, task)
        panel.set_xlim(0, 1)
        panel.set_ylim(len(tasks) - 0.45, -0.55)
        panel.set_xticks([0, 0.5, 1], ["0", "50", "100 %"])
        panel.set_yticks(range(len(tasks)), [_shorten(task.title) for task in tasks])
        for place, (part, colour) in enumerate((("all", BLUE), ("some", PALE_BLUE), ("none", FAINT))):
            where = (0.18 * place, 1.0)
            panel.annotate("■", where, (0, 5), "axes fraction", "offset points", color=colour, size=11)
            panel.annotate(part, where, (13, 6), "axes fraction", "offset points", color=SOFT, size=8.5)
    means = "; ".join(f"{task.title} {format_percent(task.mean)}" for task in tasks)
    return _to_image(chart, f"{TASKS}. Mean share of the points: {means}.")


def _draw_bar(panel: Axes, row: int, task: TaskStatistics) -> None:
    left = 0.0
    for count, colour in zip(task.parts(), (BLUE, PALE_BLUE, FAINT), strict=True):
        share = count / len(task.shares)
        panel.barh(row, share, left=left, height=0.72, color=colour, edgecolor="white", linewidth=0.8)
        left += share
    panel.annotate(f"{format_percent(task.mean)}", (1, row), (6, 0), "data", "offset points", va="center", color=INK)


def _shorten(title: str) -> str:
    return title if len(title) <= MAX_TITLE else f"{title[: MAX_TITLE - 1]}…"


def _to_image(chart: Figure, words: str) -> Markup:
    """Return a figure as an <img> element; the same figure gives the same bytes."""
    drawn = io.BytesIO()
    with mpl.rc_context(SETTINGS):
        chart.savefig(drawn, format="svg", metadata={"Date": None, "Creator": None})
    source = "data:image/svg+xml;base64," + b64encode(drawn.getvalue()).decode("ascii")
    return element("figure", element("img", src=source, alt=words), tabindex="0")
