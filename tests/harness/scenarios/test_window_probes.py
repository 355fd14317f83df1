"""Probes of a whole context window: what a system receives, and what is not applicable."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from memlab.harness.check.check import check
from memlab.harness.running.runner import play
from memlab.harness.scenarios.errors import BadScenario
from memlab.harness.scenarios.loading import load
from memlab.harness.scoring.metrics import METRICS
from memlab.report.explain.story import story
from memlab.systems.entry import Entry
from memlab.systems.fallback import complete
from memlab.systems.registry import entry
from memlab.terms import Event, Probe, Result, Workspace

Write = Callable[[str], Path]
TIMELINE = """\
vary: {color: [red, blue], port: [8443, 9443]}
rules: ["Ship on Fridays only."]
timeline:
  - fact: {id: hull, name: hull, description: paint of the hull, body: "The hull is {color}.", needles: ["{color}"]}
  - tool: {id: log, text: "the port is {port}", needles: ["{port}"]}
  - repeat: {times: 160,
             turn: {id: chat, needles: [long conversation], text: "{i}: a long conversation about nothing, today"}}
  - turn: {id: last, text: "and now paint it"}
  - probe: {id: all, window: {task: paint the hull, budget: 500, turns: [chat, last], results: [log]},
            keep: [rules, hull, log, last]}
"""


class Records:
    """Remembers what it was given for a window."""

    given: tuple[object, ...] = ()

    def __init__(self, workspace: Workspace) -> None:
        del workspace

    def observe(self, event: Event) -> None:
        del event

    def recall(self, query: str, k: int = 5) -> list[str]:
        del query, k
        return []

    def assemble(self, task: str, budget: int) -> str:
        del task, budget
        return ""


class RecordsWindow(Records):
    def window(self, task: str, budget: int, turns: Sequence[str], results: Sequence[str]) -> str:
        type(self).given = (task, budget, list(turns), list(results))
        return "Ship on Fridays only. " * 1_000


def result(path: Path, one: Entry) -> Result:
    ((found,),) = play(load(path).sample(0), [one])
    return found


def probe(path: Path) -> Probe:
    found = load(path).sample(0).timeline[-1]
    assert isinstance(found, Probe)
    return found


def test_a_window_has_the_texts_of_its_events_in_the_order_of_the_timeline(write: Write) -> None:
    found = probe(write(TIMELINE.replace("[chat, last]", "[last, chat]")))
    assert (found.verb, found.query, found.budget) == ("window", "paint the hull", 500)
    assert [text.split()[0] for text in found.turns] == [*(f"{i}:" for i in range(1, 161)), "and"]
    assert [text[:12] for text in found.results] == ["the port is "]


def test_a_system_receives_task_budget_turns_and_results_and_its_window_is_cut_at_the_budget(write: Write) -> None:
    path = write(TIMELINE)
    answer = result(path, Entry("mine", "", "yours", RecordsWindow))
    asked = probe(path)
    assert RecordsWindow.given == ("paint the hull", 500, list(asked.turns), list(asked.results))
    assert answer.broke == ("budget",)
    assert [len(item) for item in answer.items] == [2_000]


def test_for_a_system_without_a_window_the_probe_is_not_applicable(write: Write) -> None:
    answer = result(write(TIMELINE), Entry("mine", "", "yours", Records))
    assert answer.not_applicable == "'mine' has no window(task, budget, turns, results)"
    assert METRICS["passes"](answer) != METRICS["passes"](answer)  # NaN: in no mean
    assert not answer.error


def test_a_system_whose_other_verb_is_supplied_keeps_its_window(write: Write) -> None:
    def build(workspace: Workspace) -> object:
        return complete("mine", RecordsWindow(workspace), frozenset({"observe", "assemble", "window"}))

    assert not result(write(TIMELINE), Entry("mine", "", "yours", build)).not_applicable  # type: ignore[arg-type]


@pytest.mark.parametrize(("name", "passes"), [("oracle", 1), ("hybrid", 1), ("null", 0), ("bucket-recent", 0)])
def test_a_window_is_judged_like_a_context(write: Write, name: str, passes: int) -> None:
    answer = result(write(TIMELINE), entry(name))
    assert (METRICS["passes"](answer), METRICS["survives"](answer), answer.error) == (passes, passes, "")
    assert answer.tokens <= 500


def test_the_check_proves_a_window(write: Write) -> None:
    assert check([load(write(TIMELINE))]) == []
    small = [str(one) for one in check([load(write(TIMELINE.replace("500", "30")))])]
    assert len(small) == 1
    assert "has a budget of 30 tokens, too few for what must be kept. Set at least" in small[0]


def test_a_story_says_how_much_a_window_is_made_of(write: Write) -> None:
    told = ["".join(span.text for span in one.spans) for one in story(load(write(TIMELINE)).sample(0))]
    assert any("? paint the hull  (window, 500 tokens, of 161 turns and 1 result)" in one for one in told)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            "turns: [chat, last], results: [log]",
            "turns: []",
            "a window needs `turns:` or `results:`, by the ids of events",
        ),
        ("budget: 500", "budget: 0", "budget is 0: it must be greater than 0"),
        ("budget: 500, ", "", "probe.window lacks 'budget'. Add `budget:`."),
        ("results: [log]}", "results: [log]}, budget: 9", "the `budget:` of a window is inside of `window:`"),
        ("results: [log]}", "results: [log]}, recall: x", "a probe has one of `recall:`, `assemble:` and `window:`"),
        (
            "turns: [chat",
            "turns: [chit",
            "this window has the turn 'chit', but no earlier event has this id. Did you mean",
        ),
        ("turns: [chat", "turns: [log, chat", "this window has events of kind 'tool'. List those of kind 'turn'"),
        ("keep: [", "expect: [hull], keep: [", "`expect:` is for `recall:`; use `keep:` for an assemble or a window"),
    ],
)
def test_a_window_that_does_not_fit_is_reported_with_the_fix(write: Write, old: str, new: str, words: str) -> None:
    assert old in TIMELINE
    with pytest.raises(BadScenario) as caught:
        load(write(TIMELINE.replace(old, new))).sample(0)
    assert words in str(caught.value)
