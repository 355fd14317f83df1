from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memlab.cli import app
from memlab.sandbox.folders import temporary_folder
from memlab.sandbox.inside import disk
from memlab.sandbox.isolation import (
    LEVELS,
    THREATS,
    Level,
    LevelUnavailable,
    Threat,
    level_named,
    levels,
)
from memlab.sandbox.isolation.rlimits import Rlimits
from memlab.sandbox.isolation.trial import failed_attempts
from memlab.sandbox.sandbox import Sandbox, SupervisedSandbox


class FakeLevel:
    """A level that does or does not work, without sandboxes."""

    holds: frozenset[Threat] = frozenset()

    def __init__(self, name: str, lacking: str = "") -> None:
        self.name = name
        self._lacking = lacking

    def problem(self) -> str:
        return self._lacking

    def python_version(self) -> str:
        return "3.11.2"

    def start_sandbox(self, provided: str = "") -> Sandbox:
        raise AssertionError


def replace_levels(monkeypatch: pytest.MonkeyPatch, *works: str) -> None:
    """Replace the levels by fakes, of which only these work."""
    found: list[Level] = [FakeLevel(one.name, "" if one.name in works else "it is not there") for one in LEVELS]
    monkeypatch.setattr(levels, "LEVELS", tuple(found))
    monkeypatch.setattr("memlab.sandbox.isolation.LEVELS", tuple(found))


def test_the_requested_level_is_used_even_if_better_ones_work(monkeypatch: pytest.MonkeyPatch) -> None:
    replace_levels(monkeypatch, "container", "bubblewrap", "landlock", "rlimits")
    assert level_named("landlock", weaker=False).name == level_named("landlock", weaker=True).name == "landlock"


def test_no_weaker_level_is_used_without_the_option(monkeypatch: pytest.MonkeyPatch) -> None:
    replace_levels(monkeypatch, "container", "landlock", "rlimits")
    with pytest.raises(LevelUnavailable) as refused:
        level_named("bubblewrap", weaker=False)
    assert "bubblewrap does not work here: it is not there." in str(refused.value)
    assert "These weaker ones work here: landlock and rlimits." in str(refused.value)
    assert "--allow-weaker" in str(refused.value)


def test_the_best_weaker_level_is_used_if_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    replace_levels(monkeypatch, "container", "landlock", "rlimits")
    assert level_named("bubblewrap", weaker=True).name == "landlock"


def test_an_error_is_raised_if_no_weaker_level_works(monkeypatch: pytest.MonkeyPatch) -> None:
    replace_levels(monkeypatch, "container")
    with pytest.raises(LevelUnavailable, match="No weaker level works"):
        level_named("bubblewrap", weaker=True)


def test_an_unknown_level_is_reported_with_the_known_ones() -> None:
    with pytest.raises(
        LevelUnavailable, match="'jail' is not known, expected one of container, bubblewrap, landlock, rlimits"
    ):
        level_named("jail", weaker=True)


@pytest.mark.parametrize(
    ("works", "code"), [(["bubblewrap"], 0), (["container"], 0), (["landlock", "rlimits"], 2), ([], 2)]
)
def test_doctor_exits_with_2_if_no_strong_level_works(
    monkeypatch: pytest.MonkeyPatch, works: list[str], code: int
) -> None:
    replace_levels(monkeypatch, *works)
    done = CliRunner().invoke(app, ["doctor"])
    assert done.exit_code == code
    for one in LEVELS:
        assert f"{one.name}: {'works here' if one.name in works else 'does not work here'}" in done.output
    assert ("weaker than bubblewrap: " in done.output) == ("landlock" in works)


def test_a_level_that_does_not_hold_what_it_claims_is_detected() -> None:
    class FalseLevel(Rlimits):
        holds = frozenset(THREATS)

    failures = failed_attempts(FalseLevel())
    assert "files is not blocked: it read" in failures
    assert "network is not blocked: it reached a server of this machine" in failures
    assert "memory" not in failures


def test_a_sandbox_that_does_not_start_is_reported() -> None:
    class Broken(Rlimits):
        def start_sandbox(self, provided: str = "") -> Sandbox:
            return SupervisedSandbox(["/nowhere/python"], "/", env={})

    assert "a sandbox to try it could not be started" in failed_attempts(Broken())


def test_a_folder_without_permissions_or_with_deep_nesting_is_removed() -> None:
    with temporary_folder() as place, contextlib.chdir(place):
        Path("shut").mkdir()
        Path("shut/file").touch()
        Path("shut").chmod(0)
        for _ in range(3_000):
            Path("d").mkdir()
            os.chdir("d")
        os.chdir("/")
    assert not os.path.lexists(place)


@pytest.mark.parametrize("what", ["bytes", "names", "depth", "shut"])
def test_a_folder_that_is_too_large_too_deep_or_unreadable_is_detected(
    tmp_path: Path, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disk, "MOST_BYTES", 100_000)
    monkeypatch.setattr(disk, "ENTRIES", 150)
    (tmp_path / "fine").write_bytes(b"x" * 50_000)
    assert disk.is_acceptable(str(tmp_path))
    if what == "bytes":
        (tmp_path / "more").write_bytes(b"x" * 60_000)
    elif what == "names":
        for number in range(150):
            (tmp_path / f"{number}").touch()
    elif what == "depth":
        (tmp_path / "/".join("d" * 102)).mkdir(parents=True)
    else:
        monkeypatch.setattr(os, "scandir", raise_permission_error)
    assert not disk.is_acceptable(str(tmp_path))


def raise_permission_error(path: str) -> None:
    raise PermissionError(path)


def test_the_levels_can_be_imported_without_the_resource_module() -> None:
    code = "import sys; sys.modules['resource'] = None; import memlab.sandbox.isolation"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
