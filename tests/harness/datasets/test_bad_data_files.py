"""A data file that cannot be used: the message names file, line and column, what was expected, and the next step."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from data_files import MADE_UP, content_of, write_data

from memlab.harness.datasets.catalogue import DATASETS, load
from memlab.harness.datasets.errors import BadDataset

NAMES = sorted(DATASETS)


def complaint(name: str, path: Path) -> str:
    with pytest.raises(BadDataset) as caught:
        load(name, path)
    message = str(caught.value)
    assert str(path) in message
    assert "Expected: " in message or "Give the path" in message
    assert DATASETS[name].origin in message or "use --dataset" in message
    return message


@pytest.mark.parametrize("name", NAMES)
def test_a_truncated_file_is_named_with_line_and_column(name: str, tmp_path: Path) -> None:
    path = write_data(tmp_path, name)
    text = path.read_text(encoding="utf-8").rstrip()
    path.write_text(text[: len(text) - 12], encoding="utf-8")
    message = complaint(name, path)
    assert "the text ends too early, as after an interrupted download" in message
    line = text[: len(text) - 12].count("\n") + 1
    assert f"{path}:{line}:" in message


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda text: text.encode("utf-16"), "this is a UTF-16 file"),
        (lambda text: text.replace("e", "\u00e9").encode("latin-1"), "byte 0xe9 is not UTF-8"),
        (lambda _: b"", "the file is empty"),
        (lambda _: b"  \n", "the file is empty"),
        (lambda text: b"PAR1" + text.encode(), "this is a Parquet file"),
        (lambda text: b"PK\x03\x04" + text.encode(), "this is a ZIP file"),
        (lambda text: b"x" + text.encode(), "this is not JSON"),
        (lambda _: b"[" * 100_000, "is no JSON that can be read"),
    ],
)
def test_a_wrongly_encoded_or_foreign_file_is_named(
    name: str, change: Callable[[str], bytes], words: str, tmp_path: Path
) -> None:
    path = write_data(tmp_path, name)
    path.write_bytes(change(path.read_text(encoding="utf-8")))
    assert words in complaint(name, path)


@pytest.mark.parametrize("name", NAMES)
def test_a_byte_order_mark_of_utf_8_is_accepted(name: str, tmp_path: Path) -> None:
    path = write_data(tmp_path, name)
    before = load(name, path)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert load(name, path) == before


@pytest.mark.parametrize("name", NAMES)
def test_a_folder_is_refused(name: str, tmp_path: Path) -> None:
    assert "this is a folder. Give the path of one file" in complaint(name, tmp_path)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("value", [[], {}, [1], [[]], {"a": 1}, "text", 5, None])
def test_another_shape_of_json_is_refused_with_its_place(name: str, value: object, tmp_path: Path) -> None:
    (path := tmp_path / "data.json").write_text(json.dumps(value), encoding="utf-8")
    with pytest.raises(BadDataset) as caught:
        load(name, path)
    assert f"{path}:" in str(caught.value)
    assert "Expected: " in str(caught.value)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("other", sorted(MADE_UP))
def test_a_file_of_another_data_set_is_recognised(name: str, other: str, tmp_path: Path) -> None:
    if name != other:
        assert f"It is a file of {other}: use --dataset {other}." in complaint(name, write_data(tmp_path, other))


CHANGES: list[tuple[str, Callable[[Any], object], str]] = [
    ("locomo", lambda data: data[0]["qa"][2].pop("evidence"), "[0].qa[2] lacks 'evidence'"),
    ("locomo", lambda data: data[0]["qa"][1].update(category=9), "[0].qa[1].category is 9: a category is one of 1, 2"),
    (
        "locomo",
        lambda data: data[0]["conversation"].update(session_2_date_time="soon"),
        "is 'soon', not a time such as",
    ),
    ("locomo", lambda data: data[0]["conversation"]["session_2"][0].pop("text"), "session_2[0] lacks 'text'"),
    ("locomo", lambda data: data[0].update(conversation={}), "lacks `session_1`, a list of turns"),
    ("beam", lambda data: data[0]["messages"][0].update(role="robot"), "[0].messages[0].role is 'robot'"),
    ("beam", lambda data: data[0]["messages"][2].update(time="today"), "[0].messages[2].time is 'today', not a day"),
    ("longmemeval", lambda data: data[0]["haystack_dates"].pop(), "[0].haystack_dates has 1 entries for 2 sessions"),
    ("longmemeval", lambda data: data[0].update(haystack_dates=["x", "y"]), "[0].haystack_dates[0] is 'x', not a time"),
    ("longmemeval", lambda data: data[1].pop("question"), "[1] lacks 'question'"),
    ("factconsolidation", lambda data: data[0].update(context="nothing"), "[0].context has no line such as"),
    ("factconsolidation", lambda data: data[0]["answers"].pop(), "[0].answers has 2 entries for 3 questions"),
    ("factconsolidation", lambda data: data.pop(0), "no row has a `metadata.source` with '_sh_'"),
    ("poisonedrag", lambda data: data["q2"].pop("correct answer"), ".q2 lacks 'correct answer'"),
    ("poisonedrag", lambda data: data["q2"].update(adv_texts="one"), "q2.adv_texts is 'one': it must be a valid list"),
    ("memshield", lambda data: data[1].update(label="odd"), "label is 'odd': it must be 'clean' or 'poisoned'"),
]


@pytest.mark.parametrize(("name", "change", "words"), CHANGES)
def test_a_file_of_another_version_is_refused_at_the_place_where_it_differs(
    name: str, change: Callable[[Any], object], words: str, tmp_path: Path
) -> None:
    content = content_of(name)
    change(content)
    message = complaint(name, write_data(tmp_path, name, content))
    assert words.lstrip(".") in message


def test_the_line_and_column_are_those_of_the_value(tmp_path: Path) -> None:
    content = content_of("locomo")
    content[0]["qa"][1]["category"] = "four"
    path = write_data(tmp_path, "locomo", content)
    lines = path.read_text(encoding="utf-8").splitlines()
    line = next(number for number, text in enumerate(lines, 1) if '"four"' in text)
    column = lines[line - 1].index('"four"') + 1
    assert f"{path}:{line}:{column}: [0].qa[1].category" in complaint("locomo", path)


def test_the_line_of_a_file_of_lines_is_that_of_the_entry(tmp_path: Path) -> None:
    content = content_of("memshield")
    del content[2]["content"]
    path = write_data(tmp_path, "memshield", content)
    assert f"{path}:3:1: the value lacks 'content'" in complaint("memshield", path)


def test_an_unknown_data_set_is_answered_with_the_valid_names() -> None:
    with pytest.raises(BadDataset, match=r"no data set is called 'locmo'\. Did you mean 'locomo'\?"):
        load("locmo", Path("x"))
