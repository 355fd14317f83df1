"""Run `memlab lab` in an empty folder, with a learner's file at different stages."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from memlab.cli import app
from memlab.labs.lab import load
from memlab.labs.learner.progress import FILE

LAB = load("06")
SKELETON = (LAB.folder / "skeleton.py").read_text(encoding="utf-8")
PUBLISHED = (LAB.folder / "published.py").read_text(encoding="utf-8")
FORGETFUL = PUBLISHED + "\n\ndef recall(query):\n    return None\n"
MINE = Path("memory_store.py")


def run_lab(*words: str, code: int = 0, typed: str = "") -> str:
    """Run `memlab lab` with these words, which must end with a code, and return its output."""
    result = CliRunner().invoke(app, ("lab", *words), env={"COLUMNS": "200"}, input=typed)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result.output


def holding(number: str = "06") -> list[str]:
    held: list[str] = json.loads(Path(FILE).read_text(encoding="utf-8"))[number]["held"]
    return held
