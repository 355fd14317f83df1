"""The table of ratios that ends a run of the benchmarks."""

from __future__ import annotations

import os

import pytest
from timed_agents import Show

HEAD = ("what", "ours", "beside it", "ratio", "limit")
_lines: list[tuple[str, ...]] = []


@pytest.fixture(scope="session")
def show() -> Show:
    """Give what puts a line into the table: what, ours, what stands beside it, their ratio, its limit."""

    def put(what: str, ours: str, beside: str, ratio: float, limit: str) -> None:
        _lines.append((what, ours, beside, f"{ratio:,.2f} x", limit))

    return put


@pytest.hookimpl(optionalhook=True, tryfirst=True)
def pytest_benchmark_group_stats() -> list[object]:
    """Leave the report to our table: pytest-benchmark times one side, and what counts is the ratio of two."""
    return []


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the table at the end of `make bench`; `make test` asks the same laws of a small memory, and prints none."""
    if not _lines or os.environ.get("MEMLAB_BENCH") != "full":
        return
    widths = [max(map(len, column)) for column in zip(HEAD, *_lines, strict=True)]
    terminalreporter.section("ratios, measured in this run")
    for what, *numbers in (HEAD, *_lines):
        cells = [cell.rjust(width) for cell, width in zip(numbers, widths[1:], strict=True)]
        terminalreporter.write_line("  ".join([what.ljust(widths[0]), *cells]))
