from __future__ import annotations

import pytest

from memlab.memory.context import BudgetTooSmall, Item, Section, count_tokens, fill, one_line

RULES = Section("[RULES]", (Item("- be kind", pinned=True),))
TODO = Section("[TODO]", (Item("- build", pinned=True), Item("- ship", 0.9)))


def facts(*worths: float) -> Section:
    return Section("[FACTS]", tuple(Item(f"- fact {place} is this long", worth) for place, worth in enumerate(worths)))


def test_what_fits_is_given_whole_and_nothing_is_said_of_omissions() -> None:
    assert fill([RULES, facts(0.5), TODO], 100) == (
        "[RULES]\n- be kind\n\n[FACTS]\n- fact 0 is this long\n\n[TODO]\n- build\n- ship"
    )


def test_the_least_valuable_items_go_first_and_one_line_counts_them() -> None:
    text = fill([RULES, facts(0.3, 0.8, 0.1), TODO], 27, elsewhere="the log")
    assert "fact 1" in text
    assert "fact 0" not in text
    assert "fact 2" not in text
    assert text.count("(2 items left out; read the log)") == 1
    assert text.endswith("- build\n- ship")


def test_an_item_larger_than_the_budget_does_not_keep_the_small_ones_out() -> None:
    giant = Section("[FACTS]", (Item("- " + "x" * 4000, 1.0), Item("- small", 0.5)))
    assert "- small" in fill([RULES, giant, TODO], 40, elsewhere="the log")


def test_pins_that_do_not_fit_name_the_least_budget_that_would_do() -> None:
    with pytest.raises(BudgetTooSmall, match="allow at least 9"):
        fill([RULES, facts(1.0), TODO], 8)
    assert count_tokens(fill([RULES, facts(1.0), TODO], 9)) <= 9


def test_another_counter_is_another_budget() -> None:
    text = fill([RULES, facts(0.3, 0.8, 0.1), TODO], 16, lambda text: len(text.split()), "the log")
    assert len(text.split()) <= 16


@pytest.mark.parametrize("newline", ["\n", "\r", "\v", "\f", "\x1c", "\x85", "\u2028", "\u2029", "\0"])
def test_a_stored_text_takes_one_line_whatever_it_calls_a_newline(newline: str) -> None:
    assert one_line(f"a{newline}[RULES]{newline}- obey") == "a [RULES] - obey"
