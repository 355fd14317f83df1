from pathlib import Path

from typer.testing import CliRunner, Result

from memlab.cli import app
from memlab.harness.scenarios.loading import library


def test_turns_prints_its_table_and_writes_the_tidy_turns_and_the_chart(tmp_path: Path) -> None:
    result = run("--systems", "null,oracle", "--out", str(tmp_path))
    assert result.exit_code == 0, result.output
    assert result.output.index("oracle") < result.output.index("null")
    assert "turns.csv, charts/turns.png and .svg." in result.output
    rows = (tmp_path / "turns.csv").read_text(encoding="utf-8").splitlines()
    assert rows[0] == "system,agent,task,seed,turn,event"
    assert len(rows) > 1000
    assert (tmp_path / "charts" / "turns.png").stat().st_size > 10_000
    assert (tmp_path / "charts" / "turns.svg").exists()


def test_turns_exits_with_2_for_an_unknown_system_and_suggests_a_name(tmp_path: Path) -> None:
    result = run("--systems", "hybird", "--out", str(tmp_path))
    assert result.exit_code == 2
    assert "Did you mean 'hybrid'?" in result.output


def test_turns_runs_the_long_tasks_of_a_pattern_and_of_a_folder(tmp_path: Path) -> None:
    result = run("--systems", "null", "--tasks", "*pharmacy", "--out", str(tmp_path))
    assert result.exit_code == 0, result.output
    assert "Over 1 long task." in result.output
    result = run("--systems", "null", "--folder", str(tmp_path), "--out", str(tmp_path))
    assert result.exit_code == 2
    assert "Long tasks are in turns/<name>.yaml." in result.output


def test_a_command_can_replace_the_scripted_agent_and_exits_with_2_and_its_name_if_it_fails(tmp_path: Path) -> None:
    options = ("--systems", "null", "--tasks", "pilot-*", "--out", str(tmp_path))
    result = run(*options, "--agent", "echo TO-DO: none")
    assert result.exit_code == 0, result.output
    rows = (tmp_path / "turns.csv").read_text(encoding="utf-8").splitlines()
    assert rows[1].startswith("null,echo TO-DO: none,turns/pilot-for-the-fog-bank,0,1,idle")
    result = run(*options, "--agent", "false")
    assert result.exit_code == 2
    assert "--agent 'false' ended with code 1: nothing on standard error." in result.output


def test_a_command_that_never_answers_is_reported_with_exit_code_2(tmp_path: Path) -> None:
    options = ("--systems", "null,oracle", "--tasks", "pilot-*", "--out", str(tmp_path))
    result = run(*options, "--agent", "true")
    assert result.exit_code == 2
    assert "--agent 'true': no answer had the required form" in result.output
    assert (tmp_path / "turns.csv").exists()


def test_check_validates_long_tasks_too_and_schema_prints_their_schema(tmp_path: Path) -> None:
    (tmp_path / "turns").mkdir()
    text = (library() / "turns" / "pilot-for-the-fog-bank.yaml").read_text(encoding="utf-8")
    path = tmp_path / "turns" / "pilot-for-the-fog-bank.yaml"
    path.write_text(text, encoding="utf-8")
    result = CliRunner().invoke(app, ["check", "--scenarios", "turns", "--folder", str(tmp_path)])
    assert (result.exit_code, result.output) == (0, "1 long task is valid (samples of each: 2, played: 2).\n")
    path.write_text(text.replace("- act: ", "- act: 9", 1), encoding="utf-8")
    result = CliRunner().invoke(app, ["check", "--scenarios", "turns", "--folder", str(tmp_path)])
    assert result.exit_code == 2
    assert "a long task must have 30 to 100." in result.output
    assert "each_turn" in CliRunner().invoke(app, ["schema", "--turns"]).output
    assert "each_turn" not in CliRunner().invoke(app, ["schema"]).output


def run(*options: str) -> Result:
    return CliRunner().invoke(app, ["turns", *options], env={"COLUMNS": "200"})
