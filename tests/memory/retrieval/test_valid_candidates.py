from __future__ import annotations

from pathlib import Path

from memlab.memory import MemoryMix, Provenance, ScriptedWorld
from memlab.memory.heuristics.reference_check import check
from memlab.memory.mix import Defences

CONFIRMED = "The ferry list is printed with scripts/deploy.sh."
ASKED = "with what is the ferry list printed"
UNKNOWN = "The ferry list is printed with /opt/ferry/print.sh."


def notes(mix: MemoryMix) -> list[tuple[str, ...]]:
    return [one.notes for one in mix.recall(ASKED)]


def test_a_memory_is_served_with_its_untrusted_source_and_what_nobody_can_verify(
    mix: MemoryMix, world: ScriptedWorld
) -> None:
    (finding,) = check(UNKNOWN, world)
    assert finding.verdict == "unverifiable"
    mix.log_episode("turn", CONFIRMED, origin=Provenance(id="confirmed"))
    assert notes(mix) == [()]
    mix.erase({"confirmed"})
    mix.log_episode("turn", UNKNOWN, origin=Provenance("web", id="unknown"))
    assert notes(mix) == [("web is not trusted", f"unverifiable: {finding.reason}")]


def test_without_an_environment_nothing_is_verified(tmp_path: Path) -> None:
    with MemoryMix(tmp_path, defences=Defences(guard=False)) as mix:
        mix.log_episode("turn", UNKNOWN)
        assert notes(mix) == [()]
        mix.log_episode("turn", UNKNOWN.replace("print.sh", "list.sh"), origin=Provenance("tool"))
        assert [one.text for one in mix.recall(ASKED)] == [UNKNOWN]


def test_the_latest_events_are_shown_oldest_first(mix: MemoryMix) -> None:
    for text in ("The stove is lit.", "The lamp is lit.", "The door is shut."):
        mix.log_episode("turn", text)
    shown = mix.assemble("go on", 500)
    assert shown.index("stove") < shown.index("lamp") < shown.index("door")
