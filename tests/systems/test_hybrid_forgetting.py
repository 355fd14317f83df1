"""The orders of forgetting (document 004, question 4)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from memlab.systems.reference.hybrid_forgetting import ENTRIES, ORDERS, Forgetting, build
from memlab.terms import Event, Memory, Workspace

Tell = Callable[..., Event]
KEEP = 4


def fill(tell: Tell) -> list[Event]:
    """Make eight episodes, the even ones important, the second and the fifth a failure."""
    texts = []
    for number, thing in enumerate(("lamp", "rope", "crate", "saw", "bell", "anvil", "flute", "wheel")):
        must = "must always be oiled" if number % 2 == 0 else "is in the yard"
        texts.append(f"The {thing} {must}{', and the search failed' if number in {1, 4} else ''}.")
    return [tell("episode", text, source="agent", type="log") for text in texts]


def left(system: Forgetting) -> list[str]:
    """Return the things that are still remembered, in the order of time."""
    found = [
        one for one in system.recall("the lamp rope crate saw bell anvil flute wheel", 20) if isinstance(one, Memory)
    ]
    texts = " ".join(one.text for one in found)
    return [thing for thing in ("lamp", "rope", "crate", "saw", "bell", "anvil", "flute", "wheel") if thing in texts]


@pytest.mark.parametrize(
    ("order", "kept"),
    [
        ("oldest", ["bell", "anvil", "flute", "wheel"]),
        ("failed-first", ["saw", "anvil", "flute", "wheel"]),
        ("unimportant", ["lamp", "crate", "bell", "flute"]),
        ("unused", ["rope", "anvil", "flute", "wheel"]),
    ],
)
def test_each_order_deletes_what_it_says(order: str, kept: list[str], workspace: Workspace, tell: Tell) -> None:
    system = Forgetting(workspace, ORDERS[order], keep=KEEP)
    for event in fill(tell):
        system.observe(event)
    if order == "unused":
        system.recall("where is the rope", 1)
        system.close()
        system = Forgetting(workspace, ORDERS[order], keep=KEEP)  # what was served survives a restart
    system.observe(tell("compact", source="agent"))
    assert left(system) == kept


def test_a_random_order_is_the_same_in_every_run_and_is_no_order_of_time(workspace: Workspace, tell: Tell) -> None:
    events = fill(tell)
    kept = []
    for name in ("a", "b"):
        folder = workspace.directory / name
        folder.mkdir()
        system = Forgetting(replace(workspace, directory=folder), ORDERS["random"], keep=KEEP)
        for event in [*events, tell("compact", source="agent")]:
            system.observe(event)
        kept.append(left(system))
    assert kept[0] == kept[1]
    assert len(kept[0]) == KEEP
    assert kept[0] != ["bell", "anvil", "flute", "wheel"]


@pytest.mark.parametrize("order", ORDERS)
def test_what_a_fact_or_an_episode_came_from_is_never_deleted(order: str, workspace: Workspace, tell: Tell) -> None:
    system = Forgetting(workspace, ORDERS[order], keep=1)
    first, second, *_ = events = fill(tell)
    for event in events:
        system.observe(event)
    system.observe(tell("fact", "Oil is in the shed.", name="oil", source="agent", derived_from=(first.id,)))
    system.observe(tell("episode", "The rope again.", source="agent", derived_from=(second.id,)))
    system.observe(tell("compact", source="agent"))
    assert {"lamp", "rope"} <= set(left(system))
    assert len(left(system)) < len(events)


def test_nothing_is_deleted_below_the_limit(workspace: Workspace, tell: Tell) -> None:
    assert {one.name for one in ENTRIES} == {f"forget-{order}" for order in (*ORDERS, "reference")}
    for order in ("oldest", "reference"):
        folder = workspace.directory / order
        folder.mkdir()
        system = build(order)(replace(workspace, directory=folder))
        for event in [*fill(tell), tell("compact", source="agent")]:
            system.observe(event)
        assert "The lamp must always be oiled." in [
            one.text for one in system.recall("lamp oiled") if isinstance(one, Memory)
        ]
