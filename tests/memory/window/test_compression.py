from __future__ import annotations

import json

import pytest
from tool_results import BLOB, CODE, COUNTERS, PROSE, TABLES, table

from memlab.memory.context import TokenCounter, count_tokens
from memlab.memory.window.compression import compress

SUMMARY = """table of 400 rows and 4 columns: id | name | price | note
id from 0 to 399
price from -30.00 to 568.50
row 1: 0 | Anna 0 | -30.00 | \x20
row 2: 1 | Anna 1 | -28.50 | -
row 3: 2 | Anna 2 | -27.00 | -
row 398: 397 | Anna 397 | 565.50 | -
row 399: 398 | Anna 398 | 567.00 | -
row 400: 399 | Anna 399 | 568.50 | \x20
(394 rows left out)"""
RESULTS = [
    *TABLES.values(),
    CODE,
    PROSE,
    BLOB,
    "\n".join(["x" * 900] * 80),
    "\n" * 3000,
    "7" * 3000,
    "é " * 5000,
    "[" * 9000,
    CODE + PROSE,
]


def test_a_result_within_the_limit_is_unchanged() -> None:
    for result in ("", "one line", table(",")[:2000], "\n" * 1999):
        assert compress(result) == result
    assert compress("x" * 2000) == "x" * 2000
    assert compress("x" * 2001) != "x" * 2001


@pytest.mark.parametrize("kind", TABLES)
def test_a_table_becomes_its_columns_its_number_of_rows_its_ranges_and_its_ends(kind: str) -> None:
    for text in (TABLES[kind], f"\n{TABLES[kind]}\n\n"):
        assert [line.rstrip() for line in compress(text).split("\n")] == [line.rstrip() for line in SUMMARY.split("\n")]


def test_a_table_may_have_two_columns_and_a_cell_of_80_characters_is_shown_completely() -> None:
    text = compress("\n".join(["id,note", *(f"{n},{'x' * (78 + n)}" for n in range(1, 31))]))
    assert text.startswith("table of 30 rows and 2 columns: id | note\nid from 1 to 30\n")
    assert f"row 2: 2 | {'x' * 80}\nrow 3: 3 | {'x' * 80}...\n" in text


def test_where_no_row_of_a_summary_fits_its_first_lines_are_shown_and_where_they_do_not_they_are_cut() -> None:
    head = "table of 400 rows and 4 columns: id | name | price | note\nid from 0 to 399\nprice from -30.00 to 568.50\n"
    head += "(400 rows left out)"
    assert compress(TABLES["csv"], len(head), len) == head
    for limit, kept in ((len(head) - 1, head.partition(" 568")[0]), (40, "table of 400")):
        assert compress(TABLES["csv"], limit, len) == f"{kept}\n({len(head) - len(kept)} characters left out)"


def test_an_output_of_more_than_50_lines_keeps_its_first_25_and_last_10() -> None:
    lines = CODE.split("\n")
    assert compress(CODE + "\n") == "\n".join([*lines[:25], "(265 lines left out)", *lines[-10:]])


def test_the_lines_of_an_output_that_are_kept_are_unchanged() -> None:
    lines = ["  it begins", *CODE.split("\n"), "it ends at X"]
    text = compress("\n".join(["", *lines, "", ""])).split("\n")
    assert (text[0], text[-1]) == (lines[0], lines[-1])
    assert compress("\n".join(lines), 60, len) == "  it begins\n(301 lines left out)"
    assert compress(CODE, 40, len).startswith("step 0:\n(")
    assert compress(CODE, 40, len).endswith(" characters left out)")


@pytest.mark.parametrize(
    ("limit", "kept"),
    [(23, None), (24, ""), (25, ""), (26, "a"), (29, "alph"), (30, "alpha"), (34, "alpha"), (35, "alpha beta")],
)
def test_as_many_words_as_fit_are_kept_and_where_none_fits_as_many_letters(limit: int, kept: str | None) -> None:
    text = "alpha beta gamma delta epsilon zeta eta"
    note = "" if kept is None else f"({len(text) - len(kept)} characters left out)"
    assert compress(text, limit, len) == (f"{kept}\n{note}" if kept else note)


def test_the_last_word_is_kept_where_only_blanks_are_left_out() -> None:
    assert compress("alpha beta" + " " * 90, 40, len) == "alpha beta\n(90 characters left out)"


