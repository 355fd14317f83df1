"""Writes the pages of docs/systems, one for each file of rows, and the table of docs/documents.md.

    memlab compare --systems documents,hybrid,bucket-search --seeds 1 --out documents
    memlab compare --out memlab-results
    python docs/system_pages.py documents memlab-results

What a page says is in the docstring of the row's file, its numbers are the constants of the code, and its figures are
of the first of the results that have its rows. Without results, figures stay as they are.
"""

from __future__ import annotations

import argparse
import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import pairwise
from pathlib import Path
from textwrap import wrap
from typing import NamedTuple

import pandas as pd

from memlab.harness.running.results import read_results
from memlab.harness.scenarios.schema import LIMITS
from memlab.harness.scoring.intervals import Interval, difference, interval
from memlab.harness.scoring.thresholds import ALL
from memlab.report.tables.paired import values
from memlab.report.tables.scores import by_scenario, families, plain, score_all
from memlab.systems import registry
from memlab.systems.documents import rows as documents
from memlab.systems.entry import Entry
from memlab.systems.reference import hybrid_forgetting, hybrid_stores

MODULES = (*documents.MODULES, hybrid_forgetting, hybrid_stores)
DOCS = Path(__file__).resolve().parent
FOLDER = DOCS / "systems"
PARTS = ("Writes", "Stores", "Recalls", "Prompt", "Wins", "Loses")
BEGIN, END = "<!-- figures: python docs/system_pages.py RESULTS -->", "<!-- end of the figures -->"
NOT_PLAYED = "These rows are not in the table: no scenario is long enough for them."
BASE, REFERENCE = "bucket-search", "hybrid"
COLUMNS: Mapping[str, tuple[str, str]] = {
    "passed": (ALL, "scenarios_passed"),
    "precision": (ALL, "recall_precision"),
    "recall": (ALL, "recall"),
    "poison": ("poison", "scenarios_passed"),
    "stale": ("stale", "scenarios_passed"),
    "contradiction": ("contradiction", "scenarios_passed"),
    "survival": (ALL, "task_survival"),
    "recited": (ALL, "recited"),
}
"""Each column, with the family and the metric that it shows."""
COLOURS = ("#9cc9e3", "#e3e5e8", "#9cc9e3", "#f0d9a8")
WIDTH, GAP, LINE, CHARACTERS = 220, 40, 15, 34
TOP, PADDING = 40, 10
FONT = 'font-family="DejaVu Sans, Arial, sans-serif" font-size="11.5" fill="#1f2328"'
_PART = re.compile(rf"^({'|'.join(PARTS)}): (.*?)(?=^(?:{'|'.join(PARTS)}): |\Z)", re.MULTILINE | re.DOTALL)
_ORIGIN = re.compile(r"\[([spm])(?: on p)?\] (.*)", re.DOTALL)
_ORIGINS = {"s": "document", "p": "paper", "m": "our choice"}


class Page(NamedTuple):
    """What the code says about the rows of one file."""

    name: str
    title: str
    idea: str
    parts: Mapping[str, str]
    numbers: Sequence[tuple[str, str, str, str]]
    rows: Sequence[Entry]
    source: Path


def pages() -> Iterator[Page]:
    """Yield the page of each file of rows."""
    for module in MODULES:
        source = Path(str(module.__file__))
        title, _, rest = str(module.__doc__).strip().partition("\n")
        idea = _PART.sub("", rest).strip()
        parts = {name: _one_line(text) for name, text in _PART.findall(rest)}
        assert tuple(parts) == PARTS, f"{source}: the docstring needs {', '.join(PARTS)}, in this order"  # noqa: S101
        rows = next(getattr(module, name) for name in ("ENTRIES", "STORES_TAKEN_AWAY") if hasattr(module, name))
        files = sorted(source.parent.glob("*.py")) if source.name == "system.py" else [source]
        numbers = [number for file in files for number in _numbers(file)]
        name = rows[0].name if "documents" in source.parts else source.stem.replace("_", "-")
        yield Page(name, title, idea, parts, numbers, rows, source.relative_to(DOCS.parent))


