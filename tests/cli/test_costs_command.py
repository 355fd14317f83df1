"""`memlab costs` measures a cell on this machine and multiplies."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from commands import invoke

from memlab.harness.comparison import Comparison
from memlab.harness.running.batches import batches, packed
from memlab.harness.running.costs import measure_costs
from memlab.harness.scenarios.loading import library, load_all, select
from memlab.systems.registry import entry
from memlab.terms import Result

pytestmark = pytest.mark.usefixtures("in_empty_folder")
SMALL = ("--systems", "bm25,bucket-recent", "--scenarios", "recall/first-week")
ROW = re.compile(r"^ *(\S.*?)  +([\d.,]+ \w+)  +([\d.,]+ \w+) *$", re.MULTILINE)


def rows(*options: str) -> dict[str, tuple[str, str]]:
    return {what: (one, many) for what, one, many in ROW.findall(invoke("costs", *SMALL, *options, width=120))}


def test_all_costs_of_one_cell_are_printed_and_a_run_of_one_cell_costs_the_same() -> None:
    found = rows("--cells", "1")
    assert len(found) == 10
    assert all(one == many and not one.startswith("0 ") for one, many in found.values())
    assert not list(Path.cwd().iterdir())


def test_a_larger_run_costs_as_many_times_as_much() -> None:
    one, many = rows("--cells", "1000000")["results.jsonl"]
    assert (one.split()[1], many.split()[1]) == ("kB", "GB")
    assert float(one.split()[0]) == pytest.approx(float(many.split()[0]), abs=0.11)


def test_the_costs_are_those_of_the_run_that_was_played(tmp_path: Path) -> None:
    found = select(load_all([library()]), "recall/first-week")
    comparison = Comparison(found, [entry("bm25"), entry("bucket-recent")], seeds=2)
    cells = list(comparison.play(path := tmp_path / "results.jsonl"))
    scored: list[list[Result]] = []
    costs = measure_costs(comparison.rounds, scored.append)
    assert costs.cells == len(cells) == 4
    assert [len(one) for one in scored] == [sum(map(len, cells))]
    assert costs.stored == pytest.approx(path.stat().st_size, abs=1000)  # the seconds have other digits
    assert costs.sent == sum(len(packed(batch)) for batch in batches(comparison.rounds))
    assert costs.memory > costs.stored / 10
    assert 0 < costs.play <= costs.wall * 2
