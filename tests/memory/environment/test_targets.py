from __future__ import annotations

import pytest

from memlab.memory.environment.targets import find_target
from memlab.memory.world import Lookup

MAKE = """
.PHONY: all clean
VERSION := 1
URL = http://example.org
build lint: deps
\tgo build
test:: build
"""
JUST = """
version := "1:2"
alias b := build
build target="x" *args: lint
@lint:
    ruff check
"""
TASK = "version: 3\ntasks:\n  build:\n    cmds: []\n  'db:reset':\n    cmds: []\n"
NPM = '{"name": "x", "scripts": {"build": "tsc", "test:unit": "vitest"}}'


@pytest.mark.parametrize(
    ("runner", "text", "present", "absent"),
    [
        ("make", MAKE, "all clean build lint test", "deps VERSION URL go tests"),
        ("just", JUST, "b build lint", "version target ruff test"),
        ("task", TASK, "build db:reset", "reset db test"),
        ("npm", NPM, "build test:unit", "test name"),
        ("bun", NPM, "build test:unit", "test name"),
    ],
)
def test_each_target_of_a_file_is_present_and_no_other(runner: str, text: str, present: str, absent: str) -> None:
    for presence, names in (("present", present), ("absent", absent)):
        assert {name: find_target(runner, name, text).presence for name in names.split()} == dict.fromkeys(
            names.split(), presence
        )


@pytest.mark.parametrize(
    ("runner", "more"),
    [
        ("make", "include common.mk"),
        ("make", "-include common.mk"),
        ("make", "%.o: %.c"),
        ("make", "$(TARGETS): deps"),
        ("just", "import 'more.just'"),
        ("just", "mod db"),
        ("task", "includes:"),
    ],
)
def test_a_target_that_another_file_or_a_pattern_may_declare_is_unknown(runner: str, more: str) -> None:
    text = "tasks:\n  build:\n" if runner == "task" else "build:\n"
    assert find_target(runner, "test", text).presence == "absent"
    unknown = Lookup("unknown", reason="test may be declared in another file")
    assert find_target(runner, "test", f"{text}{more}\n") == unknown


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"scripts": 3}', "[" * 100_000])
def test_a_package_json_that_cannot_be_read_says_nothing(text: str) -> None:
    assert find_target("npm", "build", text) == Lookup("unknown", reason="package.json cannot be read")


def test_a_package_json_without_scripts_has_no_targets() -> None:
    assert find_target("npm", "build", '{"name": "x"}').presence == "absent"
