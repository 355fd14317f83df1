from __future__ import annotations

import pytest

from memlab.memory import MemoryMix, Provenance
from memlab.memory.retrieval.repetition import is_repeat, says_the_same

STATEMENT = "The ferry to Skerry leaves the wooden harbour of Hallin at 7:40"


@pytest.mark.parametrize(
    "text",
    [
        STATEMENT,
        f"Noted: {STATEMENT}.",
        f"{STATEMENT}. Gulls and seals watch it, and so do the old men on the benches by the kiosk with their pipes.",
        "The ferry to Skerry leaves the harbour of Hallin at 7:40, as the keeper told me",
    ],
)
def test_a_text_that_contains_a_statement_or_lacks_one_small_word_says_the_same(text: str) -> None:
    assert says_the_same(text, STATEMENT)
    assert says_the_same(STATEMENT, text)


@pytest.mark.parametrize(
    ("reason", "text"),
    [
        (
            "it denies it",
            "The ferry to Skerry never leaves the wooden harbour of Hallin at 7:40, as the keeper told me",
        ),
        ("it lacks the number", "The ferry to Skerry leaves the wooden harbour of Hallin, as the keeper told me"),
        ("it lacks a name", "As the keeper told me, the ferry leaves the wooden harbour of Hallin at 7:40"),
        ("it has another word in the place", STATEMENT.replace("wooden", "stone") + " with gulls and seals"),
        (
            "it lacks more than a quarter",
            "Skerry has gulls and, to Hallin, at 7:40 ferry, if the keeper can be trusted",
        ),
        (
            "it has many more words",
            f"{STATEMENT} " + "beside gulls seals men benches kiosks pipes boats nets crabs eels",
        ),
    ],
)
def test_a_text_that_says_something_else_is_no_repetition(reason: str, text: str) -> None:
    assert not says_the_same(text, STATEMENT), reason
    assert not says_the_same(STATEMENT, text), reason


ASKED = "at which hour does the ferry to Skerry leave"
FIRST, OLD, NEW = (f"The ferry to Skerry leaves at {hour} in the morning." for hour in ("6:05", "7:40", "9:15"))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("The database is encrypted.", "Noted: the database is encrypted", True),
        ("The database is encrypted.", "The database is not encrypted.", False),
        ("Ana eats meat.", "Ana rarely eats meat.", False),
        ("Bob owns the parser.", "Bob owns the parser of 2024.", False),
        ("It is so.", "It is not.", False),
        ("It is so.", "it  is SO.", True),
    ],
)
def test_a_text_is_a_repeat_only_if_no_word_of_weight_differs(one: str, other: str, *, expected: bool) -> None:
    assert is_repeat(one, other) == is_repeat(other, one) == expected


@pytest.mark.parametrize("source", ["web", "agent"])
def test_a_lower_source_that_states_what_the_user_said_and_replaces_it_silences_no_user(
    mix: MemoryMix, source: str
) -> None:
    mix.log_episode("turn", OLD, origin=Provenance("user", "s", 1.0))
    for time, text in ((2.0, OLD), (3.0, "The ferry is a wooden boat.")):
        mix.write_fact("ferry", "", text, origin=Provenance(source, "s", time))
    assert OLD in [one.text for one in mix.recall(ASKED, 5)]


@pytest.mark.parametrize(
    ("source", "time", "served"),
    [("user", 9.0, OLD), ("user", 3.0, NEW), ("user", 2.5, NEW), ("agent", 9.0, NEW), ("tool", 9.0, NEW)],
)
def test_an_old_value_counts_again_only_if_one_of_no_lower_rank_states_it_after_the_new_one(
    mix: MemoryMix, source: str, time: float, served: str
) -> None:
    """FIRST was superseded by OLD before: that OLD is later than that changes nothing."""
    for at, text in enumerate((FIRST, OLD, NEW), 1):
        mix.write_fact("ferry-hour", "", text, origin=Provenance(time=float(at), id=f"fact-{at}"))
    mix.log_episode("turn", OLD, origin=Provenance(source, "s", time, "again"))
    assert next(one.text for one in mix.recall(ASKED, 5)) == served
    assert (OLD in [one.text for one in mix.recall(ASKED, 5)]) == (served == OLD)
