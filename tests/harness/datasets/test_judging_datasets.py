from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from pathlib import Path

import pytest
from data_files import MADE_UP, write_data

from memlab.harness.datasets.catalogue import load
from memlab.harness.datasets.judging import COLUMNS, ITEM_CHARS, judge, shortened
from memlab.harness.datasets.rounds import ConversationRound, answer_key
from memlab.harness.datasets.shape import ABSTENTION, Question, Statement
from memlab.terms import Event, Result

TEXTS = {
    number: f"In the year {1900 + number} the mill of valley {number} was sold to a cousin." for number in range(40)
}
LONG = " ".join(f"Line {number} of the letter says thing {number * 7}." for number in range(60))


def statement(number: int) -> Statement:
    return Statement(f"e{number}", TEXTS[number])


def result(items: Sequence[str], question: Question, **others: str) -> Result:
    answer = Result(answer_key("locomo", question), "mine", tuple(items))
    return shortened(dataclasses.replace(answer, **others))  # type: ignore[arg-type] # fields of type str


def asked(*evidence: int, **others: tuple[Statement, ...]) -> Question:
    return Question("q", "single-hop", "who bought the mill", "c", tuple(map(statement, evidence)), **others)


def test_an_event_is_served_by_an_item_with_its_text_in_any_case_and_spacing_behind_a_label() -> None:
    item = f"[8 May 2023, user] {TEXTS[3].upper().replace(' ', '  ')}"
    assert judge(result([item], asked(3)))["recall@5"] == 1
    assert judge(result([TEXTS[3][:-20]], asked(3)))["recall@5"] == 0


def test_recall_at_k_reads_the_first_k_items() -> None:
    items = [TEXTS[number] for number in range(12)]
    assert judge(result(items, asked(4, 5, 9, 10)))["recall@5"] == 1 / 4
    assert judge(result(items, asked(4, 5, 9, 10)))["recall@10"] == 3 / 4


def test_packing_many_events_into_each_item_serves_no_more_of_them_in_the_top_k() -> None:
    packed = ["\n".join(TEXTS[number] for number in range(start, start + 4)) for start in range(0, 40, 4)]
    assert judge(result(packed, asked(0, 1, 2, 3)))["recall@10"] == 0
    assert judge(result(packed, asked(0, 1, 2, 3)))["recall@500t"] == 1
    pairs = [f"{TEXTS[number]} {TEXTS[number + 1]}" for number in range(0, 20, 2)]
    assert judge(result(pairs, asked(*range(20))))["recall@10"] <= 10 / 20


def test_within_a_budget_the_items_are_taken_best_first_and_cut() -> None:
    items = ["x" * 1900, TEXTS[1], "y" * 5950, TEXTS[2], TEXTS[3]]
    found = judge(result(items, asked(1, 2, 3)))
    assert found["recall@500t"] == 1 / 3
    assert found["recall@2000t"] == 2 / 3


def test_a_long_text_is_served_by_a_hundred_connected_characters_of_it_that_make_up_half_of_the_item() -> None:
    question = Question("q", "x", "what", "c", (Statement("e", LONG),))
    assert judge(result([LONG[333:433]], question))["recall@5"] == 1
    assert judge(result([LONG[333:430]], question))["recall@5"] == 0
    assert judge(result([LONG[333:433] + "z" * 120], question))["recall@5"] == 0
    assert judge(result(["z" * 41 + LONG[333:433]], question))["recall@5"] == 0


def test_within_a_budget_a_long_text_counts_by_the_share_of_it_that_is_there() -> None:
    question = Question("q", "x", "what", "c", (Statement("e", LONG), Statement("f", TEXTS[1])))
    for items, share in (
        ([LONG[333:433]], 100 / len(LONG)),
        ([LONG[333:433] + "z" * 200, LONG[800:1000], LONG[900:1200]], 500 / len(LONG)),
        ([LONG[333:430]], 0),
        ([LONG], 1),
    ):
        found = judge(result([*items, TEXTS[1]], question))["recall@2000t"]
        assert found == pytest.approx((share + 1) / 2, abs=0.02), items


def test_a_text_of_up_to_400_characters_is_served_only_whole() -> None:
    short = LONG[:400].strip()
    question = Question("q", "x", "what", "c", (Statement("e", short),))
    assert judge(result([short[:-1]], question))["recall@500t"] == 0
    assert judge(result([short], question))["recall@500t"] == 1


def test_the_newest_value_is_first_only_if_no_item_up_to_it_has_an_older_one() -> None:
    question = asked(1, newer=(statement(1),), older=(statement(2),))
    for items, first in (
        ([TEXTS[1], TEXTS[2]], 1),
        ([TEXTS[3], TEXTS[1], TEXTS[2]], 1),
        ([TEXTS[2], TEXTS[1]], 0),
        ([TEXTS[1] + "\n" + TEXTS[2]], 0),
        ([f"{TEXTS[3]} {TEXTS[2]} {TEXTS[4]}", TEXTS[1]], 0),
        ([TEXTS[2]], 0),
        ([], 0),
    ):
        assert judge(result(items, question))["newest_first"] == first, items
    assert judge(result([TEXTS[1]], question))["newest@5"] == 1


