from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from pathlib import Path

from explain_cases import MOVED, NEW, play_cell

from memlab.harness.running.runner import play
from memlab.harness.scenarios.loading import library, load
from memlab.report.html.failures import anchor, failures_of, failures_section
from memlab.systems.registry import entry
from memlab.terms import Result


def test_the_page_shows_a_sample_once_with_each_main_system_that_failed_it() -> None:
    names = ["bucket-search", "bucket-recent", "hybrid", "null"]
    results = [
        result for some in play(load(library() / f"{MOVED}.yaml").sample(0), list(map(entry, names))) for result in some
    ]
    failures = failures_of(result for result in results if result.system != "hybrid")
    assert list(failures) == [("bucket-search", MOVED), ("bucket-recent", MOVED)]
    section = failures_section("Failures", failures)
    output = unescape(section)
    assert output.count("The deploy script moved after the fact was written") == 1
    for place in failures:
        assert f'<h4 id="{anchor(place)}">' in section
        assert f"{place[0]} served" in output
    assert output.count("Why: the environment refutes it; see line 4") >= 2
    assert re.search(r'<p class="red"><i>       2\. FORBIDDEN \[old\] \| </i>', section)
    assert f'data-scenario="{MOVED}" data-system="bucket-search, bucket-recent"' in section


def test_the_page_shows_the_reference_and_your_system_before_the_others(make: Callable[..., Result]) -> None:
    names = ["null", "bucket-search", "mine.py:Mine", "hybrid"]
    failures = failures_of(make(name, "stale/a", good=False) for name in names)
    assert [system for system, _ in failures] == ["mine.py:Mine", "hybrid", "bucket-search"]


def test_of_another_system_the_page_shows_the_worst_failed_probe_and_of_yours_every_one(
    make: Callable[..., Result],
) -> None:
    for system, more in (("bucket-search", 1), ("mine.py:Mine", 0)):
        wrong = [make(system, "stale/a", good=False), make(system, "stale/a", probe="worst", bad=True)]
        section = failures_section("Failures", failures_of(wrong))
        assert section.count("FAILED ?") == 2 - more
        assert section.count("(1 more failed probe; `memlab explain` shows all)") == more
        assert "FORBIDDEN" in section


def test_a_long_timeline_is_cut_and_the_page_says_how_many_lines_are_left(write: Callable[..., Path]) -> None:
    steps = [f"rule: {{id: r{number}, name: rule-{number}, body: Rule {number}.}}" for number in range(70)]
    path = write(*steps, NEW % "user", "probe: {id: p, recall: how do we ship, expect: [new]}")
    section = unescape(failures_section("Failures", failures_of(play_cell(path, "lab06")), [path.parents[1]]))
    assert re.search(r"\(1\d more lines; `memlab explain` shows all\)", section)
