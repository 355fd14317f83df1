"""Requests to a server: time limits, retries with back-off, a budget, and no key in anything that comes back."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from memlab.memory.context import count_tokens
from memlab.models.budget import Budget
from memlab.models.model import Answer, MalformedAnswer, ModelFailed, Request, Schema
from memlab.models.parsing import require_length
from memlab.models.secret import Secret

FIRST_WAIT, LONGEST_WAIT = 1.0, 60.0
"""Seconds before the first retry, doubled for each further one, and the most that a server may ask for."""


class TransientError(Exception):
    """A request failed in a way that another attempt may mend; `retry_after` is in seconds, as the server asks."""

    def __init__(self, reason: str, retry_after: float = 0.0) -> None:
        super().__init__(reason)
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True)
class Reply:
    """What a server returned, and the tokens that it counted: 0 if it did not say."""

    answer: Answer
    tokens: int = 0


class Server(Protocol):
    """The server of a model. `max_tokens` is the most that an answer may have; `secret` is its key, if it needs one."""

    model: str
    max_tokens: int
    secret: Secret | None

    def send(self, request: Request, timeout: float) -> Reply:
        """Send a request once, with a limit in seconds. Raises TransientError, ModelFailed or MalformedAnswer."""


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds for one attempt, attempts, and seconds for all attempts with the waits between them."""

    timeout: float = 60.0
    attempts: int = 4
    deadline: float = 300.0


class Client:
    """A model on a server. `name` is the model's unless another is given."""

    def __init__(  # noqa: PLR0913 - the clock and the sleep of a test
        self,
        server: Server,
        name: str = "",
        budget: Budget | None = None,
        patience: Patience | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.name = name or server.model
        self.budget = budget or Budget()
        self._server = server
        self._patience = patience or Patience()
        self._clock, self._sleep = clock, sleep

    def complete(self, system: str, user: str, schema: Schema | None = None) -> Answer:
        """Return the answer of the server. Raises ModelFailed, BudgetExhausted or MalformedAnswer."""
        request = Request(system, user, schema)
        started = self._clock()
        attempt = 1
        while True:
            try:
                return self._attempt(request)
            except TransientError as error:
                reason = self._redact(str(error))
                wait = min(max(FIRST_WAIT * 2 ** (attempt - 1), error.retry_after), LONGEST_WAIT)
            left = self._patience.deadline - (self._clock() - started) - wait
            if attempt == self._patience.attempts or left <= 0:
                raise ModelFailed(f"{self.name}: {reason} (attempt {attempt}, the last); try again later")
            self._sleep(wait)
            attempt += 1

    def _attempt(self, request: Request) -> Answer:
        """Send the request once within the budget. Errors lose their causes: those may name the key."""
        prompt = count_tokens(f"{request.system}{request.user}{request.schema or ''}")
        self.budget.reserve(prompt + self._server.max_tokens)
        try:
            reply = self._server.send(request, self._patience.timeout)
        except ModelFailed as error:
            raise ModelFailed(f"{self.name}: {self._redact(str(error))}") from None
        except MalformedAnswer as error:
            raise MalformedAnswer(self._redact(str(error))) from None
        self.budget.settle(prompt + self._server.max_tokens, reply.tokens or prompt + self._server.max_tokens)
        require_length(reply.answer)
        secret = self._server.secret
        answer: Answer = secret.redact(reply.answer) if secret else reply.answer
        return answer

    def _redact(self, text: str) -> str:
        return str(self._server.secret.redact(text)) if self._server.secret else text
