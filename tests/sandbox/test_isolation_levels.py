from __future__ import annotations

import contextlib
import errno
import itertools
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memlab.cli import app
from memlab.sandbox.client import LearnerFile
from memlab.sandbox.folders import temporary_folder
from memlab.sandbox.isolation import (
    LEVELS,
    THREATS,
    Level,
    LevelUnavailable,
    Threat,
    bubblewrap,
    container,
    level_named,
    levels,
    users,
)
from memlab.sandbox.isolation.inside import disk
from memlab.sandbox.isolation.interpreter import interpreter
from memlab.sandbox.isolation.rlimits import Rlimits
from memlab.sandbox.isolation.trial import failed_attempts
from memlab.sandbox.isolation.users import NUMBERS, plain_user
from memlab.sandbox.sandbox import Sandbox

ATTEMPTS = Path(__file__).parent / "isolation_attempts.py"
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives rooms a user of their own")


class Standin:
    """A level that works here or does not, without rooms."""

    holds: frozenset[Threat] = frozenset()

    def __init__(self, name: str, lacking: str = "") -> None:
        self.name = name
        self._lacking = lacking

    def problem(self) -> str:
        return self._lacking

    def python_version(self) -> str:
        return "3.11.2"

    def start_sandbox(self) -> Sandbox:
        raise AssertionError


def machine(monkeypatch: pytest.MonkeyPatch, *works: str) -> None:
    """Have a machine on which these levels work."""
    found: list[Level] = [Standin(one.name, "" if one.name in works else "it is not there") for one in LEVELS]
    monkeypatch.setattr(levels, "LEVELS", tuple(found))
    monkeypatch.setattr("memlab.sandbox.isolation.LEVELS", tuple(found))


def test_the_level_that_is_asked_for_is_given_though_better_ones_work(monkeypatch: pytest.MonkeyPatch) -> None:
    machine(monkeypatch, "container", "bubblewrap", "landlock", "rlimits")
    assert level_named("landlock", weaker=False).name == level_named("landlock", weaker=True).name == "landlock"


def test_no_weaker_level_is_given_unasked(monkeypatch: pytest.MonkeyPatch) -> None:
    machine(monkeypatch, "container", "landlock", "rlimits")
    with pytest.raises(LevelUnavailable) as refused:
        level_named("bubblewrap", weaker=False)
    assert "bubblewrap does not work here: it is not there." in str(refused.value)
    assert "These weaker ones work here: landlock and rlimits." in str(refused.value)
    assert "--allow-weaker" in str(refused.value)


def test_where_weaker_is_allowed_the_best_below_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    machine(monkeypatch, "container", "landlock", "rlimits")
    assert level_named("bubblewrap", weaker=True).name == "landlock"


def test_where_nothing_below_works_nothing_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    machine(monkeypatch, "container")
    with pytest.raises(LevelUnavailable, match="No weaker level works"):
        level_named("bubblewrap", weaker=True)


def test_an_unknown_level_is_told_with_the_known_ones() -> None:
    with pytest.raises(
        LevelUnavailable, match="'jail' is not known, expected one of container, bubblewrap, landlock, rlimits"
    ):
        level_named("jail", weaker=True)


@pytest.mark.parametrize(
    ("works", "code"), [(["bubblewrap"], 0), (["container"], 0), (["landlock", "rlimits"], 2), ([], 2)]
)
def test_doctor_exits_with_2_where_strangers_are_not_kept_in(
    monkeypatch: pytest.MonkeyPatch, works: list[str], code: int
) -> None:
    machine(monkeypatch, *works)
    done = CliRunner().invoke(app, ["doctor"])
    assert done.exit_code == code
    for one in LEVELS:
        assert f"{one.name}: {'works here' if one.name in works else 'does not work here'}" in done.output
    assert ("weaker than bubblewrap: " in done.output) == ("landlock" in works)


def test_what_a_level_says_and_does_not_hold_is_found_out() -> None:
    class Boaster(Rlimits):
        holds = frozenset(THREATS)

    failures = failed_attempts(Boaster())
    assert "files is not held: it read" in failures
    assert "network is not held: it reached a server of this machine" in failures
    assert "memory" not in failures


def test_a_room_that_does_not_begin_is_told() -> None:
    class Broken(Rlimits):
        def start_sandbox(self) -> Sandbox:
            return Sandbox(["/nowhere/python"], "/", env={})

    assert "a sandbox to try it could not be started" in failed_attempts(Broken())


def test_bubblewrap_says_in_its_own_words_why_it_does_not_work(monkeypatch: pytest.MonkeyPatch, tool: Path) -> None:
    program(tool / "bwrap", "echo 'bwrap: setting up uid map: Permission denied' >&2; exit 1")
    monkeypatch.setenv("PATH", f"{tool}:/usr/bin:/bin")
    bubblewrap.sandbox.cache_clear()
    problem = bubblewrap.Bubblewrap().problem()
    bubblewrap.sandbox.cache_clear()
    assert problem.startswith("bwrap: setting up uid map: Permission denied. ")


