"""The model of a run, as `memlab compare --model` names it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from memlab.models import run
from memlab.models.client import Reply
from memlab.models.model import BudgetExhausted, ModelFailed, Request
from memlab.models.openai_server import OPENAI
from memlab.models.run import BUDGET, CASSETTE, KEY_VARIABLE, ModelRun
from memlab.models.secret import Secret

KEY = "sk-planted-9f8e7d6c5b"


class FakeServer:
    """A server that repeats its key in every answer."""

    made: list[dict[str, Any]]

    def __init__(self, model: str, **options: str) -> None:
        self.model, self.max_tokens = model, 10
        variable = options.get("key_variable", "OPENAI_API_KEY" if options.get("base_url") == OPENAI else "")
        self.secret: Secret | None = Secret(variable) if variable else None
        self.made.append({"model": model, **options})

    def send(self, request: Request, timeout: float) -> Reply:
        return Reply({"facts": [], "echo": self.secret.reveal() if self.secret else request.user}, 20)


@pytest.fixture(autouse=True)
def server(monkeypatch: pytest.MonkeyPatch) -> type[FakeServer]:
    FakeServer.made = []
    monkeypatch.setattr(run, "OpenAIServer", FakeServer)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    return FakeServer


@pytest.mark.parametrize("text", ["", "openai", "openai:", "smol", "llama:x", "cassette:"])
def test_a_model_that_is_none_of_the_forms_is_refused_with_the_forms(text: str, tmp_path: Path) -> None:
    with pytest.raises(ModelFailed, match=re.escape("anthropic:NAME, openai:NAME, openai:NAME@URL")):
        ModelRun(text, tmp_path, 100)


def test_only_the_own_server_of_openai_gets_its_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEY_VARIABLE, raising=False)
    ModelRun("openai:small@http://127.0.0.1:1/v1", tmp_path, 100)
    monkeypatch.setenv(KEY_VARIABLE, "another")
    ModelRun("openai:small@http://127.0.0.1:1/v1", tmp_path, 100)
    ModelRun("openai:small", tmp_path, 100)
    assert [(one["base_url"], one["key_variable"]) for one in FakeServer.made] == [
        ("http://127.0.0.1:1/v1", ""),
        ("http://127.0.0.1:1/v1", KEY_VARIABLE),
        (OPENAI, ""),
    ]


def test_a_recorded_answer_is_replayed_without_a_server_and_without_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    paid = ModelRun("openai:org/Small.1@http://127.0.0.1:1/v1", tmp_path, 1000).model
    answer = paid.complete("s", "u")
    assert paid.name == "Small.1"
    FakeServer.made.clear()
    replayed = ModelRun(f"cassette:{tmp_path / CASSETTE}", tmp_path, 1000).model
    assert (replayed.name, replayed.complete("s", "u")) == ("Small.1", answer)
    with pytest.raises(ModelFailed, match=r"no answer of 'Small\.1'"):
        replayed.complete("s", "another prompt")
    assert FakeServer.made == []
    assert not [path for path in tmp_path.iterdir() if KEY in path.read_text(encoding="utf-8")]


def test_the_budget_is_shared_by_all_runs_into_a_folder(tmp_path: Path) -> None:
    for number in range(3):
        ModelRun("openai:small@http://127.0.0.1:1/v1", tmp_path, 60).model.complete("s", f"{number}")
    assert json.loads((tmp_path / BUDGET).read_text(encoding="utf-8")) == {"requests": 3, "tokens": 60}
    with pytest.raises(BudgetExhausted, match="60 of 60 are used"):
        ModelRun("openai:small@http://127.0.0.1:1/v1", tmp_path, 60).model.complete("s", "one more")
    assert ModelRun("openai:small@http://127.0.0.1:1/v1", tmp_path, 60).model.complete("s", "0")  # recorded: free


def test_the_answers_of_a_script_are_given_in_turn_and_again(tmp_path: Path) -> None:
    script = tmp_path / "two words.jsonl"
    script.write_text('{"facts": []}\n"prose"\n', encoding="utf-8")
    model = ModelRun(f"scripted:{script}", tmp_path, 1).model
    assert model.name == "two-words"
    assert [model.complete("s", "u") for _ in range(3)] == [{"facts": []}, "prose", {"facts": []}]


@pytest.mark.parametrize(
    ("kind", "text", "reason"),
    [
        ("scripted", "", "no answers"),
        ("scripted", "[1]", "not [1]"),
        ("scripted", "prose", "Expecting value"),
        ("scripted", None, "No such file"),
        ("cassette", None, "No such file"),
        ("cassette", "", "the answers of 0 models"),
        ("cassette", '{"facts": []}', ":1: expected"),
        (
            "cassette",
            '{"request": "a", "model": "x", "answer": ""}\n{"request": "b", "model": "y", "answer": ""}',
            "2 models (x, y)",
        ),
    ],
)
def test_a_file_that_cannot_answer_is_refused_with_its_name(
    kind: str, text: str | None, reason: str, tmp_path: Path
) -> None:
    path = tmp_path / "file.jsonl"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    with pytest.raises(ModelFailed, match=re.escape(reason)) as caught:
        ModelRun(f"{kind}:{path}", tmp_path, 1)
    assert str(path) in str(caught.value)


def test_rejections_are_counted_and_the_first_are_shown_in_one_line_each(tmp_path: Path) -> None:
    script = tmp_path / "smol.jsonl"
    script.write_text('""', encoding="utf-8")
    one = ModelRun(f"scripted:{script}", tmp_path, 1)
    assert one.summary() == "smol: 0 answers or parts of answers were rejected, and not stored."
    for number in range(5):
        one.reject(f"typed: smol:\nanswer {number}" + "x" * 300 * (number == 1))
    lines = one.summary().splitlines()
    assert lines[:2] == [
        "smol: 5 answers or parts of answers were rejected, and not stored; rejected.txt has the reasons.",
        "  typed: smol: answer 0",
    ]
    assert (len(lines), max(map(len, lines))) == (4, 202)
    one.start()
    assert "smol: 0 " in one.summary()
