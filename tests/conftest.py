"""The test files that `make test` leaves out and their order; no time limit for an example of Hypothesis."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

# a deadline would assert on time, and the test machines are shared
settings.register_profile("no-deadline", parent=settings(), deadline=None)
settings.load_profile("no-deadline")

collect_ignore = []
if os.environ.get("MEMLAB_HOSTILE") != "full":
    collect_ignore.append("grading/test_hostile_full.py")  # `make hostile`: hours
if os.environ.get("MEMLAB_BENCH") != "full":
    collect_ignore.append("bench")  # `make bench`: it asserts ratios of times
SLOW = (
    *("tests/docs/test_readme", "evals/test_validity", "tests/cli/test_cli", "tests/grading/marking/test_rubric_proof"),
    *("tests/docs/", "tests/grading/test_hostile", "tests/package/", "tests/labs/test_wrong", "tests/harness/turns/"),
    *("tests/cli/", "evals/test_laws", "tests/memory/retrieval/", "tests/labs/", "tests/harness/test_curves"),
    *("tests/harness/scenarios/", "tests/report/", "tests/systems/", "tests/faults/", "tests/sandbox/", "evals/"),
)
"""Test files that take longest: they start first, so that no worker is left with one of them at the end."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Move slow test files to the front, and leave tests that assert on times or need a model to other targets."""
    items.sort(key=lambda item: next((n for n, name in enumerate(SLOW) if item.nodeid.startswith(name)), len(SLOW)))
    wanted = {"timing": os.environ.get("MEMLAB_BENCH") == "full", "smoke": bool(os.environ.get("MEMLAB_SMOKE"))}
    left_out = [item for item in items if any(item.get_closest_marker(one) for one in wanted if not wanted[one])]
    if left_out:
        items[:] = [item for item in items if item not in left_out]
        config.hook.pytest_deselected(items=left_out)


@pytest.fixture
def no_charts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the charts out of a report: drawing them takes ten times as long as all the rest."""
    monkeypatch.setattr("memlab.report.folder.draw_all", lambda *_: iter(()))
