import sys
from collections.abc import Callable
from json import JSONDecodeError
from pathlib import Path

import pytest

from memlab.memory.text import Refused
from memlab.memory.world import Change, ScriptedWorld
from memlab.systems.answers import SystemFailed, texts_of
from memlab.systems.child.system import from_path
from memlab.systems.fallback import RECALL_BUDGET
from memlab.systems.labs import lab06, lab07, lab_file
from memlab.terms import Event, MemorySystem, Workspace

Tell = Callable[..., Event]


@pytest.fixture
def life(tell: Tell) -> list[Event]:
    return [
        tell("rule", "Prefer pnpm.", name="rule-1"),
        tell("fact", "Run scripts/deploy.sh.", name="Deploy cmd", description="how this project ships"),
        tell("episode", "labs page built clean", source="agent", type="build"),
        tell("task", "ship the labs page", todo=("build", "smoke test", "deploy")),
        tell("done", "build"),
    ]


def live(system: MemorySystem, events: list[Event]) -> MemorySystem:
    for event in events:
        system.observe(event)
    return system


def test_lab07_puts_each_event_in_its_store(workspace: Workspace, life: list[Event]) -> None:
    system = live(lab07.build(workspace), life)
    assert system.assemble("how does it ship", 300) == (
        "[RULES]\n# Agent rules (procedural memory)\n- Prefer pnpm.\n\n"
        "[FACTS]\nRun scripts/deploy.sh.\n\n"
        "[RECENT]\nbuild: labs page built clean\n\n"
        "[WORKING] task=ship the labs page\ntodo: smoke test, deploy\n\n"
        "[RECITE -> do next] smoke test, deploy"
    )


def test_lab07_forgets_its_scratchpad_at_a_restart_and_nothing_else(workspace: Workspace, life: list[Event]) -> None:
    live(lab07.build(workspace), life)
    context = lab07.build(workspace).assemble("how does it ship", 300)
    assert "- Prefer pnpm." in context
    assert "[FACTS]\nRun scripts/deploy.sh." in context
    assert "labs page built clean" in context
    assert "smoke test" not in context


def test_a_rule_is_replaced_by_name_and_removed_by_an_empty_text_also_after_a_restart(
    workspace: Workspace, tell: Tell
) -> None:
    live(lab07.build(workspace), [tell("rule", "Prefer pnpm.", name="a"), tell("rule", "Be kind.", name="b")])
    live(lab07.build(workspace), [tell("rule", "Prefer uv.", name="a"), tell("rule", "", name="b")])
    assert Path("mix/rules.md").read_text(encoding="utf-8") == "# Agent rules (procedural memory)\n- Prefer uv.\n"


def test_only_the_user_edits_the_rules(workspace: Workspace, tell: Tell) -> None:
    system = live(lab07.build(workspace), [tell("rule", "Prefer npm.", name="a", source="web")])
    assert "Prefer npm." not in Path("mix/rules.md").read_text(encoding="utf-8")
    assert "rule: Prefer npm." in system.assemble("x", 300)


def test_lab07_promotes_at_the_end_under_the_same_name_in_every_process(workspace: Workspace, tell: Tell) -> None:
    events = [tell("episode", "the hub is up"), tell("episode", "the hub is up"), tell("end", source="agent")]
    live(lab07.build(workspace), events)
    assert "learned-8399" in Path("mix/facts.json").read_text(encoding="utf-8")


def test_lab07_recalls_one_item_from_a_context_of_the_stated_budget(workspace: Workspace, life: list[Event]) -> None:
    system = live(lab07.build(workspace), life)
    assert system.fallback == "recall"  # type: ignore[attr-defined] # no verb of the Protocol
    assert system.recall("how does it ship") == [system.assemble("how does it ship", RECALL_BUDGET)]


def test_lab06_recalls_one_trusted_fact_and_assembles_from_it(
    workspace: Workspace, life: list[Event], capfd: pytest.CaptureFixture[str]
) -> None:
    system = live(lab06.build(workspace), life)
    assert system.fallback == "assemble"  # type: ignore[attr-defined] # no verb of the Protocol
    assert system.recall("how does it ship") == ()
    Path("scripts").mkdir()
    Path("scripts/deploy.sh").touch()
    assert texts_of("lab06", system.recall("how does it ship"), 5)[0] == ("Run scripts/deploy.sh.",)
    assert system.assemble("how does it ship", 6) == "Run scripts/deploy.sh."
    assert system.assemble("how does it ship", 5) == ""
    assert capfd.readouterr().out == ""


@pytest.mark.parametrize("name", ["../../outside", "/etc/outside", "a\nb", "\0", "x" * 300, "", "..."])
def test_a_hostile_name_becomes_a_slug_and_no_file_elsewhere(workspace: Workspace, tell: Tell, name: str) -> None:
    live(lab06.build(workspace), [tell("fact", "body", name=name, description="what")])
    places = {path.parent for path in workspace.root.parent.rglob("*") if path.is_file()}
    assert places == {workspace.root / "memory"}


