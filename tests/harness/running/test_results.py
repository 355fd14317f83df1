from __future__ import annotations

import io
import json
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.harness.running.results import BadResults, ResultsWriter, read_results
from memlab.terms import Key, Result

KEY = Key(
    scenario="stale/moved",
    family="stale",
    seed=0,
    overlay="",
    probe="where",
    verb="recall",
    query="how do we ship",
    k=3,
    budget=0,
    expect=("who",),
    forbid={"old": "world"},
    keep=(),
    claims={"old": ("old_deploy.sh",), "who": ("Mara",)},
    texts={"old": ("Run scripts/old_deploy.sh.",), "who": ("On Fridays Mara ships.",)},
    rules=("Prefer pnpm.",),
    goal="ship",
    todo=("deploy",),
    done=("build",),
)
RESULT = Result(KEY, "hybrid", ("On Fridays Mara ships.",), notes=("fresh",), tokens=6, seconds=0.25)

words = st.text(max_size=8)
texts = st.lists(words, max_size=3).map(tuple)
by_claim = st.dictionaries(words, texts, max_size=3)
keys = st.builds(
    Key,
    scenario=words,
    family=words,
    seed=st.integers(),
    overlay=words,
    probe=words,
    verb=st.sampled_from(["recall", "assemble"]),
    query=words,
    k=st.integers(),
    budget=st.integers(),
    expect=st.none() | texts,
    forbid=st.dictionaries(words, st.sampled_from(["world", "version", "trust", "lineage", "erased", "ended"])),
    keep=texts,
    claims=by_claim,
    texts=by_claim,
    rules=texts,
    goal=words,
    todo=texts,
    done=texts,
    file=words,
)
runs = st.lists(keys, min_size=1, max_size=3).flatmap(
    lambda some: st.lists(
        st.builds(
            Result,
            key=st.sampled_from(some),
            system=words,
            items=texts,
            notes=texts,
            error=words,
            broke=texts,
            fallback=words,
            tokens=st.integers(),
            seconds=st.floats(allow_nan=False, allow_infinity=False),
            stores=texts,
        ),
        max_size=6,
        unique_by=lambda one: (one.system, repr(one.key)),
    )
)


def journalled(results: list[Result]) -> str:
    stream = io.StringIO()
    journal = ResultsWriter(stream)
    for result in results:
        journal.write(result)
    return stream.getvalue()


def refusal(path: Path, content: str) -> str:
    path.write_text(content, encoding="utf-8")
    with pytest.raises(BadResults) as error:
        read_results(path)
    return str(error.value)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "results.jsonl"


@given(runs)
def test_written_results_are_read_back_equal(tmp_path_factory: pytest.TempPathFactory, results: list[Result]) -> None:
    path = tmp_path_factory.mktemp("run") / "results.jsonl"
    path.write_text(journalled(results), encoding="utf-8")
    assert read_results(path) == results


@given(runs)
def test_the_same_run_writes_the_same_bytes_and_each_key_once_before_its_results(results: list[Result]) -> None:
    written = journalled(results)
    assert written == journalled([replace(one, key=replace(one.key)) for one in results])
    lines = [json.loads(line) for line in written.splitlines()]
    given_keys = [line["key"] for line in lines if "system" not in line]
    assert len(given_keys) == len(set(given_keys))
    for number, line in enumerate(lines):
        assert any("system" not in before and before["key"] == line["key"] for before in lines[: number + 1])


def test_a_fallback_is_written_and_read_under_its_first_name(path: Path) -> None:
    result = replace(RESULT, fallback="recall")
    path.write_text(journalled([result]), encoding="utf-8")
    line = json.loads(path.read_text(encoding="utf-8").splitlines()[-1])
    assert (line["standin"], "fallback" in line) == ("recall", False)
    assert read_results(path) == [result]


def test_two_keys_of_one_cell_are_kept_apart(path: Path) -> None:
    results = [RESULT, replace(RESULT, key=replace(KEY, query="another")), replace(RESULT, system="null")]
    path.write_text(journalled(results), encoding="utf-8")
    assert [one.key.query for one in read_results(path)] == ["how do we ship", "another", "how do we ship"]
    assert len(path.read_text(encoding="utf-8").splitlines()) == 2 + 3


def test_the_lines_of_two_runs_in_one_file_are_refused(path: Path) -> None:
    message = refusal(path, journalled([RESULT]) + journalled([replace(RESULT, items=("nothing",))]))
    assert "'hybrid' answered the key" in message
    assert "two runs" in message


def test_results_of_one_probe_share_one_key(path: Path) -> None:
    path.write_text(journalled([RESULT, replace(RESULT, system="null")]), encoding="utf-8")
    first, second = read_results(path)
    assert first.key is second.key


