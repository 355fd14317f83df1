"""What memlab asks of a language model, and how a request to one can fail."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

Answer = str | dict[str, Any]
"""A text, or the object that a server returns for a schema. Nothing in it is checked yet: see `parse_answer`."""
Schema = Mapping[str, Any]
"""A JSON schema; its title is the name of the call, such as `record_facts`."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


class ModelError(Exception):
    """A model gave no usable answer; the message says which model, what happened, and what to do."""


class ModelFailed(ModelError):
    """The request failed, or failed as often as may be."""


class BudgetExhausted(ModelError):
    """The next request would exceed the budget: it was not sent."""


class MalformedAnswer(ModelError):
    """The answer is not what the request asks for; the message is the reason. Nothing of it may be stored."""


class Model(Protocol):
    """A language model. `name` is part of the names of the rows that use it, and of its requests in a cassette."""

    name: str

    def complete(self, system: str, user: str, schema: Schema | None = None) -> Answer:
        """Return the answer to a prompt. With a schema, the answer should be a JSON object, as a dict or as its text.

        Raises ModelError.
        """


@dataclass(frozen=True, slots=True)
class Request:
    """One prompt."""

    system: str
    user: str
    schema: Schema | None = None

    def digest(self, model: str) -> str:
        """Return the SHA-256 of the request to a model, in hex digits."""
        text = json.dumps([model, self.system, self.user, self.schema], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()


def row_name(row: str, model: Model) -> str:
    """Return the name of a row that uses a model: `lesson-sqlite+smol`.

    Raises ValueError if the model's name does not fit on the command line.
    """
    if not _NAME.fullmatch(model.name):
        raise ValueError(f"model name {model.name!r}: use letters, digits, '.', '_' and '-', such as 'smol'")
    return f"{row}+{model.name}"
