from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from memlab.harness.scoring.fixes import NOTHING
from memlab.report.html.failures import anchor, failures_of
from memlab.report.html.fixes import fixes_section
from memlab.report.tables.fixes import fix_first, own_results
from memlab.terms import Result

MINE = "my agent/memory.py:Mine"


def own(results: list[Result], like: str) -> list[Result]:
    return [replace(one, system=MINE) for one in results if one.system == like]


def test_only_the_users_own_systems_have_fixes(results: list[Result]) -> None:
    assert own_results(results) == {}
    assert not fix_first(results, Path("run"))
    assert list(own_results([*results, *own(results, "null")])) == [MINE]


def test_the_terminal_names_the_command_that_explains_the_first_fix(results: list[Result]) -> None:
    first, *fixes, command = fix_first(own(results, "bucket-search"), Path("run")).plain.splitlines()
    assert first == f"What to fix first in {MINE}:"
    assert fixes[0].startswith("  1. ")
    assert command.startswith(f"See why: memlab explain run --system '{MINE}' --scenario ")


def test_a_system_without_a_failure_has_nothing_to_fix(results: list[Result]) -> None:
    assert NOTHING in fix_first(own(results, "oracle"), Path("run")).plain


def test_the_page_links_each_fix_to_a_failure_that_it_has(results: list[Result]) -> None:
    mine = own(results, "bucket-search")
    failures = failures_of([one for one in mine if not one.key.overlay])
    section = fixes_section("What to fix first", {MINE: mine}, failures)
    assert f'href="#{anchor((MINE, "stale/case-0"))}"' in section
    assert "href" not in fixes_section("What to fix first", {MINE: mine}, {})