def _numbers(file: Path) -> Iterator[tuple[str, str, str, str]]:
    """Yield the name, the value, the origin and the meaning of each documented constant."""
    body = ast.parse(file.read_text(encoding="utf-8")).body
    for one, after in pairwise(body):
        said = after.value.value if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) else None
        if isinstance(one, ast.Assign) and isinstance(said, str) and (origin := _ORIGIN.fullmatch(said)):
            value = _one_line(ast.unparse(one.value))
            shown = value if len(value) <= 40 else "see the code"  # noqa: PLR2004 - what fits into a cell
            yield ast.unparse(one.targets[0]).strip("()"), shown, _ORIGINS[origin[1]], _one_line(origin[2])


def rendered(page: Page, figures: str) -> str:
    """Return a page as markdown."""
    numbers = [f"| `{name}` | `{value}` | {origin} | {text} |" for name, value, origin, text in page.numbers]
    return "\n".join(
        [
            f"# {page.title.partition(':')[0]}",
            "",
            _sentence(page.title.partition(": ")[2] or page.title),
            "",
            page.idea,
            "",
            f"![How {page.rows[0].name} works](diagrams/{page.name}.svg)",
            "",
            "| policy | |\n| -- | -- |",
            *(f"| {name.lower()} | {page.parts[name]} |" for name in PARTS[:4]),
            "",
            "## Where it wins, where it loses, and why",
            "",
            f"**Wins.** {_sentence(page.parts['Wins'])}",
            "",
            f"**Loses.** {_sentence(page.parts['Loses'])}",
            "",
            f"{BEGIN}\n{figures}\n{END}",
            "",
            "## Rows",
            "",
            *(f"- `{one.name}`: {one.about}" for one in page.rows),
            "",
            f"The code is in [{page.source.name}](../../{page.source.as_posix()}).",
            "",
            *(
                ["## Numbers", "", "| constant | value | from | |\n| -- | -- | -- | -- |", *numbers, ""]
                if numbers
                else []
            ),
        ]
    )


def table(scores: pd.DataFrame, rows: Sequence[str]) -> str:
    """Return the figures of rows: each column in percent with its 95 % interval, and the median tokens."""
    scenarios = by_scenario(plain(scores))
    width = max(map(len, rows))
    lines = [f"{'%':{width}}" + "".join(f"{name:>15}" for name in (*COLUMNS, "tokens"))]
    for row in rows:
        cells = [_cell(interval(values(scenarios, row, *column).values())) for column in COLUMNS.values()]
        tokens = scores.loc[scores["system"] == row, "tokens"].median()
        lines.append(f"{row:{width}}" + "".join(f"{cell:>15}" for cell in (*cells, f"{tokens:.0f}")))
    return "\n".join(["```text", *lines, "```"])


def compared(scores: pd.DataFrame, row: str) -> str:
    """Return in which families a row passes more or fewer scenarios than bucket-search and than the reference."""
    scenarios = by_scenario(plain(scores))
    sentences = []
    for other in (BASE, REFERENCE):
        found = {
            family: difference(
                values(scenarios, row, family, "scenarios_passed"), values(scenarios, other, family, "scenarios_passed")
            )
            for family in (ALL, *(one for one in families(scores) if one != LIMITS))
        }
        clear = [f"{_family(name)} {_points(one)}" for name, one in found.items() if one.low > 0 or one.high < 0]
        sentences.append(f"minus `{other}`: {', '.join(clear) or 'no clear difference in any family'}")
    return f"Scenarios passed, in points of 100, paired, where the interval excludes 0. `{row}` {'; '.join(sentences)}."


def _family(name: str) -> str:
    return "all families" if name == ALL else name


def _points(one: Interval) -> str:
    return f"{100 * one.mean:+.0f} [{100 * one.low:+.0f}, {100 * one.high:+.0f}]".replace("-", "\N{MINUS SIGN}")


