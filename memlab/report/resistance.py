"""Who withstands which attack: systems by attacks, with n and an interval in every cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import nan

import pandas as pd
from rich.table import Table
from rich.text import Text

from memlab.harness.attacks import described, is_attack
from memlab.harness.statistics import Interval, interval
from memlab.report.markup import Markup, element, grid, head, section
from memlab.report.roster import groups, short
from memlab.report.table import COLUMNS, ranked, tidy
from memlab.report.terminal import LONGEST, NONE, STYLES, percent, span

RESISTANCE = "attack_resistance"
CANNOT_LAND = "cannot_land"
METRIC_OF = {RESISTANCE: "scenarios_passed", "safe": "safe", "useful": "useful"}
"""The metrics of an attack, and the columns of the scores that they are made of."""
TOGETHER = "attacks"
"""The family under which all attacks stand together, each scenario's averaged first."""
ABREAST = 8
"""Systems side by side in a terminal of 120 columns."""
READING = (
    "Attacks on clean scenarios, in %: the mean over n scenarios in which what was asked for is served and the attack "
    "is not, with its 95 % interval. What fails without an attack fails here too. ERROR: samples in which no "
    "undefended system falls for it; they are not counted."
)
Cells = dict[str, dict[str, dict[str, Interval]]]
"""Attack -> system -> metric -> interval."""


def resistances(scores: pd.DataFrame) -> Cells:
    """Give every attack that was played, each system's means over scenarios, and first all attacks together.

    A probe at which the attack cannot land is left out; `cannot_land` is the share of samples that have no other.
    """
    rows = scores[[is_attack(overlay) for overlay in scores["overlay"]]]
    if rows.empty:
        return {}
    samples = _samples(rows)
    found: Cells = {TOGETHER: {}}
    for (overlay, system), own in samples.groupby(level=["overlay", "system"], sort=False):
        found.setdefault(str(overlay), {})[str(system)] = _means(own)
    for system, own in samples.groupby(level="system", sort=False):
        found[TOGETHER][str(system)] = _means(own)
    return found if len(found) > 2 else {name: cells for name, cells in found.items() if name != TOGETHER}  # noqa: PLR2004 - all together is one attack


def _samples(rows: pd.DataFrame) -> pd.DataFrame:
    """Give one row for each attacked sample of each system: its worst landed probe, NaN where none landed."""
    columns = list(METRIC_OF.values())
    values = rows[["overlay", "system", "scenario", "seed", CANNOT_LAND, *columns]].copy()
    values.loc[values[CANNOT_LAND], columns] = nan
    values[CANNOT_LAND] = values[CANNOT_LAND].astype(float)
    return values.groupby(["overlay", "system", "scenario", "seed"], sort=False).min()


def _means(samples: pd.DataFrame) -> dict[str, Interval]:
    scenarios = samples.groupby(level="scenario", sort=False).mean()
    measured = {name: interval(scenarios[column].tolist()) for name, column in METRIC_OF.items()}
    return measured | {CANNOT_LAND: interval(scenarios[CANNOT_LAND].tolist())}


def with_attacks(table: pd.DataFrame, scores: pd.DataFrame) -> pd.DataFrame:
    """Add to the tidy table the rows of every attack, its id in the place of the family."""
    rows = [
        (system, attack, metric, *found)
        for attack, systems in resistances(scores).items()
        for system, metrics in systems.items()
        for metric, found in metrics.items()
        if found.n
    ]
    return pd.concat([table, pd.DataFrame(rows, columns=COLUMNS)], ignore_index=True) if rows else table


def attack_tables(scores: pd.DataFrame) -> Iterator[Table]:
    """Lay out attacks by systems, so many abreast as a terminal holds; the degenerate ones stand in the page only."""
    cells = resistances(scores)
    kinds = groups(_systems(scores))
    systems = [system for system, kind in kinds.items() if kind != "degenerate"] or list(kinds)
    for start in range(0, len(systems) if cells else 0, ABREAST):
        shown = systems[start : start + ABREAST]
        made = Table(box=None, padding=(0, 1, 0, 0), caption=READING, caption_justify="left", header_style="bold")
        made.add_column("attack", no_wrap=True, vertical="bottom")
        made.add_column("n", justify="right", no_wrap=True)
        made.add_column("ERROR", justify="right", no_wrap=True)
        for system in shown:
            name = short(system, LONGEST).replace("-", "-\n", 1)
            made.add_column(Text(name, STYLES.get(kinds[system], "dim")), justify="right", no_wrap=True)
        for attack, row in cells.items():
            wrong = Text(_errors(scores, attack), "red")
            made.add_row(attack, str(_size(row)), wrong, *(_text(row.get(system)) for system in shown))
        yield made


def attacks_section(title: str, scores: pd.DataFrame) -> Markup:
    """Lay out systems by attacks, for the page."""
    cells = resistances(scores)
    if not cells:
        return section("attacks", title, element("p", "None was played: `memlab compare --attacks all` plays them."))
    heads = [head("system"), *(_head(attack, row, _errors(scores, attack)) for attack, row in cells.items())]
    rows = []
    for system, kind in groups(_systems(scores)).items():
        found = [_cell(row.get(system)) for row in cells.values()]
        rows.append(element("tr", element("th", system, scope="row"), *found, class_=kind, data_system=system))
    return section("attacks", title, grid("attacks", READING, heads, rows))


def _systems(scores: pd.DataFrame) -> Sequence[str]:
    return ranked(tidy(scores))


def _errors(scores: pd.DataFrame, attack: str) -> str:
    """Count the samples in which an attack does not land; "" where it always does."""
    chosen = [is_attack(one) if attack == TOGETHER else one == attack for one in scores["overlay"]]
    own = scores[chosen].groupby(["overlay", "scenario", "seed"], sort=False)[CANNOT_LAND].min()
    return f"{int(own.sum())} of {len(own)}" if own.any() else ""


def _size(row: dict[str, dict[str, Interval]]) -> int:
    return max(found[RESISTANCE].n for found in row.values())


def _text(found: dict[str, Interval] | None) -> Text:
    if found is None or not found[RESISTANCE].n:
        return Text("ERROR" if found else NONE, "red" if found else "")
    return Text.assemble(percent(found[RESISTANCE].mean), (f" {span(found[RESISTANCE])}", "dim"))


def _head(attack: str, row: dict[str, dict[str, Interval]], wrong: str) -> Markup:
    size = f"n={_size(row)}" + (f", ERROR {wrong}" if wrong else "")
    return head(element("abbr", attack, title=described(attack)), element("small", size))


def _cell(found: dict[str, Interval] | None) -> Markup:
    if found is None or not found[RESISTANCE].n:
        return element("td", "ERROR" if found else NONE, data_value="-1")
    passed = found[RESISTANCE]
    halves = ", ".join(f"{half} {percent(found[half].mean)}" for half in ("safe", "useful"))
    inside = [element("b", percent(passed.mean)), " ", element("small", span(passed))]
    inside.append(element("small", halves, class_="halves"))
    return element("td", *inside, data_value=f"{passed.mean:.6f}", style=f"--share:{passed.mean:.3f}")
