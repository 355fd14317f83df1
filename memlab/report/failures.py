"""What went wrong, in full: for each failed scenario of the main systems, its first failed seed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from memlab.harness.verdict import verdict
from memlab.report.markup import Markup, element, section
from memlab.report.roster import main_systems
from memlab.terms import Result

Cell = tuple[str, str]
"""A system and a scenario."""
LONGEST = 4_000
"""Characters of one verdict that the page shows."""


def failures_of(failed: list[Result]) -> dict[Cell, list[str]]:
    """Give, for each cell of a main system that has one, the verdicts on the probes of its first failed seed."""
    systems = main_systems(dict.fromkeys(result.system for result in failed))
    first: dict[Cell, int] = {}
    found: dict[Cell, list[str]] = {}
    for result in sorted((one for one in failed if one.system in systems), key=lambda one: systems.index(one.system)):
        place = (result.system, result.key.scenario)
        if first.setdefault(place, result.key.seed) == result.key.seed:
            found.setdefault(place, []).append(verdict(result)[:LONGEST])
    return found


def failures_section(title: str, failures: Mapping[Cell, list[str]]) -> Markup:
    """Lay out the verdicts, folded away, by system and scenario."""
    parts: list[str] = []
    for system in dict.fromkeys(place[0] for place in failures):
        told = [_details(place, verdicts) for place, verdicts in failures.items() if place[0] == system]
        parts += [element("h3", f"{system}: {len(told)} scenarios"), *told]
    reading = "The first failed seed of each scenario: what was served, what was expected or forbidden, and why."
    return section("failures", title, element("p", reading if parts else "No main system failed a scenario."), *parts)


def anchor(place: Cell) -> str:
    """Name a cell for links; whatever a name holds, its digest is plain."""
    return "cell-" + hashlib.blake2s("\n".join(place).encode(), digest_size=6).hexdigest()


def _details(place: Cell, verdicts: list[str]) -> Markup:
    inside = [element("pre", text) for text in verdicts]
    return element("details", element("summary", place[1]), *inside, id=anchor(place))
