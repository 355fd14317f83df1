from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memlab.memory.retrieval.features import FEATURES, MemoryText, QuestionPart
from memlab.memory.retrieval.relevance import question_words, word_set
from memlab.memory.trust import USER


def feature(name: str, question: str, text: str, names: tuple[str, ...] = (), **known: object) -> float:
    (part, *_) = QuestionPart.split(question, question_words(question), names, {}, 100)
    found = MemoryText(text, word_set(text), USER, len(text))
    return part.features(found._replace(**known))[FEATURES.index(name)]  # type: ignore[arg-type] # any field


def test_words_in_the_order_of_the_question_are_counted_only_close_together() -> None:
    question = "boiler pressure cellar"
    assert feature("order", question, "The boiler has a pressure in the cellar of 2 bar.") == 1
    assert feature("order", question, "Cellar, pressure, boiler: three words.") == 0
    far = "The boiler was bought second hand from friends near Bergen; pressure unknown."
    assert feature("order", question, far) == 0


def test_a_named_speaker_counts_for_own_turns_and_against_the_others() -> None:
    asked = "What does Ada play", "Ada: I play the viola.", "Bo: Ada plays the viola."
    assert feature("speaker", *asked[:2], names=("ada",)) == 1
    assert feature("speaker", asked[0], asked[2], names=("ada",)) == -1
    assert feature("speaker", *asked[:2]) == 0


@pytest.mark.parametrize(
    ("question", "share"),
    [("what was played on 7 May 2023", 1), ("what was played on 9 May 2023", 2 / 3), ("what was played", 0)],
)
def test_a_date_in_the_question_counts_for_what_was_said_on_it(question: str, share: float) -> None:
    time = datetime(2023, 5, 7, 12, tzinfo=UTC).timestamp()
    assert feature("date", question, "We played the viola.", time=time) == pytest.approx(share)


def test_each_clause_is_a_question_with_the_others_as_context() -> None:
    question = "who ships the atlas, and where is the warehouse"
    parts = QuestionPart.split(question, question_words(question), (), {}, 100)
    assert [part.clause for part in parts] == [word_set("ships atlas"), word_set("warehouse")]
    for part in parts:
        own = part.weight(part.clause)
        assert 0 < part.weight(set(part.weights) - part.clause) <= own / 2 + 1e-9


def test_a_time_outside_the_calendar_has_no_date() -> None:
    assert feature("date", "what was played on 7 May 2023", "We played.", time=1e18) == 0
