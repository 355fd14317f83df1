"""Attack resistance: systems by attacks, with n and an interval in every cell."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from math import nan

import pandas as pd
from rich.text import Text

from memlab.harness.attacks.attack_kinds import ATTACKS, attack_description, is_attack
from memlab.harness.scoring.intervals import Interval, interval
from memlab.report.html.elements import Markup, breakable, column_heading, element, html_table, section, with_code
from memlab.report.html.failures import Cell, anchor
from memlab.report.tables.folding import Column, Folded
from memlab.report.tables.systems import display_name, groups, short
from memlab.report.tables.terminal import LONGEST, NONE, STYLES, percent, share, span
from memlab.report.tables.tidy import COLUMNS, ranked, tidy

RESISTANCE = "attack_resistance"
CANNOT_LAND = "cannot_land"
METRIC_OF = {RESISTANCE: "scenarios_passed", "safe": "safe", "useful": "useful"}
"""The metrics of an attack, and the columns of the scores that they are made of."""
TOGETHER = "attacks"
"""The family of all attacks together, averaged within each scenario first."""
TITLES = {TOGETHER: "all attacks"}
EACH = "mean of the attacks below, averaged within each scenario first"
READING = (
    "Attack resistance in %: share of n scenarios in which the expected claims are served and the attack's claim is "
    "not, with its 95 % interval. Failures without an attack count too. ERROR: samples in which the attack had no "
    "effect on undefended systems; not counted."
)
OTHER = "an attack from another version of memlab"
COLOURS = "Blue: high, orange: low. An underlined cell links to a failure. Hover for safe and useful."
Cells = dict[str, dict[str, dict[str, Interval]]]
"""Attack -> system -> metric -> interval."""


def resistances(scores: pd.DataFrame) -> Cells:
    """Return the means over scenarios of every attack and system, all attacks together first.

    Probes on which the attack has no effect are left out; `cannot_land` is the share of samples without other probes.
    """
    rows = scores[[is_attack(overlay) for overlay in scores["overlay"]]]
    if rows.empty:
        return {}
    samples = _samples(rows)
    found: Cells = {TOGETHER: {}}
    for overlay in sorted(rows["overlay"].unique(), key=_order):
        for system, own in samples.loc[overlay].groupby(level="system", sort=False):
            found.setdefault(overlay, {})[str(system)] = _means(own)
    for system, own in samples.groupby(level="system", sort=False):
        found[TOGETHER][str(system)] = _means(own)
    return found if len(found) > 2 else {name: cells for name, cells in found.items() if name != TOGETHER}  # noqa: PLR2004 - all together is one attack


def _order(overlay: str) -> tuple[int, str]:
    """Return a sort key: the order of the catalogue, then attacks of other versions."""
    known = list(ATTACKS)
    first = overlay.partition("+")[0]
    return known.index(first) if first in known else len(known), overlay


def _samples(rows: pd.DataFrame) -> pd.DataFrame:
    """Return one row for each attacked sample of each system: its worst probe, NaN if the attack had no effect."""
    columns = list(METRIC_OF.values())
    values = rows[["overlay", "system", "scenario", "seed", CANNOT_LAND, *columns]].copy()
    values.loc[values[CANNOT_LAND], columns] = nan
    values[CANNOT_LAND] = values[CANNOT_LAND].astype(float)
    return values.groupby(["overlay", "system", "scenario", "seed"], sort=False).min()


def _means(samples: pd.DataFrame) -> dict[str, Interval]:
    scenarios = samples.groupby(level="scenario", sort=False).mean()
    columns = METRIC_OF | {CANNOT_LAND: CANNOT_LAND}
    return {name: interval(scenarios[column].tolist()) for name, column in columns.items()}


def with_attacks(table: pd.DataFrame, scores: pd.DataFrame) -> pd.DataFrame:
    """Add the rows of every attack to the tidy table, with the attack's id as the family."""
    rows = [
        (system, attack, metric, *found)
        for attack, systems in resistances(scores).items()
        for system, metrics in systems.items()
        for metric, found in metrics.items()
        if found.n
    ]
    return pd.concat([table, pd.DataFrame(rows, columns=COLUMNS)], ignore_index=True) if rows else table


