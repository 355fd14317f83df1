"""What recurs in other words becomes a fact when the log is compacted, and a log that is too large is compacted."""

from __future__ import annotations

from pathlib import Path

import pytest

from memlab.memory import MemoryMix, Provenance
from memlab.memory.forgetting import CHECK_ONE_IN, OVERFULL, is_compaction_due
from memlab.memory.text import digest
from memlab.memory.world import Change, ScriptedWorld

FIRST = "The third nozzle was clogged with lime."
SECOND = "Alarm: cause lime, third nozzle clogs again."
THIRD = "Teo cleaned the third nozzle, it was clogging with lime."


def mix(directory: Path, keep: int = 10_000) -> MemoryMix:
    return MemoryMix(directory, ScriptedWorld(), clock=lambda: 5.0, sync="never", keep=keep)


def log(memory: MemoryMix, *episodes: tuple[str, str, str]) -> None:
    for number, (text, source, session) in enumerate(episodes):
        memory.log_episode("log", text, origin=Provenance(source, session, 10.0 + number, f"e{number}"))


def test_three_texts_of_three_sessions_that_share_three_rare_stems_become_one_fact(tmp_path: Path) -> None:
    with mix(tmp_path) as memory:
        log(memory, (FIRST, "tool", "a"), (SECOND, "agent", "b"), (THIRD, "user", "c"))
        (fact,) = memory.compact().promoted
        assert fact.body == THIRD  # the latest wording
        assert (fact.origin.source, fact.rank) == ("agent", 1)  # the lowest rank of the three
        assert set(fact.origin.derived_from) == {"e0", "e1", "e2"}
        assert fact.origin.time == 12.0
        assert memory.compact().promoted == []


def test_the_latest_wording_counts_in_whatever_order_the_episodes_were_logged(tmp_path: Path) -> None:
    with mix(tmp_path) as memory:
        texts = (THIRD, "c", 30.0), (FIRST, "a", 10.0), (SECOND, "b", 20.0)
        for text, session, time in texts:
            memory.log_episode("log", text, origin=Provenance("tool", session, time, session))
        (fact,) = memory.compact().promoted
        assert (fact.body, fact.origin.time) == (THIRD, 30.0)


@pytest.mark.parametrize(
    "episodes",
    [
        ((FIRST, "tool", "a"), (SECOND, "tool", "b"), (THIRD, "tool", "b")),
        ((FIRST, "tool", "a"), (SECOND, "tool", "b"), (THIRD, "web", "c")),
        ((FIRST, "tool", "a"), (SECOND, "tool", "b"), ("The nozzle was replaced.", "tool", "c")),
        tuple((f"The third nozzle was clogged with lime, says {word}.", "tool", word) for word in "abcdefghi"),
    ],
    ids=["two sessions", "an untrusted source", "too little in common", "stems that are everywhere"],
)
def test_anything_less_is_no_pattern(tmp_path: Path, episodes: tuple[tuple[str, str, str], ...]) -> None:
    with mix(tmp_path) as memory:
        log(memory, *episodes)
        assert memory.compact().promoted == []


def test_what_the_environment_refutes_is_no_pattern(tmp_path: Path) -> None:
    world = ScriptedWorld()
    world.change(Change(files={"bin/go.sh": "x"}))
    world.change(Change(files={"bin/go.sh": None}))
    with MemoryMix(tmp_path, world, clock=lambda: 5.0) as memory:
        log(memory, (FIRST, "tool", "a"), (SECOND, "tool", "b"), (f"{THIRD} See bin/go.sh for it.", "tool", "c"))
        assert memory.compact().promoted == []


def test_a_log_with_far_more_than_it_keeps_is_compacted_without_a_call(tmp_path: Path) -> None:
    keep, many = 100, 4 * CHECK_ONE_IN
    with mix(tmp_path, keep) as memory:
        for number in range(many):
            memory.log_episode("log", f"event {number}", origin=Provenance("tool", "s", 1.0 + number, f"e{number}"))
        left = sum(1 for one in memory.episodes.recent() if not one.forgot)
        assert left < many / 2
        assert memory.recall(f"event {many - 1}", 1)[0].text == f"event {many - 1}"


def test_what_an_untrusted_source_said_too_is_no_pattern(tmp_path: Path) -> None:
    with mix(tmp_path) as memory:
        page = ("The lime of a third nozzle stopped every pump.", "web", "w")
        log(memory, page, (FIRST, "agent", "a"), (SECOND, "agent", "b"), (THIRD, "agent", "c"))
        assert memory.compact().promoted == []


def test_no_skill_is_forgotten_because_an_event_claims_a_later_time(tmp_path: Path) -> None:
    with MemoryMix(tmp_path, ScriptedWorld(), clock=lambda: 5.0, keep=0) as memory:
        memory.write_skill("walk", "Open the door, then go.")
        for number in range(4 * CHECK_ONE_IN):
            memory.log_episode("log", f"event {number}", origin=Provenance("web", "s", 2e9, f"e{number}"))
        assert any(one.forgot for one in memory.episodes.recent())
        assert [skill.name for skill in memory.skills.all()] == ["walk"]


def test_a_skill_that_is_put_away_leaves_one_line_in_the_log(tmp_path: Path) -> None:
    with MemoryMix(tmp_path, ScriptedWorld(), clock=lambda: 2e8) as memory:
        memory.write_skill("walk", "Go.", origin=Provenance(time=1.0))
        ((skill, reason),) = memory.compact().skills
        assert (skill.name, reason) == ("walk", "it was not used for 2314 days")
        (line,) = memory.episodes.replay()
        text = f"skill walk was put away in skills/.forgotten: {reason}"
        assert (line.kind, line.detail, line.origin.source, line.origin.time) == ("forgotten", text, "tool", 2e8)
        assert line.id.startswith("forgotten-")
        (tmp_path / "skills" / ".forgotten" / "walk").rename(tmp_path / "skills" / "walk")
        assert [one.name for one, _ in memory.compact().skills] == ["walk"]
        assert len(list(memory.episodes.replay())) == 1


def test_no_compaction_is_due_while_both_limits_are_kept(tmp_path: Path) -> None:
    keep = 3
    starts = next(str(number) for number in range(100_000) if int(digest(str(number)), 16) % CHECK_ONE_IN == 0)
    with mix(tmp_path, keep) as memory:
        for number in range(keep):
            for source in ("tool", "web"):
                event = f"{source} {number}"
                memory.log_episode("log", event, origin=Provenance(source, "s", 1.0 + number, event))
        assert not is_compaction_due(memory.episodes, keep, starts)
        assert memory.compact().sessions == []
        assert is_compaction_due(memory.episodes, keep - 1, starts)


def test_a_log_that_is_not_overfull_is_left_alone(tmp_path: Path) -> None:
    keep = 4 * CHECK_ONE_IN
    with mix(tmp_path, keep) as memory:
        for number in range(int(OVERFULL * keep)):
            memory.log_episode("log", f"event {number}", origin=Provenance("tool", "s", 1.0 + number, f"e{number}"))
        assert sum(1 for _ in memory.episodes.recent()) == int(OVERFULL * keep)
