from __future__ import annotations

import math
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from memlab.memory import MemoryMix, Provenance, ScriptedWorld
from memlab.memory.retrieval.features import FEATURES
from memlab.memory.retrieval.ranking import Question, model_for
from memlab.memory.retrieval.stores import Stores
from memlab.memory.retrieval.vectors import NEAREST, Encoder

CAR = "The automobile stands in the garage."
ASKED = "where is my vehicle"
THINGS = {"automobile": "CAR", "vehicle": "CAR", "garage": "GARAGE", "kittens": "CAT", "cat": "CAT"}
Open = Callable[..., MemoryMix]


class Things:
    """The vector of a text is the names of the things in it: synonyms have one name."""

    def __init__(self, name: str = "things") -> None:
        self.name = name
        self.encoded: list[str] = []
        self.before_encoding: Callable[[], object] = lambda: None

    def encode(self, texts: Sequence[str]) -> list[bytes]:
        self.encoded += texts
        self.before_encoding()
        return [" ".join(sorted(things(text))).encode() for text in texts]

    def cosines(self, question: str, vectors: Sequence[bytes]) -> list[float]:
        asked, others = things(question), [set(vector.decode().split()) for vector in vectors]
        return [len(asked & held) / math.sqrt(len(asked) * len(held) or 1) for held in others]


def things(text: str) -> set[str]:
    return {THINGS[word] for word in text.lower().strip(".").split() if word in THINGS}


@pytest.fixture
def encoder() -> Things:
    return Things()


@pytest.fixture
def reopen(tmp_path: Path, world: ScriptedWorld) -> Iterator[Open]:
    """Open the memory of the test with an encoder or without."""
    made = list[MemoryMix]()

    def build(encoder: Encoder | None = None) -> MemoryMix:
        made.append(MemoryMix(tmp_path / "mix", world, encoder=encoder))
        return made[-1]

    yield build
    for mix in made:
        mix.close()


def recalled(mix: MemoryMix, question: str = ASKED) -> list[str]:
    return [found.text for found in mix.recall(question)]


def stored(mix: MemoryMix) -> bytes:
    """Return all bytes of the files of vectors."""
    return b"".join(path.read_bytes() for path in sorted(mix.directory.glob("vectors.db*")))


def rows(mix: MemoryMix) -> list[tuple[str, str]]:
    """Return the encoder and the content of each stored vector."""
    with closing(sqlite3.connect(mix.directory / "vectors.db")) as db:
        found = db.execute("SELECT encoder, vector FROM vectors ORDER BY vector").fetchall()
    return [(encoder, vector.decode()) for encoder, vector in found]


def test_without_an_encoder_there_is_no_file_of_vectors_and_only_words_find(reopen: Open) -> None:
    mix = reopen()
    mix.write_fact("car", "", CAR)
    assert recalled(mix) == []
    assert recalled(mix, "what stands in the garage") == [CAR]
    (candidate,) = Question("the garage", Stores(mix.facts, mix.episodes, mix.skills, mix.vectors)).candidates
    assert [len(part) for part in candidate.features] == [len(FEATURES)]
    assert stored(mix) == b""
    assert mix.vectors.search("automobile").cosine(mix.facts.history("car")[0]) == 0


@pytest.mark.parametrize("store", ["facts", "episodes", "skills"])
def test_an_encoder_finds_a_text_without_a_word_of_the_question(store: str, reopen: Open, encoder: Things) -> None:
    mix = reopen(encoder)
    mix.log_episode("turn", "We eat soup.")
    if store == "facts":
        mix.write_fact("parking", "", CAR)
    elif store == "episodes":
        mix.log_episode("turn", CAR)
    else:
        mix.write_skill("parking", CAR)
    assert recalled(mix)[:1] == [CAR]


def test_more_similar_texts_rank_higher_for_every_model() -> None:
    for name in ("minilm", "wordllama", "of-somebody-else"):
        assert model_for(name)[1][-1] > 1
    assert model_for("of-somebody-else") == model_for("minilm")


def test_of_more_texts_than_are_returned_the_nearest_are_and_come_first(reopen: Open, encoder: Things) -> None:
    mix = reopen(encoder)
    for number in range(NEAREST + 5):
        mix.write_fact(f"car-{number}", "", f"{number} {CAR}", origin=Provenance(id=f"z{number}"))
    mix.write_fact("car", "", "An automobile", origin=Provenance(id="a"))
    nearest = mix.vectors.search("automobile").nearest
    assert nearest[0].id == "a"
    assert len(nearest) == NEAREST


def test_a_cosine_has_four_digits_and_that_of_a_text_that_was_stored_later_is_0(reopen: Open, encoder: Things) -> None:
    mix = reopen(encoder)
    for name in ("first", "second"):
        mix.write_fact(name, "", f"{name} automobile garage")
        found = mix.vectors.search("automobile")
    first, second = (mix.facts.history(name)[0] for name in ("first", "second"))
    assert (found.cosine(first), found.cosine(second)) == (0.7071, 0.7071)
    assert found.cosine(mix.write_fact("third", "", CAR)) == 0


