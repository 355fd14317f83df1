"""JUnit XML: one suite for each system, one case for each scenario, as build servers read them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from xml.etree.ElementTree import Element, ElementTree, SubElement, indent

from memlab.harness.scenario_file import LIMITS
from memlab.harness.verdict import verdict
from memlab.report.markup import visible
from memlab.terms import Result

Cases = dict[str, dict[str, list[Result]]]
"""System -> scenario -> results."""


def write_junit(results: Iterable[Result], failed: Iterable[Result], path: Path) -> None:
    """Write every system's scenarios: an error where it failed to answer, a failure where a seed is not passed.

    The family that is not counted is skipped where it is not passed.
    """
    wrong = _cases(failed)
    root = Element("testsuites", name="memlab")
    for system, cases in _cases(results).items():
        suite = SubElement(root, "testsuite", name=visible(system))
        for scenario, played in cases.items():
            _case(suite, played, wrong.get(system, {}).get(scenario, []))
        _count(suite, list(suite))
    _count(root, list(root.iter("testcase")))
    indent(root)
    ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)


def _cases(results: Iterable[Result]) -> Cases:
    found: Cases = {}
    for result in results:
        if not result.key.overlay:
            found.setdefault(result.system, {}).setdefault(result.key.scenario, []).append(result)
    return found


def _case(suite: Element, played: list[Result], wrong: list[Result]) -> None:
    key = played[0].key
    case = SubElement(suite, "testcase", name=visible(key.scenario))
    case.set("classname", visible(f"{played[0].system}.{key.family}"))
    case.set("time", f"{sum(result.seconds for result in played):.6f}")
    seeds, failed = ({result.key.seed for result in results} for results in (played, wrong))
    score = f"passed {len(seeds - failed)} of {len(seeds)} seeds"
    if wrong and key.family == LIMITS:
        SubElement(case, "skipped", message=f"family {LIMITS} is not counted: {score}")
    elif wrong:
        broken = next((result for result in wrong if result.error), None)
        found = SubElement(case, "error" if broken else "failure", message=score, type="error" if broken else "failed")
        found.text = visible(verdict(broken or wrong[0]))


def _count(element: Element, cases: list[Element]) -> None:
    element.set("tests", str(len(cases)))
    element.set("failures", str(sum(case.find("failure") is not None for case in cases)))
    element.set("errors", str(sum(case.find("error") is not None for case in cases)))
    element.set("skipped", str(sum(case.find("skipped") is not None for case in cases)))
    element.set("time", f"{sum(float(case.get('time', 0)) for case in cases):.6f}")
