"""What went wrong, in full: the timeline of each sample that a main system failed, and how each of them answered."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from memlab.harness.scenario import library
from memlab.report.explain import asked, opening, retold
from memlab.report.markup import Markup, element, section
from memlab.report.roster import main_systems
from memlab.report.sentence import sentence
from memlab.report.tale import Row, Tale, scenario_paths
from memlab.terms import Result

Cell = tuple[str, str]
"""A system and a scenario."""
Sample = tuple[str, int]
"""A scenario and a seed."""
LONGEST = 6_000
"""Characters of one timeline, or of one system's answers, that the page shows."""
WIDTH = 120
READING = (
    "Each sample that a main system failed (of each scenario, a system's first failed seed): what happened, line by "
    "line, then what each system answered to the probes that it failed, and which lines could have told. "
    "`memlab explain` shows one of them with its other probes."
)


def failures_of(failed: Iterable[Result]) -> dict[Cell, list[Result]]:
    """Give, for each cell of a main system that has one, what failed at its first failed seed."""
    wrong = list(failed)
    systems = main_systems(dict.fromkeys(result.system for result in wrong))
    found: dict[Cell, list[Result]] = {}
    for result in wrong:
        if result.system in systems:
            others = found.setdefault((result.system, result.key.scenario), [])
            if not others or others[0].key.seed == result.key.seed:
                others.append(result)
    return dict(sorted(found.items(), key=lambda cell: systems.index(cell[0][0])))


def failures_section(title: str, failures: Mapping[Cell, list[Result]], scenarios: Iterable[Path] = ()) -> Markup:
    """Lay out the samples, folded away, by family: the timeline once, then the answers of each system.

    `scenarios` are the folders of the scenario files; by default memlab's own.
    """
    paths = scenario_paths([*scenarios] or [library()])
    samples: dict[Sample, list[list[Result]]] = {}
    for cell in sorted(failures.values(), key=lambda cell: (cell[0].key.scenario, cell[0].key.seed)):
        samples.setdefault((cell[0].key.scenario, cell[0].key.seed), []).append(cell)
    parts: list[str] = []
    for family in dict.fromkeys(cells[0][0].key.family for cells in samples.values()):
        told = [_sample(place, some, paths) for place, some in samples.items() if some[0][0].key.family == family]
        parts += [element("h3", f"{family}: {len(told)} samples"), *told]
    return section("failures", title, element("p", READING if parts else "No main system failed a scenario."), *parts)


def anchor(place: Cell) -> str:
    """Name a cell for links; whatever a name holds, its digest is plain."""
    return "cell-" + hashlib.blake2s("\n".join(place).encode(), digest_size=6).hexdigest()


def _sample(place: Sample, cells: list[list[Result]], paths: Mapping[str, Path]) -> Markup:
    scenario, seed = place
    tale, unknown = retold([result for cell in cells for result in cell], paths)
    rows = [*opening(tale), *(row for line in tale.lines for row in line.rows)] if tale else []
    story = _pre(rows) if tale else element("p", unknown)
    who = ", ".join(cell[0].system for cell in cells)
    inside = [part for cell in cells for part in _answers(cell, tale)]
    return element("details", element("summary", f"{scenario}, seed {seed}: {who}"), story, *inside)


def _answers(cell: list[Result], tale: Tale | None) -> list[Markup]:
    system, scenario = cell[0].system, cell[0].key.scenario
    rows = [row for result in cell for row in asked(result, tale)]
    heading = element("h4", system, id=anchor((system, scenario)))
    return [heading, element("p", sentence(cell, tale)), _pre(rows)]


def _pre(rows: Iterable[Row]) -> Markup:
    text = "\n".join(row.wrapped(WIDTH) for row in rows)
    return element("pre", text if len(text) <= LONGEST else f"{text[:LONGEST]}\n(cut; `memlab explain` shows all)")
