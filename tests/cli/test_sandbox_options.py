import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memlab.cli import app
from memlab.sandbox.isolation.bubblewrap import Bubblewrap
from memlab.sandbox.isolation.landlock import Landlock

pytestmark = pytest.mark.usefixtures("no_charts")
MINE = """
class Mine:
    def __init__(self): self.seen = []
    def observe(self, event): self.seen.append(event.text)
    def recall(self, query, k=5): return self.seen[-k:]
"""


@pytest.fixture
def arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(MINE, encoding="utf-8")
    return ["compare", "--systems", "mine.py:Mine,null", "--scenarios", "recall/bicycle*", "--seeds", "1"]


@pytest.fixture
def no_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Bubblewrap, "system_problem", lambda _: "it is not installed: apt install bubblewrap")
    monkeypatch.setattr(Landlock, "system_problem", lambda _: "it needs Linux 6.2 or later")


def recorded() -> dict[str, set[str]]:
    """Return the isolation that the results of each system record."""
    found: dict[str, set[str]] = {}
    for line in map(json.loads, Path("memlab-results/results.jsonl").read_text(encoding="utf-8").splitlines()):
        if "system" in line:
            found.setdefault(line["system"], set()).add(line.get("isolation", ""))
    return found


@pytest.mark.usefixtures("no_sandbox")
def test_a_missing_level_is_refused_and_says_what_to_install(arguments: list[str]) -> None:
    result = CliRunner().invoke(app, arguments)
    words = " ".join(result.output.split())
    assert result.exit_code == 2
    assert "isolation bubblewrap does not work here: it is not installed: apt install bubblewrap." in words
    assert "This weaker one works here: rlimits. Select it with --isolation, or allow" in words
    assert not Path("memlab-results").exists()


@pytest.mark.usefixtures("no_sandbox")
def test_a_weaker_level_that_is_allowed_is_printed_once_and_recorded(arguments: list[str]) -> None:
    result = CliRunner().invoke(app, [*arguments, "--allow-weaker"])
    assert result.exit_code == 0
    assert result.output.count("Your own system runs in a sandbox: rlimits.") == 1
    assert "This is weaker than bubblewrap, which you requested" in result.output
    assert recorded() == {"mine.py:Mine": {"rlimits"}, "null": {""}}


def test_an_open_network_is_printed_and_recorded(arguments: list[str]) -> None:
    result = CliRunner().invoke(app, [*arguments, "--isolation", "rlimits", "--network"])
    assert "Your own system runs in a sandbox: rlimits with the network." in result.output
    assert recorded()["mine.py:Mine"] == {"rlimits with the network"}


@pytest.mark.usefixtures("no_sandbox")
@pytest.mark.parametrize("command", ["turns", "curves"])
def test_turns_and_curves_run_your_system_in_the_sandbox_that_was_chosen(arguments: list[str], command: str) -> None:
    less = {"turns": ["--tasks", "pilot-*"], "curves": ["--history", "10", "--budgets", "100"]}[command]
    result = CliRunner().invoke(app, [command, *arguments[1:3], *less])
    assert result.exit_code == 2
    assert "isolation bubblewrap does not work here" in " ".join(result.output.split())
    result = CliRunner().invoke(app, [command, *arguments[1:3], *less, "--isolation", "rlimits", "--network"])
    assert result.exit_code == 0, result.output
    assert "Your own system runs in a sandbox: rlimits with the network." in result.output


@pytest.mark.usefixtures("no_sandbox")
def test_builtin_systems_need_no_sandbox_and_print_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    arguments = ["compare", "--systems", "null", "--scenarios", "recall/bicycle*", "--seeds", "1"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0
    assert "sandbox" not in result.output
