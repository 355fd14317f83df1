"""Checks that an answer of a model is the object that was asked for."""

from __future__ import annotations

import json
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from memlab.models.model import Answer, MalformedAnswer

LONGEST_ANSWER = 1_000_000
"""Characters. An answer of 1,024 tokens has about 4,000."""
_SHOWN = 60


class StrictFields(BaseModel):
    """An object without other fields, and without conversions: "1" is no number."""

    model_config = ConfigDict(strict=True, extra="forbid")


_Fields = TypeVar("_Fields", bound=BaseModel)


def parse_answer(answer: Answer, fields: type[_Fields]) -> _Fields:
    """Return an answer as an object with these fields. Raises MalformedAnswer with the reason."""
    require_length(answer)
    value = _load(answer) if isinstance(answer, str) else answer
    try:
        return fields.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "the answer"
        raise MalformedAnswer(f"{place}: {first['msg']} ({error.error_count()} errors in the answer)") from None


def require_length(answer: Answer) -> None:
    """Raise MalformedAnswer if an answer is longer than LONGEST_ANSWER, or is no text and no JSON."""
    try:
        length = len(answer if isinstance(answer, str) else json.dumps(answer))
    except (TypeError, ValueError, RecursionError) as error:
        raise MalformedAnswer(f"the answer is an object that JSON cannot express: {error}") from None
    if length > LONGEST_ANSWER:
        raise MalformedAnswer(f"the answer has {length:,} characters; at most {LONGEST_ANSWER:,} are accepted")


def _load(text: str) -> Any:  # noqa: ANN401 - any JSON; the caller validates it
    if not text.strip():
        raise MalformedAnswer("the answer is empty; a JSON object was asked for")
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        start = text.strip()[:_SHOWN]
        raise MalformedAnswer(f"the answer is not JSON ({error}); it begins with {start!r}") from None
