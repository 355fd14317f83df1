"""A run that failed and was not resolved answers questions, but is in no prompt; a resolved one brings its pitfall."""

from __future__ import annotations

from pathlib import Path

from memlab.memory import MemoryMix, Provenance, Run
from memlab.memory.world import ScriptedWorld

LOST = Run("fire the kiln", success=False, error="the orange plug melted")
SAVED = Run("fire the kiln", success=False, error="the glaze ran", resolution="closed the lower damper")


def mix(directory: Path) -> MemoryMix:
    return MemoryMix(directory, ScriptedWorld(), clock=lambda: 5.0)


def test_a_failed_run_is_recalled_and_is_in_no_prompt(tmp_path: Path) -> None:
    with mix(tmp_path) as memory:
        memory.log_run(LOST)
        memory.log_run(SAVED)
        assert "orange plug" in str(memory.recall("which plug melted when we fired the kiln"))
        prompt = memory.assemble("fire the kiln: which plug melted, and what ran", 400)
        assert "orange plug" not in prompt
        assert "the glaze ran; resolved by: closed the lower damper" in prompt


def test_a_failed_run_keeps_no_page_out_of_a_prompt(tmp_path: Path) -> None:
    """It is in no prompt itself, so neither would be shown."""
    page = "A forum on kilns: of all plugs the orange ones melted first."
    with mix(tmp_path) as memory:
        memory.log_run(LOST)
        memory.log_episode("page", page, origin=Provenance("web"))
        assert page in memory.assemble("which orange plug melted", 400)


def test_a_run_that_failed_in_the_same_way_in_every_session_becomes_no_fact(tmp_path: Path) -> None:
    with mix(tmp_path) as memory:
        for number in range(3):
            memory.log_run(LOST, Provenance(session=f"s{number}"))
            memory.log_run(SAVED, Provenance(session=f"s{number}"))
        assert [fact.body for fact in memory.promote()] == [SAVED.text]
        assert "orange plug" not in memory.assemble("fire the kiln: which plug melted", 400)
