from __future__ import annotations

from pathlib import Path

import pytest
from data_files import MADE_UP, write_data
from typer.testing import CliRunner

from memlab.cli import app
from memlab.harness.datasets.catalogue import DATASETS


def memlab(*options: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(options), env={"COLUMNS": "200"})
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, " ".join(result.output.split())


def compare(tmp_path: Path, name: str, *options: str) -> tuple[int, str]:
    data = str(write_data(tmp_path, name))
    return memlab("compare", "--dataset", name, "--path", data, "--out", str(tmp_path / "out"), *options)


def test_datasets_lists_name_size_origin_licence_and_checksum_of_each() -> None:
    code, output = memlab("datasets")
    assert code == 0
    for one in DATASETS.values():
        for value in (one.name, one.size, one.origin, one.licence, one.sha256, one.measures):
            assert value in output


@pytest.mark.parametrize("name", MADE_UP)
def test_a_comparison_prints_the_table_and_writes_it_by_kind_of_question(name: str, tmp_path: Path) -> None:
    code, output = compare(tmp_path, name, "--systems", "hybrid,null")
    assert code == 0, output
    assert "recall@10" in output
    assert "design effect" in output
    rows = (tmp_path / "out" / "table.csv").read_text(encoding="utf-8").splitlines()
    assert rows[0] == "system,kind,metric,mean,low,high,n,clusters,design_effect"
    assert {row.split(",")[0] for row in rows[1:]} == {"hybrid", "null"}
    assert len({row.split(",")[1] for row in rows[1:]}) > 1


def test_without_systems_the_main_ones_and_the_bounds_are_compared(tmp_path: Path) -> None:
    code, output = compare(tmp_path, "memshield")
    assert code == 0, output
    for system in ("hybrid", "bucket-search", "bucket-recent", "lab07", "dump", "null"):
        assert system in output


def test_score_gives_the_same_table_again(tmp_path: Path) -> None:
    code, _ = compare(tmp_path, "poisonedrag", "--systems", "hybrid,bucket-search,lab07", "--jobs", "2")
    assert code == 0
    table = tmp_path / "out" / "table.csv"
    before = table.read_bytes()
    table.unlink()
    code, output = memlab("score", str(tmp_path / "out"))
    assert code == 0, output
    assert table.read_bytes() == before


def test_results_of_a_data_set_and_of_scenarios_in_one_file_are_not_scored_together(tmp_path: Path) -> None:
    compare(tmp_path, "locomo", "--systems", "null")
    code, _ = memlab(
        "compare", "--systems", "null", "--scenarios", "recall", "--seeds", "1", "--out", str(tmp_path / "b")
    )
    assert code == 0
    both = tmp_path / "both.jsonl"
    both.write_bytes(b"".join((tmp_path / name / "results.jsonl").read_bytes() for name in ("out", "b")))
    code, output = memlab("score", str(both))
    assert code == 2
    assert "the results come from several runs: locomo, scenarios" in output


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--dataset", "locomo"), "--dataset locomo needs --path"),
        (("--dataset", "locmo", "--path", "x"), "Did you mean 'locomo'?"),
        (("--path", "x"), "no data set is called ''"),
        (("--dataset", "locomo", "--path", "absent.json"), "absent.json: No such file or directory"),
        (
            ("--dataset", "locomo", "--path", "x", "--scenarios", "stale"),
            "--scenarios cannot be used with --dataset. Omit it.",
        ),
        (
            ("--dataset", "locomo", "--seeds", "5", "--labels", "none"),
            "--seeds, --labels cannot be used with --dataset. Omit them.",
        ),
        (("--dataset", "locomo", "--path", "."), "this is a folder"),
    ],
)
def test_a_wrong_option_is_explained_without_a_traceback(options: tuple[str, ...], words: str) -> None:
    code, output = memlab("compare", *options)
    assert code == 2
    assert words in output
    assert "Traceback" not in output


def test_a_truncated_file_is_explained_without_a_traceback(tmp_path: Path) -> None:
    path = write_data(tmp_path, "beam")
    path.write_text(path.read_text(encoding="utf-8")[:200], encoding="utf-8")
    code, output = memlab("compare", "--dataset", "beam", "--path", str(path))
    assert code == 2
    assert "the text ends too early" in output
    assert "Get it from github.com/mohammadtavakoli78/BEAM" in output
