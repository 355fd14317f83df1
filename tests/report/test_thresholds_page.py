from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from memlab.harness.scoring.thresholds import ALL, Threshold, Thresholds
from memlab.report.folder import write
from memlab.report.html.thresholds import COLUMNS, Requirements, decide, summary
from memlab.report.tables.scores import score_all
from memlab.report.tables.tidy import COSTS, by_system, tidy
from memlab.terms import Result

MINE = "mine.py:Mine"
RESULTS = "skipped", "error", "failure", "system-out", "system-err"
GRAMMAR = {
    "testsuites": (("testsuite",), set(), {"name", "time", "tests", "failures", "errors"}),
    "testsuite": (
        ("properties", "testcase"),
        {"name", "tests", "failures", "errors"},
        {"time", "skipped", "timestamp", "hostname", "id", "package", "file", "log", "url", "group"},
    ),
    "testcase": (RESULTS, {"name"}, {"time", "classname", "group"}),
    "properties": (("property",), set(), set()),
    "property": ((), {"name", "value"}, set()),
    **dict.fromkeys(("failure", "error", "skipped"), ((), set(), {"type", "message"})),
    **dict.fromkeys(("system-out", "system-err"), ((), set(), set())),
}
"""What junit-10.xsd of Jenkins' xUnit plugin allows: what stands in an element, which attributes it needs and may have.

testsuite also allows a testsuite, and testcase four elements for repeated runs: memlab writes none of these.
"""


def demanded(*each: Threshold, systems: tuple[str, ...] = ()) -> Thresholds:
    return Thresholds(Path("pyproject.toml"), each, systems)


def as_mine(results: list[Result], system: str = "bucket-search") -> list[Result]:
    return [replace(one, system=MINE) if one.system == system else one for one in results]


def test_thresholds_are_for_the_system_that_memlab_did_not_ship_unless_it_is_named(results: list[Result]) -> None:
    run = as_mine(results)
    scores = score_all(run)
    own = Threshold("recall", "scenarios_passed", 0.9)
    (found,) = decide(run, scores, Requirements(demanded(own)))
    assert (found.system, found.outcome) == (MINE, "met")
    (found,) = decide(run, scores, Requirements(demanded(own, systems=("hybrid",))))
    assert (found.system, found.outcome) == ("hybrid", "missed")


def test_thresholds_for_no_system_of_the_run_are_undecided_and_say_what_to_do(results: list[Result]) -> None:
    own = Threshold(ALL, "scenarios_passed", 0.9)
    (found,) = decide(results, score_all(results), Requirements(demanded(own)))
    assert found.outcome == "undecided"
    assert "name it with --systems" in found.words


@pytest.mark.parametrize("against", [False, True])
def test_the_error_for_a_named_system_that_did_not_run_lists_those_that_did(
    results: list[Result], *, against: bool
) -> None:
    own = Threshold(ALL, "scenarios_passed", 0.0)
    demands = Requirements(demanded(own, systems=("hybird", "oracle")), results if against else None)
    gone, *others = decide(results, score_all(results), demands)
    assert (gone.system, gone.outcome) == ("hybird", "undecided")
    assert gone.words.startswith("this system is not in the results. Did you mean 'hybrid'? In the results: ")
    assert all(name in gone.words for name in ("bucket-search", "oracle", "[tool.memlab] systems", "--systems"))
    assert {(one.system, one.outcome) for one in others} == {("oracle", "met")}
    (gone,) = decide(results, score_all(results), replace(demands, thresholds=demanded(own, systems=("hybird",))))
    assert gone.system == "hybird"


def test_every_column_that_can_have_a_threshold_is_in_the_table_of_a_run(results: list[Result]) -> None:
    table = tidy(score_all(results))
    for family in (ALL, "stale"):
        assert set(by_system(table, family)["hybrid"]) <= {*COLUMNS[family], *COSTS}
    assert set(COLUMNS[ALL]) >= {"scenarios_passed", "poison_resistance_safe", "recall"}


def test_a_baseline_lists_the_scenarios_that_got_worse_and_compares_none_that_was_rewritten(
    results: list[Result],
) -> None:
    before = as_mine(results, "oracle")
    now = as_mine(results)
    (overall, *families) = decide(now, score_all(now), Requirements(baseline=before))
    assert (overall.system, overall.outcome, len(overall.details)) == (MINE, "missed", 24)
    assert "24 worse and 0 better of 30 scenarios, p<.001" in overall.words
    assert {one.name: one.outcome for one in families}["recall scenarios_passed: no worse than the baseline"] == "met"
    other = [replace(one, key=replace(one.key, query="another question")) for one in before]
    assert [one.outcome for one in decide(now, score_all(now), Requirements(baseline=other))] == ["undecided"]
    part = [one if one.key.family == "stale" else old for one, old in zip(other, before, strict=True)]
    (overall, *families) = decide(now, score_all(now), Requirements(baseline=part))
    assert overall.words.endswith("; 6 left out because they were rewritten since")
    assert not any(one.name.startswith("stale") for one in families)


def test_the_same_run_is_no_worse_than_itself(results: list[Result]) -> None:
    found = decide(results, score_all(results), Requirements(baseline=results))
    assert {one.outcome for one in found} == {"met"}
    assert {one.system for one in found} == {one.system for one in results}
    assert str(summary(found)) == f"{len(found)} of {len(found)} baseline comparisons met."


def test_an_empty_baseline_is_undecided_and_no_baseline_is_nothing(results: list[Result]) -> None:
    assert {one.outcome for one in decide(results, score_all(results), Requirements(baseline=[]))} == {"undecided"}
    assert decide(results, score_all(results), Requirements()) == []


def checked(element: ET.Element) -> None:
    inside, needed, allowed = GRAMMAR[element.tag]
    assert needed <= set(element.keys()) <= needed | allowed, (element.tag, element.keys())
    assert [child.tag for child in element if child.tag not in inside] == []
    for child in element:
        checked(child)


@pytest.mark.usefixtures("no_charts")
@pytest.mark.parametrize("least", [0.1, 0.9])
def test_junit_keeps_to_the_schema_and_shows_each_threshold_as_a_case(
    results: list[Result], tmp_path: Path, least: float
) -> None:
    run = as_mine(results)
    broken = [*run[:-1], replace(run[-1], error="raised", items=())]
    thresholds = demanded(Threshold("stale", "safe", least), Threshold("promotion", "recall", 0.5))
    demands = Requirements(thresholds, as_mine(results, "oracle"))
    written = write(broken, tmp_path, demands)
    root = ET.parse(tmp_path / "junit.xml").getroot()  # noqa: S314 - we wrote it ourselves
    checked(root)
    suites = {suite.get("name"): suite for suite in root}
    cases = {case.get("name"): case for case in suites[MINE] if case.get("classname") == f"{MINE}.thresholds"}
    assert len(cases) == len(written.decisions)
    missed = cases[f"stale safe >= {least:g}"].find("failure")
    assert missed is not None
    assert "0.000 (95 %: 0.000 to" in (missed.get("message") or "")
    assert cases["promotion recall >= 0.5"].find("error") is not None
    assert cases["recall scenarios_passed: no worse than the baseline"].find("failure") is None
    worse = cases["all scenarios_passed: no worse than the baseline"].find("failure")
    assert worse is not None
    assert "stale/case-0 -100" in (worse.text or "")
    assert int(suites[MINE].get("failures", "")) == len(suites[MINE].findall("testcase/failure"))
    properties = {one.get("name"): one.get("value") for one in suites["oracle"].iter("property")}
    assert properties["scenarios_passed"] == "1.000000"
    assert "seconds" not in properties