@pytest.mark.parametrize("cut", [1, 2, 40, 200])
def test_an_incomplete_last_line_is_reported_and_everything_before_it_is_kept(path: Path, cut: int) -> None:
    results = [RESULT, replace(RESULT, system="lab07"), replace(RESULT, system="null", items=("x" * 200,))]
    path.write_text(journalled(results)[: -1 - cut], encoding="utf-8")
    warned: list[str] = []
    assert read_results(path, warn=warned.append) == results[:2]
    assert warned == [f"{path}:4: the last line is incomplete, as if the run was killed; it is left out."]


def test_a_complete_last_line_needs_no_newline(path: Path) -> None:
    path.write_text(journalled([RESULT])[:-1], encoding="utf-8")
    assert read_results(path) == [RESULT]


def test_each_result_is_written_before_the_next_cell_runs(path: Path) -> None:
    with path.open("w", encoding="utf-8") as stream:
        ResultsWriter(stream).write(RESULT)
        assert read_results(path) == [RESULT]


def test_an_incomplete_line_in_the_middle_is_refused_with_its_number(path: Path) -> None:
    key, result = journalled([RESULT]).splitlines()
    message = refusal(path, f"{key}\n{result[:50]}\n{result}\n")
    assert message.startswith(f"{path}:2: this is not JSON")
    assert "memlab compare" in message


def test_a_result_without_its_key_is_refused(path: Path) -> None:
    _, result = journalled([RESULT]).splitlines()
    assert "but no key comes before it" in refusal(path, result + "\n")


def test_a_key_given_twice_must_say_the_same(path: Path) -> None:
    key, result = journalled([RESULT]).splitlines()
    path.write_text(f"{key}\n{result}\n{key}\n", encoding="utf-8")
    assert read_results(path) == [RESULT]
    other = key.replace("how do we ship", "how do we sink")
    assert "appears twice with different content" in refusal(path, f"{key}\n{result}\n{other}\n")


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('"tokens": 6', '"tokens": "6"', 'has tokens = "6": it must be a valid integer.'),
        ('"tokens": 6', '"tokens": true', "has tokens = true: it must be a valid integer."),
        ('"seconds": 0.25', '"seconds": NaN', "has seconds = NaN: it must be a finite number."),
        ('"items": [', '"items": [7, ', "has items = [7, "),
        ('"tokens": 6', '"tokns": 6', "has an unknown field 'tokns'. Did you mean 'tokens'?"),
        ('"tokens": 6, ', "", "lacks tokens."),
        ('"verb": "recall"', '"verb": "sing"', "has verb = \"sing\": it must be 'recall', 'assemble' or 'window'."),
        (
            '{"old": "world"}',
            '{"old": "fate"}',
            "it must be 'world', 'version', 'trust', 'lineage', 'erased', 'ended', 'failed' or 'nothing'.",
        ),
        ('"seed": 0', '"seed": null', "has seed = null: it must be a valid integer."),
    ],
)
def test_a_wrong_field_is_named_with_its_value_and_what_is_valid(
    path: Path, old: str, new: str, complaint: str
) -> None:
    written = journalled([RESULT])
    assert old in written
    assert complaint in refusal(path, written.replace(old, new))


def test_the_file_of_an_older_version_is_read_with_defaults_for_missing_fields(path: Path) -> None:
    written = journalled([replace(RESULT, key=replace(KEY, file="1234"), stores=("semantic",))])
    older = written.replace(', "file": "1234"', "").replace(', "stores": ["semantic"]', "")
    assert not {"file", "stores"} & {name for line in older.splitlines() for name in json.loads(line)}
    path.write_text(older, encoding="utf-8")
    assert read_results(path) == [RESULT]


@pytest.mark.parametrize("line", ["[]", "7", "{}", '{"seed": 1}'])
def test_a_line_that_does_not_belong_to_a_run_is_refused(path: Path, line: str) -> None:
    assert refusal(path, f"{line}\n").startswith(f"{path}:1: ")


def test_a_missing_file_is_an_error_that_says_what_to_name(tmp_path: Path) -> None:
    with pytest.raises(BadResults, match=r"cannot be read .*Give a results.jsonl"):
        read_results(tmp_path / "nowhere.jsonl")


@pytest.mark.timing
def test_reading_twenty_thousand_results_takes_a_few_times_as_long_as_parsing_their_json(path: Path) -> None:
    claims = {f"c{n}": (f"log line {n} says nothing of note",) for n in range(200)}
    some = [replace(KEY, seed=seed, claims=claims, texts=claims) for seed in range(700)]
    results = [replace(RESULT, key=some[n % 700], system=f"s{n // 700}") for n in range(20_000)]
    path.write_text(journalled(results), encoding="utf-8")
    start = time.perf_counter()
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    parsed = time.perf_counter()
    assert len(read_results(path)) == 20_000 < len(lines)
    assert time.perf_counter() - parsed < 4 * (parsed - start)
