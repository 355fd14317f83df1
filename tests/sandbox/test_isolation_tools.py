from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from memlab.sandbox.client import LearnerFile
from memlab.sandbox.isolation import (
    bubblewrap,
    container,
)

ATTEMPTS = Path(__file__).parent / "isolation_attempts.py"


def test_the_error_message_of_bubblewrap_is_reported(monkeypatch: pytest.MonkeyPatch, tools: Path) -> None:
    write_program(tools / "bwrap", "echo 'bwrap: setting up uid map: Permission denied' >&2; exit 1")
    monkeypatch.setenv("PATH", f"{tools}:/usr/bin:/bin")
    bubblewrap.sandbox.cache_clear()
    problem = bubblewrap.Bubblewrap().problem()
    bubblewrap.sandbox.cache_clear()
    assert problem.startswith("bwrap: setting up uid map: Permission denied. ")


def test_missing_bubblewrap_is_reported_with_the_install_command(monkeypatch: pytest.MonkeyPatch, tools: Path) -> None:
    monkeypatch.setenv("PATH", f"{tools}")
    assert bubblewrap.Bubblewrap().problem() == "it is not installed: apt install bubblewrap"


ENGINE = """
echo "$@" >> {log}
case "$1" in
  info) exit {info};;
  image) exit {image};;
  rm) exit 0;;
esac
while [ "$1" != python3 ]; do
  case "$1" in --env=*) export "${{1#--env=}}";; esac
  shift
done
shift
exec {python} "$@"
"""
"""A container engine that isolates nothing: it runs our Python with the arguments after the image name."""


def install_engine(tools: Path, monkeypatch: pytest.MonkeyPatch, info: int = 0, image: int = 0) -> Path:
    log = tools / "log"
    write_program(tools / "podman", ENGINE.format(log=log, info=info, image=image, python=sys.executable))
    monkeypatch.setenv("PATH", f"{tools}:/usr/bin:/bin")
    monkeypatch.setattr(container, "ENGINES", ("podman",))
    monkeypatch.setattr(container, "SCRATCH", str(tools / "scratch"))
    (tools / "scratch").mkdir()
    return log


def test_a_container_is_removed_at_the_end(monkeypatch: pytest.MonkeyPatch, tools: Path) -> None:
    log = install_engine(tools, monkeypatch)
    with LearnerFile(ATTEMPTS, start_sandbox=container.Container().start_sandbox) as work:
        work.reset()
        assert work.call("memory") == [], "it also sets its own limits"
    logged = log.read_text()
    [run] = [line for line in logged.splitlines() if line.startswith("run ")]
    for flag in (
        "--network=none",
        "--read-only",
        "--pull=never",
        "--user=65534:65534",
        "--cap-drop=ALL",
        "--memory=1g",
        "--ulimit=nofile=1024:1024",
        "--read-only-tmpfs=false",
    ):
        assert flag in run.split()
    name = next(word.removeprefix("--name=") for word in run.split() if word.startswith("--name="))
    assert logged.splitlines()[-1] == f"rm --force {name}"
    assert not [word for word in run.split() if word.startswith("--env=PATH=")]


@pytest.mark.parametrize(
    ("info", "image", "reason"), [(1, 0, "no engine answers"), (0, 1, f"podman pull {container.IMAGE}")]
)
def test_an_unavailable_container_is_reported_as_untried(
    monkeypatch: pytest.MonkeyPatch, tools: Path, info: int, image: int, reason: str
) -> None:
    install_engine(tools, monkeypatch, info, image)
    found = container.Container().problem()
    assert found.startswith("untried: ")
    assert reason in found


def test_a_container_engine_that_isolates_nothing_does_not_work(monkeypatch: pytest.MonkeyPatch, tools: Path) -> None:
    install_engine(tools, monkeypatch)
    assert "files is not blocked" in container.Container().problem()


@pytest.fixture
def tools() -> Iterator[Path]:
    """Create a folder for programs that every user may run."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def write_program(path: Path, script: str) -> None:
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
