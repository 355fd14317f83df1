from __future__ import annotations

import json
import runpy
from collections.abc import Callable
from pathlib import Path

import pytest

MAIN: Callable[[Path], int] = runpy.run_path(str(Path(__file__).with_name("report.py")))["main"]


def leave(folder: Path, name: str, *codes: int | None) -> None:
    found = {f"memory.{name}.{place}": code for place, code in enumerate(codes)}
    (folder / f"{name}.py.meta").write_text(json.dumps({"exit_code_by_key": found}))


def test_each_file_is_counted_and_survivors_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    leave(tmp_path, "guard", *[1] * 8, 3, 0)
    leave(tmp_path, "trust", 1, 36)
    leave(tmp_path, "empty")
    assert MAIN(tmp_path) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "survived: memory.guard.9"
    assert [line.split() for line in lines[2:]] == [
        ["guard.py", "10", "9", "1", "90.0%", "0"],
        ["trust.py", "2", "2", "0", "100.0%", "0"],
        ["all", "12", "11", "1", "91.7%", "0"],
    ]


@pytest.mark.parametrize(
    ("mutant", "counts"),
    [
        ("rows('select body from facts where id = 1', 'lamp')", False),
        ("rows('SELECT BODY FROM FACTS WHERE ID = 1', 'lamp')", False),
        ("rows('XXSELECT body FROM facts WHERE id = 1XX', 'lamp')", True),
        ("rows('SELECT body FROM facts WHERE id = 1', 'LAMP')", True),
        ("rows('SELECT body FROM facts WHERE id = 1', None)", True),
        ("rows('SELECT body FROM facts WHERE id = 2', 'lamp')", True),
        ("ROWS('SELECT body FROM facts WHERE id = 1', 'lamp')", True),
    ],
)
def test_sql_in_another_letter_case_is_no_mutant_and_anything_else_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], mutant: str, *, counts: bool
) -> None:
    codes = {"memory.table.get__mutmut_1": 0, "memory.table.get__mutmut_2": 1}
    (tmp_path / "table.py.meta").write_text(json.dumps({"exit_code_by_key": codes}))
    original = "rows('SELECT body FROM facts WHERE id = 1', 'lamp')"
    (tmp_path / "table.py").write_text(
        f"def get__mutmut_orig():\n    return {original}\n\n\ndef get__mutmut_1():\n    return {mutant}\n"
    )
    assert MAIN(tmp_path) == counts
    row = capsys.readouterr().out.split("all", 1)[1].split("\n", 1)[0]
    assert row.split() == (["2", "1", "1", "50.0%", "0"] if counts else ["1", "1", "0", "100.0%", "1"])


def test_a_value_within_sql_is_more_than_spelling(tmp_path: Path) -> None:
    codes = {"memory.table.get__mutmut_1": 0}
    (tmp_path / "table.py.meta").write_text(json.dumps({"exit_code_by_key": codes}))
    (tmp_path / "table.py").write_text(
        "def get__mutmut_orig():\n    return \"SELECT body FROM facts WHERE type = 'user'\"\n\n\n"
        "def get__mutmut_1():\n    return \"SELECT BODY FROM FACTS WHERE TYPE = 'USER'\"\n"
    )
    assert MAIN(tmp_path) == 1


@pytest.mark.parametrize("code", [0, 5, 33, 35, 2, None])
def test_a_mutant_that_no_test_noticed_or_reached_survived(tmp_path: Path, code: int | None) -> None:
    leave(tmp_path, "guard", *[1] * 90)
    leave(tmp_path, "trust", *[1] * 8, code, code)
    assert MAIN(tmp_path) == 1


def test_a_folder_without_mutants_fails(tmp_path: Path) -> None:
    assert MAIN(tmp_path) == 2
