from pathlib import Path

import pytest
from typer.testing import CliRunner

from memlab.cli import app


def curves(*options: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["curves", *options], env={"COLUMNS": "200"})
    return result.exit_code, result.output


def test_curves_prints_its_table_and_writes_the_tidy_points_and_the_charts(tmp_path: Path) -> None:
    code, output = curves(
        "--systems", "null,oracle", "--history", "10,20", "--budgets", "100,1000", "--out", str(tmp_path)
    )
    assert code == 0, output
    assert output.index("oracle") < output.index("null")
    rows = (tmp_path / "curves.csv").read_text(encoding="utf-8").splitlines()
    assert rows[0] == "system,history,budget,scenario,seed,probe,survives,recall,error"
    assert len(rows) == 1 + 2 * 2 * 2 * 8 * 3
    for name in ("curves", "grids"):
        assert (tmp_path / "charts" / f"{name}.png").stat().st_size > 10_000
        assert (tmp_path / "charts" / f"{name}.svg").exists()


@pytest.mark.parametrize(("option", "text"), [("--history", "10,ten"), ("--budgets", "0"), ("--history", ",")])
def test_curves_exits_with_2_for_a_value_that_is_not_an_integer_and_says_what_is_valid(option: str, text: str) -> None:
    code, output = curves(option, text)
    assert code == 2
    assert "Give whole numbers from 1 to 1,000,000 with commas, such as 100,1000." in " ".join(output.split())


def test_curves_exits_with_2_for_an_unknown_system_and_suggests_a_name(tmp_path: Path) -> None:
    code, output = curves("--systems", "hybird", "--out", str(tmp_path))
    assert code == 2
    assert "Did you mean 'hybrid'?" in output
