"""A day of `tool_use` blocks through the official class: files that are facts, and no way out of /memories."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest
from anthropic.lib.tools import BetaAbstractMemoryTool, ToolError
from anthropic.types.beta import BetaToolUseBlock

from memlab.memory import MemoryMix
from memlab.serving.anthropic_memory import MemlabMemoryTool

HEADER = "Here're the files and directories up to 2 levels deep in {}, excluding hidden items:\n"
NOTES = "/memories/project/notes.md"


@pytest.fixture
def tool(tmp_path: Path) -> Iterator[MemlabMemoryTool]:
    made = MemlabMemoryTool(tmp_path, session="monday")
    yield made
    made.close()


def use(tool: BetaAbstractMemoryTool, command: str, **given: object) -> str:
    """Carry out a block as the SDK's runner does: by the tool's name and the block's input."""
    block = BetaToolUseBlock(id="1", name="memory", type="tool_use", input={"command": command, **given})
    assert (block.name, tool.to_dict()["type"]) == (tool.name, "memory_20250818")
    return str(tool.call(block.input))


def test_a_day_of_work(tool: MemlabMemoryTool, tmp_path: Path) -> None:
    assert use(tool, "view", path="/memories") == HEADER.format("/memories") + "0B\t/memories"
    use(tool, "create", path=NOTES, file_text="# Deploys\nWe deploy on Tuesdays.\n")
    assert use(tool, "view", path="/memories") == (
        HEADER.format("/memories") + "33B\t/memories\n33B\t/memories/project/\n33B\t/memories/project/notes.md"
    )
    edited = use(tool, "str_replace", path=NOTES, old_str="Tuesdays", new_str="Fridays")
    assert edited.endswith("     1\t# Deploys\n     2\tWe deploy on Fridays.\n     3\t")
    use(tool, "insert", path=NOTES, insert_line=0, insert_text="Read this first.\n")
    assert use(tool, "view", path=NOTES, view_range=[1, 2]).endswith("     1\tRead this first.\n     2\t# Deploys")
    use(tool, "rename", old_path="/memories/project", new_path="/memories/archive")
    tool.close()

    tuesday = MemlabMemoryTool(tmp_path)
    assert "We deploy on Fridays." in use(tuesday, "view", path="/memories/archive/notes.md")
    use(tuesday, "delete", path="/memories/archive")
    assert use(tuesday, "view", path="/memories").endswith("0B\t/memories")
    tuesday.close()
    assert "deploy" not in (tmp_path / "facts.db").read_bytes().decode("latin-1")


def test_a_file_is_a_fact_with_versions_provenance_and_recall(tool: MemlabMemoryTool, tmp_path: Path) -> None:
    use(tool, "create", path=NOTES, file_text="We deploy on Tuesdays.")
    use(tool, "str_replace", path=NOTES, old_str="Tuesdays", new_str="Fridays")
    with MemoryMix(tmp_path) as mix:
        (found,) = mix.recall("when do we deploy")
        versions = [(one.body, one.origin.source, one.origin.session) for one in mix.facts.statements()]
    assert found.text == "We deploy on Fridays."
    assert versions == [
        ("We deploy on Tuesdays.", "agent", "monday"),
        ("We deploy on Fridays.", "agent", "monday"),
    ]


def test_a_file_of_the_user_can_be_read_but_not_changed(tool: MemlabMemoryTool, tmp_path: Path) -> None:
    user = MemlabMemoryTool(tmp_path, source="user")
    use(user, "create", path=NOTES, file_text="Never deploy on Fridays.")
    user.close()
    assert "Never deploy on Fridays." in use(tool, "view", path=NOTES)
    for command in (
        {"command": "str_replace", "path": NOTES, "old_str": "Never", "new_str": "Always"},
        {"command": "insert", "path": NOTES, "insert_line": 0, "insert_text": "x"},
        {"command": "delete", "path": NOTES},
        {"command": "rename", "old_path": "/memories/project", "new_path": "/memories/mine"},
    ):
        with pytest.raises(ToolError, match="user"):
            tool.call(command)
    assert "Never deploy on Fridays." in use(tool, "view", path=NOTES)


