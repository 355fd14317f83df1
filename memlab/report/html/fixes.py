"""What to fix first in the user's own systems, as the last section of the page."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from memlab.harness.scoring.fixes import Fix, fixes, passed_by_family, why_nothing
from memlab.report.html.elements import Markup, element, section
from memlab.report.html.failures import Cell, anchor
from memlab.report.tables.systems import display_name
from memlab.terms import Result


def fixes_section(title: str, own: Mapping[str, Sequence[Result]], linked: Collection[Cell]) -> Markup:
    """Return the fixes of each system as a list; the example of a fix in `linked` links to its failure."""
    parts = []
    for system, results in own.items():
        items, reason = [_item(system, fix, linked) for fix in fixes(results)], why_nothing(results)
        passed = element("p", f"Samples passed: {passed_by_family(results)}.")
        listed = element("ol", *items) if items else element("p", f"{reason[0].upper()}{reason[1:]}.")
        parts += [element("div", element("h3", display_name(system, own)), passed, listed, data_system=system)]
    return section("fixes", title, *parts)


def _item(system: str, fix: Fix, linked: Collection[Cell]) -> Markup:
    place = (system, fix.scenario)
    example = element("a", fix.scenario, href=f"#{anchor(place)}") if place in linked else fix.scenario
    return element("li", f"{fix.part} ({fix.share}, for example in ", example, ")")
