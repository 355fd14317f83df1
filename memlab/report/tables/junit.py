"""JUnit XML, as build servers read it: a suite for each system, a case for each scenario and each threshold.

It keeps to the schema that Jenkins publishes for its xUnit plugin, junit-10.xsd.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from xml.etree.ElementTree import Element, ElementTree, SubElement, indent

from memlab.harness.plural import plural
from memlab.harness.scenarios.schema import LIMITS
from memlab.harness.scoring.decisions import Decision
from memlab.harness.scoring.explanations import explanation
from memlab.report.text import escape_invisible
from memlab.terms import Result

Cases = dict[str, dict[str, list[Result]]]
"""System -> scenario -> results."""
Means = Mapping[str, Mapping[str, float]]
"""System -> column -> mean."""
OUTCOMES = {"failures": "failure", "errors": "error", "skipped": "skipped"}


def write_junit(
    results: Iterable[Result], failed: Iterable[Result], means: Means, decisions: Iterable[Decision], path: Path
) -> None:
    """Write the scenarios of every system: an error if it failed to answer, a failure if a seed is not passed.

    A scenario is skipped if it does not apply to the system, or if it failed and its family is not counted. A missed
    threshold is a failure, an undecided one is an error. The means are properties of the suite.
    """
    wrong = _cases(failed)
    root = Element("testsuites", name="memlab")
    suites: dict[str, Element] = {}
    for system, cases in _cases(results).items():
        suites[system] = _suite(root, system, means.get(system, {}))
        for scenario, own in cases.items():
            _case(suites[system], own, wrong.get(system, {}).get(scenario, []))
    for decision in decisions:
        if decision.system not in suites:
            suites[decision.system] = _suite(root, decision.system, {})
        _decision(suites[decision.system], decision)
    for element in (*suites.values(), root):
        _count(element)
    indent(root)
    ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)


def _cases(results: Iterable[Result]) -> Cases:
    found: Cases = {}
    for result in results:
        if not result.key.overlay:
            found.setdefault(result.system, {}).setdefault(result.key.scenario, []).append(result)
    return found


def _suite(root: Element, system: str, means: Mapping[str, float]) -> Element:
    suite = SubElement(root, "testsuite", name=escape_invisible(system))
    if means:
        properties = SubElement(suite, "properties")
        for column, mean in means.items():
            SubElement(properties, "property", name=column, value=f"{mean:.6f}")
    return suite


def _case(suite: Element, results: list[Result], wrong: list[Result]) -> None:
    key = results[0].key
    case = SubElement(suite, "testcase", name=escape_invisible(key.scenario))
    case.set("classname", escape_invisible(f"{results[0].system}.{key.family}"))
    case.set("time", f"{sum(result.seconds for result in results):.6f}")
    seeds, failed = ({result.key.seed for result in each} for each in (results, wrong))
    score = f"passed {len(seeds - failed)} of {plural(len(seeds), 'seed')}"
    if all(result.not_applicable for result in results):
        SubElement(case, "skipped", message=f"not applicable: {escape_invisible(results[0].not_applicable)}")
    elif wrong and key.family == LIMITS:
        SubElement(case, "skipped", message=f"family {LIMITS} is not counted: {score}")
    elif wrong:
        broken = next((result for result in wrong if result.error), None)
        found = SubElement(case, "error" if broken else "failure", message=score, type="error" if broken else "failed")
        found.text = escape_invisible(explanation(broken or wrong[0]))


def _decision(suite: Element, decision: Decision) -> None:
    case = SubElement(suite, "testcase", name=decision.name, time="0.000000")
    case.set("classname", escape_invisible(f"{decision.system}.thresholds"))
    words = escape_invisible(f"{decision.name}: {decision.words}")
    if decision.outcome != "met":
        outcome = "failure" if decision.outcome == "missed" else "error"
        found = SubElement(case, outcome, message=words, type=decision.outcome)
        found.text = escape_invisible("\n".join([words, *decision.details]))
    else:
        SubElement(case, "system-out").text = words


def _count(element: Element) -> None:
    """Count the cases of a suite or of all; in the schema only a suite counts those skipped."""
    cases = list(element.iter("testcase"))
    element.set("tests", str(len(cases)))
    for count, outcome in OUTCOMES.items():
        if count != "skipped" or element.tag == "testsuite":
            element.set(count, str(sum(case.find(outcome) is not None for case in cases)))
    element.set("time", f"{sum(float(case.get('time', 0)) for case in cases):.6f}")
