"""Checks of a tiny lab with the functions add, say, tell and ask, for tests of the grader."""

from __future__ import annotations

from hypothesis import strategies as st

from memlab.labs.checks.check import Checks, LearnerFile, expect, fail

CHECKS = Checks("06")


NUMBERS = st.integers(0, 50)


@CHECKS.add("add", one=NUMBERS, two=NUMBERS)
def adds(work: LearnerFile, one: int, two: int) -> None:
    """Two numbers are added."""
    work.reset()
    expect(work.call("add", one, two), one + two, f"{one + two}", work)


@CHECKS.add("add")
def begins_with_zero(work: LearnerFile) -> None:
    """Nothing and nothing is zero."""
    work.reset()
    expect(work.call("add", 0, 0), 0, "0", work)


@CHECKS.add("say", name=st.sampled_from(["Ann", "Bob", "Cleo"]))
def greets(work: LearnerFile, name: str) -> None:
    """Everybody is greeted."""
    work.reset()
    expect(work.call("say", name), f"Hello {name}", "a greeting", work)


@CHECKS.add("say")
def greets_birds(work: LearnerFile) -> None:
    """Birds are greeted, always the same."""
    work.reset()
    expect(work.call("say", "bird"), "Hello bird", "a greeting", work)


@CHECKS.add("keep")
def returns_what_was_stored(work: LearnerFile) -> None:
    """Words that were stored are returned."""
    work.reset()
    work.call("tell", "bird")
    expect(work.call("ask"), "bird", "the stored word", work)


@CHECKS.add("broken")
def is_broken(work: LearnerFile) -> None:
    """Nobody can divide by zero: this is an error of the check."""
    work.reset()
    expect(work.call("add", 1, 1), 1 / 0, "nothing", work)


@CHECKS.add("broken")
def raises_an_error(work: LearnerFile) -> None:
    """Nobody can write a number as a text: this is an error of the check."""
    work.reset()
    work.write("a", 5)  # type: ignore[arg-type] # as meant


@CHECKS.add("shape")
def is_a_list(work: LearnerFile) -> None:
    """Two is in a nested list."""
    work.reset()
    if work.call("add", 1, 1)[0][0] != 2:
        fail(work, "gave another list")


ADD = {"step": "add", "checks": ["add/adds", "add/begins-with-zero"]}


SAY = {"step": "say", "checks": ["say/greets", "say/greets-birds"]}


KEEP = {"step": "keep", "checks": ["keep/returns-what-was-stored"]}


RIGHT = "def add(one, two):\n    return one + two\n\n\ndef say(name):\n    return f'Hello {name}'\n"
