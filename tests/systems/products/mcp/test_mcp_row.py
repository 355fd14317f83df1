"""Any MCP server is a row; a bad one is an error of its cells that says what happened, and the run goes on."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memlab.harness.running import runner
from memlab.harness.scenarios.loading import library, load_all, select
from memlab.memory.text import Refused
from memlab.systems import registry
from memlab.systems.answers import SystemFailed
from memlab.systems.entry import Entry, UnknownSystem
from memlab.systems.products import contract
from memlab.systems.products.mcp import server as module
from memlab.systems.products.mcp.mapping import Tools, read_tools
from memlab.terms import Event, Result, Workspace

pytest.importorskip("mcp", reason="the MCP SDK is not installed: pip install '.[mcp]' in a checkout of memlab")

FAKE = Path(__file__).with_name("fake_server.py")
LIMIT = 1.5


@pytest.fixture(autouse=True)
def tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contract, "_tried", {})


def row(mode: str = "good", tools: Path | None = None) -> Entry:
    return module.mcp_entry(shlex.join([sys.executable, str(FAKE), mode]), tools, LIMIT)


def results(entry: Entry) -> list[Result]:
    (template,) = select(load_all([library()]), "recall/first-week")
    fine = registry.entry("bm25")
    cells = list(runner.play(template.sample(0), [entry, fine]))
    assert not any(one.error for one in cells[1]), "the run goes on"
    return cells[0]


def test_a_server_with_the_tools_of_the_reference_server_needs_no_mapping() -> None:
    answers = results(row())
    assert not [one.error for one in answers if one.error]
    assert any(one.items for one in answers)
    assert answers[0].version.startswith("fake 1, MCP 2025-06-18; mcp 2.")


BAD = {
    "dies": "Connection closed (its stderr ends: out of memory)",
    "garbage": "printed what is no JSON-RPC: '%%% all is well %%%' within 1.5 s",
    "blocks": "the tool create_entities: the MCP server gave no answer within 1.5 s",
    "other-version": "Unsupported protocol version from the server: 1999-01-01",
    "other-tools": "tools that memlab does not know; it has: keep, find. Say with --mcp-tools FILE",
    "other-answer": "the tool search_nodes: the answer has no 'entities': {\"things\": [",
}


@pytest.mark.parametrize("mode", BAD)
def test_a_bad_server_is_an_error_of_its_cells_that_says_what_happened(mode: str) -> None:
    answers = results(row(mode))
    assert answers
    assert all(BAD[mode] in one.error for one in answers), answers[0].error


def test_a_command_that_does_not_exist_is_named() -> None:
    (error,) = {one.error for one in results(module.mcp_entry("no-such-server --fast", None, LIMIT))}
    assert "No such file or directory: 'no-such-server'" in error


def test_a_server_that_is_late_three_times_is_not_started_again(
    monkeypatch: pytest.MonkeyPatch, workspace: Workspace, tell: Callable[..., Event]
) -> None:
    monkeypatch.setattr(contract, "_tried", {module.NAME: ""})
    entry = row("blocks")
    for _ in range(module.STRIKES):
        system = entry.build(workspace)
        with pytest.raises(SystemFailed, match="gave no answer"):
            system.observe(tell("fact", "x"))
    with pytest.raises(SystemFailed, match="over the limit 3 times and is not tried again"):
        entry.build(workspace)


def test_what_the_server_declines_to_store_is_refused_and_the_cell_goes_on(
    workspace: Workspace, tell: Callable[..., Event]
) -> None:
    system = row("declines").build(workspace)
    with pytest.raises(Refused, match="the tool create_entities said: I keep no secrets"):
        system.observe(tell("fact", "the secret is 7"))
    system.observe(tell("fact", "the harbour is open"))
    assert [str(getattr(one, "text", one)) for one in system.recall("harbour")] == ["the harbour is open"]


def test_a_mapping_names_other_tools(tmp_path: Path, workspace: Workspace, tell: Callable[..., Event]) -> None:
    tools = tmp_path / "tools.yaml"
    tools.write_text(
        "store: {tool: keep, arguments: {text: '{text}'}}\nsearch: {tool: find, arguments: {query: '{query}'}}\n"
        "ask: words\n"
    )
    system = row("other-tools", tools).build(workspace)
    system.observe(tell("fact", "the harbour is open"))
    assert [str(getattr(one, "text", one)) for one in system.recall("open harbour?")] == ["the harbour is open"]


def test_a_wrong_mapping_says_the_file_the_place_and_what_belongs_there(tmp_path: Path) -> None:
    tools = tmp_path / "tools.yaml"
    for text, words in {
        "store: {tool: keep}\n": "tools.yaml: store.arguments: Field required",
        "[": "tools.yaml: cannot be read",
        "x: 1\n": "tools.yaml: store: Field required",
    }.items():
        tools.write_text(text)
        with pytest.raises(UnknownSystem) as caught:
            read_tools(tools)
        assert words in str(caught.value)
        assert "`search`" in str(caught.value)


def test_arguments_are_filled_with_texts_numbers_and_lists() -> None:
    call = Tools.model_validate(
        {
            "store": {"tool": "s", "arguments": {"a": ["{lines}"], "b": "<{text}>", "n": "{k}", "f": True}},
            "search": {"tool": "q", "arguments": {}},
        }
    ).store
    assert call.filled({"lines": ["x", "y"], "text": "t", "k": 3}) == {"a": [["x", "y"]], "b": "<t>", "n": 3, "f": True}


SERVERS = {
    "memory": "env MEMORY_FILE_PATH={directory}/memory.jsonl "
    "node SERVERS/@modelcontextprotocol/server-memory/dist/index.js",
    "libsql": "env LIBSQL_URL=file:{directory}/memory.db node SERVERS/mcp-memory-libsql/dist/index.js",
}
INSTALLED = os.environ.get("MEMLAB_MCP_SERVERS", "")


@pytest.mark.skipif(
    not INSTALLED, reason="MEMLAB_MCP_SERVERS names no node_modules with the servers: see make products"
)
@pytest.mark.parametrize("command", SERVERS.values(), ids=list(SERVERS))
def test_the_real_servers_find_forget_and_survive_a_restart(
    command: str, workspace: Workspace, tell: Callable[..., Event]
) -> None:
    entry = module.mcp_entry(command.replace("SERVERS", INSTALLED), None, 10.0)
    system = entry.build(workspace)
    told = tell("fact", "The harbour opens at noon.")
    system.observe(told)
    system.observe(tell("fact", "Mara ships on Fridays."))
    system.close()  # type: ignore[attr-defined] # a product's
    again = entry.build(workspace)
    assert "harbour" in str(again.recall("when does the harbour open", 1))
    again.observe(tell("erase", erases=(told.id,)))
    assert "harbour" not in str(again.recall("when does the harbour open", 5))
    again.close()  # type: ignore[attr-defined] # as above