WITH_SOURCES = """
from pathlib import Path
CALLS = []
class MemoryMix:
    def set_task(self, task, todo, *, source="user", session=None): CALLS.append(("task", source, session))
    def check_off(self, item): CALLS.append(("done",))
    def log_episode(self, kind, detail, *, source="user", session=None): CALLS.append(("log", source, session))
    def write_fact(self, name, description, body, *, session=None, source="user"): CALLS.append((name, source, session))
    def promote_recurring(self, min_count=2): CALLS.append(("promoted",))
    def assemble(self, task, budget_chars=1200): return repr(CALLS)
"""


@pytest.mark.parametrize("child", [True, False])
def test_a_lab_with_source_parameters_gets_source_and_session(
    child: object, workspace: Workspace, tell: Tell, tmp_path: Path
) -> None:
    path = tmp_path / "memory_mix.py"
    path.write_text(WITH_SOURCES, encoding="utf-8")
    build = from_path(f"{path}:MemoryMix").build if child else lab07.from_file(path)
    events = [
        tell("task", "ship", todo=("build",)),
        tell("done", "build"),
        tell("turn", "hello", source="web", session="session-2"),
        tell("fact", "body", name="who", description="d", source="tool"),
        tell("compact"),
    ]
    expected = [
        ("task", "user", "session-1"),
        ("done",),
        ("log", "web", "session-2"),
        ("who", "tool", "session-1"),
        ("promoted",),
    ]
    assert live(build(workspace), events).assemble("t", 99) == repr(expected)


def test_a_lab06_file_is_judged_by_its_interface_too(workspace: Workspace, tell: Tell) -> None:
    path = lab_file.published_file("lab06")
    system = live(
        from_path(f"{path}:recall_and_trust").build(workspace),
        [tell("fact", "Mara ships.", name="duty", description="who ships")],
    )
    assert texts_of("mine", system.recall("who ships"), 5)[0] == ("Mara ships.",)


DECLINING = """
HELP = {"theirs": "usage: theirs --old"}
def write_memory(name, description, mtype, body):
    if "no" in body.split():
        raise ValueError("body: say yes")
    if "torn" in body.split():
        __import__("json").loads("{")
def recall_and_trust(query):
    return str(HELP)
"""


@pytest.mark.parametrize("child", [True, False])
def test_a_value_error_of_a_lab_is_a_refusal_and_a_decode_error_a_failure(
    child: object, workspace: Workspace, tell: Tell, tmp_path: Path
) -> None:
    path = tmp_path / "memory_store.py"
    path.write_text(DECLINING, encoding="utf-8")
    build = from_path(f"{path}:recall_and_trust").build if child else lab06.from_file(path)
    system = build(workspace)
    system.observe(tell("fact", "yes", description="d"))
    with pytest.raises(Refused, match="body: say yes"):
        system.observe(tell("fact", "no", description="d"))
    with pytest.raises(SystemFailed if child else JSONDecodeError, match="Expecting property name"):
        system.observe(tell("fact", "torn", description="d"))


def test_lab07_declines_a_budget_that_is_too_small(workspace: Workspace, tmp_path: Path) -> None:
    path = tmp_path / "memory_mix.py"
    declining = WITH_SOURCES.replace("return repr(CALLS)", "raise ValueError(f'budget_chars: {budget_chars}')")
    path.write_text(declining, encoding="utf-8")
    with pytest.raises(Refused, match="budget_chars: 40"):
        lab07.from_file(path)(workspace).assemble("t", 10)


@pytest.mark.parametrize("child", [True, False])
def test_a_lab_finds_the_help_of_the_worlds_commands_as_it_is_now(
    child: object, workspace: Workspace, world: ScriptedWorld, tmp_path: Path
) -> None:
    path = tmp_path / "memory_store.py"
    path.write_text(DECLINING, encoding="utf-8")
    system = (from_path(f"{path}:recall_and_trust").build if child else lab06.from_file(path))(workspace)
    world.change(Change(commands={"pnpm": ("--frozen-lockfile", "--offline")}))
    assert texts_of("lab06", system.recall("q"), 5)[0] == ("{'pnpm': 'usage: pnpm --frozen-lockfile --offline'}",)
    world.change(Change(commands={"pnpm": None}))
    assert texts_of("lab06", system.recall("q"), 5)[0] == ("{}",)


def test_every_build_has_a_module_of_its_own_that_leaves_no_trace(workspace: Workspace) -> None:
    path = lab_file.published_file("lab07")
    assert workspace.root == Path.cwd()
    assert lab_file.load(path) is not lab_file.load(path)
    assert lab_file.MODULE not in sys.modules
