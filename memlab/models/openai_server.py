"""OpenAI's server, and any other with its API for chats, through the official SDK (the extra `openai`)."""

from __future__ import annotations

from typing import Any

from memlab.models.client import Reply
from memlab.models.model import Request
from memlab.models.sdk import load_sdk, require_complete, send_once
from memlab.models.secret import Secret

OPENAI = "https://api.openai.com/v1"
NO_KEY = "none"


class OpenAIServer:
    """A model behind an OpenAI-compatible API.

    OpenAI's own server gets the key in `OPENAI_API_KEY`. Another `base_url` gets the key in `key_variable`, and no key
    where none is named. A `temperature` of None is not sent: some models refuse it.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str = OPENAI,
        key_variable: str = "",
        max_tokens: int = 1024,
        temperature: float | None = 0.0,
    ) -> None:
        """Read the key. Raises ModelFailed if it or the SDK is missing."""
        self.model, self.max_tokens = model, max_tokens
        variable = key_variable or ("OPENAI_API_KEY" if base_url == OPENAI else "")
        self.secret = Secret(variable) if variable else None
        limit = "max_completion_tokens" if base_url == OPENAI else "max_tokens"  # others know only the older name
        self._options: dict[str, Any] = {"model": model, limit: max_tokens}
        if temperature is not None:
            self._options["temperature"] = temperature
        self._sdk = load_sdk("openai")
        key = self.secret.reveal() if self.secret else NO_KEY
        self._client = self._sdk.OpenAI(api_key=key, base_url=base_url, max_retries=0)

    def send(self, request: Request, timeout: float) -> Reply:
        """Send a request once, with a limit in seconds. Raises TransientError, ModelFailed or MalformedAnswer."""
        return send_once(self._sdk, lambda: self._send(request, timeout))

    def _send(self, request: Request, timeout: float) -> Reply:
        messages = [{"role": "system", "content": request.system}, {"role": "user", "content": request.user}]
        options = dict(self._options)
        if request.schema is not None:
            named = {"name": request.schema.get("title", "answer"), "schema": request.schema, "strict": True}
            options["response_format"] = {"type": "json_schema", "json_schema": named}
        found = self._client.chat.completions.create(messages=messages, timeout=timeout, **options)
        choice = found.choices[0]
        require_complete(request, choice.finish_reason, self.max_tokens)
        return Reply(choice.message.content or "", found.usage.total_tokens if found.usage else 0)
