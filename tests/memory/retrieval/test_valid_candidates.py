from __future__ import annotations

from pathlib import Path

from memlab.memory import MemoryMix, Provenance, ScriptedWorld
from memlab.memory.defences import Defences
from memlab.memory.heuristics.reference_check import check
from memlab.memory.retrieval.ranking import Question
from memlab.memory.retrieval.stores import Stores
from memlab.memory.retrieval.validity import Validity

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


def test_a_memory_is_judged_as_the_candidate_that_it_is_before_and_after_the_answer(mix: MemoryMix) -> None:
    """By itself it would count as the certain answer, and so contradict another one more probably."""
    question = "at which hour does the ferry to Skerry leave"
    for day, text in enumerate(["The ferry to Skerry leaves at 7:40.", "The ferry to Skerry leaves at 9:15."]):
        mix.log_episode("turn", text, origin=Provenance("user", "", 100.0 + day, f"hour-{day}"))
    for guest in range(20):
        text = f"{question.capitalize()}, asked guest {guest}?"
        mix.log_episode("turn", text, origin=Provenance("user", "", 200.0 + guest, f"guest-{guest}"))
    known = {one.memory.id: one for one in judged(mix, question).question.candidates}
    for identity in ("hour-0", "hour-1"):
        candidate = known[identity]
        alone = judged(mix, question).is_valid(candidate.memory, "episodic")
        assert alone == (judged(mix, question).notes(candidate) is not None)
        assert alone


def judged(mix: MemoryMix, question: str) -> Validity:
    stores = Stores(mix.facts, mix.episodes, mix.skills, mix.vectors)
    return Validity(Question(question, stores), stores, None, lambda *_: None, versions=True)


def test_a_note_says_whether_a_source_is_not_trusted_or_restates_what_is_not(tmp_path: Path) -> None:
    with MemoryMix(tmp_path, ScriptedWorld(), clock=lambda: 5.0) as mix:
        mix.write_fact("page", "", "The ferry leaves at nine.", origin=Provenance("web"))
        mix.write_fact("said", "", "The tram leaves at ten.", origin=Provenance("agent", derived_from=("unknown id",)))
        ((ferry,), (tram,)) = (mix.recall(f"when does the {name} leave", 1) for name in ("ferry", "tram"))
    assert (ferry.notes, tram.notes) == (("web is not trusted",), ("agent restates what is not trusted",))
