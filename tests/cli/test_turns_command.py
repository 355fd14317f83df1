from pathlib import Path

from typer.testing import CliRunner

from memlab.cli import app


def test_turns_prints_its_table_and_writes_the_tidy_turns_and_the_chart(tmp_path: Path) -> None:
    result = CliRunner().invoke(
        app, ["turns", "--systems", "null,oracle", "--out", str(tmp_path)], env={"COLUMNS": "200"}
    )
    assert result.exit_code == 0, result.output
    assert result.output.index("oracle") < result.output.index("null")
    assert "turns.csv, charts/turns.png and .svg." in result.output
    rows = (tmp_path / "turns.csv").read_text(encoding="utf-8").splitlines()
    assert rows[0] == "system,attention,task,seed,turn,event"
    assert len(rows) > 1000
    assert (tmp_path / "charts" / "turns.png").stat().st_size > 10_000
    assert (tmp_path / "charts" / "turns.svg").exists()


def test_a_system_that_nobody_knows_ends_turns_with_2_and_a_name_that_would_do(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["turns", "--systems", "hybird", "--out", str(tmp_path)], env={"COLUMNS": "200"})
    assert result.exit_code == 2
    assert "Did you mean 'hybrid'?" in result.output
