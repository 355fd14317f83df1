"""A system that misbehaves costs its own cell, and the run goes on."""

from collections.abc import Callable
from pathlib import Path

import pytest
from child_systems import with_recall

from memlab.harness.running.workers import Round, run
from memlab.harness.scenarios.conditions import AS_WRITTEN
from memlab.harness.scenarios.loading import Template, load
from memlab.harness.scoring.metrics import METRICS

SCENARIO = """\
id: stale/sample
title: A title
story: Somebody says which thing was first. Then somebody asks for it.
timeline:
  - turn: {id: one, text: "the first thing is red", needles: [red]}
  - probe: {id: what, recall: what is the first thing, k: 2, expect: [one]}
"""
LIMIT = 0.3
"""Seconds of a call. A longer limit only adds waiting, and processes that a fork bomb starts meanwhile: those of root
are not limited, and at full speed thousands of sessions would hold up all other tests for half a minute."""
HOSTILE = {
    "floods its output": "while True: print('x' * 65536)",
    "floods the answer": "return ['x' * 10_000_000] * 20",
    "hangs": "time.sleep(600)",
    "ignores signals and hangs": "[signal.signal(n, signal.SIG_IGN) for n in (1, 2, 15)]; time.sleep(600)",
    "forks without an end": "\n        while True: os.fork()",
    "forks sessions without an end": "\n        while True: os.fork() or os.setsid(); time.sleep(0.05)",
    "opens sockets": "import socket; socket.create_connection(('203.0.113.1', 80), 600)",
    "fills the memory": "x = []\n        while True: x.append(bytearray(2**26))",
}


@pytest.fixture
def template(tmp_path: Path) -> Template:
    path = tmp_path / "scenarios" / "stale" / "sample.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(SCENARIO, encoding="utf-8")
    return load(path)


@pytest.fixture
def hostile(tmp_path: Path) -> Callable[[str], str]:
    def write(body: str) -> str:
        path = tmp_path / "own" / "mine.py"
        path.parent.mkdir()
        path.write_text(with_recall(body), encoding="utf-8")
        return f"{path}:Mine"

    return write


@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE)
def test_it_is_one_error_and_the_run_goes_on(template: Template, hostile: Callable[[str], str], body: str) -> None:
    systems = ("bucket-recent", hostile(body), "oracle")
    rounds = [Round(template, seed, systems, LIMIT, AS_WRITTEN) for seed in range(2)]
    cells = list(run(rounds, 1, lambda _: None))
    assert [METRICS["passes"](one) for cell in cells for one in cell] == [1, 0, 1] * 2
    assert [bool(one.error) for cell in cells for one in cell] == [False, True, False] * 2
