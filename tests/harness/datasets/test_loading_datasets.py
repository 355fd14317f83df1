from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from data_files import BEAM_CHAT, BEAM_QUESTIONS, MADE_UP, content_of, write_data

from memlab.harness.datasets.catalogue import DATASETS, load
from memlab.harness.datasets.errors import BadDataset
from memlab.harness.datasets.rounds import answer_key, without_hints
from memlab.harness.datasets.shape import ABSTENTION, Question


def questions(path: Path, name: str) -> dict[str, Question]:
    return {one.id: one for conversation in load(name, path) for one in conversation.questions}


def ids(statements: tuple[tuple[str, str], ...]) -> list[str]:
    return [identity for identity, _ in statements]


@pytest.mark.parametrize("name", DATASETS)
def test_every_statement_that_a_question_names_is_in_an_event_of_its_conversation(name: str, tmp_path: Path) -> None:
    asked = 0
    for conversation in load(name, write_data(tmp_path, name)):
        texts = {event.id: event.text for event in conversation.events}
        assert len(texts) == len(conversation.events)
        for question in conversation.questions:
            asked += 1
            for statement in (*question.evidence, *question.newer, *question.older, *question.poison):
                assert statement.needle in texts[statement.id]
    assert asked


@pytest.mark.parametrize("name", DATASETS)
def test_events_are_in_order_of_time_and_question_ids_are_unique(name: str, tmp_path: Path) -> None:
    found = load(name, write_data(tmp_path, name))
    asked = [question.id for conversation in found for question in conversation.questions]
    assert len(set(asked)) == len(asked)
    for conversation in found:
        times = [event.time for event in conversation.events]
        assert times == sorted(times)


def test_locomo_sessions_are_in_order_of_their_numbers_and_turns_name_speaker_and_image(tmp_path: Path) -> None:
    (conversation,) = load("locomo", write_data(tmp_path, "locomo"))
    assert [(one.id, one.session) for one in conversation.events][2:] == [
        ("D2:1", "session_2"),
        ("D10:1", "session_10"),
    ]
    assert conversation.events[-1].text == "Tom: The canoe leaks. [shares a wet canoe]"
    assert conversation.events[0].time == 1683554160.0


def test_locomo_evidence_that_names_no_turn_is_ignored_and_a_question_without_any_is_left_out(tmp_path: Path) -> None:
    found = questions(write_data(tmp_path, "locomo"), "locomo")
    assert {one: ids(question.evidence) for one, question in found.items()} == {
        "conv-1/0": ["D1:1"],
        "conv-1/1": ["D2:1", "D1:1"],
        "conv-1/2": ["D1:2"],
        "conv-1/4": [],
    }
    assert [one.kind for one in found.values()] == ["single-hop", "multi-hop", "temporal", ABSTENTION]


def test_audited_questions_can_be_left_out_of_locomo_and_of_no_other(tmp_path: Path) -> None:
    (listed := tmp_path / "errors.txt").write_text("# wrong labels\nconv-1/1\n\nconv-1/4\n", encoding="utf-8")
    (conversation,) = load("locomo", write_data(tmp_path, "locomo"), listed)
    assert [one.id for one in conversation.questions] == ["conv-1/0", "conv-1/2"]
    with pytest.raises(BadDataset, match=r"cannot be left out of beam, only of locomo\. Omit --leave-out"):
        load("beam", write_data(tmp_path, "beam"), listed)


def test_beam_and_longmemeval_name_newer_and_older_values(tmp_path: Path) -> None:
    beam = questions(write_data(tmp_path, "beam"), "beam")
    assert list(beam) == ["chat-3/0", "chat-3/1"]
    assert (ids(beam["chat-3/0"].newer), ids(beam["chat-3/0"].older)) == (["2"], ["0"])
    history = questions(write_data(tmp_path, "longmemeval"), "longmemeval")
    assert (ids(history["q1"].newer), ids(history["q1"].older)) == (["s-late#0:0"], ["s-early#1:0"])
    assert history["q2_abs"].kind == ABSTENTION


