"""Code that works in `memlab lab check` works at every level of the grader; a bound is the same error everywhere."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from memlab.sandbox.client import LearnerFile, Raised
from memlab.sandbox.isolation import LEVELS
from memlab.sandbox.sandbox import StartSandbox
from memlab.sandbox.unisolated import start_unisolated

HONEST, REFUSED = (Path(__file__).with_name(f"{name}_code.py") for name in ("honest", "refused"))
STARTS: dict[str, StartSandbox] = {"lab check": start_unisolated} | {one.name: one.start_sandbox for one in LEVELS}


def functions(path: Path) -> dict[str, str]:
    """Return the name and docstring of each function of a file."""
    body = ast.parse(path.read_text(encoding="utf-8")).body
    return {one.name: ast.get_docstring(one) or "" for one in body if isinstance(one, ast.FunctionDef)}


@pytest.fixture(scope="module", params=STARTS)
def start(request: pytest.FixtureRequest) -> StartSandbox:
    lacking = next((one.problem() for one in LEVELS if one.name == request.param), "")
    if lacking:
        pytest.skip(lacking)
    return STARTS[request.param]


@pytest.fixture(scope="module")
def honest(start: StartSandbox) -> Iterator[LearnerFile]:
    with LearnerFile(HONEST, start_sandbox=start) as found:
        yield found


@pytest.fixture(scope="module")
def refused(start: StartSandbox) -> Iterator[LearnerFile]:
    with LearnerFile(REFUSED, start_sandbox=start) as found:
        yield found


@pytest.mark.parametrize("name", functions(HONEST))
def test_honest_code_works_each_time_that_a_check_loads_the_file(honest: LearnerFile, name: str) -> None:
    for _ in range(20):
        honest.reset()
        assert honest.call(name) is None


@pytest.mark.parametrize("name", ["standard_streams", "a_stream_over_a_stream", "a_detached_stream"])
def test_what_code_prints_is_returned_once_whatever_it_does_with_the_stream(honest: LearnerFile, name: str) -> None:
    honest.reset()
    for call in (name, "one_more_line"):
        honest.call(call)
        assert honest.printed == "here\n"


@pytest.mark.parametrize(("name", "error"), functions(REFUSED).items())
def test_a_bound_is_an_error_that_names_the_bound_and_the_line(refused: LearnerFile, name: str, error: str) -> None:
    refused.reset()
    answer = refused.attempt(name)
    assert isinstance(answer, Raised)
    assert re.sub(r" \(line \d+\)$", "", f"{answer.type}: {answer.message}") == error.removesuffix(".")
    assert re.search(r" \(line \d+\)$", answer.message)
