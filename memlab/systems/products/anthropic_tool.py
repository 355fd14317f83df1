"""Anthropic's memory tool: the official SDK's class over files, with a scripted agent in place of Claude.

Source: https://docs.claude.com/en/docs/agents-and-tools/tool-use/memory-tool
"""

from __future__ import annotations

from typing import Any

from memlab.systems.documents.explicit_write import ExplicitWrite
from memlab.systems.documents.parts.memory_tool import ROOT
from memlab.systems.products.product import Product
from memlab.terms import Workspace


class OfficialTool:
    """The commands of BetaLocalFilesystemMemoryTool, which are called as Claude calls them; an error is an answer."""

    def __init__(self, workspace: Workspace) -> None:
        from anthropic.lib.tools import ToolError
        from anthropic.tools import BetaLocalFilesystemMemoryTool

        self._error = ToolError
        self._tool: Any = BetaLocalFilesystemMemoryTool(str(workspace.directory))

    def names(self) -> list[str]:
        """Return the paths of all files, sorted, from the list that the tool gives."""
        paths = (line.partition("\t")[2] for line in self.view(ROOT).splitlines()[2:])
        return sorted(path for path in paths if not path.endswith("/"))

    def read(self, path: str) -> str:
        """Return a file's text without the line numbers, "" if there is none."""
        head, *lines = self.view(path).split("\n")
        return "\n".join(line.partition("\t")[2] for line in lines) if head.startswith("Here's the content of") else ""

    def view(self, path: str) -> str:
        return self._call("view", path=path)

    def create(self, path: str, text: str) -> str:
        return self._call("create", path=path, file_text=text)

    def str_replace(self, path: str, old: str, new: str) -> str:
        return self._call("str_replace", path=path, old_str=old, new_str=new)

    def delete(self, path: str) -> str:
        return self._call("delete", path=path)

    def _call(self, command: str, **arguments: str) -> str:
        try:
            return str(self._tool.call({"command": command, **arguments}))
        except self._error as error:
            return f"Error: {error}"


class ScriptedAgent(ExplicitWrite):
    """Uses the official tool. It keeps no record of which file an event went into, so it cannot erase one."""

    cannot = ("erase",)

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace, tool=OfficialTool(workspace))


ENTRIES = (
    Product(
        "anthropic-tool",
        "Anthropic's memory tool: the SDK's class over files; the scripted agent of explicit-write calls it.",
        ScriptedAgent,
        ("anthropic.lib.tools",),
        "anthropic",
        "anthropic",
        "BetaLocalFilesystemMemoryTool, scripted agent",
    ).entry(),
)
