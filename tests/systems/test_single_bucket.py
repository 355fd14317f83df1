from collections.abc import Callable

import pytest

from memlab.systems.notes import fill_budget, lines_of
from memlab.systems.single_bucket import BUILDS, BucketRecent, BucketSearch
from memlab.terms import Event, Workspace

Tell = Callable[..., Event]
BOTH = pytest.mark.parametrize("name", BUILDS)


@BOTH
def test_notes_survive_a_restart(name: str, workspace: Workspace, tell: Tell) -> None:
    build = BUILDS[name]
    first = build(workspace)
    for number in range(5):
        first.observe(tell("fact", f"Mara ships build {number}.", name=f"build-{number}", description="who ships"))
    answers = first.recall("who ships build 3", 2), first.assemble("ship build 3", 40)
    again = build(workspace)
    assert (again.recall("who ships build 3", 2), again.assemble("ship build 3", 40)) == answers


@BOTH
@pytest.mark.parametrize("budget", [0, 1, 7, 30, 100, 1000])
def test_no_context_is_larger_than_its_budget(name: str, budget: int, workspace: Workspace, tell: Tell) -> None:
    system = BUILDS[name](workspace)
    for number in range(60):
        system.observe(tell("turn", f"word {number} " * (number % 9 + 1)))
    assert len(system.assemble("word 7", budget)) <= budget * 4


@BOTH
def test_the_budget_is_filled_with_whole_lines(name: str, workspace: Workspace, tell: Tell) -> None:
    system = BUILDS[name](workspace)
    events = [tell("turn", f"the harbour master said {number:04d}") for number in range(100)]
    for event in events:
        system.observe(event)
    context = system.assemble("harbour", 200)
    assert set(context.split("\n")) <= {event.text for event in events}
    assert 800 - len(context) < 30


@BOTH
def test_a_repeated_line_is_served_once(name: str, workspace: Workspace, tell: Tell) -> None:
    system = BUILDS[name](workspace)
    for text in ("Mara ships.", "Ivo tests.", "Mara ships."):
        system.observe(tell("turn", text))
    assert system.recall("ships", 5) == ["Mara ships."]
    assert sorted(system.assemble("ships", 100).split("\n")) == ["Ivo tests.", "Mara ships."]


@BOTH
def test_text_that_shares_no_word_is_not_recalled(name: str, workspace: Workspace, tell: Tell) -> None:
    system = BUILDS[name](workspace)
    system.observe(tell("turn", "The harbour is in the north."))
    assert system.recall("where is the of and in", 5) == []
    assert system.recall('zebra " OR * ( NEAR', 5) == []


def test_recent_returns_the_newest_first(workspace: Workspace, tell: Tell) -> None:
    system = BucketRecent(workspace)
    for hour in ("nine", "ten", "eleven"):
        system.observe(tell("turn", f"the ferry leaves at {hour}"))
    system.observe(tell("turn", "nothing more"))
    assert system.recall("when is it leaving", 2) == ["the ferry leaves at eleven", "the ferry leaves at ten"]


def test_a_repeated_line_is_as_new_as_its_last_event(workspace: Workspace, tell: Tell) -> None:
    system = BucketRecent(workspace)
    for text in ("the ferry leaves", "the bus leaves", "the ferry leaves"):
        system.observe(tell("turn", text))
    assert system.recall("leaves", 1) == BucketRecent(workspace).recall("leaves", 1) == ["the ferry leaves"]


def test_search_returns_the_best_first_and_finds_by_stem(workspace: Workspace, tell: Tell) -> None:
    system = BucketSearch(workspace)
    system.observe(tell("turn", "On Fridays Mara is shipping the pages."))
    for number in range(20):
        system.observe(tell("turn", f"The page {number} was opened."))
    assert system.recall("who ships the page on friday", 1) == ["On Fridays Mara is shipping the pages."]
    assert system.assemble("who ships the page on friday", 10) == "On Fridays Mara is shipping the pages."


def test_search_fills_the_budget_with_the_newest_lines(workspace: Workspace, tell: Tell) -> None:
    system = BucketSearch(workspace)
    for text in ("old unrelated line", "the ferry leaves at ten", "new unrelated line"):
        system.observe(tell("turn", text))
    assert system.assemble("ferry", 100).split("\n") == [
        "the ferry leaves at ten",
        "new unrelated line",
        "old unrelated line",
    ]


def test_every_kind_of_event_becomes_lines_with_its_uncut_text(tell: Tell) -> None:
    assert lines_of(tell("rule", "Prefer pnpm.")) == ["- Prefer pnpm."]
    assert lines_of(tell("rule", "", name="r1")) == []
    assert lines_of(tell("fact", "Run\nit.", name="run", description="how to run")) == ["run: how to run: Run it."]
    assert lines_of(tell("task", "ship it", todo=("build", "deploy"))) == ["goal: ship it", "- build", "- deploy"]
    assert lines_of(tell("done", "build")) == ["done: build"]
    assert lines_of(tell("compact")) == []


def test_a_line_that_does_not_fit_is_skipped_not_cut() -> None:
    assert fill_budget(["a" * 9, "bb", "cc"], 2) == "bb\ncc"
    assert fill_budget(["a" * 8, "b"], 2) == "a" * 8
