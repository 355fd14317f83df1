import os
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest
from child_systems import (
    HONEST,
    IS_SOCKET,
    Make,
    Tell,
    failing,
    in_python,
    in_worker,
    is_released,
    is_running,
    starts_running,
    unique_seconds,
    with_recall,
)

from memlab.sandbox import fork_server
from memlab.sandbox.channel import ChildProcessFailed
from memlab.systems.answers import SystemFailed, texts_of
from memlab.systems.child.system import STRIKES, from_path
from memlab.terms import Workspace

FORGED = "mine.py:Mine' wrote into memlab's channel"
ENDLESS = (
    "time.sleep(60)",
    "while True: pass",
    "signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)",
    "os.kill(os.getpid(), signal.SIGSTOP)",
    "os.closerange(0, 3); time.sleep(60)",
)


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("os._exit(3)", "mine.py:Mine' ended Python itself (exit code 3)"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "mine.py:Mine' was ended by SIGKILL"),
        ("os.killpg(0, signal.SIGTERM)", "mine.py:Mine' was ended by SIGTERM"),
        ("os.closerange(3, 64); return ['a']", "recall() of"),
        (
            "[os.write(fd, b'junk\\n') for fd in range(3, 9) if live(fd)]; time.sleep(60)",
            FORGED,
        ),
        (
            "[os.write(fd, b'[1]\\n') for fd in range(3, 9) if live(fd)]; time.sleep(60)",
            FORGED,
        ),
        (
            "[os.write(fd, b'{}\\n') for fd in range(3, 9) if live(fd)]; time.sleep(60)",
            FORGED,
        ),
        (
            '[os.write(fd, b\'{"ok": [3], "number": 2}\\n\') for fd in range(3, 9) if live(fd)]; time.sleep(60)',
            "mine.py:Mine' sent a reply of another shape",
        ),
    ],
)
def test_a_process_that_ends_or_forges_its_replies_is_an_error(submit: Make, body: str, says: str) -> None:
    message = failing(submit(with_recall(body, IS_SOCKET)))
    assert says in message
    assert message.startswith("recall() of")


def test_after_its_process_is_gone_every_verb_repeats_the_error(submit: Make, tell: Tell) -> None:
    system = submit(with_recall("os._exit(1)"))
    message = failing(system)
    with pytest.raises(SystemFailed) as observing:
        system.observe(tell("turn", "hello"))
    with pytest.raises(SystemFailed) as assembling:
        system.assemble("t", 9)
    assert str(observing.value) == str(assembling.value) == message


def test_a_system_that_is_closed_has_no_time_to_write_what_it_kept(submit: Make, workspace: Workspace) -> None:
    written = workspace.directory / "late"
    on_deletion = f"{HONEST}    def __del__(self):\n        open({str(written)!r}, 'w').close()\n"
    for _ in range(5):
        submit(on_deletion).close()  # type: ignore[attr-defined] # a child has it
        assert not written.exists()


@pytest.mark.parametrize("body", ENDLESS)
def test_a_call_that_never_returns_is_ended_at_the_limit(submit: Make, body: str) -> None:
    assert "mine.py:Mine' did not return within 0.3 s" in failing(submit(with_recall(body), limit=0.3))


@pytest.mark.timing
@pytest.mark.parametrize("body", ENDLESS)
def test_a_call_that_never_returns_is_ended_soon_after_the_limit(submit: Make, body: str) -> None:
    system = submit(with_recall(body), limit=0.3)
    start = time.monotonic()
    failing(system)
    assert time.monotonic() - start < 2


def test_a_system_that_is_always_too_slow_is_not_tried_for_ever(submit: Make) -> None:
    source = with_recall("time.sleep(60)")
    for _ in range(STRIKES):
        failing(submit(source, limit=0.2))
    with pytest.raises(SystemFailed, match=r"was over the limit of 0.2 s 3 times and is not tried again"):
        submit(source, limit=0.2)


def test_processes_that_a_child_starts_end_with_it(submit: Make) -> None:
    seconds = unique_seconds()
    body = f"import subprocess; subprocess.Popen(['sleep', '{seconds}']); return ['started']"
    system = submit(with_recall(body))
    assert texts_of("mine", system.recall("q"), 5)[0] == ("started",)
    assert starts_running(f"sleep {seconds}")
    system.close()  # type: ignore[attr-defined] # a child can be closed
    assert not is_running(f"sleep {seconds}")


