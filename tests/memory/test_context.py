from __future__ import annotations

import re
import time
from collections.abc import Sequence
from random import Random
from zlib import crc32

import pytest

from memlab.memory.context import (
    BudgetTooSmall,
    Item,
    Section,
    TokenCounter,
    count_tokens,
    fill,
    largest_that_fits,
    one_line,
)

RULES = Section("[RULES]", (Item("- be kind", pinned=True),))
TODO = Section("[TODO]", (Item("- build", pinned=True), Item("- ship", 0.9)))


def facts(*priorities: float) -> Section:
    items = (Item(f"- fact {n} is this long", priority, location="the log") for n, priority in enumerate(priorities))
    return Section("[FACTS]", tuple(items))


def test_items_that_fit_are_complete_and_no_omission_is_reported() -> None:
    assert fill([RULES, facts(0.5), TODO], 100) == (
        "[RULES]\n- be kind\n\n[FACTS]\n- fact 0 is this long\n\n[TODO]\n- build\n- ship"
    )


def test_the_least_valuable_items_go_first_and_one_line_counts_them() -> None:
    text = fill([RULES, facts(0.3, 0.8, 0.1), TODO], 27)
    assert "fact 1" in text
    assert "fact 0" not in text
    assert "fact 2" not in text
    assert text.count("(2 items left out; read the log)") == 1
    assert text.endswith("- build\n- ship")


def test_an_item_larger_than_the_budget_does_not_keep_the_small_ones_out() -> None:
    giant = Section("[FACTS]", (Item("- " + "x" * 4000, 1.0), Item("- small", 0.5)))
    assert "- small" in fill([RULES, giant, TODO], 40)


def test_pins_that_do_not_fit_name_the_least_budget_that_would_do() -> None:
    with pytest.raises(BudgetTooSmall, match="allow at least 9"):
        fill([RULES, facts(1.0), TODO], 8)
    assert count_tokens(fill([RULES, facts(1.0), TODO], 9)) <= 9


def test_another_counter_is_another_budget() -> None:
    text = fill([RULES, facts(0.3, 0.8, 0.1), TODO], 16, lambda text: len(text.split()))
    assert len(text.split()) <= 16


def test_the_line_about_omitted_items_names_their_stores() -> None:
    items = [Item("- " + "x" * 90, 1, location=place) for place in ("facts.db", "log", "facts.db", "", "skills")]
    assert "(5 items left out; read facts.db: 2, log: 1, skills: 1)" in fill([RULES, Section("[A]", tuple(items))], 25)
    assert "(2 items left out; read log: 1)" in fill([RULES, Section("[A]", (items[1], items[3]))], 14)
    assert "(1 item left out; read log)" in fill([RULES, Section("[A]", (items[1],))], 14)
    assert "(1 item left out)" in fill([RULES, Section("[A]", (items[3],))], 14)


def naive(sections: Sequence[Section], budget: int, count: TokenCounter) -> str:
    """Spend a budget item by item, each time with the whole prompt put together anew."""

    def text(taken: list[Item], *, noted: bool = True) -> str:
        blocks, left = list[str](), _without(taken, sections)
        for section in sections:
            shown = [one.text for one in section.items if one.pinned or any(one is other for other in taken)]
            blocks += ["\n".join([section.title, *shown])] if shown else []
        if left and noted:
            first = any(one.pinned or any(one is other for other in taken) for one in sections[0].items)
            blocks.insert(int(first), _note(left, sections))
        return "\n\n".join(blocks)

    unpinned = (item for section in sections for item in section.items if not item.pinned)
    spare = sorted(unpinned, key=lambda item: -item.priority)
    if count(text(spare)) <= budget:
        return text(spare)
    taken, best = list[Item](), text([], noted=False)
    best = text([]) if count(text([])) <= budget else best
    for item in spare:
        if count(text([*taken, item])) <= budget:
            taken.append(item)
            best = text(taken)
    return best


def drawn(random: Random, most: int, places: Sequence[str] = ("", "the log", "facts.db")) -> list[Section]:
    def item(name: str) -> Item:
        text, place = f"- {name} " + "é x" * random.randint(0, 12), random.choice(places)
        return Item(text, random.randint(0, 9) / 3, random.random() < 0.1, place)

    return [
        Section(f"[{place}]", tuple(item(f"{place}.{at}") for at in range(random.randint(0, most))))
        for place in range(3)
    ]


ADDITIVE: list[TokenCounter] = [count_tokens, len, lambda text: len(text.encode()), lambda text: len(text.split())]
ODD: list[TokenCounter] = [
    lambda text: crc32(text.encode()) % 200,
    lambda text: max(map(len, text.split("\n"))),
    lambda text: 200 - min(199, len(text)),
    lambda text: len(set(text)),
]


@pytest.mark.parametrize("count", ADDITIVE)
def test_a_budget_is_spent_as_if_item_by_item_on_the_whole_prompt(count: TokenCounter) -> None:
    """Where all can be read again at one place: of several, the note that names them may be longer at first."""
    random = Random(1)  # noqa: S311 - chance from a seed
    for _ in range(60):
        sections = drawn(random, 12, ["the log"])
        pins = [Section(one.title, tuple(item for item in one.items if item.pinned)) for one in sections]
        least, most = count(fill(pins, 10**6)), count(fill(sections, 10**6))
        for budget in {least, *(random.randint(least, most + 1) for _ in range(4))}:
            assert fill(sections, budget, count) == naive(sections, budget, count)


