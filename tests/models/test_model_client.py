"""A client waits, tries again and stops as it was told; no clock of these tests runs."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from memlab.models.budget import Budget
from memlab.models.client import LONGEST_WAIT, Client, Patience, Reply, TransientError
from memlab.models.extraction import Turn, extract
from memlab.models.model import BudgetExhausted, MalformedAnswer, ModelFailed, Request
from memlab.models.secret import Secret

BUSY = TransientError("status 503: busy")


class ScriptedServer:
    """Replies or fails with the next of a list; each request takes `seconds` of the clock."""

    model = "small-model"
    max_tokens = 100
    secret: Secret | None = None

    def __init__(self, script: Sequence[Reply | Exception], seconds: float = 0.0) -> None:
        self.left = list(script)
        self.seconds = seconds
        self.now = 0.0
        self.waits: list[float] = []
        self.timeouts: list[float] = []

    def send(self, request: Request, timeout: float) -> Reply:
        self.now += self.seconds
        self.timeouts.append(timeout)
        found = self.left.pop(0)
        if isinstance(found, Exception):
            raise found
        return found

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds


def client(server: ScriptedServer, budget: Budget | None = None, patience: Patience | None = None) -> Client:
    return Client(server, "smol", budget, patience, clock=lambda: server.now, sleep=server.sleep)


def test_transient_failures_are_tried_again_after_waits_that_double() -> None:
    server = ScriptedServer([BUSY, BUSY, BUSY, Reply("yes")])
    assert client(server).complete("s", "u") == "yes"
    assert server.waits == [1, 2, 4]


def test_the_last_attempt_names_model_reason_and_count() -> None:
    server = ScriptedServer([BUSY] * 9)
    with pytest.raises(ModelFailed, match=r"smol: status 503: busy \(attempt 4, the last\); try again later"):
        client(server).complete("s", "u")
    assert (len(server.timeouts), server.waits) == (4, [1, 2, 4])


@pytest.mark.parametrize(("asked", "waited"), [(7.5, 7.5), (0.1, 1), (1e9, LONGEST_WAIT)])
def test_the_wait_that_a_server_asks_for_is_kept_within_limits(asked: float, waited: float) -> None:
    server = ScriptedServer([TransientError("status 429", asked), Reply("yes")])
    client(server).complete("s", "u")
    assert server.waits == [waited]


def test_no_attempt_begins_after_the_deadline() -> None:
    server = ScriptedServer([BUSY] * 9, seconds=10)
    with pytest.raises(ModelFailed, match="attempt 2, the last"):
        client(server, patience=Patience(timeout=10, attempts=9, deadline=22)).complete("s", "u")
    assert server.now == 21


def test_each_attempt_gets_the_time_limit() -> None:
    server = ScriptedServer([BUSY, Reply("yes")])
    client(server, patience=Patience(timeout=7)).complete("s", "u")
    assert server.timeouts == [7, 7]


@pytest.mark.parametrize(
    ("error", "message"), [(ModelFailed("status 401"), "smol: status 401"), (MalformedAnswer("odd"), "odd")]
)
def test_other_failures_are_not_tried_again(error: Exception, message: str) -> None:
    server = ScriptedServer([error, Reply("yes")])
    with pytest.raises(type(error), match=f"^{message}$"):
        client(server).complete("s", "u")
    assert server.waits == []


def test_a_budget_of_requests_counts_retries_and_stops_before_the_next_request() -> None:
    server = ScriptedServer([BUSY, Reply("yes"), Reply("never sent")])
    capped = client(server, Budget(max_requests=2))
    capped.complete("s", "u")
    with pytest.raises(BudgetExhausted, match="the budget of 2 requests is used up; raise max_requests"):
        capped.complete("s", "u")
    assert len(server.left) == 1


def test_a_budget_of_tokens_counts_what_was_used_and_reserves_the_longest_answer() -> None:
    server = ScriptedServer([Reply("a", tokens=40), Reply("b", tokens=40), Reply("never sent")])
    budget = Budget(max_tokens=150)
    capped = client(server, budget)
    capped.complete("four", "four")  # 2 tokens of prompt, 100 of answer
    capped.complete("four", "four")
    with pytest.raises(BudgetExhausted, match="the next request may cost 102 tokens, and 80 of 150 are used"):
        capped.complete("four", "four")
    assert (len(server.left), budget.requests, budget.tokens) == (1, 2, 80)


@pytest.mark.parametrize("script", [[Reply("yes", tokens=0)], [ModelFailed("lost")]])
def test_an_attempt_of_unknown_cost_counts_with_its_most(script: list[Reply | Exception]) -> None:
    budget = Budget()
    with suppress(ModelFailed):
        client(ScriptedServer(script), budget).complete("four", "four")
    assert budget.tokens == 102


def test_a_budget_in_a_file_is_one_for_all_who_name_the_file(tmp_path: Path) -> None:
    budgets = [Budget(max_requests=5, file=tmp_path / "new" / "budget.json") for _ in range(2)]
    for turn in range(5):
        client(ScriptedServer([Reply("yes", tokens=10)]), budgets[turn % 2]).complete("s", "u")
    for budget in [*budgets, Budget(max_tokens=60, file=budgets[0].file)]:
        with pytest.raises(BudgetExhausted):
            client(ScriptedServer([Reply("never sent")]), budget).complete("s", "u")
        assert (budget.requests, budget.tokens) == (5, 50)


@pytest.mark.parametrize("text", ["", "5", "{}", '{"requests": "x", "tokens": 1}'])
def test_a_file_that_holds_no_budget_is_named(tmp_path: Path, text: str) -> None:
    file = tmp_path / "budget.json"
    file.write_text(text)
    with pytest.raises(ValueError, match=r"budget\.json: expected .*; correct it or delete it"):
        Budget(max_requests=5, file=file).reserve(1)


def test_a_rejection_names_the_model_once() -> None:
    server = ScriptedServer([MalformedAnswer("the answer was cut off")])
    assert extract([Turn("user", "Hello.")], client(server)).rejected == ["smol: the answer was cut off"]


def test_an_answer_of_ten_megabytes_is_rejected() -> None:
    with pytest.raises(MalformedAnswer, match="10,000,000 characters"):
        client(ScriptedServer([Reply("x" * 10_000_000)])).complete("s", "u")


def test_a_client_has_the_name_of_its_model_unless_another_is_given() -> None:
    server = ScriptedServer([])
    assert (Client(server).name, client(server).name) == ("small-model", "smol")
