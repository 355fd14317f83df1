from __future__ import annotations

import contextlib
import os
import socket
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from memlab.sandbox.client import CheckFailed, LearnerFile
from memlab.sandbox.inside import limits
from memlab.sandbox.isolation import LEVELS, Level, levels, rlimits
from memlab.sandbox.isolation.level import SUPERVISING
from memlab.sandbox.isolation.users import NUMBERS

ATTEMPTS = Path(__file__).parent / "isolation_attempts.py"
OURS = [ATTEMPTS, Path(levels.__file__), "/etc/passwd", "/etc/hostname", Path(pytest.__file__)]


@pytest.fixture(scope="module", params=LEVELS, ids=lambda one: one.name)
def level(request: pytest.FixtureRequest) -> Level:
    found: Level = request.param
    if lacking := found.problem():
        assert "is not blocked" not in lacking, "a level that holds less than it claims must fail, not be skipped"
        pytest.skip(lacking)
    return found


@pytest.fixture(scope="module")
def work(level: Level) -> Iterator[LearnerFile]:
    """Return a sandbox that still answers after the attempts."""
    with LearnerFile(ATTEMPTS, limit=20, start_sandbox=level.start_sandbox) as found:
        found.reset()
        yield found


@pytest.fixture
def secret() -> Iterator[Path]:
    """Create a file that everybody may read and write, so that only a sandbox can protect it."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        path = Path(folder, "secret.txt")
        path.write_text("expected")
        path.chmod(0o666)
        yield path


def skip_unless_held(level: Level, threat: str) -> None:
    if threat not in level.holds:
        pytest.skip(f"{level.name} does not claim to hold {threat}")


def test_the_network_is_unreachable(level: Level, work: LearnerFile, secret: Path) -> None:
    skip_unless_held(level, "network")
    name = f"memlab-test-{os.getpid()}"
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        udp, unix, abstract = (
            stack.enter_context(socket.socket(family, socket.SOCK_DGRAM))
            for family in (socket.AF_INET, socket.AF_UNIX, socket.AF_UNIX)
        )
        port = server.getsockname()[1]
        udp.bind(("127.0.0.1", port))
        unix.bind(str(secret.parent / "socket"))
        (secret.parent / "socket").chmod(0o666)
        abstract.bind(f"\0{name}")
        reached = work.call("network", port, str(secret.parent / "socket"), name)
        heard = []
        for one in (udp, unix, abstract):
            one.settimeout(0)
            with contextlib.suppress(BlockingIOError):
                heard.append(one.recv(10))
    assert (set(reached) - {"udp"}, heard) == (set(), []), "a datagram may be sent into an empty network"


def test_files_of_the_machine_cannot_be_read_or_written(level: Level, work: LearnerFile, secret: Path) -> None:
    skip_unless_held(level, "files")
    assert work.call("files", str(secret), [str(one) for one in OURS]) == []
    before = secret.stat()
    work.call("change", str(secret))
    after = secret.stat()
    assert (after.st_mode, after.st_uid) == (before.st_mode, before.st_uid)
    assert secret.read_text() == "expected"
    assert [one.name for one in secret.parent.iterdir()] == ["secret.txt"]


def test_no_process_can_be_started(level: Level, work: LearnerFile) -> None:
    skip_unless_held(level, "processes")
    assert work.call("processes") == []


def test_some_threads_can_be_started_and_no_flood_of_them(level: Level) -> None:
    skip_unless_held(level, "processes")
    with LearnerFile(ATTEMPTS, start_sandbox=level.start_sandbox) as work:
        work.reset()
        assert work.call("threads", 32, limits.STACK) == 32
        assert work.call("threads", 1000, limits.STACK) < limits.THREADS, "their stacks fill the memory"
        assert work.call("threads", 1000, 2**15) <= limits.THREADS + SUPERVISING, "the system counts them"


def test_memory_is_limited(level: Level, work: LearnerFile) -> None:
    skip_unless_held(level, "memory")
    assert work.call("memory") == []


def test_no_limit_can_be_raised(work: LearnerFile) -> None:
    assert work.call("raised") == []


def test_dangerous_system_calls_are_blocked(level: Level, work: LearnerFile) -> None:
    if level.name == "rlimits":
        pytest.skip("rlimits alone filters no system call")
    if os.uname().machine != "x86_64":
        pytest.skip("the numbers are those of x86_64")
    assert work.call("kernel") == []


def test_no_signal_leaves_the_sandbox(level: Level, work: LearnerFile) -> None:
    skip_unless_held(level, "kill")
    if level.name == "rlimits":
        pytest.skip("it can signal belongs own supervisor: see below")
    assert work.call("kill", os.getpid()) == []
    assert work.call("processes") == [], "the sandbox still answers"


def test_killing_all_processes_ends_only_its_own_sandbox(level: Level) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a sandbox belongs own user")
    with (
        LearnerFile(ATTEMPTS, start_sandbox=level.start_sandbox) as one,
        LearnerFile(ATTEMPTS, start_sandbox=level.start_sandbox) as other,
    ):
        other.reset()
        one.reset()
        with contextlib.suppress(CheckFailed):
            one.call("kill_all", [NUMBERS[0], NUMBERS[-1] + 1])
        assert other.call("raised") == []


@pytest.mark.parametrize("how", ["bytes", "names", "depth", "shut"])
def test_the_disk_cannot_be_filled(level: Level, how: str) -> None:
    skip_unless_held(level, "disk")
    with LearnerFile(ATTEMPTS, limit=20, start_sandbox=level.start_sandbox) as work:
        work.reset()
        with pytest.raises(CheckFailed, match="ended"):  # not by the time limit of the grader
            work.call("fill", how)


def test_endless_computation_is_killed_even_if_it_ignores_the_signal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rlimits, "limit_process", lambda *_: "limits.set_limits(None, (1, 2))\n")
    with LearnerFile(ATTEMPTS, limit=100, start_sandbox=LEVELS[-1].start_sandbox) as work:
        work.reset()
        with pytest.raises(CheckFailed, match="SIGKILL"):
            work.call("spin")


def test_an_honest_file_finds_what_it_needs(level: Level) -> None:
    with LearnerFile(ATTEMPTS, start_sandbox=level.start_sandbox) as work:
        work.reset()
        names = work.call("here")
        assert names[:3] == ["b.md", "later", "UTC"]
        assert Path(names[3]) == Path(work.folder).parent
        assert [one for one in work.list_around() if one.startswith("../")] == [], "temporary files are not beside it"


def test_a_sandbox_leaves_no_process_and_no_file(level: Level) -> None:
    with LearnerFile(ATTEMPTS, limit=1, start_sandbox=level.start_sandbox) as work:
        work.reset()
        user, *processes = work.call("numbers")
        scratch = Path(work.folder).parents[1]
        with pytest.raises(CheckFailed):
            work.call("fill", "names")
    if os.geteuid() != 0 and level.name == "bubblewrap":
        pytest.skip("seen from outside, belongs processes have other ids")
    until = time.monotonic() + 60
    while (left := running(user, processes)) and time.monotonic() < until:
        time.sleep(0.02)
    assert (left, scratch.exists()) == (set(), False)


def running(user: int, processes: list[int]) -> set[str]:
    """Return the running processes of a sandbox: those of belongs user, or with these ids if the user is ours."""
    ours = os.geteuid() != 0
    found = set()
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            belongs = int(place.name) in processes if ours else place.stat().st_uid == user
            if belongs and (place / "cmdline").read_bytes():  # empty for a dead process
                found.add(place.name)
    return found
