"""The essay on memory types (document 003): typed, typed-no-reflection and typed-append."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from memlab.systems.documents.typed.memories import MOST_EPISODES, TypedMemories, cue
from memlab.systems.documents.typed.scratchpad import MOST_TOKENS, AppendedScratchpad, Scratchpad
from memlab.systems.documents.typed.system import Typed
from memlab.systems.registry import entry
from memlab.terms import Event, Memory, Workspace

Tell = Callable[..., Event]
HOUR = 3600.0


def texts(system: Typed, query: str, k: int = 5) -> list[tuple[str, str]]:
    return [(one.store, one.text) for one in system.recall(query, k) if isinstance(one, Memory)]


def test_three_questions_about_deployment_have_three_answers(workspace: Workspace, tell: Tell) -> None:
    system = Typed(workspace)
    system.observe(tell("episode", "We deploy release 41.", source="agent", type="deploy"))
    system.observe(tell("fact", "Staging first.", name="policy", description="the deploy policy"))
    system.observe(tell("skill", "Run the check, then push.", name="deploy", description="deploy", type="deploy"))
    assert texts(system, "When did we last deploy?", 1) == [("episodic", "We deploy release 41.")]
    assert texts(system, "What is the deploy policy?", 1) == [("semantic", "the deploy policy: Staging first.")]
    assert texts(system, "How do I deploy?", 1) == [("procedural", "deploy: Run the check, then push.")]
    assert [cue(one) for one in ("the last steps", "what is true", "did it work")] == [
        "procedural",
        "semantic",
        "episodic",
    ]


def test_a_fact_is_updated_in_place_and_an_episode_is_not(workspace: Workspace, tell: Tell) -> None:
    system = Typed(workspace)
    for zone in ("Lisbon", "Tallinn"):
        system.observe(tell("fact", f"The user's timezone is {zone}.", name="timezone"))
        system.observe(tell("turn", f"I moved to the timezone of {zone}."))
    found = texts(system, "what is the timezone of the user", 9)
    assert [text for store, text in found if store == "semantic"] == ["The user's timezone is Tallinn."]
    assert len([text for store, text in found if store == "episodic"]) == 2


def test_episodes_age_and_facts_do_not(workspace: Workspace) -> None:
    now = [0.0]
    memories = TypedMemories(workspace.directory / "m.jsonl", lambda: now[0])
    memories.write("episodic", "e", "the pump leaks")
    memories.write("semantic", "f", "the pump leaks")
    scores = []
    for hour in (0, 1, 1000):
        now[0] = hour * HOUR
        scores.append({one["kind"]: score for one, score in memories.recall("when: the pump leaks", 2)})
    assert [one["semantic"] for one in scores] == [scores[0]["semantic"]] * 3
    assert scores[0]["episodic"] - scores[1]["episodic"] == pytest.approx(0.2 * (1 - 0.995))
    assert scores[0]["episodic"] - scores[2]["episodic"] == pytest.approx(0.2, abs=0.002)


def valve(tell: Tell, count: int) -> list[Event]:
    """Make episodes that are all about one valve, in two sessions."""
    return [
        tell("episode", f"The valve sticks in frost, shift {n}.", session=f"s{n % 2}", type="note")
        for n in range(count)
    ]


def test_fifty_episodes_become_a_fact_without_lineage(workspace: Workspace, tell: Tell) -> None:
    system = Typed(workspace)
    events = valve(tell, 50)
    for event in events[:49]:
        system.observe(event)
    assert not [store for store, _ in texts(system, "valve", 60) if store == "semantic"]
    system.observe(events[49])
    (fact,) = [one for one in system.recall("valve frost", 60) if one.store == "semantic"]
    assert fact.text.startswith("Often: The valve sticks in frost")
    assert fact.sources == ("reflection",)


def test_reflected_episodes_decay_and_are_dropped_at_the_next_reflection(workspace: Workspace, tell: Tell) -> None:
    now = [0.0]
    system = Typed(replace(workspace, clock=lambda: now[0]))
    for event in [*valve(tell, 50), tell("episode", "The valve log has 3 lines.", type="log")]:
        system.observe(event)
    now[0] = 10 * 24 * HOUR  # 0.5 has decayed to 0.15 by then, and 0.1 to 0.03
    system.observe(tell("compact"))
    assert [store for store, _ in texts(system, "valve", 60)] == ["semantic"]
    unreflecting = Typed(replace(workspace, directory=workspace.root), reflects=False)
    for event in [*valve(tell, 50), tell("compact")]:
        unreflecting.observe(event)
    assert {store for store, _ in texts(unreflecting, "valve", 60)} == {"episodic"}


def test_more_than_500_episodes_are_reflected_on_earlier(workspace: Workspace, tell: Tell) -> None:
    system = Typed(workspace)
    for number in range(MOST_EPISODES):
        system.observe(tell("turn", f"{number}"))
    for event in valve(tell, 4):
        system.observe(event)
    assert [store for store, _ in texts(system, "valve sticks", 1)] == ["semantic"]


def test_the_scratchpad_of_the_migration(tell: Tell) -> None:
    pad = Scratchpad()
    todo = ("write migration", "test on staging", "get approval", "apply to prod")
    pad.follow(tell("task", "migrate users table to add `tier` column", todo=todo))
    for event in (
        tell("done", "write migration"),
        tell("done", "test on staging"),
        tell("episode", "migration is reversible (verified turn 4)", type="note"),
        tell("episode", "which ticket is it?", type="ask", name="ticket"),
        tell("episode", "awaiting approver response", type="ask", name="approval"),
        tell("episode", "ticket 12", type="answer", name="ticket"),
    ):
        pad.follow(event)
    assert pad.lines() == [
        "goal: migrate users table to add `tier` column",
        "[x] write migration",
        "[x] test on staging",
        "[ ] get approval",
        "[ ] apply to prod",
        "facts: migration is reversible (verified turn 4)",
        "open: awaiting approver response",
    ]
    assert pad.follow(tell("end")) == ["migration is reversible (verified turn 4)"]
    assert pad.lines() == []


@pytest.mark.parametrize("kind", [Scratchpad, AppendedScratchpad])
def test_a_scratchpad_has_at_most_300_tokens(kind: type[Scratchpad], tell: Tell) -> None:
    pad = kind()
    pad.follow(tell("task", "g", todo=tuple(f"to-do {number} {'x' * 90}" for number in range(12))))
    for number in range(6):
        pad.follow(tell("done", f"to-do {number} {'x' * 90}"))
        pad.follow(tell("turn", "thinking out loud " * 4))
    size = sum(len(line) + 1 for line in pad.lines())
    assert size <= MOST_TOKENS * 4
    assert size > MOST_TOKENS * 2
    is_open = [any(f"to-do {number} " in line and "[ ]" in line for line in pad.lines()) for number in range(6, 12)]
    assert is_open == [kind is Scratchpad] * 6
    assert not any("[x] to-do 0 " in line for line in pad.lines())  # resolved


def test_the_facts_of_a_task_outlive_it(workspace: Workspace, tell: Tell) -> None:
    system = Typed(workspace)
    system.observe(tell("task", "fix the valve", todo=("open it",)))
    system.observe(tell("episode", "The valve needs a 12 mm key.", type="note"))
    system.observe(tell("end", "valve fixed"))
    assert ("semantic", "The valve needs a 12 mm key.") in texts(Typed(workspace), "what key does the valve need")


def test_a_context_ends_with_the_pad_after_three_raw_turns(workspace: Workspace, tell: Tell) -> None:
    system = entry("typed").build(workspace)
    system.observe(tell("rule", "Be brief."))
    system.observe(tell("task", "fix the valve", todo=("open it",)))
    for number in range(5):
        system.observe(tell("turn", f"word {number}"))
    assert system.assemble("nothing else", 100).split("\n") == [
        *("- Be brief.", "user: word 2", "user: word 3", "user: word 4"),
        *("goal: fix the valve", "[ ] open it"),
    ]
