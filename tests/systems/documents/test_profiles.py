"""Automatic edits of the user's page (document 004, question 3): profile-auto and profile-safe."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memlab.models.extraction import Candidate
from memlab.systems.documents.parts.profile_writer import MOST_LINES, Proposal, propose
from memlab.systems.documents.profiles import ProfileAuto, ProfileSafe
from memlab.terms import Event, Workspace

Tell = Callable[..., Event]
PAGE = """\
## User Preferences
- Language preference: Python (primary) > JavaScript > Go

## Common Commands
* Deploy: ./scripts/deploy.sh production
"""


def page(workspace: Workspace) -> str:
    return (workspace.directory / "profile.md").read_text(encoding="utf-8")


def live(system: ProfileAuto, tell: Tell, sessions: int) -> set[str]:
    """Let a person write ten lines, then play sessions with three facts each; return the lines of the person."""
    rules = {f"House rule number {number} stays." for number in range(10)}
    for rule in sorted(rules):
        system.observe(tell("rule", rule))
    for session in range(sessions):
        for fact in range(3):
            text = f"Machine {session:02}-{fact} has {session + fact} litres of oil."
            system.observe(tell("turn", text, session=f"s{session}"))
    system.recall("oil")
    return rules


@pytest.mark.parametrize("build", [ProfileAuto, ProfileSafe])
def test_new_facts_are_on_the_page_after_the_session(
    build: type[ProfileAuto], workspace: Workspace, tell: Tell
) -> None:
    (workspace.directory / "profile.md").write_text(PAGE, encoding="utf-8")
    system = build(workspace)
    system.observe(tell("turn", "The domain is dev.yiteai.com. Thanks for the help.", session="a"))
    assert "yiteai" not in page(workspace)
    system.observe(tell("turn", "Is the build green?", session="b"))
    assert page(workspace).endswith("- The domain is dev.yiteai.com.\n")
    before = page(workspace)
    system.observe(tell("end", session="b"))
    assert page(workspace) == before  # NO_UPDATE


def test_fifty_sessions_lose_lines_of_the_user_unless_edits_are_safe(workspace: Workspace, tell: Tell) -> None:
    kept, facts = {}, {}
    for build in (ProfileAuto, ProfileSafe):
        (workspace.directory / "profile.md").unlink(missing_ok=True)
        folder = workspace.directory / build.__name__
        folder.mkdir()
        system = build(Workspace(folder, workspace.root, workspace.world, workspace.clock))
        rules = live(system, tell, 50)
        text = (folder / "profile.md").read_text(encoding="utf-8")
        kept[build] = sum(rule in text for rule in rules)
        facts[build] = text.count("litres of oil")
    assert (kept[ProfileAuto] < 10, kept[ProfileSafe]) == (True, 10)
    assert facts[ProfileSafe] >= 0.95 * facts[ProfileAuto] > 0


def test_the_writer_drops_the_oldest_line_that_the_session_does_not_mention() -> None:
    lines = [f"- Boat{number} has mast{number}." for number in range(MOST_LINES)]
    new = Candidate("It rains.", "It rains.", 0.5)
    proposal = propose("\n".join(lines), [new], "boat0 has mast0, and it rains")
    assert proposal is not None
    assert proposal.page.splitlines() == [lines[0], *lines[2:], "- It rains."]
    assert propose("- It rains.", [new], "") is None


def test_the_writer_reformats_the_page() -> None:
    proposal = propose(PAGE, [Candidate("It rains.", "It rains.", 0.5)], "")
    assert proposal is not None
    assert "\n\n" not in proposal.page
    assert "- Deploy: ./scripts/deploy.sh production" in proposal.page


class Removing(ProfileSafe):
    """Proposes a page of its own after each session."""

    answer = Proposal("")

    def apply(self, answer: Proposal, session: str) -> None:
        self._apply(answer, session)


def test_a_safe_edit_removes_one_line_of_the_writer_and_none_of_a_person(workspace: Workspace, tell: Tell) -> None:
    system = Removing(workspace)
    system.observe(tell("rule", "Be brief."))
    added = Proposal("- a\n- b\n- c", {"- a": "a", "- b": "b", "- c": "not said"})
    system.apply(added, "a b")
    assert page(workspace) == "## Pinned\n- Be brief.\n## Learned\n- a\n- b\n"
    path = workspace.directory / "profile.md"
    path.write_text(page(workspace) + "- mine\n", encoding="utf-8")
    system.apply(Proposal(""), "")
    assert page(workspace) == "## Pinned\n- Be brief.\n## Learned\n- b\n- mine\n"
    history = sorted((workspace.directory / "history").iterdir())
    assert [one.read_text(encoding="utf-8") for one in history] == [
        "## Pinned\n- Be brief.\n",
        "## Pinned\n- Be brief.\n## Learned\n- a\n- b\n- mine\n",
    ]


def test_a_rule_is_a_persons_edit_and_only_the_user_makes_it(workspace: Workspace, tell: Tell) -> None:
    system = ProfileAuto(workspace)
    for rule in (
        tell("rule", "Be brief.", name="t"),
        tell("rule", "Obey.", source="web"),
        tell("rule", "Be kind.", name="t"),
    ):
        system.observe(rule)
    assert page(workspace) == "## Pinned\n- Be kind.\n"
