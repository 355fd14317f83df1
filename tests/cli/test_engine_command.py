"""`memlab compare --engine` says in one sentence why a cluster cannot play a run, and touches no earlier results."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from commands import invoke

from memlab.harness.running import dask_engine

pytestmark = pytest.mark.usefixtures("in_empty_folder", "no_charts")
RUN = ("compare", "--scenarios", "recall/first-week", "--seeds", "1", "--systems", "bm25,null", "--out", "out")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--engine", "dask"), "--engine dask needs --scheduler ADDRESS, which `dask scheduler` prints."),
        (
            ("--scheduler", "tcp://127.0.0.1:9"),
            "--scheduler is the address of a Dask cluster: add --engine dask, or omit it.",
        ),
        (
            ("--engine", "dask", "--scheduler", "tcp://127.0.0.1:9", "--jobs", "2"),
            "--jobs is for --engine local; a Dask cluster has the workers that you start. Omit it.",
        ),
    ],
)
def test_options_that_contradict_each_other_are_refused(options: tuple[str, ...], message: str) -> None:
    assert invoke(*RUN, *options, code=2) == f"{message}\n"


def test_a_scheduler_that_is_not_there_leaves_the_earlier_results_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason="the extra dask is not installed: pip install distributed")
    monkeypatch.setattr(dask_engine, "PATIENCE", 0.5)
    invoke(*RUN, code=0)
    before = {path: path.read_bytes() for path in Path("out").rglob("*") if path.is_file()}
    output = invoke(*RUN, "--engine", "dask", "--scheduler", "tcp://127.0.0.1:9", code=2)
    assert output.startswith("no Dask scheduler answers at 'tcp://127.0.0.1:9' within 0.5 s (")
    assert output.count("\n") == 1
    assert {path: path.read_bytes() for path in Path("out").rglob("*") if path.is_file()} == before


def test_the_executor_of_the_cluster_plays_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    addresses: list[str] = []

    @contextmanager
    def connect(address: str) -> Iterator[Executor]:
        addresses.append(address)
        with ThreadPoolExecutor(1) as executor:
            yield executor

    monkeypatch.setattr(dask_engine, "dask_executor", connect)
    assert "bm25" in invoke(*RUN, "--engine", "dask", "--scheduler", "tcp://127.0.0.1:9", code=0)
    assert addresses == ["tcp://127.0.0.1:9"]


@pytest.mark.parametrize("command", [("grade", "."), ("lab", "check")])
def test_no_command_that_runs_submissions_has_an_engine(command: tuple[str, ...]) -> None:
    assert "No such option: --engine" in invoke(*command, "--engine", "dask", code=2)
