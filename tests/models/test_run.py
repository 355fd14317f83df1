"""A run goes on after a malformed answer, and says why there is none when a budget is exhausted."""

from __future__ import annotations

from pathlib import Path

import pytest

from memlab.harness.running.runner import play
from memlab.harness.scenarios.loading import library, load
from memlab.models.budget import Budget
from memlab.models.client import Client, Reply
from memlab.models.extraction import Turn, extract
from memlab.models.model import Answer, Model, Request, row_name
from memlab.models.scripted import Scripted
from memlab.models.secret import Secret
from memlab.systems.entry import Entry
from memlab.terms import Event, Result, Workspace

SCENARIO = load(library() / "recall" / "when-what-how.yaml")


class Extracted:
    """Stores the facts that a model extracts from each event."""

    def __init__(self, workspace: Workspace, model: Model) -> None:
        self._model = model
        self._file: Path = workspace.directory / "facts.txt"

    def observe(self, event: Event) -> None:
        if event.text:
            found = extract([Turn(event.source, event.text)], self._model)
            with self._file.open("a", encoding="utf-8") as file:
                file.writelines(f"{one.fact}\n" for one in found.facts)

    def recall(self, query: str, k: int = 5) -> list[str]:
        return self._file.read_text(encoding="utf-8").splitlines()[-k:] if self._file.exists() else []

    def assemble(self, task: str, budget: int) -> str:
        return ""


def results(model: Model) -> list[Result]:
    entry = Entry(row_name("extracted", model), "Facts from a model.", "yours", lambda space: Extracted(space, model))
    return [one for cell in play(SCENARIO.sample(0), [entry]) for one in cell]


def first_words(request: Request) -> Answer:
    """Answer as a good extractor: the message is its own quote."""
    text = request.user.split('"text": "', 1)[1].split("\\", 1)[0].split('"', 1)[0]
    return {"facts": [{"fact": text, "source_quote": text, "importance": 0.5}]}


@pytest.mark.parametrize(
    "answer",
    [
        *("Here are the facts.", '{"facts"', "", "x" * 2_000_000),
        {"facts": [{"fact": "The port is 1.", "source_quote": "nobody said it"}]},
        {"facts": [{"fact": "The port is 1.", "source_quote": "nobody said it", "importance": 1}]},
    ],
)
def test_nothing_of_a_malformed_answer_is_stored_and_the_run_goes_on(answer: Answer) -> None:
    model = Scripted(lambda _: answer, "smol")
    found = results(model)
    assert len(model.requests) > 1
    assert {(one.system, one.error) for one in found} == {("extracted+smol", "")}
    assert not any("".join(one.items).strip() for one in found if one.key.verb == "recall")


def test_accepted_facts_are_served() -> None:
    assert any(one.items for one in results(Scripted(first_words, "smol")) if one.key.verb == "recall")


class OneReply:
    model, max_tokens = "small", 10
    secret: Secret | None = None

    def send(self, request: Request, timeout: float) -> Reply:
        return Reply({"facts": []})


def test_an_exhausted_budget_is_the_error_of_every_later_question() -> None:
    found = results(Client(OneReply(), "smol", Budget(max_requests=1)))
    assert found
    assert all("the budget of 1 requests is used up; raise max_requests" in one.error for one in found)
