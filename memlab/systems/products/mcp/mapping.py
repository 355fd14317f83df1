"""Which tools of an MCP server store, search and forget, and with which arguments."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from memlab.systems.entry import UnknownSystem

KNOWLEDGE_GRAPH = {
    "store": {
        "tool": "create_entities",
        "arguments": {"entities": [{"name": "{id}", "entityType": "memory", "observations": "{lines}"}]},
    },
    "search": {"tool": "search_nodes", "arguments": {"query": "{query}"}},
    "ask": "words",
    "texts": ["entities", "observations"],
}
"""The tools of the reference server `@modelcontextprotocol/server-memory`, whose search finds a phrase, not words."""
FORGET = {"delete_entities": {"entityNames": ["{id}"]}, "delete_entity": {"name": "{id}"}}
"""How servers with those tools forget: tool -> arguments."""


class ToolCall(BaseModel):
    """A tool and its arguments; `{id}`, `{text}`, `{query}` are replaced, `{k}` by a number, `{lines}` by a list."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    tool: str
    arguments: dict[str, Any]

    def filled(self, values: Mapping[str, object]) -> dict[str, Any]:
        """Return the arguments with these values."""
        filled: dict[str, Any] = _filled(self.arguments, values)
        return filled


class Tools(BaseModel):
    """How a server is used. With `ask: words` each word of a query is a search, and most matches are best.

    `texts` are the keys that lead to the texts in the JSON of an answer; without them each text block is an item.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    store: ToolCall
    search: ToolCall
    forget: ToolCall | None = None
    ask: Literal["query", "words"] = "query"
    texts: tuple[str, ...] = ()

    def found_in(self, structured: object, blocks: list[str]) -> list[str]:
        """Return the texts of an answer: of its structured content, else of its text blocks. Raises ValueError."""
        if not self.texts:
            return blocks
        answers = [structured] if structured is not None else [json.loads(block) for block in blocks]
        return [text for answer in answers for text in _leaves(answer, self.texts)]


def read_tools(path: Path) -> Tools:
    """Return the mapping of a YAML or JSON file. Raises UnknownSystem with the file, the place and the fix."""
    try:
        return Tools.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise UnknownSystem(f"{path}: cannot be read ({error}). Give a YAML file with `store` and `search`.") from None
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the file"
        raise UnknownSystem(
            f"{path}: {place}: {first['msg']}. It needs `store` and `search`, each with `tool` and `arguments`; "
            "`forget`, `ask` (query or words) and `texts` are optional."
        ) from None


def guessed_tools(offered: list[str]) -> Tools | None:
    """Return the mapping for a server with the tools of the reference server, None for any other."""
    graph = Tools.model_validate(KNOWLEDGE_GRAPH)
    if not {graph.store.tool, graph.search.tool} <= set(offered):
        return None
    forget = [ToolCall(tool=tool, arguments=FORGET[tool]) for tool in FORGET if tool in offered]
    return graph.model_copy(update={"forget": forget[0] if forget else None})


def _filled(template: Any, values: Mapping[str, object]) -> Any:  # noqa: ANN401 - JSON
    if isinstance(template, dict):
        return {key: _filled(one, values) for key, one in template.items()}
    if isinstance(template, list):
        return [_filled(one, values) for one in template]
    if not isinstance(template, str):
        return template
    for name, value in values.items():
        if template == f"{{{name}}}":
            return value
        template = template.replace(f"{{{name}}}", str(value))
    return template


def _leaves(answer: object, keys: tuple[str, ...]) -> Iterator[str]:
    """Yield the strings below the keys, through every list. Raises ValueError where a key is missing."""
    if isinstance(answer, list):
        for one in answer:
            yield from _leaves(one, keys)
    elif not keys:
        yield str(answer)
    elif isinstance(answer, dict) and keys[0] in answer:
        yield from _leaves(answer[keys[0]], keys[1:])
    else:
        raise ValueError(f"the answer has no {keys[0]!r}: {json.dumps(answer)[:100]}")
