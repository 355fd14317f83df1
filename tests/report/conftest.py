"""Results built in the tests: an expected claim, a forbidden claim, and pins. Scenarios of a few steps."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from memlab.terms import Key, Result, Verb

GOOD, BAD = "mara ships on fridays", "ship by old.sh <script>alert(1)</script> \x1b[31m\x00"
CONTEXT = "- use pnpm\nGoal: ship the page\nmara ships on fridays\n- deploy"


@pytest.fixture(scope="session")
def make() -> Callable[..., Result]:
    """Make one result; a test names only what it is about."""

    def result(  # noqa: PLR0913 - a test names only what it is about
        system: str,
        scenario: str,
        seed: int = 0,
        verb: Verb = "recall",
        *,
        probe: str = "where",
        good: bool = True,
        bad: bool = False,
    ) -> Result:
        key = Key(
            scenario=scenario,
            family=scenario.partition("/")[0],
            seed=seed,
            overlay="",
            probe=probe,
            verb=verb,
            query="who ships?",
            k=3,
            budget=300 if verb == "assemble" else 0,
            expect=("who",) if verb == "recall" else None,
            forbid={} if scenario.startswith("recall/") else {"old": "world"},
            keep=("who",) if verb == "assemble" else (),
            claims={"who": (GOOD,), "old": ("old.sh",)},
            texts={"who": (GOOD,), "old": (BAD,)},
            rules=("use pnpm",),
            goal="ship the page",
            todo=("deploy",),
            done=(),
        )
        context = (CONTEXT if good else "nothing") + BAD * bad
        items = (GOOD,) * good + (BAD,) * bad if verb == "recall" else (context,)
        return Result(key, system, items, tokens=40, seconds=0.001, observe_seconds=0.0001)

    return result


@pytest.fixture(scope="session")
def results(make: Callable[..., Result]) -> list[Result]:
    """Make a small run: the reference wins every attack, and bucket-search wins plain recall."""
    quality = {"oracle": (1, 1), "hybrid": (1, 0), "hybrid-no-guard": (0, 0), "bucket-search": (0, 1), "null": (0, 0)}
    found: list[Result] = []
    families = ("stale", "poison", "contradiction", "oversize", "recall", "limits")
    for (system, (attacked, plain)), family, number, seed in itertools.product(
        quality.items(), families, range(6), range(2)
    ):
        good = bool(plain if family == "recall" else attacked)
        bad = not good and system not in {"null", "oracle"} and family != "recall"
        where = f"{family}/case-{number}"
        found += [make(system, where, seed, good=good, bad=bad)]
        context = make(system, where, seed, "assemble", probe="ship", good=good)
        found += [context]
        if family == "oversize":
            found += [_at(context, budget) for budget in (100, 1000)]
    return found


def _at(result: Result, budget: int) -> Result:
    key = replace(result.key, overlay="budgets", budget=budget, probe=f"ship@{budget}")
    return replace(result, key=key, items=result.items if budget > 500 else ("",))


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write a scenario of one family from the steps of its timeline."""

    def write(*steps: str, world: str = "{}") -> Path:
        path = tmp_path / "stale" / "case.yaml"
        path.parent.mkdir(exist_ok=True)
        output = "".join(f"  - {step}\n" for step in steps)
        head = "id: stale/case\ntitle: A case\nstory: A story that is long enough for a learner to read.\n"
        path.write_text(f"{head}world: {world}\ntimeline:\n{output}", encoding="utf-8")
        return path

    return write
