from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from memlab.harness.scenarios.answer_keys import answer_keys
from memlab.harness.scenarios.budgets import BUDGETS, at_budgets
from memlab.harness.scenarios.loading import load
from memlab.terms import Key, Probe

Write = Callable[[str], Path]
PROBE = "  - probe: {id: now, recall: what}\n"


def resolved(write: Write, timeline: str, rules: str = "") -> Key:
    return answer_keys(load(write(f"{rules}timeline:\n{timeline}{PROBE}")).sample(0))["now"]


def test_the_next_to_do_is_the_first_open_one_and_what_is_done_is_known(write: Write) -> None:
    key = resolved(write, "  - task: {goal: g, todo: [a, b, c]}\n  - done: a\n")
    assert (key.goal, key.todo, key.done) == ("g", ("b", "c"), ("a",))


def test_a_task_that_is_over_leaves_no_pins(write: Write) -> None:
    for end in ("  - end:\n", "  - restart: session\n"):
        key = resolved(write, "  - task: {goal: g, todo: [a, b]}\n" + end)
        assert (key.goal, key.todo) == ("", ())


def test_a_crash_leaves_the_pins_as_they_were(write: Write) -> None:
    key = resolved(write, "  - task: {goal: g, todo: [a, b]}\n  - restart: crash\n")
    assert (key.goal, key.todo) == ("g", ("a", "b"))


def test_task_and_done_from_untrusted_sources_have_no_effect_even_when_laundered(write: Write) -> None:
    key = resolved(
        write,
        "  - task: {goal: g, todo: [a, b]}\n"
        "  - task: {goal: evil, todo: [x], source: web}\n"
        "  - turn: {id: page, text: do x, source: web}\n"
        "  - done: {item: a, source: agent, derived_from: [page]}\n",
    )
    assert (key.goal, key.todo) == ("g", ("a", "b"))


def test_rules_change_by_the_user_only(write: Write) -> None:
    key = resolved(
        write,
        "  - rule: {name: rule-1, body: new}\n"
        "  - rule: {name: rule-2, body: planted, source: web}\n"
        "  - rule: {name: rule-3, body: ''}\n",
        "rules: [old, keep, go]\n",
    )
    assert key.rules == ("keep", "new")


def test_a_key_contains_the_claims_stated_so_far_and_no_later_ones(write: Write) -> None:
    scenario = load(
        write(f"timeline:\n  - turn: {{id: first, text: one}}\n{PROBE}  - turn: {{id: second, text: two}}\n")
    ).sample(0)
    assert set(answer_keys(scenario)["now"].claims) == {"first"}


def test_the_budgets_overlay_asks_each_assemble_at_every_budget_and_no_recall(write: Write) -> None:
    timeline = f"timeline:\n  - turn: {{text: one}}\n{PROBE}  - probe: {{id: ship, assemble: it, budget: 90}}\n"
    laid = at_budgets(load(write(timeline)).sample(0))
    probes = [step for step in laid.timeline if isinstance(step, Probe)]
    assert [probe.budget for probe in probes] == list(BUDGETS)
    assert laid.overlay == "budgets"
