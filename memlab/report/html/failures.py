"""Failures in full: the timeline of each sample that a main system failed, and the answers of those systems."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from memlab.harness.plural import plural
from memlab.harness.scenarios.loading import library
from memlab.harness.scoring.fixes import worst_result
from memlab.report.explain.cell import introduction, probe_lines, try_timeline
from memlab.report.explain.sentence import sentence
from memlab.report.explain.timeline import AnnotatedTimeline, scenario_paths
from memlab.report.html.elements import Markup, element, section, with_code
from memlab.report.lines import Line, line, to_html
from memlab.report.tables.systems import about_system, display_name, groups, main_systems
from memlab.terms import Result

Cell = tuple[str, str]
"""A system and a scenario, or a system and an attack."""
Sample = tuple[str, str, int]
"""The overlay of a scenario, the scenario, and a seed."""
ATTACKED = "under attack"
MOST = 60
"""At most so many lines of a timeline, or of the answers of one system, are on the page."""
INTRODUCTION = (
    "One entry for each scenario that the reference, a single bucket, a lab or your own memory failed, at its first "
    "failed seed. Open an entry to read the events, then what each system answered, with the lines that decide it: "
    "every failed probe of your own memory, the worst of the others. For each attack, the page has the first scenario "
    "that each system failed under it. `memlab explain` prints any other cell in full."
)


def failures_of(failed: Iterable[Result]) -> dict[Cell, list[Result]]:
    """Map each scenario and attack, by system, to the first sample that a main system failed.

    The reference and the user's own systems come first.
    """
    wrong = list(failed)
    kinds = groups(dict.fromkeys(result.system for result in wrong))
    systems = sorted(main_systems(kinds), key=lambda system: kinds[system] not in {"yours", "reference"})
    failures: dict[Cell, list[Result]] = {}
    for result in wrong:
        if result.system in systems:
            others = failures.setdefault(_cell_of(result), [])
            if not others or _sample_of(others[0]) == _sample_of(result):
                others.append(result)
    return dict(sorted(failures.items(), key=lambda cell: systems.index(cell[0][0])))


def failures_section(title: str, failures: Mapping[Cell, list[Result]], scenarios: Iterable[Path] = ()) -> Markup:
    """Return the failed samples by family, folded: the timeline once, then the answers of each system."""
    paths = scenario_paths([*scenarios] or [library()])
    samples: dict[Sample, list[list[Result]]] = {}
    for cell in sorted(failures.values(), key=lambda cell: _sample_of(cell[0])):
        samples.setdefault(_sample_of(cell[0]), []).append(cell)
    shown = dict.fromkeys(system for system, _ in failures)
    about = [element("li", element("b", system), f": {text}") for system in shown if (text := about_system(system))]
    parts: list[str] = [element("ul", *about)] if about else []
    for group in dict.fromkeys(map(_group, samples)):
        members = [sample for sample in samples if _group(sample) == group]
        details = [_details(sample, samples[sample], paths, shown) for sample in members]
        names = " ".join(scenario for _, scenario, _ in members)
        heading = element("h3", f"{group}: {len(details)} failed")
        parts.append(element("div", heading, *details, data_scenario=names))
    return section(
        "failures", title, element("p", with_code(INTRODUCTION if parts else "No main system failed.")), *parts
    )


def anchor(cell: Cell) -> str:
    """Return the id of a cell for links: a digest, because names may hold any character."""
    return "cell-" + hashlib.blake2s("\n".join(cell).encode(), digest_size=6).hexdigest()


def _cell_of(result: Result) -> Cell:
    return result.system, result.key.overlay or result.key.scenario


def _sample_of(result: Result) -> Sample:
    return result.key.overlay, result.key.scenario, result.key.seed


def _group(sample: Sample) -> str:
    overlay, scenario, _ = sample
    return ATTACKED if overlay else scenario.partition("/")[0]


def _details(sample: Sample, cells: list[list[Result]], paths: Mapping[str, Path], shown: Collection[str]) -> Markup:
    overlay, scenario, seed = sample
    timeline, unavailable = try_timeline([result for cell in cells for result in cell], paths)
    lines = [each for entry in timeline.entries for each in entry.lines] if timeline else []
    story = _block([*introduction(timeline), *lines]) if timeline else element("p", unavailable)
    systems = [cell[0].system for cell in cells]
    names = ", ".join(display_name(system, shown) for system in systems)
    answers = [part for cell in cells for part in _answers(cell, timeline)]
    summary = element("summary", f"{overlay}{': ' * bool(overlay)}{scenario}, seed {seed}: {names}")
    return element("details", summary, story, *answers, data_scenario=scenario, data_system=", ".join(systems))


def _answers(cell: list[Result], timeline: AnnotatedTimeline | None) -> list[Markup]:
    system = cell[0].system
    shown = cell if groups([system])[system] == "yours" else [worst_result(cell)]
    lines = [each for result in shown for each in probe_lines(result, timeline)]
    if hidden := len(cell) - len(shown):
        lines.append(line("", f"({plural(hidden, 'more failed probe')}; `memlab explain` shows all)", "dim"))
    heading = element("h4", system, id=anchor(_cell_of(cell[0])))
    return [heading, element("p", sentence(cell, timeline)), _block(lines)]


def _block(lines: list[Line]) -> Markup:
    more = [line("", f"({plural(len(lines) - MOST, 'more line')}; `memlab explain` shows all)", "dim")]
    return to_html([*lines[:MOST], *(more if len(lines) > MOST else ())])