def _cell(one: Interval) -> str:
    return f"{100 * one.mean:.0f} {100 * one.low:.0f}-{100 * one.high:.0f}" if one.n else "\N{EN DASH}"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _one_line(text: str) -> str:
    return " ".join(text.split())


def figures_of(text: str) -> str:
    """Return the figures that a page has, "" if it has none."""
    return text.partition(f"{BEGIN}\n")[2].partition(f"\n{END}")[0]


def written(results: Sequence[pd.DataFrame]) -> Iterator[tuple[Path, str]]:
    """Yield each file and its content; without results of its rows, with the figures that it has."""
    for page in pages():
        path = FOLDER / f"{page.name}.md"
        figures = figures_of(path.read_text(encoding="utf-8")) if path.exists() else NOT_PLAYED
        rows = [one.name for one in page.rows]
        for scores in [one for one in results if set(rows) <= set(one["system"])][:1]:
            figures = f"{table(scores, rows)}\n\n{compared(scores, rows[0])}"
        yield path, rendered(page, figures)
        svg = diagram(page.rows[0].name, [page.parts[name] for name in PARTS[:4]])
        yield FOLDER / "diagrams" / f"{page.name}.svg", svg
    rows = registry.names_of("documents")
    for scores in [one for one in results if set(rows) <= set(one["system"])][:1]:
        text = (DOCS / "documents.md").read_text(encoding="utf-8")
        scenarios = by_scenario(plain(scores))
        passed = {row: interval(values(scenarios, row, ALL, "scenarios_passed").values()).mean for row in rows}
        best = sorted(rows, key=lambda row: -passed[row])
        yield DOCS / "documents.md", text.replace(figures_of(text), table(scores, best))


def diagram(name: str, texts: Sequence[str]) -> str:
    """Return an SVG with a box for each of the four texts, and arrows from left to right."""
    lines = [wrap(text, CHARACTERS) for text in texts]
    height = LINE * max(map(len, lines)) + 2 * PADDING + LINE + 8
    total = len(texts) * (WIDTH + GAP) - GAP
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total + 20} {TOP + height + 15}" role="img" {FONT}>',
        f"<title>{escape(name)}: {', '.join(PARTS[:4]).lower()}</title>",
        f'<rect width="{total + 20}" height="{TOP + height + 15}" fill="white"/>',
        f'<text x="10" y="24" font-size="15" font-weight="bold">{escape(name)}</text>',
    ]
    for number, (title, colour, text) in enumerate(zip(PARTS, COLOURS, lines, strict=False)):
        left = 10 + number * (WIDTH + GAP)
        parts.append(f'<rect x="{left}" y="{TOP}" width="{WIDTH}" height="{height}" rx="8" fill="{colour}"/>')
        parts.append(f'<text x="{left + PADDING}" y="{TOP + 20}" font-weight="bold">{title.lower()}</text>')
        parts += [
            f'<text x="{left + PADDING}" y="{TOP + 20 + 6 + LINE * (row + 1)}">{escape(line)}</text>'
            for row, line in enumerate(text)
        ]
        if number:
            middle = TOP + height / 2
            tip = left - 4
            parts.append(f'<path d="M{left - GAP + 4} {middle} H{tip}" stroke="#6b7280" stroke-width="2"/>')
            parts.append(f'<path d="M{tip} {middle} l-8 -5 v10 z" fill="#6b7280"/>')
    return "\n".join([*parts, "</svg>", ""])


def main() -> None:
    """Write the files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path, nargs="*", help="folders of comparisons")
    given = parser.parse_args()
    (FOLDER / "diagrams").mkdir(parents=True, exist_ok=True)
    shown = {*(row.name for page in pages() for row in page.rows), BASE, REFERENCE}
    read = (read_results(folder / "results.jsonl", warn=print) for folder in given.results)
    for path, text in list(written([score_all(one for one in each if one.system in shown) for each in read])):
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
