"""A notebook's kernel for tests: cells are run, and the lab sees them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from memlab.labs.handout.pages import Pages
from memlab.labs.lab import load
from memlab.labs.learner import kernel as running_kernel
from memlab.labs.learner import notebook_commands
from memlab.labs.learner.notebook_commands import Notebook, open_lab

ReadOutput = Callable[[], str]


class Kernel:
    """What IPython is to a lab: the inputs so far, and the names they made."""

    def __init__(self) -> None:
        self.user_ns: dict[str, Any] = {"__name__": "__main__"}
        self.history_manager = SimpleNamespace(input_hist_raw=[""])

    def run(self, *cells: str) -> None:
        for cell in cells:
            self.history_manager.input_hist_raw.append(cell)
            exec(cell, self.user_ns)  # noqa: S102 - a kernel runs cells


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Kernel:
    running = Kernel()
    monkeypatch.chdir(tmp_path)
    for module in (running_kernel, notebook_commands):
        monkeypatch.setattr(module, "shell", lambda: running)
    return running


@pytest.fixture
def lab(kernel: Kernel, capsys: pytest.CaptureFixture[str]) -> Iterator[Notebook]:
    del kernel
    opened = open_lab("06")
    capsys.readouterr()
    yield opened
    opened.fresh()  # what it set of the environment is as it was


@pytest.fixture
def read_output(capsys: pytest.CaptureFixture[str]) -> ReadOutput:
    return lambda: capsys.readouterr().out


@pytest.fixture(scope="module")
def cells() -> dict[str, str]:
    """Give the solved cells of Lab 06 by their label."""
    return {cell.label: cell.source for cell in Pages(load("06").folder).solved() if cell.label}


@pytest.fixture(scope="module")
def to_fill() -> dict[str, str]:
    return {cell.label: cell.source for cell in Pages(load("06").folder).learner() if cell.label}


def upto(cells: dict[str, str], last: str) -> list[str]:
    labels = list(cells)
    return [cells[label] for label in labels[: labels.index(last) + 1]]
