from collections.abc import Callable

import pytest

from memlab.systems.degenerate.first_statement import ABOUT, BUILDS, SERVED
from memlab.terms import Event, MemorySystem, Workspace

Tell = Callable[..., Event]
QUERY = "what opens the gate"
FIRST = "The gate opens with the iron key, says a page."
LATER = "The gate opens with the brass key."
AGAIN = "As I said, the gate opens with the brass key."
OTHER = "Somebody painted the gate in spring, twice, and it still squeaks."


@pytest.fixture
def life(tell: Tell) -> list[Event]:
    later = tell("turn", LATER, about="gate")
    return [
        tell("rule", "Shut what you open.", name="r1"),
        tell("turn", FIRST, about="gate", source="web"),
        later,
        tell("turn", AGAIN, about="gate", derived_from=(later.id,)),
        tell("turn", OTHER),
        tell("erase", "the gate is nobody's business", erases=(later.id,)),
        tell("task", "open the gate", todo=("find the key", "oil the gate")),
    ]


def observe_all(name: str, workspace: Workspace, life: list[Event]) -> MemorySystem:
    system = BUILDS[name](workspace)
    for event in life:
        system.observe(event)
    return system


def test_each_system_has_a_description() -> None:
    assert BUILDS.keys() == ABOUT.keys()


@pytest.mark.parametrize("name", BUILDS)
def test_each_answers_the_same_after_a_restart(name: str, workspace: Workspace, life: list[Event]) -> None:
    system = observe_all(name, workspace, life)
    again = BUILDS[name](workspace)
    assert again.recall(QUERY) == system.recall(QUERY) != []
    assert again.assemble("open the gate", 50) == system.assemble("open the gate", 50)


def test_first_told_returns_the_first_statement_on_each_subject(workspace: Workspace, life: list[Event]) -> None:
    assert set(observe_all("first-told", workspace, life).recall(QUERY)) == {FIRST, OTHER}


def test_told_once_drops_statements_similar_to_another(workspace: Workspace, tell: Tell) -> None:
    life = [tell("turn", text) for text in (LATER, AGAIN, OTHER)]
    assert observe_all("told-once", workspace, life).recall(QUERY) == [OTHER]


def test_told_once_drops_both_ends_of_a_derived_chain(workspace: Workspace, tell: Tell) -> None:
    root = tell("turn", LATER)
    life = [root, tell("turn", "In short: brass does it, they claim of the gate.", derived_from=(root.id,))]
    assert observe_all("told-once", workspace, life).recall(QUERY) == []


def test_told_once_returns_the_first_remaining_statement_on_each_subject(workspace: Workspace, tell: Tell) -> None:
    life = [
        tell("turn", LATER, about="gate"),
        tell("turn", AGAIN, about="gate"),
        tell("turn", "Only a wire opens it, no gate like it in town.", about="gate"),
        tell("turn", "Whoever opens this gate whistles.", about="gate"),
    ]
    assert observe_all("told-once", workspace, life).recall(QUERY) == ["Only a wire opens it, no gate like it in town."]


@pytest.mark.parametrize("name", BUILDS)
def test_a_context_holds_rules_goal_a_few_matches_and_the_todo_within_its_budget(
    name: str, workspace: Workspace, tell: Tell
) -> None:
    words = ("oak", "rust", "moss", "paint", "snow")
    life = [
        tell("rule", "Shut what you open.", name="r1"),
        *(tell("turn", f"A gate of {word}, with a creak of its own: {word * 2}.") for word in words),
        tell("task", "open the gate", todo=("oil the gate",)),
    ]
    system = observe_all(name, workspace, life)
    lines = system.assemble("open the gate", 200).split("\n")
    assert (lines[:2], lines[-1]) == (["Shut what you open.", "goal: open the gate"], "- oil the gate")
    assert len(lines) == SERVED + 3
    assert len(system.assemble("open the gate", 20)) <= 20 * 4
