"""What `make test` leaves to other targets, and the order in which it runs the test files."""

from __future__ import annotations

import os

import pytest

collect_ignore = []
if os.environ.get("MEMLAB_HOSTILE") != "full":
    collect_ignore.append("grading/test_hostile_full.py")  # `make hostile`: hours
if os.environ.get("MEMLAB_BENCH") != "full":
    collect_ignore.append("bench")  # `make bench`: it asserts ratios of times
SLOW = ("tests/package/", "tests/docs/", "tests/labs/test_wrong", "tests/memory/retrieval/", "tests/report/", "evals/")
"""Test files that take longest: they start first, so that no worker is left with one of them at the end."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Move slow test files to the front."""
    items.sort(key=lambda item: next((n for n, name in enumerate(SLOW) if item.nodeid.startswith(name)), len(SLOW)))
