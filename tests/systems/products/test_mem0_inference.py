"""mem0 with its inference, by a server on loopback whose answers are rewritten texts, malformed, or errors."""

from __future__ import annotations

import json
import logging
import re
import socket
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from memlab.harness.running import runner
from memlab.harness.scenarios.loading import library, load_all, select
from memlab.models.run import KEY_VARIABLE, ModelRun
from memlab.systems.entry import Entry, UnknownSystem
from memlab.systems.products import contract, mem0, mem0_inference
from memlab.systems.products.product import HASHED
from memlab.systems.products.rows import WITH_MODEL
from memlab.systems.registry import entry
from memlab.terms import Event, Workspace

KEY = "sk-planted-9e8d7c6b"
_NEW = re.compile(r"## New Messages\nuser: (.*?)\n+## Observation Date", re.DOTALL)


def rewritten(text: str) -> str:
    return f"({' '.join(reversed(text.split()))})"


class Server(BaseHTTPRequestHandler):
    """Answers with the new message, rewritten, unless an answer or a status is next in line."""

    answers: list[str]
    prompts: list[str]
    status: int

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        prompt = body["messages"][-1]["content"]
        self.prompts.append(prompt)
        found = _NEW.search(prompt)
        assert found
        fact = {"id": "0", "text": rewritten(found[1]), "attributed_to": "user"}
        content = self.answers.pop(0) if self.answers else json.dumps({"memory": [fact]})
        message = {"role": "assistant", "content": content}
        reply = {"choices": [{"index": 0, "finish_reason": "stop", "message": message}], "usage": {"total_tokens": 9}}
        status = self.status if self.headers["authorization"] == f"Bearer {KEY}" else 401
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(reply if status == 200 else {"error": {"message": f"not with {KEY}"}}).encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the original
        """Print nothing."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[HTTPServer]:
    """Start the server; a connection to another machine fails the test."""
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    for name, value in (("answers", []), ("prompts", []), ("status", 200)):
        monkeypatch.setattr(Server, name, value, raising=False)
    monkeypatch.setattr(contract, "_tried", {})
    resolve, away = socket.getaddrinfo, list[object]()

    def only_here(host: str, *other: Any, **more: Any) -> Any:  # noqa: ANN401 - as the original
        if host == "127.0.0.1":
            return resolve(host, *other, **more)
        away.append(host)
        raise OSError(f"{host} is another machine")

    monkeypatch.setattr(socket, "getaddrinfo", only_here)
    with HTTPServer(("127.0.0.1", 0), Server) as running:
        thread = Thread(target=running.serve_forever)
        thread.start()
        yield running
        running.shutdown()
        thread.join()
    assert not away


@pytest.fixture
def run(installed: Callable[[Entry], Entry], server: HTTPServer, tmp_path: Path) -> ModelRun:
    """Return the model of the server; mem0 installs the SDK."""
    installed(mem0.ENTRIES[0])
    folder = tmp_path / "out"
    folder.mkdir()
    return ModelRun(f"openai:small@http://127.0.0.1:{server.server_port}/v1", folder, 1_000_000)


@pytest.fixture
def row(run: ModelRun) -> Entry:
    return mem0_inference.with_model(run.model, run.reject)


@pytest.fixture
def memory(run: ModelRun, workspace: Workspace) -> Iterator[mem0_inference.Mem0Inferring]:
    made = mem0_inference.Mem0Inferring(HASHED, run.model, run.reject, workspace)
    yield made
    made.close()


def stored(memory: mem0_inference.Mem0Inferring) -> dict[str, str]:
    """Return the text of each memory by its event."""
    return {one.sources[0]: one.text for one in memory.recall("opens at noon ships on Fridays", 10)}


def test_each_memory_is_the_model_s_and_has_the_event_that_it_was_extracted_from(
    memory: mem0_inference.Mem0Inferring, tell: Callable[..., Event]
) -> None:
    for text in ("The harbour opens at noon.", "Mara ships on Fridays."):
        memory.observe(tell("fact", text))
    assert stored(memory) == {"e0": "(noon. at opens harbour The)", "e1": "(Fridays. on ships Mara)"}
    assert "The harbour opens at noon." in Server.prompts[1]  # mem0 shows the model what came before


def test_an_erasure_deletes_every_memory_of_its_events_and_no_other(
    memory: mem0_inference.Mem0Inferring, tell: Callable[..., Event]
) -> None:
    Server.answers.append(json.dumps({"memory": [{"text": f"Gate {number} opens at noon."} for number in range(99)]}))
    for text in ("Gates open at noon.", "Mara ships on Fridays."):
        memory.observe(tell("fact", text))
    assert memory.not_judged.endswith("it has 100 memories")
    memory.observe(tell("erase", erases=("e0",)))
    assert stored(memory) == {"e1": "(Fridays. on ships Mara)"}


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("Here are the memories.", "the answer is not JSON"),
        ("", "the answer is empty"),
        ('{"memory": [{"text": "The harbour', "the answer is not JSON"),
        ('{"memory": ["The harbour opens at noon."]}', "memory.0: Input should be"),
        ('{"memory": [{"text": "Noon."}, {"text": 12}]}', "memory.1.text: Input should be a valid string"),
        ('{"facts": []}', "memory: Field required"),
        ('["The harbour opens at noon."]', "the answer: Input should be"),
    ],
)
def test_a_malformed_answer_is_rejected_with_its_reason_and_loses_nothing_else(
    memory: mem0_inference.Mem0Inferring, run: ModelRun, tell: Callable[..., Event], answer: str, reason: str
) -> None:
    memory.observe(tell("fact", "Mara ships on Fridays."))
    Server.answers.append(answer)
    memory.observe(tell("fact", "The harbour opens at noon."))
    memory.observe(tell("fact", "The mill opens at ten."))
    assert stored(memory).keys() == {"e0", "e2"}
    assert "small: 1 answers or parts of answers were rejected" in run.summary()
    assert f"mem0-infer: small: {reason}" in run.summary()


def test_a_server_that_fails_is_an_error_that_names_the_status_and_not_the_key(
    memory: mem0_inference.Mem0Inferring, tell: Callable[..., Event], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    Server.status = 403
    with pytest.raises(Exception, match=r"small: status 403: .*\[MEMLAB_MODEL_KEY\].*check the key") as caught:
        memory.observe(tell("fact", "The harbour opens at noon."))
    assert type(caught.value).__name__ == "LLMError"
    assert caplog.text
    assert KEY not in str(caught.value) + caplog.text


def test_probes_are_not_applicable_and_never_0_though_the_planted_facts_are_found_by_their_lineage(row: Entry) -> None:
    (template,) = select(load_all([library()]), "recall/first-week")
    (cell,) = runner.play(template.sample(0), [row])
    assert cell
    for one in cell:
        assert not one.error
        assert re.fullmatch(
            r"mem0-infer rewrites what it stores, and claims are recognised by their words; it has [1-9]\d* memories",
            one.not_applicable,
        )
        assert one.version.startswith("mem0ai ")
        assert "infer=True, model small" in one.version


def test_a_run_is_recorded_and_replayed_on_another_day_and_the_key_is_in_no_file(row: Entry, tmp_path: Path) -> None:
    (template,) = select(load_all([library()]), "recall/first-week")
    list(runner.play(template.sample(0), [row]))
    sent = len(Server.prompts)
    assert sent > contract.PLANTED
    assert all("## Current Date\n1970-01-01\n" in one for one in Server.prompts[: contract.PLANTED])
    contract._tried.clear()  # noqa: SLF001 - as in a new process
    list(runner.play(template.sample(0), [row]))
    assert len(Server.prompts) == sent
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if KEY.encode() in path.read_bytes()]


@pytest.mark.parametrize("name", WITH_MODEL)
def test_without_a_model_the_row_says_what_to_set(name: str) -> None:
    with pytest.raises(UnknownSystem, match=rf"^{name} is played by a language model: add --model, as docs/how-to/mod"):
        entry(name)
