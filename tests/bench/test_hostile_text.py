"""Reading hostile text takes time in proportion to its length: no expression backtracks without end."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from memlab.audit.checks.contradictions import contradictions
from memlab.audit.entry import Entry
from memlab.grading.intake.similarity import MAX_CHARACTERS, fingerprints
from memlab.grading.intake.submissions import read_submissions
from memlab.labs.lab import load


def seconds(work: Callable[[], object]) -> float:
    """Measure the CPU time of some work."""
    began = time.process_time()
    work()
    return time.process_time() - began


@pytest.mark.parametrize(
    "unit", ["\\'''x\n", '"""', "'\\", "(", "#'", "\\", "a", "1_", "a.", "\n ", "\x00", "é", "\U0001f40d"]
)
def test_fingerprints_of_hostile_text_take_time_in_proportion_to_its_length(unit: str) -> None:
    long = MAX_CHARACTERS // len(unit)
    short = seconds(lambda: fingerprints(unit * (long // 8)))
    limit = 40 * max(short, 0.002)
    assert seconds(lambda: fingerprints(unit * long)) < limit, "8 times the length may not take 64 times as long"


def test_a_cell_with_a_hostile_first_line_takes_time_in_proportion_to_its_length(tmp_path: Path) -> None:
    def read(spaces: int) -> None:
        slow = {"cell_type": "code", "source": f"# lab07: rules{' ' * spaces}x"}
        place = tmp_path / "a.ipynb"
        place.write_text(json.dumps({"nbformat": 4, "cells": [slow]}), encoding="utf-8")
        assert "no code cell begins with a tag" in read_submissions(place, load("07"))[0].problem

    short = seconds(lambda: read(3_000))
    limit = 40 * max(short, 0.001)
    assert seconds(lambda: read(24_000)) < limit, "8 times the length may not take 64 times as long"


def test_statements_that_differ_in_a_number_are_compared_in_time_in_proportion_to_their_count() -> None:
    def compare(count: int) -> None:
        texts = (f"Line {number} of the log says that the count is {2 * number}." for number in range(count))
        entries = [Entry("CLAUDE.md", number, text, "instructions") for number, text in enumerate(texts)]
        assert not list(contradictions(entries))

    short = seconds(lambda: compare(500))
    limit = 40 * max(short, 0.001)
    assert seconds(lambda: compare(4_000)) < limit, "8 times as many may not take 64 times as long"
