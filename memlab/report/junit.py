"""JUnit XML: one suite for each system, one case for each scenario, as build servers read them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from xml.etree.ElementTree import Element, ElementTree, SubElement, indent

from memlab.harness.metrics import METRICS
from memlab.harness.verdict import verdict
from memlab.report.markup import visible
from memlab.report.scores import UNCOUNTED
from memlab.terms import Result

Cases = Mapping[str, list[Result]]


def write_junit(results: Iterable[Result], path: Path) -> None:
    """Write every system's scenarios: an error where it failed to answer, a failure where a seed is not passed.

    The family that is not counted is skipped where it is not passed.
    """
    systems: dict[str, dict[str, list[Result]]] = {}
    for result in results:
        if not result.key.overlay:
            systems.setdefault(result.system, {}).setdefault(result.key.scenario, []).append(result)
    root = Element("testsuites", name="memlab")
    for system, cases in systems.items():
        _suite(root, system, cases)
    _count(root, list(root.iter("testcase")))
    indent(root)
    ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)


def _suite(root: Element, system: str, cases: Cases) -> None:
    suite = SubElement(root, "testsuite", name=visible(system))
    for scenario, results in cases.items():
        family = results[0].key.family
        case = SubElement(suite, "testcase", name=visible(scenario), classname=visible(f"{system}.{family}"))
        case.set("time", f"{sum(result.seconds for result in results):.6f}")
        _outcome(case, results)
    _count(suite, list(suite))


def _outcome(case: Element, results: list[Result]) -> None:
    wrong = [result for result in results if METRICS["passes"](result) == 0]
    if not wrong:
        return
    seeds, failed = {result.key.seed for result in results}, {result.key.seed for result in wrong}
    score = f"passed {len(seeds - failed)} of {len(seeds)} seeds"
    if wrong[0].key.family == UNCOUNTED:
        SubElement(case, "skipped", message=f"family {UNCOUNTED} is not counted: {score}")
        return
    broken = next((result for result in wrong if result.error), None)
    found = SubElement(case, "error" if broken else "failure")
    found.set("type", "error" if broken else "failed")
    found.set("message", score)
    found.text = visible(verdict(broken or wrong[0]))


def _count(element: Element, cases: list[Element]) -> None:
    element.set("tests", str(len(cases)))
    element.set("failures", str(sum(case.find("failure") is not None for case in cases)))
    element.set("errors", str(sum(case.find("error") is not None for case in cases)))
    element.set("skipped", str(sum(case.find("skipped") is not None for case in cases)))
    element.set("time", f"{sum(float(case.get('time', 0)) for case in cases):.6f}")