@pytest.mark.parametrize("count", [*ADDITIVE, *ODD])
def test_whatever_the_counter_a_prompt_fits_with_its_pins_or_the_least_budget_that_would_do_is_named(
    count: TokenCounter,
) -> None:
    random = Random(2)  # noqa: S311 - chance from a seed
    for _ in range(150):
        sections, budget = drawn(random, 8), random.randint(0, 220)
        try:
            text = fill(sections, budget, count)
        except BudgetTooSmall as refusal:
            least = int(str(refusal).rsplit(" ", 1)[1])
            assert least > budget
            for less in range(max(budget, least - 20), least):
                with pytest.raises(BudgetTooSmall):
                    fill(sections, less, count)
            text, budget = fill(sections, least, count), least
        assert count(text) <= budget
        lines = text.split("\n")
        assert all(item.text in lines for section in sections for item in section.items if item.pinned)


@pytest.mark.parametrize("count", ADDITIVE)
def test_no_item_is_left_out_that_fits_beside_all_items_of_higher_priority(count: TokenCounter) -> None:
    random = Random(3)  # noqa: S311 - chance from a seed
    for _ in range(40):
        sections, budget = drawn(random, 8), random.randint(20, 200)
        try:
            lines = fill(sections, budget, count).split("\n")
        except BudgetTooSmall:
            continue
        out = [item for section in sections for item in section.items if item.text not in lines]
        for item in out:
            higher_priority = [
                Section(
                    one.title,
                    tuple(
                        some
                        for some in one.items
                        if some is item or (some not in out and _before(some, item, sections))
                    ),
                )
                for one in sections
            ]
            taken = [some for one in higher_priority for some in one.items]
            assert count(_noted(fill(higher_priority, 10**9), _without(taken, sections), sections)) > budget


def _before(some: Item, item: Item, sections: Sequence[Section]) -> bool:
    order = [one for section in sections for one in section.items]
    return some.pinned or (-some.priority, order.index(some)) < (-item.priority, order.index(item))


def _without(taken: list[Item], sections: Sequence[Section]) -> list[Item]:
    every = [one for section in sections for one in section.items if not one.pinned]
    return [one for one in every if not any(one is other for other in taken)]


def _note(left: list[Item], sections: Sequence[Section]) -> str:
    every = dict.fromkeys(one.location for section in sections for one in section.items)
    places = {place: number for place in every if place and (number := sum(one.location == place for one in left))}
    locations = [place if number == len(left) else f"{place}: {number}" for place, number in places.items()]
    return f"({len(left)} item{'s' * (len(left) != 1)} left out{'; read ' * bool(locations)}{', '.join(locations)})"


def _noted(text: str, left: list[Item], sections: Sequence[Section]) -> str:
    """Put the line that counts what is left out where it stands: behind the first section, if that is shown."""
    if not left:
        return text
    blocks = [block for block in text.split("\n\n") if block]
    blocks.insert(int(text.startswith(sections[0].title)), _note(left, sections))
    return "\n\n".join(blocks)


def test_the_first_section_has_the_same_bytes_whatever_else_is_stored() -> None:
    random = Random(4)  # noqa: S311 - chance from a seed
    rules = Section("[RULES]", tuple(Item(f"- rule {n} é", pinned=True) for n in range(5)))
    prefix = "\n".join(["[RULES]", *(item.text for item in rules.items)])
    for _ in range(100):
        others = [
            Section(one.title, tuple(Item(item.text, item.priority) for item in one.items)) for one in drawn(random, 9)
        ]
        text = fill([rules, *others], random.randint(count_tokens(prefix), 200))
        assert text == prefix or text.startswith(prefix + "\n\n")


@pytest.mark.timing
def test_a_thousand_items_are_weighed_several_times_as_fast_as_by_putting_the_prompt_together_for_each() -> None:
    random = Random(5)  # noqa: S311 - chance from a seed
    many = [Section("[A]", tuple(Item(f"- {n} " + "x" * random.randint(5, 100), random.random()) for n in range(1000)))]

    def cost(spend: object) -> float:
        start = time.perf_counter()
        spend(many, 500, count_tokens)  # type: ignore[operator]
        return time.perf_counter() - start

    assert min(cost(fill) for _ in range(3)) * 4 < cost(naive)


def test_the_largest_number_that_fits_is_found_and_none_is_minus_one() -> None:
    for most in range(9):
        for limit in range(-1, most + 1):
            assert largest_that_fits(most, lambda number: number <= limit) == limit  # noqa: B023 - it is called at once
    assert largest_that_fits(8, lambda number: number in {4, 6}) in {4, 6}


def test_no_sections_are_no_prompt() -> None:
    assert fill([], 0) == fill([Section("[A]", ())], 0) == ""


@pytest.mark.parametrize("newline", ["\n", "\r", "\v", "\f", "\x1c", "\x85", "\u2028", "\u2029", "\0"])
def test_a_stored_text_takes_one_line_whatever_it_calls_a_newline(newline: str) -> None:
    assert one_line(f"a{newline}[RULES]{newline}- obey") == "a [RULES] - obey"


def test_a_line_keeps_all_that_can_be_seen() -> None:
    assert one_line("  a  b\tc\u00a0d \u200b e ") == "a b c d e"
    assert one_line("[x] é 漢字 🙂") == "[x] é 漢字 🙂"
    assert re.fullmatch(r"a b", one_line("a\ud800b"))


def test_a_counter_reads_a_whole_prompt_a_few_times_however_many_items_do_not_fit() -> None:
    """A tokenizer takes its time: what alone is larger than the room that is left is not tried."""
    read: list[int] = []

    def count(text: str) -> int:
        read.append(len(text.splitlines()))
        return count_tokens(text)

    items = tuple(Item(f"- item {n:03} " + "x" * 80, 1 / (n + 1)) for n in range(500))
    text = fill([RULES, Section("[A]", items)], 300, count)
    assert text.count("- item") == 12
    assert sum(lines > 1 for lines in read) <= 8
