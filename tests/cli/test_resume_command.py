"""A run that was interrupted is finished by the same command with `--resume`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from commands import invoke
from data_files import write_data

pytestmark = pytest.mark.usefixtures("in_empty_folder", "no_charts")
RUN = ("compare", "--scenarios", "recall", "--systems", "bm25,bucket-recent", "--out", "out")


def without_seconds(path: str) -> str:
    return re.sub(r'"(observe_)?seconds": [^,}]+', "", Path(path, "results.jsonl").read_text(encoding="utf-8"))


def cut_in_half(path: str) -> None:
    file = Path(path, "results.jsonl")
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def test_a_truncated_run_is_finished_and_its_earlier_run_is_not_touched() -> None:
    invoke(*RUN)
    whole = without_seconds("out")
    cut_in_half("out")
    invoke(*RUN, "--resume", "--jobs", "2")
    assert without_seconds("out") == whole
    assert not Path("out", "previous.jsonl").exists()


def test_a_run_on_a_data_set_is_finished_too(tmp_path: Path) -> None:
    data = str(write_data(tmp_path, "locomo"))
    run = ("compare", "--dataset", "locomo", "--path", data, "--systems", "bm25,null", "--out", "out")
    invoke(*run)
    whole = without_seconds("out")
    cut_in_half("out")
    invoke(*run, "--resume")
    assert without_seconds("out") == whole
    Path(data).write_text(Path(data).read_text(encoding="utf-8").replace("canoe", "kayak"), encoding="utf-8")
    assert re.search(
        r"out cannot be resumed: --path was conv-1 \(\w+\), and is conv-1 ", invoke(*run, "--resume", code=2)
    )


def test_other_options_are_refused_in_one_sentence_and_the_results_stay() -> None:
    invoke(*RUN, "--seeds", "1")
    before = without_seconds("out")
    output = invoke(*RUN, "--seeds", "2", "--resume", code=2)
    advice = "Give the first value again, or start a new run: leave out --resume and choose another --out."
    assert output == f"out cannot be resumed: --seeds was 1, and is 2 now. {advice}\n"
    assert without_seconds("out") == before


def test_a_folder_of_something_else_is_refused() -> None:
    Path("out").mkdir()
    Path("out", "results.jsonl").write_text("mine\n", encoding="utf-8")
    assert "out has results, but no run.json" in invoke(*RUN, "--resume", code=2)
    assert Path("out", "results.jsonl").read_text(encoding="utf-8") == "mine\n"
