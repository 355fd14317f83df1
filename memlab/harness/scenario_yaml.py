"""Reads a scenario file and complains by line: YAML in, a ScenarioFile or BadScenario out."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from memlab.harness.complaint import BadScenario, Complaint, suggest
from memlab.harness.scenario_file import ScenarioFile


def read_yaml(path: Path) -> dict[str, Any]:
    """Read a scenario file as plain data.

    Raises BadScenario with the line for what YAML itself refuses.
    """
    text = path.read_text(encoding="utf-8")
    try:
        data = yaml.load(text, Loader=yaml.CSafeLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        raise BadScenario([Complaint(path, line, f"not YAML: {error.problem}.{_brace_hint(text, line)}")]) from None
    except yaml.YAMLError as error:
        raise BadScenario([Complaint(path, 0, f"not YAML: {error}")]) from None
    if not isinstance(data, dict):
        raise BadScenario([Complaint(path, 1, "a scenario is a map that starts with `id:`, and this file is not")])
    return data


def _brace_hint(text: str, line: int) -> str:
    lines = text.splitlines()
    here = lines[line - 1] if 0 < line <= len(lines) else ""
    return " A text that holds `{x}` needs quotes around it." if re.search(r"\{[a-z_]+\}", here) else ""


def validate(data: dict[str, Any], path: Path) -> ScenarioFile:
    """Check plain data against the models. Raises BadScenario with every complaint, each with its line."""
    try:
        return ScenarioFile.model_validate(data)
    except ValidationError as error:
        found = [
            Complaint(path, line_of(path, _place(one["loc"], data)), _sentence(one, data)) for one in error.errors()
        ]
        raise BadScenario(found) from None


def line_of(path: Path, place: tuple[str | int, ...]) -> int:
    """Find the line of a place such as ("timeline", 3, "fact", "body") in a YAML file, counting from 1."""
    node = yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    line = 1
    for part in place:
        child = _child(node, part)
        if child is None:
            break
        mark, node = child
        line = int(mark.start_mark.line) + 1
    return line


def _child(node: yaml.Node | None, part: str | int) -> tuple[yaml.Node, yaml.Node] | None:
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        return node.value[part], node.value[part]
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == str(part):
                return key, value
    return None


def _place(loc: tuple[str | int, ...], data: object) -> tuple[str | int, ...]:
    """Drop what pydantic adds to a place and the file does not have (the branches of a union)."""
    place: list[str | int] = []
    for part in loc:
        if isinstance(data, dict | list) and part in _keys(data):
            data = data[part]  # type: ignore[index] # the part is one of its keys
            place.append(part)
    return tuple(place)


def _keys(data: dict[str, Any] | list[Any]) -> Iterable[object]:
    return data if isinstance(data, dict) else range(len(data))


def _sentence(error: ErrorDetails, data: dict[str, Any]) -> str:
    words = ".".join(str(part) for part in _place(error["loc"], data)) or "the file"
    return (
        _misread(words, error["input"]) or _mistaken(words, error) or f"{words} is {error['input']!r}: {error['msg']}."
    )


def _misread(words: str, value: object) -> str:
    """Recognise what YAML has read as something that the author did not mean."""
    if isinstance(value, dict) and len(value) == 1 and list(value.values()) == [None]:
        (name,) = value
        return f'{words} is read as a map, because {{{name}}} has no quotes. Write "{{{name}}}" in quotes.'
    if isinstance(value, bool):
        return f"{words} holds {value!r}, as YAML reads on, off, yes and no. Write the word in quotes."
    return ""


def _mistaken(words: str, error: ErrorDetails) -> str:
    loc, value = error["loc"], error["input"]
    match error["type"]:
        case "extra_forbidden":
            return f"unknown key {loc[-1]!r} in {_owner(words)}.{suggest(str(loc[-1]), _known(loc))}"
        case "missing":
            return f"{words} lacks {loc[-1]!r}. Add `{loc[-1]}:`."
        case "literal_error":
            valid = re.findall(r"'([^']+)'", error["ctx"]["expected"])
            return f"{words} is {value!r}.{suggest(str(value), valid)}"
        case "value_error":
            return f"{words}: {error['ctx']['error']}."
    return ""


def _owner(words: str) -> str:
    return words.rsplit(".", 1)[0] if "." in words else "the file"


def _known(loc: tuple[str | int, ...]) -> list[str]:
    """Name the keys that the model at this place knows, by walking the models along the place."""
    model: type[BaseModel] = ScenarioFile
    for part in loc[:-1]:
        if isinstance(part, str) and part in model.model_fields:
            found = _models(model.model_fields[part].annotation)
            model = found[0] if found else model
    return list(model.model_fields)


def _models(annotation: Any) -> list[type[BaseModel]]:  # noqa: ANN401 - any annotation may be walked
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for inner in getattr(annotation, "__args__", ()) for model in _models(inner)]
