"""Reads YAML files as plain data, and finds the line of each place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from memlab.harness.scenarios.errors import BadScenario, ScenarioError, short_repr

DEEPEST = 20
"""Levels of nested lists and maps. No scenario needs more, and a parser crashes at some depth."""
TOO_DEEP = f"lists and maps are nested more than {DEEPEST} deep. Put texts with brackets in quotes."
PARSER_LIMIT = "exceeded maximum nesting depth"
"""The error of a parser that has a limit of its own, such as libyaml in PyYAML 6.0.4."""
TEXT = "tag:yaml.org,2002:str"


def read_yaml(path: Path) -> dict[str, Any]:
    """Read a scenario file as plain data.

    Raises BadScenario, with the line, for an unreadable file, invalid YAML, and YAML that is easily misread: a key that
    is duplicate or not a text, an alias, a second document.
    """
    text = _text(path)
    try:
        errors = [ScenarioError(path, line, words) for line, words in _misleading(text)]
        node = None if errors else _tree(text)
        errors += [ScenarioError(path, line, words) for line, words in _bad_keys(node)]
        data = None if errors else yaml.load(text, Loader=yaml.CSafeLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 0
        is_deep = error.problem == PARSER_LIMIT
        words = TOO_DEEP if is_deep else f"not YAML: {error.problem}.{_hint(error, text, line)}"
        raise BadScenario([ScenarioError(path, line, words)]) from None
    except yaml.reader.ReaderError as error:
        line = text[: int(error.position)].count("\n") + 1
        raise BadScenario([ScenarioError(path, line, f"not YAML: {error.reason}. Remove the character.")]) from None
    except ValueError as error:  # a date that no calendar has
        raise BadScenario([ScenarioError(path, 0, f"not YAML: {error}. Write it in quotes.")]) from None
    if errors:
        raise BadScenario(errors)
    if not isinstance(data, dict):
        what = "nothing" if data is None else "a list" if isinstance(data, list) else short_repr(data)
        words = f"a scenario is a map that starts with `id:`, but this is {what}."
        raise BadScenario([ScenarioError(path, 1, f"{words} Write one, or move the file out of the folder.")])
    return data


def line_of(path: Path, place: tuple[str | int, ...]) -> int:
    """Return the line of a place such as ("timeline", 3, "fact", "body") in a YAML file, counting from 1."""
    node = _tree(_text(path))
    line = 1
    for part in place:
        child = _child(node, part)
        if child is None:
            break
        mark, node = child
        line = int(mark.start_mark.line) + 1
    return line


def _text(path: Path) -> str:
    try:
        if path.is_file():  # reading a pipe could block forever
            return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        text = f"the byte {error.object[error.start]:#04x} is not valid UTF-8. Save the file as UTF-8."
        raise BadScenario([ScenarioError(path, line, text)]) from None
    except OSError as error:
        text = f"cannot be read ({error.strerror}). Fix its permissions, or move it out of the folder."
        raise BadScenario([ScenarioError(path, 0, text)]) from None
    if path.exists():
        text = "is a folder, a pipe or a device, not a file. Rename it, or move it out of the folder."
    else:
        text = "is a link to a file that does not exist. Fix the link, or move it out of the folder."
    raise BadScenario([ScenarioError(path, 0, text)])


@lru_cache(maxsize=2)
def _tree(text: str) -> yaml.Node | None:
    """Parse a text into nodes; cached, so that many errors in one file cost one parse."""
    node: yaml.Node | None = yaml.compose(text, Loader=yaml.CSafeLoader)
    return node


def _misleading(text: str) -> Iterator[tuple[int, str]]:
    """Find the first deep nesting or alias, which could take all memory, by parsing without building data."""
    depth = 0
    for event in yaml.parse(text, Loader=yaml.CSafeLoader):
        line = event.start_mark.line + 1 if event.start_mark else 0
        if isinstance(event, yaml.AliasEvent):
            yield line, f"uses the alias *{event.anchor}, which is hard to read. Write the text again instead."
            return
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > DEEPEST:
            yield line, TOO_DEEP
            return


def _bad_keys(node: yaml.Node | None) -> Iterator[tuple[int, str]]:
    """Find duplicate keys, of which YAML silently keeps the last, and keys that are not texts."""
    if isinstance(node, yaml.SequenceNode):
        for child in node.value:
            yield from _bad_keys(child)
    elif isinstance(node, yaml.MappingNode):
        first: dict[str, int] = {}
        for key, value in node.value:
            line = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                yield line, "the key of a map is itself a map or list. A text that contains {x} or [x] needs quotes."
            elif key.tag != TEXT:
                yield line, f'the key {key.value!r} is not read as a text. Write "{key.value}" in quotes.'
            elif key.value in first:
                yield line, f"{key.value!r} is a duplicate key, first in line {first[key.value]}. Keep one."
            else:
                first[key.value] = line
            yield from _bad_keys(value)


def _hint(error: yaml.MarkedYAMLError, text: str, line: int) -> str:
    if isinstance(error, yaml.constructor.ConstructorError):
        return " Remove the tag that begins with !, or quote the text."
    lines = text.splitlines()
    here = lines[line - 1] if 0 < line <= len(lines) else ""
    return " A text that contains `{x}` needs quotes." if re.search(r"\{[a-z_]+\}", here) else ""


def _child(node: yaml.Node | None, part: str | int) -> tuple[yaml.Node, yaml.Node] | None:
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        return node.value[part], node.value[part]
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == str(part):
                return key, value
    return None
