from __future__ import annotations

from pathlib import Path

import pytest
from commands import invoke, one_line

MOVED = "stale/deploy-script-moved"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("run")
    one_line("compare", "--systems", "bucket-search,hybrid", "--scenarios", MOVED, "--seeds", "2", "--out", str(folder))
    return str(folder)


def test_explain_shows_the_first_failed_cell_by_default_and_any_other_by_name(run: str) -> None:
    first = one_line("explain", run)
    assert first.startswith('Asked "who ships on fridays')
    assert f"{MOVED}, seed 0, system bucket-search: 2 of 2 probes failed." in first
    other = one_line(
        "explain", str(Path(run) / "results.jsonl"), "--system", "hybrid", "--seed", "1", "--scenario", MOVED
    )
    assert other.startswith("hybrid passes: ")
    assert f"{MOVED}, seed 1, system hybrid: 0 of 2 probes failed." in other


def test_the_users_own_system_is_explained_by_default_and_has_the_name_of_its_class(run: str, tmp_path: Path) -> None:
    lines = (Path(run) / "results.jsonl").read_text(encoding="utf-8").replace('"hybrid"', '"my/memory.py:Mine"')
    (tmp_path / "results.jsonl").write_text(lines, encoding="utf-8")
    for words in ((), ("--system", "Mine")):
        assert "system my/memory.py:Mine: 0 of 2 probes failed." in one_line("explain", str(tmp_path), *words)
    assert "Did you mean 'Mine'?" in one_line("explain", str(tmp_path), "--system", "Mime", code=2)
    (tmp_path / "results.jsonl").write_text(lines.replace('"bucket-search"', '"a.py:Mine"'), encoding="utf-8")
    two = one_line("explain", str(tmp_path), "--system", "Mine", code=2)
    assert "this run has several classes 'Mine'. Valid: a.py:Mine, my/memory.py:Mine." in two


def test_no_colour_and_no_markup_is_needed_to_read_it_and_no_line_is_wider_than_120(run: str) -> None:
    output = invoke("explain", run)
    assert "\x1b" not in output
    assert "[old]" in output  # square brackets are text, not markup
    assert max(map(len, output.splitlines())) <= 120


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--scenario", "stale/deploy-script-mooved"), f"Did you mean '{MOVED}'? Valid: {MOVED}."),
        (
            ("--system", "hybrit"),
            "this run has no system 'hybrit'. Did you mean 'hybrid'? Valid: bucket-search, hybrid.",
        ),
        (("--seed", "2"), "this run has no seed '2'. Valid: 0, 1."),
        (("--seed", "-1"), "Invalid value for '--seed'"),
    ],
)
def test_a_cell_that_was_not_run_gives_one_sentence_and_exit_code_2(
    run: str, words: tuple[str, ...], message: str
) -> None:
    assert message in one_line("explain", run, *words, code=2)


def test_missing_results_are_named(tmp_path: Path) -> None:
    assert "cannot be read" in one_line("explain", str(tmp_path), code=2)
    (tmp_path / "results.jsonl").touch()
    assert "There is no result to explain." in one_line("explain", str(tmp_path), code=2)


def test_explain_reports_a_missing_scenario_file_and_still_explains_the_answers(run: str, tmp_path: Path) -> None:
    output = one_line("explain", run, "--folder", str(tmp_path))
    assert f"The timeline is not shown: there is no file for {MOVED}." in output
    assert "FORBIDDEN [old]:" in output
