"""Anthropic's server, through the official SDK (the extra `anthropic`)."""

from __future__ import annotations

from typing import Any

from memlab.models.client import Reply
from memlab.models.model import Request
from memlab.models.sdk import load_sdk, require_complete, send_once
from memlab.models.secret import Secret

ANTHROPIC = "https://api.anthropic.com"


class AnthropicServer:
    """A model of Anthropic; the key is in `ANTHROPIC_API_KEY`. A schema is sent as the one tool that must be called."""

    def __init__(self, model: str, *, base_url: str = ANTHROPIC, max_tokens: int = 1024) -> None:
        """Read the key. Raises ModelFailed if it or the SDK is missing."""
        self.model, self.max_tokens = model, max_tokens
        self.secret: Secret | None = Secret("ANTHROPIC_API_KEY")
        self._sdk = load_sdk("anthropic")
        self._client = self._sdk.Anthropic(api_key=self.secret.reveal(), base_url=base_url, max_retries=0)

    def send(self, request: Request, timeout: float) -> Reply:
        """Send a request once, with a limit in seconds. Raises TransientError, ModelFailed or MalformedAnswer."""
        return send_once(self._sdk, lambda: self._send(request, timeout))

    def _send(self, request: Request, timeout: float) -> Reply:
        options: dict[str, Any] = {}
        if request.schema is not None:
            name = request.schema.get("title", "answer")
            options["tools"] = [{"name": name, "input_schema": request.schema}]
            options["tool_choice"] = {"type": "tool", "name": name}
        found = self._client.messages.create(
            model=self.model,
            max_tokens=self.max_tokens,
            system=request.system,
            messages=[{"role": "user", "content": request.user}],
            timeout=timeout,
            **options,
        )
        require_complete(request, found.stop_reason, self.max_tokens)
        calls = [one.input for one in found.content if one.type == "tool_use"]
        text = "".join(one.text for one in found.content if one.type == "text")
        return Reply(dict(calls[0]) if calls else text, found.usage.input_tokens + found.usage.output_tokens)