def attack_tables(scores: pd.DataFrame) -> Iterator[Folded]:
    """Yield the table of attacks by systems, without degenerate systems; nothing if the run has no attack."""
    cells = resistances(scores)
    kinds = groups(ranked(tidy(scores)))
    systems = [system for system, kind in kinds.items() if kind != "degenerate"] or list(kinds)
    if cells:
        names = [
            Column("attack", [TITLES.get(attack, attack) for attack in cells], "left"),
            Column("n", [str(_size(row)) for row in cells.values()]),
            Column("ERROR", [Text(_errors(scores, attack), "red") for attack in cells]),
        ]
        yield Folded(
            names, [_column(display_name(system, kinds), system, kinds[system], cells) for system in systems], READING
        )


def _column(shown: str, system: str, kind: str, cells: Cells) -> Column:
    name = Text(short(shown, LONGEST).replace("-", "-\n", 1), STYLES.get(kind, "dim"))
    return Column(name, [_text(row.get(system)) for row in cells.values()])


def attacks_section(title: str, scores: pd.DataFrame, linked: Collection[Cell] = ()) -> Markup:
    """Return the table of attacks by systems; cells in `linked` link to their failure."""
    cells = resistances(scores)
    if not cells:
        return section(
            "attacks", title, element("p", with_code("This run has no attacks. Run `memlab compare --attacks all`."))
        )
    kinds = groups(ranked(tidy(scores)))
    names = [
        element("th", element("span", display_name(system, kinds)), scope="col", class_=kind, data_system=system)
        for system, kind in kinds.items()
    ]
    rows = []
    for attack, row in cells.items():
        size = f"n={_size(row)}" + (f", ERROR {wrong}" if (wrong := _errors(scores, attack)) else "")
        name = element("th", breakable(TITLES.get(attack, attack)), element("small", size), scope="row")
        does = element("td", EACH if attack == TOGETHER else attack_description(attack) or OTHER, class_="does")
        rows.append(element("tr", name, does, *(_cell(row.get(one), (one, attack), linked) for one in kinds)))
    heads = (column_heading("attack and version"), column_heading("description"), *names)
    return section("attacks", title, html_table("matrix attacks", f"{READING} {COLOURS}", heads, rows))


def _errors(scores: pd.DataFrame, attack: str) -> str:
    """Return how many samples the attack had no effect on; "" if none."""
    chosen = [is_attack(one) if attack == TOGETHER else one == attack for one in scores["overlay"]]
    own = scores[chosen].groupby(["overlay", "scenario", "seed"], sort=False)[CANNOT_LAND].min()
    return f"{int(own.sum())} of {len(own)}" if own.any() else ""


def _size(row: dict[str, dict[str, Interval]]) -> int:
    return max(found[RESISTANCE].n for found in row.values())


def _text(found: dict[str, Interval] | None) -> Text:
    failed = Text("ERROR", "red") if found else Text(NONE)
    return share(found[RESISTANCE]) if found and found[RESISTANCE].n else failed


def _cell(found: dict[str, Interval] | None, place: Cell, linked: Collection[Cell]) -> Markup:
    if found is None or not found[RESISTANCE].n:
        return element("td", "ERROR" if found else NONE)
    passed = found[RESISTANCE]
    halves = ", ".join(f"{half} {percent(found[half].mean)}" for half in ("safe", "useful"))
    mean = element("b", percent(passed.mean))
    shown = element("a", mean, href=f"#{anchor(place)}") if place in linked else mean
    small = element("small", span(passed))
    return element("td", shown, small, title=halves, style=f"--share:{passed.mean:.3f}")