def test_50_lines_are_cut_and_51_keep_both_ends() -> None:
    fifty = compress("\n".join(CODE.split("\n")[:50]), 100)
    assert "lines left out" not in fifty
    assert fifty.startswith("step 0: ")
    more = compress("\n".join(CODE.split("\n")[:51]), 100)
    assert more.endswith("step 50: compiling part 50 with care")
    assert "lines left out)" in more


def test_lines_that_are_too_long_together_go_in_the_same_proportion() -> None:
    lines = compress(CODE, 150).split("\n")
    at = next(place for place, line in enumerate(lines) if line.endswith("lines left out)"))
    assert lines[at] == f"({300 - len(lines) + 1} lines left out)"
    assert (at, len(lines) - at - 1) == (12, 4)


def test_anything_else_is_cut_behind_a_word_and_a_line_says_how_much_went() -> None:
    text, _, note = compress(PROSE, 100).rpartition("\n")
    assert PROSE.startswith(text)
    assert PROSE[len(text)].isspace()
    assert note == f"({len(PROSE) - len(text)} characters left out)"
    assert 95 <= count_tokens(compress(PROSE, 100)) <= 100
    text, _, note = compress(BLOB, 100).rpartition("\n")
    assert BLOB.startswith(text)
    assert len(text) + len(note) == 399


@pytest.mark.parametrize("count", COUNTERS)
def test_a_result_is_never_over_its_limit_by_any_counter_and_compressing_twice_changes_nothing_more(
    count: TokenCounter,
) -> None:
    for result in RESULTS:
        for limit in (0, 1, 5, 12, 40, 117, 500):
            short = compress(result, limit, count)
            assert count(short) <= limit
            assert compress(short, limit, count) == short
            assert short or limit < 100


def test_a_limit_below_zero_is_refused() -> None:
    with pytest.raises(ValueError, match=r"limit -1: .* such as 500"):
        compress("x", -1)


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(f"2026-01-01 12:00:{n % 60:02},123 INFO line {n} is logged" for n in range(90)),
        "\n".join(f"{n},{n},{n}" for n in range(900)),
        "\n".join(f"{n:3}  {n:3}  {n:3}" for n in range(900)),
        "name,age\n" + '"x"y,1\n' * 900,
        "\n".join(f"def f{n}(a, b): return a + b" for n in range(90)),
        "\n".join(["name,name", *(f"{n},{n}" for n in range(900))]),
        "\n".join(["name,age", *(f"{n},{n}" for n in range(900)), "one,two,three"]),
        '["a", "b"]' + "\n" * 3000,
        json.dumps([{"a": "x" * 1500, "b": 1}, {"a": "y" * 1500, "b": 2}]),
        "| a | b |\n" + "| 1 | 2 |\n" * 400,
        "\n".join(["nameXage", *(f"{n}X{n}" for n in range(900))]),
    ],
    ids=[
        "log",
        "no names",
        "no names in columns",
        "a torn quote",
        "code",
        "a name twice",
        "a longer row",
        "a list of texts",
        "two objects",
        "no rule below",
        "X",
    ],
)
def test_text_that_only_looks_like_a_table_is_no_table(text: str) -> None:
    assert "table of" not in compress(text)


def test_a_field_that_an_object_lacks_is_an_empty_cell() -> None:
    text = compress(json.dumps([{"id": n} | ({"note": "x" * 90} if n % 2 else {}) for n in range(60)]))
    assert "row 1: 0 | \nrow 2: 1 | xxx" in text


def test_a_table_of_a_document_may_be_indented_and_have_no_dash_but_those_of_its_rule() -> None:
    text = compress("\n".join(["  | a | b |", "  |---|---|", *(f"  | {n} | x |" for n in range(900))]))
    assert text.startswith("table of 900 rows and 2 columns: a | b\na from 0 to 899\nrow 1: 0 | x\n")


def test_long_cells_are_cut_so_that_few_large_objects_still_show() -> None:
    text = compress(json.dumps([{"title": f"hit {n}", "body": "word " * 400, "tags": ["a", n]} for n in range(5)]))
    assert text.startswith("table of 5 rows and 3 columns: title | body | tags\nrow 1: hit 0 | word word ")
    assert 'word word ... | ["a", 4]' in text
    assert "left out" not in text


def test_a_range_is_that_of_the_numbers_and_empty_cells_are_none() -> None:
    rows = [["1e3", "12", "1.2.3"], ["", "9", "1.2.4"], ["-.5", "x", "1.2.5"], ["7", "100", "1.2.6"]] * 30
    text = compress("\n".join(",".join(row) for row in [["size", "some", "version"], *rows]), 100)
    assert "size from -.5 to 1e3\n" in text
    assert "some from" not in text
    assert "version from" not in text
