"""The adapters of OpenAI-compatible servers and of Anthropic's, with a fake SDK; `make smoke` uses the real ones."""

from __future__ import annotations

import logging
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fake_sdk import (
    APIConnectionError,
    APIError,
    APIStatusError,
    APITimeoutError,
    FakeSDK,
    anthropic_reply,
    openai_reply,
)

from memlab.models.anthropic_server import AnthropicServer
from memlab.models.cassette import Cassette
from memlab.models.client import Client, Reply, Server, TransientError
from memlab.models.extraction import SCHEMA, Turn, extract
from memlab.models.model import MalformedAnswer, ModelError, ModelFailed, Request
from memlab.models.openai_server import NO_KEY, OpenAIServer

KEY = "sk-planted-4b5c6d7e8f"
ASKED = Request("the system", "the user", SCHEMA)
LOCAL = "http://127.0.0.1:8080/v1"
PACKAGE = Path(__file__).resolve().parents[2] / "memlab"
Build = Callable[[], Server]
BUILDS: list[Build] = [lambda: OpenAIServer("m"), lambda: AnthropicServer("m")]


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OTHER_KEY"):
        monkeypatch.setenv(variable, f"{KEY}\n")


@pytest.fixture
def sdk(monkeypatch: pytest.MonkeyPatch) -> Callable[[object], FakeSDK]:
    """Install a fake SDK that returns a reply, or raises it."""

    def install(reply: object) -> FakeSDK:
        def answer(_: dict[str, Any]) -> object:
            if isinstance(reply, Exception):
                raise reply
            return reply

        fake = FakeSDK(answer)
        for name in ("openai", "anthropic"):
            monkeypatch.setitem(sys.modules, name, fake)
        return fake

    return install


def test_a_chat_has_both_prompts_the_schema_and_the_limits(sdk: Callable[[object], FakeSDK]) -> None:
    fake = sdk(openai_reply("{}"))
    assert OpenAIServer("m", base_url=LOCAL, max_tokens=50).send(ASKED, 7) == Reply("{}", 30)
    assert fake.made == [{"api_key": NO_KEY, "base_url": LOCAL, "max_retries": 0}]
    (sent,) = fake.sent
    form = sent.pop("response_format")
    assert form["json_schema"] == {"name": "record_facts", "schema": SCHEMA, "strict": True}
    messages = [{"role": "system", "content": "the system"}, {"role": "user", "content": "the user"}]
    assert sent == {"model": "m", "max_tokens": 50, "temperature": 0.0, "messages": messages, "timeout": 7}


def test_openai_itself_gets_its_own_name_of_the_limit_and_no_temperature_of_none(
    sdk: Callable[[object], FakeSDK],
) -> None:
    fake = sdk(openai_reply(None))
    assert OpenAIServer("m", temperature=None).send(Request("s", "u"), 7).answer == ""
    assert fake.sent[0].keys() == {"model", "max_completion_tokens", "messages", "timeout"}


def test_a_schema_is_a_tool_that_must_be_called(sdk: Callable[[object], FakeSDK]) -> None:
    fake = sdk(anthropic_reply("Let me see.", {"facts": []}))
    assert AnthropicServer("m").send(ASKED, 7) == Reply({"facts": []}, 30)
    (sent,) = fake.sent
    assert sent["tools"] == [{"name": "record_facts", "input_schema": SCHEMA}]
    assert sent["tool_choice"] == {"type": "tool", "name": "record_facts"}
    assert (sent["system"], sent["messages"]) == ("the system", [{"role": "user", "content": "the user"}])


def test_a_message_without_a_schema_is_its_text(sdk: Callable[[object], FakeSDK]) -> None:
    fake = sdk(anthropic_reply("one ", "two"))
    assert AnthropicServer("m", max_tokens=9).send(Request("s", "u"), 7).answer == "one two"
    assert fake.sent[0].keys() == {"model", "max_tokens", "system", "messages", "timeout"}


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize(
    ("error", "kind", "reason"),
    [
        (APITimeoutError(), TransientError, "did not answer in time"),
        (APIConnectionError("refused"), TransientError, "no connection: refused"),
        *((APIStatusError(code, "busy"), TransientError, f"status {code}: busy") for code in (408, 409, 429, 500, 529)),
        *((APIStatusError(code, "wrong"), ModelFailed, f"status {code}: wrong; check") for code in (400, 401, 404)),
        (APIError("odd"), MalformedAnswer, "another form"),
        (ValueError("no JSON"), MalformedAnswer, "another form"),
    ],
)
def test_an_error_of_the_sdk_says_whether_to_try_again(
    sdk: Callable[[object], FakeSDK], build: Build, error: Exception, kind: type[Exception], reason: str
) -> None:
    sdk(error)
    with pytest.raises(kind, match=reason):
        build().send(ASKED, 7)


