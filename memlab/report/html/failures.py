"""What went wrong, in full: the timeline of each sample that a main system failed, and how each of them answered."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from memlab.harness.scenarios.loading import library
from memlab.report.explain.cell import asked, opening, retold
from memlab.report.explain.sentence import sentence
from memlab.report.explain.timeline import AnnotatedTimeline, Row, scenario_paths
from memlab.report.html.elements import Markup, element, section
from memlab.report.tables.systems import about_system, groups, main_systems
from memlab.terms import Result

Cell = tuple[str, str]
"""A system and a scenario, or a system and an attack."""
Sample = tuple[str, str, int]
"""What was laid over a scenario, the scenario, and a seed."""
ATTACKED = "under attack"
MOST = 60
"""Lines of one timeline, or of one system's answers, that the page shows."""
READING = (
    "Each scenario that a reference, bucket, lab or memory of yours failed, at the first seed that it failed. Open one "
    "to read what happened, line by line, then what each memory answered to the probes that it failed, and which line "
    "could have told it better. Of each attack, the page shows the first scenario that each failed under it; `memlab "
    "explain` shows any other, with all its probes, for any system."
)


def failures_of(failed: Iterable[Result]) -> dict[Cell, list[Result]]:
    """Give, for each scenario and each attack, the first sample that a main system failed, by the system.

    The reference and yours come first.
    """
    wrong = list(failed)
    kinds = groups(dict.fromkeys(result.system for result in wrong))
    systems = sorted(main_systems(kinds), key=lambda system: kinds[system] not in {"yours", "reference"})
    found: dict[Cell, list[Result]] = {}
    for result in wrong:
        if result.system in systems:
            others = found.setdefault(_place(result), [])
            if not others or _sample_of(others[0]) == _sample_of(result):
                others.append(result)
    return dict(sorted(found.items(), key=lambda cell: systems.index(cell[0][0])))


def failures_section(title: str, failures: Mapping[Cell, list[Result]], scenarios: Iterable[Path] = ()) -> Markup:
    """Lay out the samples, folded away, by family: the timeline once, then the answers of each system.

    `scenarios` are the folders of the scenario files; by default memlab's own.
    """
    paths = scenario_paths([*scenarios] or [library()])
    samples: dict[Sample, list[list[Result]]] = {}
    for cell in sorted(failures.values(), key=lambda cell: _sample_of(cell[0])):
        samples.setdefault(_sample_of(cell[0]), []).append(cell)
    parts: list[str] = []
    for group in dict.fromkeys(map(_group, samples)):
        own = [place for place in samples if _group(place) == group]
        told = [_sample(place, samples[place], paths) for place in own]
        named = " ".join(scenario for _, scenario, _ in own)
        parts.append(element("div", element("h3", f"{group}: {len(told)} failed"), *told, data_scenario=named))
    return section("failures", title, element("p", READING if parts else "No main system failed a scenario."), *parts)


def anchor(place: Cell) -> str:
    """Name a cell for links; whatever a name holds, its digest is plain."""
    return "cell-" + hashlib.blake2s("\n".join(place).encode(), digest_size=6).hexdigest()


def _place(result: Result) -> Cell:
    return result.system, result.key.overlay or result.key.scenario


def _sample_of(result: Result) -> Sample:
    return result.key.overlay, result.key.scenario, result.key.seed


def _group(place: Sample) -> str:
    overlay, scenario, _ = place
    return ATTACKED if overlay else scenario.partition("/")[0]


def _sample(place: Sample, cells: list[list[Result]], paths: Mapping[str, Path]) -> Markup:
    overlay, scenario, seed = place
    tale, unknown = retold([result for cell in cells for result in cell], paths)
    rows = [*opening(tale), *(row for line in tale.lines for row in line.rows)] if tale else []
    story = _told(rows) if tale else element("p", unknown)
    who = ", ".join(cell[0].system for cell in cells)
    inside = [part for cell in cells for part in _answers(cell, tale)]
    summary = element("summary", f"{overlay}{': ' * bool(overlay)}{scenario}, seed {seed}: {who}")
    return element("details", summary, story, *inside, data_scenario=scenario, data_system=who)


def _answers(cell: list[Result], tale: AnnotatedTimeline | None) -> list[Markup]:
    system = cell[0].system
    rows = [row for result in cell for row in asked(result, tale)]
    heading = element("h4", system, " ", element("small", about_system(system)), id=anchor(_place(cell[0])))
    return [heading, element("p", sentence(cell, tale)), _told(rows)]


def _told(rows: list[Row]) -> Markup:
    """Lay out rows so that what is wrapped stands below the first words, however wide the page is."""
    cut = [Row("", f"({len(rows) - MOST} more lines; `memlab explain` shows all)", "dim")] if len(rows) > MOST else []
    lines = (
        element("p", element("i", row.lead), row.words, **({"class_": row.style} if row.style else {}))
        for row in [*rows[:MOST], *cut]
    )
    return element("div", *lines, class_="told")
