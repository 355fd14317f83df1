"""`memlab compare --model` plays rows with a model in place of the rules that stand in for one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memlab import extras
from memlab.cli import app
from memlab.harness.running.results import read_results
from memlab.models import run
from memlab.models.client import Reply
from memlab.models.model import Request
from memlab.models.secret import Secret
from memlab.systems.documents.rows import WITH_MODEL

KEY = "sk-planted-1a2b3c4d"
ROWS = "lesson-sqlite,implicit-write,hybrid-bare"
SCENARIO = "recall/when-what-how"


class Quoting:
    """A server with a model that states each message as a fact, or a conclusion that nothing supports."""

    sent = 0

    def __init__(self, model: str, **_: str) -> None:
        self.model, self.max_tokens = model, 100
        self.secret: Secret | None = Secret("OPENAI_API_KEY")

    def send(self, request: Request, timeout: float) -> Reply:
        Quoting.sent += 1
        texts = [json.loads(line)["text"] for line in request.user.splitlines()]
        return Reply({"facts": [{"fact": one, "source_quote": one, "importance": 0.5} for one in texts]}, 50)


@pytest.fixture(autouse=True)
def server(monkeypatch: pytest.MonkeyPatch) -> None:
    Quoting.sent = 0
    monkeypatch.setattr(run, "OpenAIServer", Quoting)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def compare(out: Path, model: str, *options: str, systems: str = ROWS) -> tuple[int, str]:
    command = ["compare", "--model", model, "--scenarios", SCENARIO, "--seeds", "1", "--out", str(out), *options]
    chosen = ["--systems", systems] if systems else []
    result = CliRunner().invoke(app, [*command, *chosen], env={"COLUMNS": "200"})
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, " ".join(result.output.split())


def answers(out: Path) -> dict[tuple[str, str], tuple[tuple[str, ...], str]]:
    return {(one.system, one.key.probe): (one.items, one.error) for one in read_results(out / "results.jsonl")}


def test_a_run_is_recorded_once_and_replayed_offline_with_equal_answers(tmp_path: Path) -> None:
    code, output = compare(tmp_path / "paid", "openai:org/small")
    assert code == 0, output
    found = answers(tmp_path / "paid")
    assert {system for system, _ in found} == {"lesson-sqlite+small", "implicit-write+small", "hybrid-bare"}
    assert not [error for _, error in found.values() if error]
    assert any(items for (system, _), (items, _) in found.items() if system == "lesson-sqlite+small")
    assert "answers or parts of answers were rejected" in output
    paid = Quoting.sent
    code, output = compare(tmp_path / "free", f"cassette:{tmp_path / 'paid' / 'cassette.jsonl'}")
    assert (code, Quoting.sent) == (0, paid)
    assert answers(tmp_path / "free") == found
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if KEY.encode() in path.read_bytes()]


def test_what_a_model_answers_is_stored_and_what_it_makes_up_is_not_and_the_run_goes_on(tmp_path: Path) -> None:
    script = tmp_path / "smol.jsonl"
    made_up = {"facts": [{"fact": "The port is 1.", "source_quote": "nobody said it", "importance": 0.5}]}
    script.write_text("\n".join(map(json.dumps, ["Here are the facts.", "", made_up, "x" * 2_000_000])))
    code, output = compare(tmp_path / "out", f"scripted:{script}", "--tell", "transcript", systems="implicit-write")
    assert code == 0, output
    found = answers(tmp_path / "out")
    assert not [error for _, error in found.values() if error]
    assert not [items for items, _ in found.values() if "The port is 1." in "".join(items)]
    reasons = (tmp_path / "out" / "rejected.txt").read_text(encoding="utf-8")
    for reason in ("not JSON", "empty", "nobody said it", "2,000,000 characters"):
        assert reason in reasons
    assert {line.split(": ")[0] for line in reasons.splitlines()} == {"implicit-write"}
    assert "rejected.txt has the reasons" in output


def test_an_exhausted_budget_is_the_error_of_the_cells_and_the_run_goes_on(tmp_path: Path) -> None:
    code, _ = compare(tmp_path, "openai:small", "--max-tokens", "1")
    assert code == 0
    found = answers(tmp_path)
    assert all("raise max_tokens" in error for (system, _), (_, error) in found.items() if "+small" in system)
    assert not [error for (system, _), (_, error) in found.items() if system == "hybrid-bare" and error]


def test_without_systems_every_row_that_has_a_part_for_a_model_is_played(tmp_path: Path) -> None:
    script = tmp_path / "none.jsonl"
    script.write_text('{"facts": []}')
    code, output = compare(tmp_path, f"scripted:{script}", systems="")
    assert code == 0, output
    assert {system for system, _ in answers(tmp_path)} == {f"{name}+none" for name in WITH_MODEL}


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (("smol", ROWS), "choose anthropic:NAME, openai:NAME, openai:NAME@URL, scripted:FILE or cassette:FILE"),
        (("openai:small", "hybrid-bare"), "--model has no part in hybrid-bare. It has one in: lesson-sqlite,"),
        (("openai:small", ROWS, "--engine", "dask", "--scheduler", "tcp://127.0.0.1:1"), "--model is for --engine"),
        (("anthropic:claude", ROWS), "ANTHROPIC_API_KEY is not set"),
    ],
)
def test_a_model_that_cannot_be_used_is_a_mistake_of_the_user(
    command: tuple[str, ...], reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    model, systems, *options = command
    code, output = compare(tmp_path, model, *options, systems=systems)
    assert code == 2
    assert reason in output


def test_a_row_of_a_product_says_what_to_install_and_nothing_is_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extras, "is_installed", lambda module: module != "mem0")
    code, output = compare(tmp_path / "out", "openai:small", systems="mem0-infer")
    assert code == 2
    assert "'mem0-infer+small' needs mem0, which is not installed. Run: pip install '.[mem0]'" in output
    assert Quoting.sent == 0


def test_several_processes_share_cassette_and_budget(tmp_path: Path) -> None:
    code, output = compare(tmp_path, "openai:small", "--jobs", "2")
    assert code == 0, output
    assert not [error for _, error in answers(tmp_path).values() if error]
    recorded = (tmp_path / "cassette.jsonl").read_text(encoding="utf-8").splitlines()
    requests = [json.loads(line)["request"] for line in recorded]
    assert len(requests) == len(set(requests)) > 1
    assert json.loads((tmp_path / "budget.json").read_text())["tokens"] >= 50 * len(requests)