def test_an_older_value_that_the_newest_one_quotes_does_not_count() -> None:
    quoting = Statement("n", f"{TEXTS[2]} Later it was a barn.")
    question = asked(1, newer=(quoting,), older=(statement(2), statement(3)))
    assert judge(result([quoting.needle, TEXTS[2]], question))["newest_first"] == 1
    assert judge(result([TEXTS[3], quoting.needle], question))["newest_first"] == 0


def test_a_planted_text_counts_wherever_it_is_in_the_top_5() -> None:
    question = asked(1, poison=(statement(2), statement(3)))
    items = [TEXTS[1], f"{TEXTS[4]} {TEXTS[2]} {TEXTS[5]}", *(TEXTS[number] for number in (6, 7, 8, 3))]
    found = judge(result(items, question))
    assert (found["gold@5"], found["poison@5"], found["poison_share@5"]) == (1, 1, 1 / 5)
    assert math.isnan(judge(result(items, asked(1)))["poison@5"])


def test_an_item_that_is_too_long_to_be_read_counts_as_poison_and_as_an_older_value() -> None:
    everything = "x" * ITEM_CHARS + TEXTS[2]
    found = judge(result([everything], asked(1, poison=(statement(2),))))
    assert (found["poison@5"], found["poison_share@5"]) == (1, 1)
    question = asked(1, newer=(statement(1),), older=(statement(2),))
    assert judge(result([everything, TEXTS[1]], question))["newest_first"] == 0


def test_only_silence_abstains_and_it_counts_only_for_questions_without_an_answer() -> None:
    unanswerable = Question("q", ABSTENTION, "who", "c")
    assert judge(result([], unanswerable))["abstains"] == 1
    assert judge(result([TEXTS[1]], unanswerable))["abstains"] == 0
    assert math.isnan(judge(result([], unanswerable))["recall@5"])
    assert math.isnan(judge(result([], asked(1)))["abstains"])


def test_an_error_serves_nothing_and_is_not_safe() -> None:
    found = judge(result([], asked(1, poison=(statement(2),)), error="it raised"))
    assert found["recall@5"] == found["recall@500t"] == found["gold@5"] == 0
    assert math.isnan(found["poison@5"])
    assert math.isnan(judge(result([], Question("q", ABSTENTION, "who", "c"), error="it raised"))["abstains"])


def test_a_context_in_the_place_of_a_list_is_judged_by_its_tokens_only() -> None:
    found = judge(result(["\n".join(TEXTS.values())], asked(1, poison=(statement(2),)), fallback="recall"))
    assert math.isnan(found["recall@5"])
    assert math.isnan(found["poison@5"])
    assert found["recall@500t"] == 1


def test_a_result_that_does_not_apply_has_no_figure() -> None:
    found = judge(result([TEXTS[1]], asked(1), not_applicable="it cannot"))
    assert all(map(math.isnan, found.values()))


def test_shortening_a_result_changes_no_figure_but_what_it_stores() -> None:
    question = asked(1, 2, 3, poison=(statement(4),))
    items = [*(f"{number} " + "w" * 3000 for number in range(20)), TEXTS[1], "x" * (2 * ITEM_CHARS)]
    whole = Result(answer_key("locomo", question), "mine", tuple(items))
    cut = shortened(whole)
    assert sum(map(len, cut.items)) < sum(map(len, items)) / 2
    assert judge(cut) == pytest.approx(judge(whole), nan_ok=True)


@pytest.mark.parametrize("name", MADE_UP)
def test_the_oracle_reaches_1_null_0_and_a_dump_wins_no_column(name: str, tmp_path: Path) -> None:
    systems = ("oracle", "null", "dump", "dump+hedge", "bucket-search")
    found: dict[str, dict[str, list[float]]] = {system: {one: [] for one in COLUMNS} for system in systems}
    for conversation in load(name, write_data(tmp_path, name)):
        padding = tuple(
            Event(
                f"pad-{number}",
                "fact",
                1e10,
                "s",
                "tool",
                f"Padding number {number} says {'little ' * 20}",
                f"pad-{number}",
            )
            for number in range(80)
        )
        padded = type(conversation)(conversation.id, (*padding, *conversation.events), conversation.questions)
        for cell in ConversationRound(name, padded, systems).play():
            for one in cell:
                assert not one.error
                for column, value in judge(one).items():
                    if column in COLUMNS and not math.isnan(value):
                        found[one.system][column].append(value)
    for column, values in found["oracle"].items():
        if not values:
            continue
        means = {system: sum(found[system][column]) / len(values) for system in systems}
        sign = -1 if column.startswith("poison") else 1
        assert means["oracle"] == (0 if sign < 0 else 1), column
        assert column == "abstains" or means["null"] == 0
        for dump in ("dump", "dump+hedge"):
            assert sign * means[dump] < sign * means["oracle"], column
            assert sign * means[dump] <= sign * means["bucket-search"], column
