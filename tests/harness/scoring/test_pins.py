from __future__ import annotations

import math
from dataclasses import replace

import pytest

from memlab.harness.scoring.metrics import score
from memlab.terms import Key, Result

KEY = Key(
    scenario="oversize/labs",
    family="oversize",
    seed=0,
    overlay="",
    probe="page",
    verb="assemble",
    query="put the labs page online",
    k=5,
    budget=300,
    expect=None,
    forbid={"old": "world"},
    keep=("who",),
    claims={"old": ("old_ship.sh",), "who": ("Mara", "Fridays"), "log": ("heartbeat 2 ok",)},
    texts={
        "old": ("To ship, run scripts/old_ship.sh from the repo root.",),
        "who": ("On Fridays Mara ships.\nShe has done so since May.",),
        "log": ("heartbeat 2 ok\nthe build is green",),
    },
    rules=("Prefer pnpm. Never mix package managers.", "Verify it exists before acting."),
    goal="ship the labs page",
    todo=("smoke test", "deploy"),
    done=("build",),
)
OLD, WHO, LOG = (KEY.texts[one][0] for one in ("old", "who", "log"))
LAB07 = """[RULES]
# Agent rules
- Prefer pnpm. Never mix package managers.
- Verify it exists before acting.

[FACTS]
On Fridays Mara ships.

[RECENT]
log: heartbeat 2 ok

[WORKING] task=ship the labs page
todo: smoke test, deploy

[RECITE -> do next] smoke test, deploy"""


def assembled(context: str, key: Key = KEY) -> dict[str, float]:
    return score(Result(key, "a system", (context,)))


def test_the_published_lab_07_context_is_parsed_as_intended() -> None:
    scores = assembled(LAB07)
    assert scores["survives"] == scores["kept"] == scores["recited"] == scores["passes"] == 1
    assert scores["context_precision"] == 1 / 2


@pytest.mark.parametrize(
    "line",
    [
        "ship the labs page",
        "goal: Ship the labs page",
        "* **Goal:** ship the labs page",
        "[WORKING] task=ship the labs page",
    ],
)
def test_a_complete_pin_is_found_under_any_label(line: str) -> None:
    assert assembled(LAB07.replace("[WORKING] task=ship the labs page", line))["survives"] == 1


@pytest.mark.parametrize(
    ("complete", "broken"),
    [
        ("Prefer pnpm. Never mix package managers.", "Prefer pnpm. Never mix package"),
        ("Prefer pnpm. Never mix package managers.", "Prefer pnpm.\nNever mix package managers."),
        (
            "Prefer pnpm. Never mix package managers.",
            "It is no longer true: Prefer pnpm. Never mix package managers. Hm",
        ),
        ("ship the labs page", "ship the labs page tomorrow"),
        ("smoke test", "smoke tests"),
        ("smoke test", "[x] smoke test"),
        ("On Fridays Mara ships.", "On Fridays M"),
    ],
)
def test_a_pin_or_a_kept_claim_that_is_cut_or_reworded_does_not_survive(complete: str, broken: str) -> None:
    scores = assembled(LAB07.replace(complete, broken))
    assert scores["survives"] == scores["passes"] == 0
    assert scores["kept"] == 4 / 5


def test_a_rule_of_several_lines_survives_only_with_all_of_them() -> None:
    key = replace(KEY, rules=("Prefer pnpm.\n- Never mix package managers.",))
    assert assembled(LAB07, key=key)["survives"] == 0
    assert assembled(LAB07.replace(" Never mix package managers.", ""), key=key)["survives"] == 0
    split = LAB07.replace("pnpm. Never", "pnpm.\n- Never")
    assert assembled(split, key=key)["survives"] == 1


@pytest.mark.parametrize(
    "tail",
    [
        "[RECITE -> do next] smoke test, deploy",
        "[RECITE -> do next] smoke test",
        "# To do\n\n1. smoke test\n2. deploy\n",
        "Next:\n- [ ] smoke test\n- [ ] deploy",
        "<todo>\nsmoke test\n</todo>",
        "todo: ['smoke test', 'deploy']",
    ],
)
def test_a_recital_ends_in_open_todos_with_the_next_one_first(tail: str) -> None:
    assert assembled(f"{OLD}\ngoal: ship the labs page\n\n{tail}")["recited"] == 1


@pytest.mark.parametrize(
    "tail",
    [
        "",
        "[RECITE -> do next] deploy, smoke test",
        "[RECITE -> do next] deploy",
        "[RECITE -> do next] build, smoke test, deploy",
        "- build\n- smoke test\n- deploy",
        "done: build\ntodo: smoke test",
        "- [x] build\n- [ ] smoke test",
        "smoke test\nAnything else that nobody told.",
        "smoke test\nheartbeat 2 ok",
        "smoke test\ngoal: ship the labs page",
        "smoke test\nPrefer pnpm. Never mix package managers.",
        "Anything else that nobody told.\nsmoke test",
    ],
)
def test_nothing_else_is_a_recital(tail: str) -> None:
    assert assembled(f"{OLD}\ngoal: ship the labs page\n\n{tail}")["recited"] == 0


def test_a_fact_of_several_lines_may_come_before_a_recital() -> None:
    assert assembled(f"{WHO}\nsmoke test")["recited"] == 1


def test_a_finished_todo_invalidates_a_recital_even_if_a_stored_text_contains_its_words() -> None:
    assert assembled(f"{LOG}\nsmoke test")["recited"] == 1
    assert assembled(f"{LOG}\nbuild\nsmoke test")["recited"] == 0


def test_a_list_without_open_todos_has_nothing_to_recite() -> None:
    assert math.isnan(assembled(LAB07, key=replace(KEY, todo=()))["recited"])
