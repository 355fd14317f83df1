"""Whatever comes to the door is taken whole or refused whole: nothing crashes, and nothing half-written stays."""

from __future__ import annotations

import json

from hypothesis import example, given
from hypothesis import strategies as st
from profiles import cheap_settings, property_settings
from stories import Move, stories, tell
from strategies import again, opened, texts

from memlab.memory import MemoryMix, Provenance, Refused, ScriptedWorld
from memlab.memory.episode import Run
from memlab.memory.heuristics.reference_check import check, verdict
from memlab.memory.text import fold


@property_settings
@given(stories, st.sets(st.integers(0, 9), max_size=1))
def test_a_refusal_changes_nothing_but_the_quarantine(story: list[Move], erased: set[int]) -> None:
    with opened() as mix:
        for place in range(len(story)):
            before = kept(mix)
            try:
                tell(mix, story, place)
            except Refused:
                assert kept(mix) == before
            if place in erased:
                mix.erase({f"id{place}"})


def kept(mix: MemoryMix) -> tuple[object, ...]:
    log, facts = list(mix.episodes.replay()), mix.facts.as_of(1e12)
    return log, facts, mix.skills.all(), mix.rules.all(), mix.working, mix.needs_refreshing()


@cheap_settings
@given(texts)
@example("\xdf\u0301")
def test_folding_is_idempotent_and_every_text_gets_a_verdict(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert verdict(check(text, ScriptedWorld())) in {"confirmed", "refuted", "unverifiable"}


@property_settings
@given(texts, texts, texts, st.sampled_from(["user", "agent", "web"]) | texts)
def test_any_text_can_be_written_and_queried_in_any_field_and_no_file_is_incomplete(
    text: str, other: str, third: str, source: str
) -> None:
    with opened() as mix:
        origin = Provenance(source, other, 0.0, third, (), text)
        for attempt in (
            lambda: mix.log_episode(other, text, third, origin),
            lambda: mix.log_episode(third, other, origin=Provenance(source, text, 0.0, text, (other, third))),
            lambda: mix.write_fact("", other, text, type=third, about=other, origin=Provenance(source, text)),
            lambda: mix.write_skill("", text, other, type=third, origin=Provenance(source, text)),
            lambda: mix.write_rule(text, origin=Provenance(source, text, 0.0, other, (third,))),
            lambda: mix.set_task(text, [other, third], Provenance(source, text, 0.0, "", (third,))),
            lambda: mix.check_off(other, Provenance(source, text)),
            lambda: mix.note(text, origin=Provenance(source, text)),
            lambda: mix.ask(other, Provenance(source, text)),
            lambda: mix.answer(other, text, Provenance(source, text)),
            lambda: mix.log_run(Run(text, other, tools=(third,), result=third, error=text, resolution=other), origin),
            lambda: mix.release(other),
            lambda: mix.end_task(other, Provenance(source, text)),
        ):
            try:
                attempt()
            except Refused:
                continue
        answers = [recall_and_search(mix, text), recall_and_search(mix, other)]
        assert_every_file_is_complete(mix)
        mix.close()
        later = again(mix)
        assert [recall_and_search(later, text), recall_and_search(later, other)] == answers
        later.erase({text, other, third, *(record["id"] for record in later.needs_refreshing())})
        assert_every_file_is_complete(later)
        later.close()


def recall_and_search(mix: MemoryMix, question: str) -> tuple[object, ...]:
    return mix.recall(question, 9), mix.assemble(question, 10_000), mix.working, mix.quarantined()


def assert_every_file_is_complete(mix: MemoryMix) -> None:
    """Find UTF-8 in what a person can read, and one record in each line of a log."""
    for path in mix.directory.rglob("*"):
        if path.suffix in {".md", ".jsonl"}:
            text = path.read_bytes().decode("utf-8")
            assert path.suffix == ".md" or all(isinstance(json.loads(line), dict) for line in text.split("\n")[:-1])
            assert text.endswith("\n") or not text
