"""The parts of the SDKs of OpenAI and Anthropic that memlab uses, with answers from a test and without a network."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any


class APIError(Exception):
    pass


class APIConnectionError(APIError):
    pass


class APITimeoutError(APIConnectionError):
    pass


class APIStatusError(APIError):
    def __init__(self, status: int, message: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.status_code, self.message = status, message
        self.response = SimpleNamespace(headers=headers or {})


class FakeSDK:
    """Stands in for both modules. `answer` gets the arguments of each request; `made` has those of the clients."""

    APIError, APIConnectionError, APITimeoutError = APIError, APIConnectionError, APITimeoutError
    APIStatusError = APIStatusError

    def __init__(self, answer: Callable[[dict[str, Any]], object]) -> None:
        self.made: list[dict[str, Any]] = []
        self.sent: list[dict[str, Any]] = []
        self._answer = answer

    def _client(self, **options: object) -> SimpleNamespace:
        self.made.append(options)
        create = SimpleNamespace(create=self._create)
        return SimpleNamespace(messages=create, chat=SimpleNamespace(completions=create))

    OpenAI = Anthropic = _client

    def _create(self, **options: object) -> object:
        self.sent.append(options)
        return self._answer(options)


def openai_reply(content: str | None, tokens: int = 30, stopped: str = "stop") -> SimpleNamespace:
    choice = SimpleNamespace(message=SimpleNamespace(content=content), finish_reason=stopped)
    return SimpleNamespace(choices=[choice], usage=SimpleNamespace(total_tokens=tokens))


def anthropic_reply(*blocks: str | dict[str, Any], stopped: str = "end_turn") -> SimpleNamespace:
    content = [
        SimpleNamespace(type="text", text=one) if isinstance(one, str) else SimpleNamespace(type="tool_use", input=one)
        for one in blocks
    ]
    usage = SimpleNamespace(input_tokens=20, output_tokens=10)
    return SimpleNamespace(content=content, usage=usage, stop_reason=stopped)