def test_a_copy_that_forks_inside_a_verb_does_not_answer_too(submit: Make) -> None:
    system = submit(with_recall("os.fork(); return [query]"))
    for number in range(4):
        assert texts_of("mine", system.recall(f"question {number}"), 5)[0] == (f"question {number}",)


def test_a_child_that_kills_the_server_costs_only_its_own_cell(submit: Make) -> None:
    failing(submit(with_recall("os.kill(os.getppid(), signal.SIGKILL); time.sleep(60)"), limit=0.5))
    assert submit(HONEST).recall("q", 1) == []


def test_a_child_that_stops_the_server_costs_only_its_own_cell(submit: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fork_server, "PATIENCE", 0.5)
    monkeypatch.setattr(fork_server, "_servers", {})
    system = submit(with_recall("os.kill(os.getppid(), signal.SIGSTOP); return ['stopped']"))
    assert texts_of("mine", system.recall("q"), 5)[0] == ("stopped",)
    assert submit(HONEST).recall("q", 1) == []


def test_a_server_that_does_not_start_says_so_and_where_its_message_is() -> None:
    server = fork_server.ForkServer(fork_server.Launch(("false",), (), salt=0, longest=2**20))
    with pytest.raises(ChildProcessFailed, match=r"did not start: .* on stderr"):
        server.fork("")


def test_processes_of_a_child_end_with_it_even_in_a_session_of_their_own(submit: Make) -> None:
    seconds = unique_seconds()
    start = f"subprocess.Popen(['sleep', '{seconds}'], start_new_session=True)"
    system = submit(with_recall(f"import subprocess; {start}; return ['started']"))
    assert texts_of("mine", system.recall("q"), 5)[0] == ("started",)
    assert starts_running(f"sleep {seconds}")
    system.close()  # type: ignore[attr-defined] # a child can be closed
    assert not is_running(f"sleep {seconds}")


def test_a_child_cannot_see_which_test_is_running(submit: Make) -> None:
    assert "PYTEST_CURRENT_TEST" in os.environ
    answer = texts_of("mine", submit(with_recall("return [*os.environ, *sys.argv]")).recall("q"), 99)[0]
    assert not {"PYTEST_CURRENT_TEST", "PWD", "OLDPWD", "_"} & set(answer)


def test_a_child_holds_its_own_wire_and_no_other_open_file(submit: Make) -> None:
    (answer,) = texts_of("mine", submit(with_recall("return [' '.join(os.listdir('/proc/self/fd'))]")).recall("q"), 5)[
        0
    ]
    assert len(answer.split()) == 3 + 1 + 1  # silenced streams, the wire, and the listing itself


def test_a_reply_without_an_end_is_not_read_for_ever(submit: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fork_server, "LONGEST", 2**20)
    flood = "[os.write(fd, b'x' * 65536) for _ in range(999) for fd in range(3, 9) if live(fd)]"
    assert "gave more than 1,048,576 bytes" in failing(submit(with_recall(flood, IS_SOCKET)))


def test_a_forked_worker_starts_children_of_its_own(submit: Make) -> None:
    system = submit(with_recall("return ['parent']"))
    with ProcessPoolExecutor(1, mp_context=get_context("fork")) as pool:
        assert pool.submit(in_worker, f"{Path.cwd().parent / 'mine.py'}:Mine").result() == ("parent",)
    assert texts_of("m", system.recall("q"), 5)[0] == ("parent",)


def test_no_process_survives_the_end_of_memlab(submit: Make, tmp_path: Path) -> None:
    seconds = unique_seconds()
    start = f"subprocess.Popen(['sleep', '{seconds}'], start_new_session=True)"
    submit(with_recall(f"import subprocess; {start}; return ['started']")).close()  # type: ignore[attr-defined] # as above
    assert in_python(tmp_path / "mine.py").stdout == "started\n"
    assert not is_running(f"sleep {seconds}")


def test_a_dropped_system_ends_without_being_closed(tmp_path: Path, workspace: Workspace) -> None:
    path = tmp_path / "mine.py"
    lock = "fcntl.flock(HELD, fcntl.LOCK_EX); return ['held']"
    path.write_text(with_recall(lock, "import fcntl\nHELD = open(os.environ['HOME'] + '/lock', 'w')"), encoding="utf-8")
    entry = from_path(f"{path}:Mine")
    assert texts_of("m", entry.build(workspace).recall("q"), 5)[0] == ("held",)
    assert is_released(workspace.directory / "lock")
