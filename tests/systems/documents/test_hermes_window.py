"""The window of the three-tier architecture (document 004): shares, sacred zone, tool results, and the user's page."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from memlab.memory.text import Refused
from memlab.systems.documents.hermes.profile import Profile
from memlab.systems.documents.hermes.system import Hermes
from memlab.systems.documents.hermes.window import DOCUMENT, EVEN, FOR_TOOLS, Parts, window
from memlab.terms import Event, Workspace

Tell = Callable[..., Event]


def test_the_shares_of_a_window_are_those_of_the_document() -> None:
    assert [int(32_768 * share) for share in (0.08, 0.12, 0.30, 0.35, 0.15)] == [2621, 3932, 9830, 11468, 4915]
    for shares in (DOCUMENT, EVEN, FOR_TOOLS):
        parts = (shares.system, shares.memory, shares.conversation, shares.results, shares.reply)
        assert sum(parts) == pytest.approx(1)
    assert (DOCUMENT.system, DOCUMENT.memory, DOCUMENT.conversation, DOCUMENT.results, DOCUMENT.reply) == (
        *(0.08, 0.12, 0.30),
        *(0.35, 0.15),
    )


def test_a_window_has_the_turns_and_results_that_it_is_given(workspace: Workspace, tell: Tell) -> None:
    system = Hermes(workspace)
    system.observe(tell("rule", "Be brief."))
    system.observe(tell("task", "sail", todo=("cast off",)))
    system.observe(tell("turn", "The wind is weak."))
    assert system.window("sail", 200, ["It is Monday."], ["12 knots"]).split("\n") == [
        *("## User-Defined Memory", "## Rules", "- Be brief."),
        *("goal: sail", "- cast off", "It is Monday.", "12 knots"),
    ]


MEMORY_MD = """\
## User Preferences
- Language preference: Python (primary) > JavaScript > Go
- Code style: PEP 8, type annotations, detailed comments
- Output format: Markdown preferred, syntax-highlighted code blocks

## Project Background
- Current main project: YiteAI blog platform (Next.js + SQLite)
- Repository path: /Users/hexin/code/yiteai/
- Production: Ubuntu 22.04 VPS, domain dev.yiteai.com

## Database Info
- Primary DB: SQLite, path /data/yiteai.db
- Schema: see /docs/schema.md

## Common Commands
- Start dev server: cd ~/code/yiteai && npm run dev
- Deploy: ./scripts/deploy.sh production
"""


def test_the_example_of_memory_md_is_injected_verbatim_at_the_front_of_the_smallest_window_that_holds_it(
    workspace: Workspace, tell: Tell
) -> None:
    (workspace.directory / "profile.md").write_text(MEMORY_MD, encoding="utf-8")
    system = Hermes(workspace)
    system.observe(tell("task", "deploy the blog", todo=("build",)))
    system.observe(tell("tool", "built in 12 s\n" * 200))
    zone = f"## User-Defined Memory\n{MEMORY_MD.strip()}"
    least = -(-len(zone) // 4)
    for budget in (least, 4 * least):
        assert system.assemble("deploy the blog", budget).startswith(zone)
    with pytest.raises(Refused, match=f"allow at least {least}"):
        system.assemble("deploy the blog", least - 1)
    assert system.recall("how do we deploy", 1)[0].text == "Deploy: ./scripts/deploy.sh production"


def test_the_sacred_zone_is_never_cut_and_takes_from_the_conversation() -> None:
    parts = Parts("z" * 300, ["goal: g"], [f"turn {number}" for number in range(40)], ["result"])
    whole, small = window(1000, parts, DOCUMENT), window(100, parts, DOCUMENT)
    assert whole.startswith("z" * 300 + "\ngoal: g\nturn 0")
    assert small.startswith("z" * 300 + "\ngoal: g\n")
    assert small.endswith("result")
    assert small.count("turn") < 6
    assert window(1000, parts, DOCUMENT, buried=True).endswith("z" * 300)
    with pytest.raises(Refused, match="needs 75 tokens"):
        window(74, parts, DOCUMENT)


def test_a_tool_result_is_compressed_to_500_tokens() -> None:
    log = "\n".join(f"line {number} of the log says that all is well" for number in range(120))
    lines = window(20_000, Parts("", [], [], [log]), DOCUMENT).split("\n")
    assert len("\n".join(lines)) <= 500 * 4
    assert lines[0].startswith("line 0 ")
    assert lines[-1].startswith("line 119 ")


def test_the_page_is_read_again_when_a_person_has_edited_it(workspace: Workspace) -> None:
    profile = Profile(workspace.directory)
    profile.put("Rules", "a", "Be brief.")
    profile.put("Facts", "b", "The disk is sda.")
    path = workspace.directory / "profile.md"
    assert (
        path.read_text(encoding="utf-8") == profile.text() == "## Rules\n- Be brief.\n\n## Facts\n- The disk is sda.\n"
    )
    path.write_text(profile.text().replace("brief", "kind"), encoding="utf-8")
    os.utime(path, ns=(1, 1))
    assert profile.items() == ["Be kind.", "The disk is sda."]
    profile.put("Facts", "b", "The disk is sdb.")
    profile.put("Rules", "c", "Be calm.")
    assert Profile(workspace.directory).text() == "## Rules\n- Be kind.\n- Be calm.\n\n## Facts\n- The disk is sdb.\n"
