"""A run that was recorded once is replayed without a model, with the same answers and the same rejections."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memlab.models.cassette import Cassette
from memlab.models.extraction import Turn, extract
from memlab.models.model import Answer, MalformedAnswer, Model, ModelFailed, Request
from memlab.models.scripted import Scripted

TURNS = [Turn("user", "We deploy from tools/ship.sh.")]
FACT = {"fact": "Deploys use tools/ship.sh.", "source_quote": "from tools/ship.sh", "importance": 0.9}
SCHEMA = {"title": "answer", "type": "object"}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "runs" / "smol.jsonl"


def replay(file: Path) -> Cassette:
    return Cassette(file, name="smol")


def smol(*answers: Answer) -> Scripted:
    return Scripted(answers, "smol")


@pytest.mark.parametrize("answer", ["text", "", "line\n\u2028\ud800\x85", {"facts": [FACT]}, {}])
def test_a_recorded_answer_is_replayed_unchanged(file: Path, answer: Answer) -> None:
    Cassette(file, smol("other", answer)).complete("s", "first")
    recorded = Cassette(file, smol(answer)).complete("s", "u", SCHEMA)
    assert (recorded, replay(file).complete("s", "u", SCHEMA)) == (answer, answer)


def test_an_equal_request_is_sent_once(file: Path) -> None:
    model = smol("yes")
    cassette = Cassette(file, model)
    assert [cassette.complete("s", "u") for _ in range(3)] == ["yes"] * 3
    assert len(model.requests) == 1
    assert len(file.read_bytes().splitlines()) == 1


@pytest.mark.parametrize(
    "other",
    [
        Request("S", "u", SCHEMA),
        Request("s", "U", SCHEMA),
        Request("su", "", SCHEMA),
        Request("s", "u"),
        Request("s", "u", {}),
    ],
)
def test_each_part_of_a_request_counts(file: Path, other: Request) -> None:
    Cassette(file, smol("yes")).complete("s", "u", SCHEMA)
    with pytest.raises(ModelFailed, match=r"smol\.jsonl: no answer of 'smol' to request [0-9a-f]{12}; record it"):
        replay(file).complete(other.system, other.user, other.schema)


def test_the_answers_of_two_models_are_kept_apart(file: Path) -> None:
    for name in ("one", "two"):
        Cassette(file, Scripted([name], name)).complete("s", "u")
    assert [Cassette(file, name=name).complete("s", "u") for name in ("one", "two")] == ["one", "two"]


@pytest.mark.parametrize(
    "answer", ["prose", "", {"facts": 1}, "x" * 10_000_000, {"facts": [{**FACT, "source_quote": "no"}]}]
)
def test_a_rejected_answer_is_rejected_with_the_same_reason_in_a_replay(file: Path, answer: Answer) -> None:
    recorded = extract(TURNS, Cassette(file, smol(answer)))
    assert (recorded.facts, len(recorded.rejected)) == ([], 1)
    assert extract(TURNS, replay(file)) == recorded
    assert file.stat().st_size < 1000


def test_a_failed_request_is_not_recorded(file: Path) -> None:
    with pytest.raises(ModelFailed):
        Cassette(file, smol()).complete("s", "u")
    assert Cassette(file, smol("yes")).complete("s", "u") == "yes"


def test_of_two_answers_that_were_recorded_at_once_the_first_counts(file: Path) -> None:
    def meanwhile(request: Request) -> Answer:
        Cassette(file, smol("first")).complete(request.system, request.user)
        return "second"

    assert Cassette(file, Scripted(meanwhile, "smol")).complete("s", "u") == "first"
    assert replay(file).complete("s", "u") == "first"


def test_a_line_that_a_killed_process_left_unfinished_is_replaced(file: Path) -> None:
    Cassette(file, smol("one")).complete("s", "1")
    with file.open("ab") as end:
        end.write(b'{"request": "ab')
    Cassette(file, smol("two")).complete("s", "2")
    assert [replay(file).complete("s", user) for user in "12"] == ["one", "two"]


@pytest.mark.parametrize(
    "line",
    [
        *("prose", "[]", "{}", '{"request": "a"}', '{"request": 1, "answer": "b"}', '{"request": "a", "answer": 1}'),
        *('{"request": "a", "rejected": 1}', "[" * 100_000, "\xff"),
    ],
)
def test_a_line_that_is_no_record_is_named(file: Path, line: str) -> None:
    Cassette(file, smol("one")).complete("s", "1")
    with file.open("a", encoding="latin-1") as end:
        end.write(line + "\n")
    with pytest.raises(ValueError, match=r"smol\.jsonl:2: expected"):
        replay(file)


def test_a_cassette_has_no_prompt(file: Path) -> None:
    Cassette(file, smol("yes")).complete("the system", "the user")
    assert json.loads(file.read_text()).keys() == {"request", "model", "answer"}
    assert "the " not in file.read_text()


def test_a_replay_writes_nothing_and_needs_no_file(file: Path) -> None:
    with pytest.raises(ModelFailed):
        replay(file).complete("s", "u")
    assert not file.parent.exists()


def test_a_replay_needs_the_name_of_the_recorded_model(file: Path) -> None:
    with pytest.raises(ValueError, match="needs the name"):
        Cassette(file)


def test_a_rejection_by_the_model_is_replayed(file: Path) -> None:
    def reject(_: Request) -> Answer:
        raise MalformedAnswer("smol: no form")

    models: list[Model] = [Cassette(file, Scripted(reject, "smol")), replay(file)]
    for model in models:
        with pytest.raises(MalformedAnswer, match="smol: no form"):
            model.complete("s", "u")
