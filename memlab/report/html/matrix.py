"""Scenarios passed, by system and scenario: one matrix for each family."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import pandas as pd

from memlab.harness.plural import plural
from memlab.harness.scenarios.schema import LIMITS
from memlab.report.html.elements import Markup, breakable, column_heading, element, html_table, section
from memlab.report.html.failures import Cell, anchor
from memlab.report.tables.scores import families, plain
from memlab.report.tables.systems import MAIN, display_name, groups
from memlab.report.tables.tidy import ranked, tidy

READING = "Seeds passed, of all seeds. An underlined cell links to the failure."
Shares = dict[tuple[str, str], tuple[int, int]]


def families_section(title: str, scores: pd.DataFrame, linked: Collection[Cell]) -> Markup:
    """Return, for each family, systems by scenarios: the number of seeds in which all probes pass."""
    scores = plain(scores)
    shares = _shares(scores)
    systems = dict(sorted(groups(ranked(tidy(scores))).items(), key=lambda one: one[1] not in MAIN))
    parts: list[str] = []
    for family in families(scores):
        scenarios = list(scores.loc[scores["family"] == family, "scenario"].unique())
        aside = element("small", "not counted") if family == LIMITS else ""
        matrix = _matrix(family, scenarios, systems, shares, linked)
        heading = element("h3", family, " ", aside)
        parts.append(element("article", heading, matrix, data_scenario=" ".join(scenarios)))
    return section("families", title, element("p", READING), element("div", *parts, class_="side"))


def _shares(scores: pd.DataFrame) -> Shares:
    """Return (system, scenario) -> seeds passed, all seeds."""
    samples = scores.groupby(["system", "scenario", "seed"], sort=False)["scenarios_passed"].min().dropna()
    counts = (samples == 1).groupby(level=["system", "scenario"], sort=False).agg(["sum", "size"])
    places = counts.index.to_flat_index()
    return {(s, c): (int(passed), int(size)) for (s, c), (passed, size) in zip(places, counts.to_numpy(), strict=True)}


def _matrix(
    family: str, scenarios: list[str], systems: Mapping[str, str], shares: Shares, linked: Collection[Cell]
) -> Markup:
    heads = [column_heading("system")]
    for name in scenarios:
        text = element("span", name.removeprefix(f"{family}/"))
        heads.append(element("th", text, scope="col", data_scenario=name))
    rows = []
    for system, kind in systems.items():
        cells = [_cell((system, scenario), shares, linked) for scenario in scenarios]
        name = element("th", breakable(display_name(system, systems)), scope="row")
        rows.append(element("tr", name, *cells, class_=kind, data_system=system))
    return html_table("matrix", plural(len(scenarios), "scenario"), heads, rows)


def _cell(place: Cell, shares: Shares, linked: Collection[Cell]) -> Markup:
    if place not in shares:
        return element("td", "\N{EN DASH}")
    passed, size = shares[place]
    kind = "pass" if passed == size else "part" if passed else "fail"
    text = f"{passed}/{size}"
    return element("td", element("a", text, href=f"#{anchor(place)}") if place in linked else text, class_=kind)