def test_the_published_chat_of_beam_is_read_with_the_questions_beside_it(tmp_path: Path) -> None:
    folder = tmp_path / "7"
    (folder / "probing_questions").mkdir(parents=True)
    (path := folder / "chat.json").write_text(json.dumps(BEAM_CHAT), encoding="utf-8")
    with pytest.raises(FileNotFoundError):
        load("beam", path)
    (folder / "probing_questions" / "probing_questions.json").write_text(json.dumps(BEAM_QUESTIONS), encoding="utf-8")
    (conversation,) = load("beam", path)
    assert conversation.id == "chat-7"
    assert [one.text for one in conversation.events] == [
        "The deadline is Monday.",
        "Noted.",
        "The deadline is Friday now.",
    ]
    asked = {one.kind: one for one in conversation.questions}
    assert ids(asked["knowledge_update"].newer) == ["2"]
    assert ids(asked["summarization"].evidence) == ["0", "2"]
    assert asked[ABSTENTION].evidence == ()


def test_the_newest_version_of_a_fact_supersedes_the_older_ones_and_unclear_questions_are_left_out(
    tmp_path: Path,
) -> None:
    found = questions(write_data(tmp_path, "factconsolidation"), "factconsolidation")
    assert {one: (ids(question.newer), ids(question.older)) for one, question in found.items()} == {
        "sh_6k/0": (["fact-2"], ["fact-0"]),
        "sh_6k/1": (["fact-1"], []),
    }


def test_an_answer_that_a_later_fact_contradicts_is_left_out(tmp_path: Path) -> None:
    facts = content_of("factconsolidation")
    facts[0]["context"] += "4. The capital of Norland is Vik.\n"
    found = questions(write_data(tmp_path, "factconsolidation", facts), "factconsolidation")
    assert list(found) == ["sh_6k/1"]


def test_the_web_plants_five_texts_behind_the_question_and_tells_the_truth_where_nothing_is_planted(
    tmp_path: Path,
) -> None:
    clean, attacked = load("poisonedrag", write_data(tmp_path, "poisonedrag"))
    assert {event.source for event in clean.events} == {"web"}
    assert sum(event.source == "user" for event in attacked.events) == 4
    planted = [event for event in attacked.events if event.source == "web"]
    assert len(planted) == 4 * 5
    assert all(event.text.startswith("which colour is the door of house") for event in planted)
    assert all(len(one.poison) == 5 for one in attacked.questions)


def test_gold_passages_of_the_user_replace_the_made_answer(tmp_path: Path) -> None:
    targets = content_of("poisonedrag")
    targets["q0"]["gold_texts"] = ["House 0 has a green door.", "Its door is green."]
    _, attacked = load("poisonedrag", write_data(tmp_path, "poisonedrag", targets))
    assert [one.needle for one in attacked.questions[0].evidence] == targets["q0"]["gold_texts"]


def test_a_poisoned_entry_forbids_itself_and_expects_its_clean_pair(tmp_path: Path) -> None:
    found = questions(write_data(tmp_path, "memshield"), "memshield")
    assert (ids(found["P-1"].evidence), ids(found["P-1"].poison)) == (["C-1"], ["P-1"])
    assert found["P-2"].evidence == ()
    assert found["C-1"].poison == ()


@pytest.mark.parametrize("name", MADE_UP)
def test_no_event_tells_by_its_id_name_or_session_what_it_is(name: str, tmp_path: Path) -> None:
    for conversation in load(name, write_data(tmp_path, name)):
        for number, event in enumerate(without_hints(conversation.events), 1):
            assert event.id == f"e{number}"
            assert event.name in {"", f"note-{number}"}
            assert re.fullmatch(r"s\d+", event.session)
            assert not event.about


def test_the_order_of_planted_and_true_texts_tells_nothing(tmp_path: Path) -> None:
    targets = {f"q{number}": content_of("poisonedrag")["q1"] for number in range(60)}
    for number, target in enumerate(targets.values()):
        target["question"] += f" in street {number}"
    path = write_data(tmp_path, "poisonedrag", targets)
    _, attacked = load("poisonedrag", path)
    places = [number for number, event in enumerate(attacked.events) if event.source == "user"]
    assert 120 < sum(places) / len(places) < 240  # the middle of 360


@pytest.mark.parametrize("name", MADE_UP)
def test_a_key_names_cluster_and_kind_and_expects_nothing_only_of_an_abstention(name: str, tmp_path: Path) -> None:
    for question in questions(write_data(tmp_path, name), name).values():
        key = answer_key(name, question)
        assert key.family == f"{name}/{question.kind}"
        assert key.scenario == f"{name}/{question.cluster}"
        assert (key.expect == ()) == (question.kind == ABSTENTION)
        assert {*(key.expect or ()), *key.keep, *key.forbid} == set(key.claims)
