"""Validates plain data against a pydantic model, and reports errors in plain sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from memlab.harness.scenarios.errors import BadScenario, ScenarioError, short_repr, suggest
from memlab.harness.scenarios.schema import ScenarioFile
from memlab.harness.scenarios.variables import Place
from memlab.harness.scenarios.yaml_lines import line_of

LONGEST = 80
KINDS = {
    "string_type": "a text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "finite_number": "a whole number",
    "tuple_type": "a list",
    "dict_type": "a map",
    "model_type": "a map",
}
"""pydantic's error type -> the kind of value that it expects."""


File = TypeVar("File", bound=ScenarioFile)


def validate(data: dict[str, Any], path: Path, model: type[File]) -> File:
    """Return the data as a model. Raises BadScenario with every error and its line."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        found = _sentences(error.errors(), data, model)
        raise BadScenario(ScenarioError(path, line_of(path, place), text) for place, text in found) from None


def _sentences(
    errors: Iterable[ErrorDetails], data: dict[str, Any], model: type[BaseModel]
) -> Iterator[tuple[Place, str]]:
    """Yield each error once: of the branches of a union, the one that fits the kind of the value."""
    kinds: dict[Place, dict[str, object]] = {}
    others: list[Place] = []
    for one in errors:
        place = _place(one["loc"], data)
        if one["type"] in KINDS:
            kinds.setdefault(place, {})[KINDS[one["type"]]] = one["input"]
        else:
            others.append(place)
            yield place, _sentence(one, place, model)
    for place, wanted in kinds.items():
        if not any(other[: len(place)] == place for other in (*others, *(kinds.keys() - {place}))):
            yield place, _wrong_kind(_words(place), next(iter(wanted.values())), sorted(wanted))


def _place(loc: Place, data: object) -> Place:
    """Remove the parts that pydantic adds to a place and the file does not have (the branches of a union)."""
    place: list[str | int] = []
    for part in loc:
        if isinstance(data, dict | list) and part in (data if isinstance(data, dict) else range(len(data))):
            data = data[part]  # type: ignore[index] # the part is one of its keys
            place.append(part)
    return tuple(place)


def _words(place: Place) -> str:
    parts = (part if part.isprintable() and len(part) < LONGEST else short_repr(part) for part in map(str, place))
    return ".".join(parts) or "the file"


def _misread(words: str, value: object) -> str:
    """Return a message if YAML read the value as something that the author did not mean, else ""."""
    if isinstance(value, dict) and len(value) == 1 and list(value.values()) == [None]:
        (name,) = value
        return f'YAML reads {words} as a map, because {{{name}}} has no quotes. Write "{{{name}}}" in quotes.'
    if isinstance(value, bool):
        return f"{words} is {value!r}: YAML reads on, off, yes and no as booleans. Write the word in quotes."
    return ""


def _wrong_kind(words: str, value: object, wanted: list[str]) -> str:
    if misread := _misread(words, value):
        return misread
    if value is None:
        return f"{words} is empty. Valid: {' or '.join(wanted)}. Fill it in, or remove the key."
    fix = " Write it in quotes." if "a text" in wanted and not isinstance(value, dict | list) else ""
    fix = f" Write [{value}]." if wanted == ["a list"] and isinstance(value, str) else fix
    return f"{words} is {short_repr(value)}. Valid: {' or '.join(wanted)}.{fix}"


def _sentence(error: ErrorDetails, place: Place, model: type[BaseModel]) -> str:
    words, loc, value = _words(place), error["loc"], error["input"]
    match error["type"]:
        case "extra_forbidden":
            return f"unknown key {loc[-1]!r} in {_words(place[:-1])}.{suggest(str(loc[-1]), _known(loc, model))}"
        case "missing":
            return _misread(words, value) or f"{words} lacks {loc[-1]!r}. Add `{loc[-1]}:`."
        case "too_short":
            return f"{words} is empty. Give at least one."
        case "literal_error":
            valid = re.findall(r"'([^']+)'", error["ctx"]["expected"])
            return f"{words} is {short_repr(value)}.{suggest(str(value), valid)}"
        case "value_error":
            return f"{words}: {error['ctx']['error']}."
    return f"{words} is {short_repr(value)}: {re.sub('^(Input|String) should', 'it must', error['msg'])}."


def _known(loc: Place, model: type[BaseModel]) -> list[str]:
    """Return the valid keys at a place, by following the models along it."""
    for part in loc[:-1]:
        if isinstance(part, str) and part in model.model_fields:
            found = _models(model.model_fields[part].annotation)
            model = found[0] if found else model
    return list(model.model_fields)


def _models(annotation: Any) -> list[type[BaseModel]]:  # noqa: ANN401 - any annotation may be walked
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for inner in getattr(annotation, "__args__", ()) for model in _models(inner)]