@pytest.mark.parametrize(
    ("build", "reply"),
    [
        (BUILDS[0], openai_reply('{"facts": [', stopped="length")),
        (BUILDS[1], anthropic_reply({"facts": []}, stopped="max_tokens")),
    ],
)
def test_an_answer_for_a_schema_that_was_cut_off_says_so(
    sdk: Callable[[object], FakeSDK], build: Build, reply: object
) -> None:
    sdk(reply)
    with pytest.raises(MalformedAnswer, match="cut off after 1024 tokens; raise max_tokens"):
        build().send(ASKED, 7)
    assert build().send(Request("s", "u"), 7).tokens == 30


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("reply", ["<html>", None, openai_reply("x").usage])
def test_a_reply_of_another_form_is_malformed(sdk: Callable[[object], FakeSDK], build: Build, reply: object) -> None:
    sdk(reply)
    with pytest.raises(MalformedAnswer, match="another form"):
        build().send(ASKED, 7)


@pytest.mark.parametrize(("header", "seconds"), [({}, 0), ({"retry-after": "12"}, 12), ({"retry-after": "Mon"}, 0)])
def test_the_wait_that_a_server_asks_for_is_read(
    sdk: Callable[[object], FakeSDK], header: dict[str, str], seconds: float
) -> None:
    sdk(APIStatusError(429, "slow down", header))
    with pytest.raises(TransientError) as caught:
        OpenAIServer("m").send(ASKED, 7)
    assert caught.value.retry_after == seconds


@pytest.mark.parametrize("build", BUILDS)
def test_a_missing_key_or_package_says_what_to_do(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("openai", "anthropic"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ModelFailed, match=r"pip install '\.\[(openai|anthropic)\]'"):
        build()
    for variable in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(variable, " ")
    with pytest.raises(ModelFailed, match=r"environment variable (OPENAI|ANTHROPIC)_API_KEY is not set"):
        build()


@pytest.mark.parametrize(("variable", "key"), [("", NO_KEY), ("OTHER_KEY", KEY)])
def test_another_server_never_gets_the_key_of_openai(
    sdk: Callable[[object], FakeSDK], monkeypatch: pytest.MonkeyPatch, variable: str, key: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-openai")
    fake = sdk(openai_reply("x"))
    OpenAIServer("m", base_url=LOCAL, key_variable=variable)
    assert fake.made[0]["api_key"] == key


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize(
    "reply",
    [
        openai_reply(f'{{"facts": "{KEY}"}}'),
        openai_reply(KEY),
        anthropic_reply(f"your key is {KEY}"),
        anthropic_reply({"facts": [{"fact": KEY, "source_quote": KEY, "importance": 1}], KEY: KEY}),
        APIStatusError(401, f"Incorrect API key provided: {KEY}"),
        APIStatusError(500, f"the proxy saw {KEY}"),
        APIConnectionError(f"Bearer {KEY}"),
        APIError(KEY),
        ValueError(KEY),
    ],
)
def test_a_key_that_a_server_repeats_reaches_no_file_no_message_and_no_log(  # noqa: PLR0913, PLR0917 - fixtures
    sdk: Callable[[object], FakeSDK],
    build: Build,
    reply: object,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    sdk(reply)
    server = build()
    client = Client(server, sleep=lambda _: None)
    shown = [repr(client), repr(vars(client)), repr(server), repr(server.secret)]
    try:
        shown.append(repr(extract([Turn("user", f"My key is {KEY}.")], Cassette(tmp_path / "cassette.jsonl", client))))
        Cassette(tmp_path / "cassette.jsonl", client).complete("s", "u")
    except ModelError:
        shown.append(traceback.format_exc())
    written = [path.read_text() for path in tmp_path.rglob("*") if path.is_file()]
    printed = capsys.readouterr()
    assert KEY not in "".join([*shown, *written, caplog.text, printed.out, printed.err])
    assert server.secret is not None
    assert server.secret.reveal() == KEY


def test_each_sdk_is_named_in_one_file() -> None:
    users = {
        name: [path.name for path in PACKAGE.rglob("*.py") if f'load_sdk("{name}")' in path.read_text(encoding="utf-8")]
        for name in ("openai", "anthropic")
    }
    assert users == {"openai": ["openai_server.py"], "anthropic": ["anthropic_server.py"]}
    imports = [
        path.name
        for path in PACKAGE.rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.strip().startswith(("import openai", "from openai", "import anthropic", "from anthropic"))
    ]
    assert set(imports) == {"anthropic_memory.py", "anthropic_tool.py"}  # memory tools of the official class
