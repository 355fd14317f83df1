"""Drawings of Lab 07: the content of the four stores, and the sections of a prompt against its budget."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence, Sized
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from pathlib import Path
from textwrap import wrap

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.patches import Rectangle
from matplotlib.text import Text

from memlab.report.charts.style import (
    BLUE,
    FAINT,
    GREEN,
    GREY,
    INK,
    ORANGE,
    PURPLE,
    RED,
    SETTINGS,
    SOFT,
    figure,
    spread,
)
from memlab.report.text import escape_invisible

WIDTH = 8.0  # inches: the width of a notebook's cell
DOTS = 150  # dots per inch
LETTERS, LINES, WIDE = 55, 8, 70  # characters of a line and lines of a box; characters beside the ribbon
MONO = FontProperties(family="DejaVu Sans Mono", size=7.2)
HEADING = re.compile(r"^\[(RULES|FACTS|RECENT|WORKING|RECITE)\b[^\]\n]*\]", re.MULTILINE)
CUT = re.compile(
    "^(?:\\.\\.\\.|\N{HORIZONTAL ELLIPSIS}|\\[|\\().*\\b(?:trimmed|left out|dropped|omitted)\\b.*$", re.MULTILINE
)
"""The line that marks what was cut out of the middle."""
COLOURS = {"RULES": BLUE, "FACTS": GREEN, "RECENT": ORANGE, "WORKING": RED, "RECITE": PURPLE}
TRIMMED, REST = "trimmed", "no heading"
NAMES, APART = 9, 0.1  # parts that get a name beside the ribbon, and the distance of names as a share of its height


@dataclass(frozen=True)
class Picture:
    """A figure and its description in words, for readers who cannot see it."""

    figure: Figure
    words: str

    def png(self) -> bytes:
        """Return the figure as PNG; the same figure gives the same bytes."""
        file = BytesIO()
        with mpl.rc_context(SETTINGS):
            self.figure.savefig(file, format="png", dpi=DOTS, metadata={"Software": None})
        return file.getvalue()


@dataclass(frozen=True)
class Store:
    """One of the four stores: its name, place and lifetime, and its entries as lines."""

    name: str
    place: str
    lifetime: str
    colour: str
    lines: Sequence[str]
    count: str

    def visible_lines(self) -> list[str]:
        """Return the lines that fit: all in full, or shortened, of a log the latest, and the number of the others."""
        if len(self.lines) <= LINES:
            full = [row for line in self.lines for row in rows_of(line)]
            return full if len(full) <= LINES else [line_of(line) for line in self.lines]
        hidden = len(self.lines) - LINES + 1
        if self.name == "EPISODIC":
            return [f"... {hidden} earlier", *map(line_of, self.lines[1 - LINES :])]
        return [*map(line_of, self.lines[: LINES - 1]), f"... {hidden} more"]


@dataclass(frozen=True)
class Part:
    """A part of the prompt: from a heading to the next, or the line that marks a cut."""

    name: str
    start: int
    end: int
    first: str

    @property
    def colour(self) -> str:
        """Return the colour of its section; text without a heading is grey."""
        return COLOURS.get(self.name, INK if self.name == TRIMMED else GREY)


def draw_stores(folder: Path, working: object = None) -> Picture:
    """Draw the four stores as four boxes: the files of `folder`/mix, and the scratchpad, if one is given."""
    stores = read_stores(folder, working)
    words = ". ".join(f"{store.name}: {store.count}" for store in stores) + "."
    with mpl.rc_context(SETTINGS):
        drawing = figure(WIDTH, 4.6, "Content of the four stores", "Four jobs, four lifetimes.", "")
        axes = drawing.add_axes((0, 0, 1, 3.75 / 4.6))
        axes.set_axis_off()
        axes.set_xlim(0, WIDTH)
        axes.set_ylim(3.75, 0)
        for store, (left, top) in zip(stores, [(0.25, 0), (4.08, 0), (0.25, 1.86), (4.08, 1.86)], strict=True):
            _box(axes, store, left, top)
    return Picture(drawing, words)


def read_stores(folder: Path, working: object = None) -> list[Store]:
    """Read the four stores; unreadable entries are shown as such."""
    rules = [line for line in _text(folder / "mix" / "rules.md").splitlines() if line.strip()]
    log = [line for line in _text(folder / "mix" / "episodes.jsonl").splitlines() if line.strip()]
    facts = _text(folder / "mix" / "facts.json")
    pad = list(_scratchpad(working)) if isinstance(working, dict) else []
    count = _count(working, "entry") if isinstance(working, dict) else "none was given"
    return [
        Store("WORKING", "in memory only", "dies with its task", RED, pad, count),
        Store("EPISODIC", "mix/episodes.jsonl", "only ever grows", ORANGE, list(_episodes(log)), _count(log, "line")),
        Store("SEMANTIC", "mix/facts.json", "true until the world changes", GREEN, *_facts(facts)),
        Store("PROCEDURAL", "mix/rules.md", "stays until a person edits it", BLUE, rules, _count(rules, "line")),
    ]


def draw_prompt(text: str, budget_chars: int) -> Picture:
    """Draw a prompt as a ribbon from top to bottom: its sections, where it was cut, and what exceeds the budget."""
    parts = read_prompt(text)
    size, over = len(text), len(text) - budget_chars
    fits = f"{over:,} over" if over > 0 else f"{-over:,} left of" if over else "exactly"
    words = f"{size:,} characters, {fits} the budget of {budget_chars:,}."
    with mpl.rc_context(SETTINGS):
        drawing = figure(WIDTH, 5.4, "The prompt by section", f"From top to bottom: {words}", "")
        axes = drawing.add_axes((0.9 / WIDTH, 0.35 / 5.4, 1.9 / WIDTH, 4.0 / 5.4))
        scale = max(size, budget_chars, 1) * 1.02
        axes.set_ylim(scale, 0)
        axes.set_xlim(0, 1)
        _ribbon(axes, parts)
        _budget(axes, size, budget_chars)
        _beside(axes, parts, budget_chars)
    sizes = [f"{one.name} {one.end - one.start:,}" for one in parts]
    return Picture(drawing, f"{words} {', '.join(sizes) or 'Nothing to read'}.")


def read_prompt(text: str) -> list[Part]:
    """Split a prompt at every line that opens a section or marks a cut, even a forged one."""
    opened = [(found.start(), found[1], found.end()) for found in HEADING.finditer(text)]
    cut = [(found.start(), TRIMMED, found.start()) for found in CUT.finditer(text)]
    after = [(found.end() + 1, REST, found.end() + 1) for found in CUT.finditer(text) if text[found.end() :].strip()]
    heads = {start for start, *_ in opened}
    marks = sorted({*opened, *cut, *(one for one in after if one[0] not in heads)})
    if not marks or marks[0][0] > 0:
        marks.insert(0, (0, REST, 0))
    ends = [start for start, *_ in marks[1:]] + [len(text)]
    return [
        Part(name, start, end, next(iter(text[body:end].strip().splitlines()), ""))
        for (start, name, body), end in zip(marks, ends, strict=True)
        if text[start:end].strip()
    ]


def _ribbon(axes: Axes, parts: Iterable[Part]) -> None:
    axes.spines[["top", "right", "bottom"]].set_visible(False)
    axes.set_xticks([])
    axes.tick_params(axis="y", length=3, labelsize=8, colors=SOFT)
    axes.yaxis.set_major_formatter("{x:,.0f}")
    for part in parts:
        block = Rectangle((0.05, part.start), 0.9, part.end - part.start, facecolor=part.colour, alpha=0.85)
        block.set(edgecolor="white", linewidth=0.8, hatch="xxxx" if part.name == TRIMMED else "")
        axes.add_patch(block)


def _budget(axes: Axes, size: int, budget: int) -> None:
    if size > budget:
        over = Rectangle((0.05, budget), 0.9, size - budget, fill=False, hatch="////", edgecolor=INK, linewidth=0)
        axes.add_patch(over)
    axes.axhline(budget, color=INK, linewidth=1.6, linestyle=(0, (4, 2)), clip_on=False)


def _beside(axes: Axes, parts: list[Part], budget: int) -> None:
    """Write the name of each part beside it, and the budget beside its line, without overlaps."""
    named = sorted(parts, key=lambda one: one.start - one.end)[:NAMES]
    bottom = axes.get_ylim()[0]
    middles = {id(one): (one.start + one.end) / 2 for one in named} | {0: budget}
    places = spread({str(key): 1 - middle / bottom for key, middle in middles.items()}, APART)
    for one in named:
        _name(axes, one, middles[id(one)] / bottom, places[str(id(one))])
    _line(axes, 1, 1 - budget / bottom, places["0"], INK)
    _write(axes, 1.2, places["0"], f"budget: {budget:,} characters", INK).set(weight="bold")
    if len(parts) > NAMES:
        _write(axes, 1.2, -0.05, f"and {len(parts) - NAMES} more parts, too small to name", SOFT)


def _name(axes: Axes, part: Part, middle: float, place: float) -> None:
    _line(axes, 0.95, 1 - middle, place, part.colour)
    _write(axes, 1.2, place + 0.018, f"{part.name}   {part.end - part.start:,} characters", INK).set(weight="bold")
    _write(axes, 1.2, place - 0.022, line_of(part.first, WIDE), SOFT).set_fontproperties(MONO)


def _line(axes: Axes, start: float, height: float, place: float, colour: str) -> None:
    path = ([start, 1.06, 1.17], [height, height, place])
    axes.plot(*path, color=colour, linewidth=0.9, transform=axes.transAxes, clip_on=False)


def _write(axes: Axes, left: float, height: float, text: str, colour: str) -> Text:
    return axes.text(
        left, height, text, transform=axes.transAxes, color=colour, va="center", size=8.5, parse_math=False
    )


def _box(axes: Axes, store: Store, left: float, top: float) -> None:
    wide, high = 3.67, 1.74
    axes.add_patch(Rectangle((left, top), wide, high, facecolor="white", edgecolor=FAINT, linewidth=1))
    axes.add_patch(Rectangle((left, top), 0.08, high, facecolor=store.colour, linewidth=0))
    axes.text(left + 0.2, top + 0.17, store.name, weight="bold", size=9.5, va="center")
    axes.text(left + 1.35, top + 0.17, store.place, size=8.5, va="center", fontfamily="DejaVu Sans Mono")
    axes.text(left + 0.2, top + 0.37, f"{store.lifetime}: {store.count}", size=8, color=SOFT, va="center")
    for row, line in enumerate(store.visible_lines()):
        height = top + 0.6 + 0.145 * row
        axes.text(left + 0.2, height, line, color=INK, va="center", parse_math=False, fontproperties=MONO)


def line_of(text: str, most: int = LETTERS) -> str:
    """Return a text on one line of at most `most` characters; one missing in the font is a square."""
    drawn = _drawn(text)
    return drawn if len(drawn) <= most else drawn[: most - 1] + "\N{HORIZONTAL ELLIPSIS}"


def rows_of(text: str) -> list[str]:
    """Return all of a text, wrapped; no line for an empty one."""
    return wrap(_drawn(text), LETTERS, subsequent_indent="  ", break_on_hyphens=False)


def _drawn(text: str) -> str:
    flat = " ".join(escape_invisible(text).split())
    return "".join(letter if ord(letter) in _letters() else "\N{WHITE SQUARE}" for letter in flat)


@cache
def _letters() -> frozenset[int]:
    return frozenset(get_font(findfont(MONO)).get_charmap())


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _count(things: Sized, what: str) -> str:
    many = f"{what[:-1]}ies" if what.endswith("y") else f"{what}s"
    return f"1 {what}" if len(things) == 1 else f"{len(things) or 'no'} {many}"


def _episodes(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        try:
            read = json.loads(line)
            yield f"{read['kind']}: {read['detail']}"
        except (ValueError, TypeError, KeyError):
            yield f"(not an episode) {line}"


def _scratchpad(working: dict[object, object]) -> Iterator[str]:
    for key, value in working.items():
        if isinstance(value, list | tuple):
            yield f"{key}:"
            yield from (f"  - {one}" for one in value)
        else:
            yield f"{key}: {value}"


def _facts(text: str) -> tuple[list[str], str]:
    """Return a line for each fact, and the number of facts."""
    try:
        found = json.loads(text or "{}")
    except ValueError:
        found = None
    if not isinstance(found, dict):
        return text.splitlines(), "corrupt, not a JSON object"
    facts = {name: fact.get("body", fact) if isinstance(fact, dict) else fact for name, fact in found.items()}
    return [f"{name}: {body}" for name, body in facts.items()], _count(facts, "fact")
