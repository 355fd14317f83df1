"""An MCP memory server as a row: `memlab compare --mcp "command"`."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from memlab.memory.retrieval.relevance import stem_set
from memlab.memory.text import Refused
from memlab.systems.answers import SystemFailed, one_line
from memlab.systems.entry import Entry
from memlab.systems.products.mcp.mapping import Tools, guessed_tools, read_tools
from memlab.systems.products.mcp.session import McpSession
from memlab.systems.products.product import Store, build_judged
from memlab.terms import MemorySystem, Workspace

NAME = "mcp"
STRIKES = 3
"""Time-outs after which a server is not started again: failing every cell that way would take hours."""
_WORD = re.compile(r"\w+")


class McpStore(Store):
    """Stores each event by one tool and searches by another. What the server declines to store is refused."""

    def __init__(self, session: McpSession, tools: Tools) -> None:
        self._session = session
        self._tools = tools
        self.version = ""
        self.cannot = () if tools.forget else ("erase",)

    def add(self, key: str, text: str) -> None:
        values = {"id": key, "text": text, "lines": text.split("\n")}
        self._call(self._tools.store.tool, self._tools.store.filled(values))

    def recall(self, query: str, k: int = 5) -> list[str]:
        counts: Counter[str] = Counter()
        for asked in self._questions(query):
            values = {"query": asked, "k": k}
            found = self._call(self._tools.search.tool, self._tools.search.filled(values))
            counts.update(list(dict.fromkeys(found)))
        return [text for text, _ in counts.most_common(k)]

    def remove(self, key: str) -> None:
        if self._tools.forget:
            self._call(self._tools.forget.tool, self._tools.forget.filled({"id": key}))

    def close(self) -> None:
        """End the server."""
        self._session.close()

    def _questions(self, query: str) -> list[str]:
        if self._tools.ask == "query":
            return [query]
        return list(dict.fromkeys(word for word in _WORD.findall(query) if stem_set(word)))

    def _call(self, tool: str, arguments: dict[str, Any]) -> list[str]:
        """Return the texts of an answer. Raises Refused for an error that the tool reports, SystemFailed for others."""
        answer = self._session.call(tool, arguments)
        blocks = [block.text for block in answer.content if hasattr(block, "text")]
        if answer.is_error:
            raise Refused(f"the tool {tool} said: {one_line(' '.join(blocks))}")
        if tool != self._tools.search.tool:
            return []
        try:
            return self._tools.found_in(answer.structured_content, blocks)
        except ValueError as error:
            raise SystemFailed(f"the tool {tool}: {one_line(str(error))}") from None


@dataclass
class McpServer:
    """Starts the server of a command for every cell. `variables` are those of the shell in which memlab runs."""

    command: str
    tools: Tools | None
    limit: float
    variables: Mapping[str, str]
    _late: int = field(default=0, init=False)

    def build(self, workspace: Workspace) -> MemorySystem:
        """Start the server, if it finds what was planted. Raises SystemFailed."""
        return build_judged(NAME, self._make, workspace)

    def _make(self, workspace: Workspace) -> McpStore:
        if self._late >= STRIKES:
            raise SystemFailed(f"the MCP server was over the limit {STRIKES} times and is not tried again")
        session = McpSession(self.command, workspace.directory, self.limit, self.variables, self._count)
        tools = self.tools or guessed_tools(session.tools)
        if tools is None or not {tools.store.tool, tools.search.tool} <= set(session.tools):
            session.close()
            wanted = (
                f"no tool {tools.store.tool} or {tools.search.tool}" if tools else "tools that memlab does not know"
            )
            raise SystemFailed(
                f"the MCP server has {wanted}; it has: {', '.join(session.tools) or 'none'}. "
                "Say with --mcp-tools FILE which ones store and search."
            )
        found = McpStore(session, tools)
        found.version = f"{session.server}; mcp {version('mcp')}; {self.command}"
        return found

    def _count(self) -> None:
        self._late += 1


def mcp_entry(command: str, tools: Path | None, limit: float) -> Entry:
    """Return the row of an MCP server. Raises UnknownSystem for a wrong mapping, NotInstalled without the SDK."""
    server = McpServer(command, read_tools(tools) if tools else None, limit, dict(os.environ))
    about = f"The MCP server `{command}`, which runs in no sandbox."
    return Entry(NAME, about, "products", server.build, modules=("mcp",), extra="mcp").require()