def test_bubblewrap_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch, tool: Path) -> None:
    monkeypatch.setenv("PATH", f"{tool}")
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
"""An engine that keeps nobody in: it runs our Python with what stands behind the image's name."""


def engine(tool: Path, monkeypatch: pytest.MonkeyPatch, info: int = 0, image: int = 0) -> Path:
    log = tool / "log"
    program(tool / "podman", ENGINE.format(log=log, info=info, image=image, python=sys.executable))
    monkeypatch.setenv("PATH", f"{tool}:/usr/bin:/bin")
    monkeypatch.setattr(container, "ENGINES", ("podman",))
    monkeypatch.setattr(container, "SCRATCH", str(tool / "scratch"))
    (tool / "scratch").mkdir()
    return log


def test_a_container_is_a_room_that_is_removed_at_the_end(monkeypatch: pytest.MonkeyPatch, tool: Path) -> None:
    log = engine(tool, monkeypatch)
    with LearnerFile(ATTEMPTS, start_sandbox=container.Container().start_sandbox) as work:
        work.reset()
        assert work.call("memory") == [], "it sets its own bounds too"
    logged = log.read_text()
    [run] = [line for line in logged.splitlines() if line.startswith("run ")]
    for flag in (
        "--network=none",
        "--read-only",
        "--pull=never",
        "--user=65534:65534",
        "--cap-drop=ALL",
        "--memory=1g",
    ):
        assert flag in run.split()
    name = next(word.removeprefix("--name=") for word in run.split() if word.startswith("--name="))
    assert logged.splitlines()[-1] == f"rm --force {name}"
    assert "PATH" not in "".join(word for word in run.split() if word.startswith("--env"))


@pytest.mark.parametrize(
    ("info", "image", "reason"), [(1, 0, "no engine answers"), (0, 1, f"podman pull {container.IMAGE}")]
)
def test_a_container_that_cannot_be_had_is_untried(
    monkeypatch: pytest.MonkeyPatch, tool: Path, info: int, image: int, reason: str
) -> None:
    engine(tool, monkeypatch, info, image)
    found = container.Container().problem()
    assert found.startswith("untried: ")
    assert reason in found


def test_an_engine_that_keeps_nobody_in_does_not_work(monkeypatch: pytest.MonkeyPatch, tool: Path) -> None:
    engine(tool, monkeypatch)
    assert "files is not held" in container.Container().problem()


@as_root
def test_no_two_rooms_have_the_same_user_at_once() -> None:
    with plain_user() as one, plain_user() as other:
        assert one != other
        assert {one, other} <= set(NUMBERS)


HOLD_A_USER_ID = """
import sys
from memlab.sandbox.isolation.users import plain_user

with plain_user() as number:
    print(number, flush=True)
    sys.stdin.read()
"""


@contextlib.contextmanager
def user_id_held_by_another_process() -> Iterator[int]:
    """Start a process that reserves a user id, and yield the id."""
    command = [sys.executable, "-c", HOLD_A_USER_ID]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield int(process.stdout.readline())
        process.stdin.close()
    assert process.returncode == 0


@as_root
def test_a_user_id_that_another_process_holds_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests that run in parallel reserve ids too, so the test compares with the ids that were in use at that moment."""
    refused = []

    class RecordingSocket(socket.socket):
        def bind(self, address: str) -> None:  # type: ignore[override] # only unix sockets are bound here
            try:
                super().bind(address)
            except OSError as error:
                refused.append((address, error.errno))
                raise

    with user_id_held_by_another_process() as held:
        first = NUMBERS.index(held)
        monkeypatch.setattr(users, "_turns", itertools.count(first))
        monkeypatch.setattr(socket, "socket", RecordingSocket)
        with plain_user() as other:
            assert other is not None
            skipped = (NUMBERS.index(other) - first) % len(NUMBERS)
            assert skipped > 0, "the held id was given again"
            numbers = [NUMBERS[(first + turn) % len(NUMBERS)] for turn in range(skipped)]
            assert refused == [(f"\0memlab-user-{number}", errno.EADDRINUSE) for number in numbers]


def test_the_python_of_a_room_can_be_read_by_its_user_and_has_no_packages() -> None:
    found = interpreter()
    assert tuple(int(one) for one in found.version.split(".")) >= (3, 11)
    assert found.libraries
    assert not [one for one in found.modules if "-packages" in one]


def test_a_folder_that_is_shut_or_nested_without_end_is_removed() -> None:
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
def test_what_is_too_much_is_seen(tmp_path: Path, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
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
        monkeypatch.setattr(os, "scandir", shut)
    assert not disk.is_acceptable(str(tmp_path))


def shut(path: str) -> None:
    raise PermissionError(path)


@pytest.fixture
def tool() -> Iterator[Path]:
    """Make a folder for programs that everybody may run, a plain user too."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def program(path: Path, script: str) -> None:
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def test_the_levels_can_be_imported_where_the_resource_module_is_missing() -> None:
    code = "import sys; sys.modules['resource'] = None; import memlab.sandbox.isolation"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