@pytest.mark.parametrize(
    "path",
    [
        *("/memories-evil", "/memories-evil/notes.md", "/memoriesx", "memories/notes.md", "/", "", "/etc/passwd"),
        *("/memories/../etc/passwd", "/memories/a/../../b", "/memories//etc", "/memories/./a", "/memories/a\nb"),
        *("/memories/a\\..\\b", "/memories/" + "x" * 1000, "/memories/a\0b"),
    ],
)
@pytest.mark.parametrize("command", ["view", "create", "str_replace", "insert", "delete", "rename", "rename to"])
def test_no_path_leads_out_of_memories(tool: MemlabMemoryTool, command: str, path: str, tmp_path: Path) -> None:
    use(tool, "create", path=NOTES, file_text="x")
    more = {"file_text": "x", "old_str": "x", "new_str": "y", "insert_line": 0, "insert_text": "x"}
    places = {"path": path, "old_path": path, "new_path": "/memories/new"}
    if command == "rename to":
        places = {"old_path": NOTES, "new_path": path}
    with pytest.raises(ToolError) as caught:
        use(tool, command.split(maxsplit=1)[0], **places, **more)
    assert len(str(caught.value).splitlines()) == 1
    assert use(tool, "view", path=NOTES).endswith("     1\tx")
    with MemoryMix(tmp_path) as mix:
        assert len(list(mix.facts.statements())) == 1


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (None, "one of view, create"),
        ("view", "one of view, create"),
        ({"path": "/memories"}, "one of view, create"),
        ({"command": ["view"], "path": "/memories"}, "one of view, create"),
        ({"command": "view", "path": 5}, "path: input should be a valid string"),
        ({"command": "create", "path": NOTES}, "file_text: field required"),
        ({"command": "create", "path": NOTES, "file_text": "x" * 10_000_000}, "a call has at most 100,000"),
        ({"command": "view", "path": "/memories/none.md"}, "does not exist"),
        ({"command": "view", "path": "/memories", "view_range": "all"}, "view_range"),
        ({"command": "view", "path": "/memories/a.md", "view_range": [1]}, "view_range"),
        ({"command": "create", "path": "/memories/a.md", "file_text": "y"}, "already exists"),
        ({"command": "create", "path": "/memories/a.md/b.md", "file_text": "y"}, "/memories/a.md is there already"),
        ({"command": "create", "path": "/memories", "file_text": "y"}, "cannot be a file"),
        ({"command": "str_replace", "path": "/memories/a.md", "old_str": "e", "new_str": "y"}, "3 times, not once"),
        ({"command": "str_replace", "path": "/memories/a.md", "old_str": "", "new_str": "y"}, "0 times, not once"),
        ({"command": "insert", "path": "/memories/a.md", "insert_line": 9, "insert_text": "y"}, "range [0, 1]"),
        ({"command": "delete", "path": "/memories"}, "Cannot delete"),
        ({"command": "rename", "old_path": "/memories", "new_path": "/memories/b"}, "Cannot rename"),
        ({"command": "rename", "old_path": "/memories/a.md", "new_path": "/memories/a.md/b"}, "into itself"),
        ({"command": "rename", "old_path": "/memories/a.md", "new_path": "/memories/a.md"}, "into itself"),
        ({"command": "rename", "old_path": "/memories/x", "new_path": "/memories/y"}, "does not exist"),
    ],
)
def test_a_wrong_call_raises_one_sentence(tool: MemlabMemoryTool, given: object, reason: str) -> None:
    use(tool, "create", path="/memories/a.md", file_text="eee")
    with pytest.raises(ToolError) as caught:
        tool.call(given)
    assert reason in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1
    assert use(tool, "view", path="/memories/a.md").endswith("     1\teee")


def test_paths_that_differ_in_case_are_two_files(tool: MemlabMemoryTool) -> None:
    use(tool, "create", path="/memories/Notes.md", file_text="one")
    use(tool, "create", path="/memories/notes.md", file_text="two")
    assert use(tool, "view", path="/memories/Notes.md").endswith("one")


def test_edits_of_many_threads_and_two_tools_are_all_kept(tool: MemlabMemoryTool, tmp_path: Path) -> None:
    other = MemlabMemoryTool(tmp_path)
    use(tool, "create", path=NOTES, file_text="start\n")

    def write(one: MemlabMemoryTool, number: int) -> None:
        for each in range(5):
            use(one, "insert", path=NOTES, insert_line=1, insert_text=f"line {number}.{each}")

    threads = [Thread(target=write, args=(one, number)) for number, one in enumerate([tool, other] * 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    other.close()
    assert use(tool, "view", path=NOTES).count("line ") == 20 + 1  # and "with line numbers"


def test_everything_can_be_cleared(tool: MemlabMemoryTool) -> None:
    use(tool, "create", path=NOTES, file_text="x")
    assert tool.clear_all_memory() == "All memory cleared"
    assert use(tool, "view", path="/memories").endswith("0B\t/memories")
