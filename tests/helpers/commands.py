"""Runs a command in this process."""

from __future__ import annotations

from typer.testing import CliRunner

from memlab.cli import app


def invoke(*words: str, code: int = 0, width: int = 200) -> str:
    """Run a command that must end with an exit code and without a traceback; return its output."""
    result = CliRunner().invoke(app, words, env={"COLUMNS": str(width)})
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result.output


def one_line(*words: str, code: int = 0, width: int = 200) -> str:
    """Run a command and return its output on one line, whatever its width."""
    return " ".join(invoke(*words, code=code, width=width).split())
