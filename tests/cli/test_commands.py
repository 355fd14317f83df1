from __future__ import annotations

import subprocess
import sys

import pytest
import typer.main

from memlab.cli import app
from memlab.cli.commands import COMMANDS, LazyCommands

LIGHT = """
import sys
from memlab.cli import app
app(["--help"], standalone_mode=False)
print(*(name for name in sys.modules if name.startswith(("memlab.harness", "memlab.systems", "pydantic", "pandas"))))
"""


def groups() -> LazyCommands:
    found = typer.main.get_group(app)
    assert isinstance(found, LazyCommands)
    return found


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_has_the_first_sentence_of_each_docstring(name: str) -> None:
    assert " ".join(groups().get_command(None, name).help.split("\n\n")[0].split()) == COMMANDS[name][1]


def test_every_command_of_a_file_is_in_the_list() -> None:
    for name in COMMANDS:
        groups().get_command(None, name)
    assert set(typer.main.get_group(app).commands) == set(COMMANDS)


def test_the_list_of_commands_imports_no_command() -> None:
    done = subprocess.run([sys.executable, "-c", LIGHT], capture_output=True, text=True, check=True)
    assert "compare" in done.stdout
    assert not done.stdout.splitlines()[-1].strip()