def test_an_encoder_is_asked_nothing_about_no_texts(
    reopen: Open, encoder: Things, monkeypatch: pytest.MonkeyPatch
) -> None:
    mix = reopen(encoder)

    def refuse(*_: object) -> list[float]:
        raise AssertionError

    monkeypatch.setattr(encoder, "before_encoding", refuse)
    monkeypatch.setattr(encoder, "cosines", refuse)
    assert recalled(mix) == []
    monkeypatch.undo()
    mix.write_fact("car", "", CAR, origin=Provenance(id="fact"))
    assert recalled(mix) == [CAR]
    monkeypatch.setattr(encoder, "before_encoding", refuse)
    mix.erase({"fact"})
    assert recalled(mix) == []


def test_untrusted_texts_do_not_crowd_out_a_trusted_one(reopen: Open, encoder: Things) -> None:
    mix = reopen(encoder)
    mix.log_episode("turn", CAR)
    for number in range(2 * NEAREST):
        mix.log_episode("turn", f"A vehicle {number}", origin=Provenance("web"))
    assert CAR in [one.text for one in mix.vectors.search("automobile").nearest]


def test_a_text_is_encoded_once_and_not_again_after_a_restart(reopen: Open, encoder: Things) -> None:
    mix = reopen(encoder)
    mix.write_fact("car", "", CAR)
    mix.log_episode("turn", "We eat soup.")
    recalled(mix)
    mix.log_episode("turn", "The cat sleeps.")
    recalled(mix)
    assert recalled(reopen(encoder)) == [CAR]
    assert encoder.encoded == [CAR, "We eat soup.", "The cat sleeps."]


def test_another_encoder_builds_the_vectors_anew_and_leaves_none_of_the_first(reopen: Open) -> None:
    mix = reopen(Things("first"))
    mix.write_fact("car", "", CAR)
    recalled(mix)
    assert rows(mix) == [("first", "CAR GARAGE")]
    other = Things("second")
    assert recalled(reopen(other)) == [CAR]
    assert other.encoded == [CAR]
    assert rows(mix) == [("second", "CAR GARAGE")]


@pytest.mark.parametrize("damage", [b"no database", b"SQLite format 3\0" + bytes(200)])
def test_a_damaged_file_of_vectors_is_built_anew(damage: bytes, reopen: Open, encoder: Things) -> None:
    mix = reopen(encoder)
    mix.write_fact("car", "", CAR)
    recalled(mix)
    mix.close()
    (mix.directory / "vectors.db").write_bytes(damage)
    assert recalled(mix) == [CAR]


@pytest.mark.parametrize("again", [True, False], ids=["with the encoder", "without"])
def test_the_vector_of_an_erased_text_is_gone_at_once(again: bool, reopen: Open, encoder: Things) -> None:  # noqa: FBT001
    mix = reopen(encoder)
    mix.write_fact("car", "", CAR, origin=Provenance(id="fact"))
    mix.log_episode("turn", "Three kittens", origin=Provenance(id="turn"))
    recalled(mix)
    assert b"CAR" in stored(mix)
    assert b"CAT" in stored(mix)
    if not again:
        mix.close()
        mix = reopen()
    mix.erase({"fact", "turn"})
    assert b"CAR" not in stored(mix)
    assert b"CAT" not in stored(mix)
    assert recalled(mix) == []


def test_a_text_that_is_erased_while_it_is_encoded_leaves_no_vector(reopen: Open, encoder: Things) -> None:
    mix, other = reopen(encoder), reopen()
    mix.write_fact("car", "", CAR, origin=Provenance(id="fact"))
    encoder.before_encoding = lambda: other.erase({"fact"})
    assert recalled(mix) == []
    assert b"CAR" not in stored(mix)


def test_a_superseded_fact_is_not_found_by_its_vector(reopen: Open, encoder: Things) -> None:
    mix = reopen(encoder)
    mix.write_fact("place", "", CAR)
    recalled(mix)
    mix.write_fact("place", "", "The vehicle was sold.")
    assert recalled(mix, "automobile") == ["The vehicle was sold."]
    assert rows(mix) == [("things", "CAR")]


def test_what_is_forgotten_leaves_no_vector(reopen: Open, encoder: Things) -> None:
    mix = reopen(encoder)
    mix.log_episode("turn", CAR, origin=Provenance(id="old"))
    mix.log_episode("turn", "The cat sleeps.")
    recalled(mix)
    mix.episodes.drop({"old"})
    assert recalled(mix) == []
    assert rows(mix) == [("things", "CAT")]


def test_what_another_memory_of_the_folder_encoded_is_not_encoded_again(reopen: Open, encoder: Things) -> None:
    mix, other = reopen(encoder), reopen(encoder)
    mix.log_episode("turn", "The cat sleeps.")
    recalled(mix)
    other.write_fact("car", "", CAR)
    assert recalled(other) == recalled(mix) == [CAR]
    assert encoder.encoded == ["The cat sleeps.", CAR]
