import os
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

import pytest

from memlab.memory.text import Refused
from memlab.memory.world import Change, ScriptedWorld
from memlab.sandbox import fork_server
from memlab.systems.answers import LONGEST, SystemFailed, context_of, texts_of
from memlab.systems.child.system import STRIKES, from_path
from memlab.terms import Event, Memory, MemorySystem, Workspace

Tell = Callable[..., Event]
Make = Callable[..., MemorySystem]

HONEST = """
class Mine:
    def __init__(self):
        self.seen = []
    def observe(self, event):
        self.seen.append(event.text)
    def recall(self, query, k=5):
        return self.seen[-k:]
    def assemble(self, task, budget):
        return "\\n".join(self.seen)[: budget * 4]
"""
IS_SOCKET = """
def live(fd):
    try:
        return os.fstat(fd).st_mode & 0o140000 == 0o140000
    except OSError:
        return False
"""


FORGED = "mine.py:Mine' wrote into memlab's channel"


def with_recall(body: str, head: str = "") -> str:
    return f"""
import os, signal, sys, time
{head}
class Mine:
    def observe(self, event): pass
    def assemble(self, task, budget): return "still here"
    def recall(self, query, k=5):
        {body}
"""


def failing(system: MemorySystem, k: int = 5) -> str:
    with pytest.raises(SystemFailed) as caught:
        texts_of("mine", system.recall("q", k), k)
    return str(caught.value)


def test_the_three_verbs_reach_a_system_in_another_process(submit: Make, tell: Tell) -> None:
    system = submit(HONEST)
    system.observe(tell("fact", "Mara ships on Fridays.", name="duty"))
    assert texts_of("mine", system.recall("who ships", 3), 3) == (("Mara ships on Fridays.",), ())
    assert context_of("mine", system.assemble("ship", 3)) == "Mara ships o"


def test_events_arrive_as_they_were_sent(submit: Make, tell: Tell) -> None:
    system = submit(HONEST.replace("event.text", "repr(event)"))
    event = replace(tell("task", "ship \u2713", todo=("build", "deploy")), derived_from=("a",), about="x")
    system.observe(event)
    assert system.recall("q", 1) == [Memory(repr(event))]


def test_notes_travel_beside_the_text(submit: Make) -> None:
    source = "from memlab.terms import Memory\n" + with_recall('return [Memory("a", notes=("stale",)), "b"]')
    assert texts_of("mine", submit(source).recall("q", 2), 2) == (("a", "b"), ("stale",))


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("raise ValueError('no such\\nluck')", "raised ValueError: no such luck (mine.py, line 8)"),
        ("return 1 / 0", "ZeroDivisionError"),
        ("sys.exit(0)", "raised SystemExit: 0"),
        ("raise KeyboardInterrupt", "raised KeyboardInterrupt"),
        ("return self.recall(query, k)", "raised RecursionError"),
        ("return None", "returned None; it must return a list"),
        ("return b'bytes'", "type bytes"),
        ("return 'one string'", "type str; it must return a list"),
        ("return 42", "type int"),
        ("return {'a': 1}", "type dict"),
        ("return (text for text in 'ab')", "type generator"),
        ("return ['a', None]", "item 2 of recall() of"),
        ("return [['a']]", "type list; every item must be a string or a Memory"),
        ("return [b'a']", "type bytes"),
        ("return ['\\udc80']", "half of a surrogate pair"),
        (f"return ['x' * {LONGEST + 1}]", "at most 16,777,216 are read"),
        ("return ['x' * (2**28)]", "returned 268,435,457 characters"),
    ],
)
def test_an_invalid_answer_gives_one_sentence_and_the_process_continues(submit: Make, body: str, says: str) -> None:
    system = submit(with_recall(body))
    message = failing(system)
    assert says in message
    assert "recall() of" in message
    assert "mine.py:Mine" in message
    assert system.assemble("t", 10) == "still here"


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


@pytest.mark.parametrize(
    "body",
    [
        "time.sleep(60)",
        "while True: pass",
        "signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)",
        "os.kill(os.getpid(), signal.SIGSTOP)",
        "os.closerange(0, 3); time.sleep(60)",
    ],
)
def test_a_call_that_never_returns_is_ended_at_the_limit(submit: Make, body: str) -> None:
    system = submit(with_recall(body), limit=0.3)
    start = time.monotonic()
    assert "mine.py:Mine' did not return within 0.3 s" in failing(system)
    assert time.monotonic() - start < 2


def test_a_system_that_is_always_too_slow_is_not_tried_for_ever(submit: Make) -> None:
    source = with_recall("time.sleep(60)")
    for _ in range(STRIKES):
        failing(submit(source, limit=0.2))
    with pytest.raises(SystemFailed, match=r"was over the limit of 0.2 s 3 times and is not tried again"):
        submit(source, limit=0.2)


def test_processes_that_a_child_starts_end_with_it(submit: Make) -> None:
    body = "import subprocess; p = subprocess.Popen(['sleep', '60']); return [str(p.pid)]"
    system = submit(with_recall(body))
    (pid,) = texts_of("mine", system.recall("q"), 5)[0]
    assert os.path.exists(f"/proc/{pid}") or not Path("/proc").exists()  # noqa: PTH110 - a number, not a path
    system.close()  # type: ignore[attr-defined] # a child can be closed
    assert _ended(int(pid))


def test_a_copy_that_forks_inside_a_verb_does_not_answer_too(submit: Make) -> None:
    system = submit(with_recall("os.fork(); return [query]"))
    for number in range(4):
        assert texts_of("mine", system.recall(f"question {number}"), 5)[0] == (f"question {number}",)


def test_a_changed_directory_lasts_for_one_verb(submit: Make, workspace: Workspace) -> None:
    system = submit(with_recall("here = os.getcwd(); os.chdir('/'); return [here]"))
    for _ in range(2):
        assert texts_of("mine", system.recall("q"), 5)[0] == (str(workspace.root.resolve()),)


def test_the_output_of_a_system_is_discarded(submit: Make, tmp_path: Path) -> None:
    submit(with_recall("print('noise'); sys.stderr.write('noise'); os.system('echo noise'); return ['answer']"))
    completed = _in_python(tmp_path / "mine.py")
    assert (completed.stdout, completed.stderr) == ("answer\n", "")


def test_ten_megabytes_are_an_answer(submit: Make) -> None:
    items, _ = texts_of("mine", submit(with_recall("return ['x' * 10_000_000]")).recall("q"), 5)
    assert len(items[0]) == 10_000_000


def test_a_refusal_in_the_child_is_refused_in_the_parent(submit: Make, tell: Tell) -> None:
    source = HONEST.replace("self.seen.append(event.text)", "raise Refused('a name is a slug')")
    system = submit("from memlab.memory import Refused\n" + source)
    with pytest.raises(Refused, match="a name is a slug"):
        system.observe(tell("fact", "x", name="../x"))


def test_the_world_the_clock_and_the_variables_follow_the_scenario(submit: Make, world: ScriptedWorld) -> None:
    source = """
import os
class Mine:
    def __init__(self, workspace): self.at = workspace
    def observe(self, event): pass
    def recall(self, query, k=5):
        see = self.at.world
        seen = see.file("a.sh").presence, see.flag("uv", "--x").presence
        return [repr((self.at.clock(), *seen, os.environ.get("PORT")))]
"""
    system = submit(source)
    assert texts_of("mine", system.recall("q"), 5)[0] == ("(5.0, 'absent', 'unknown', None)",)
    world.change(Change(files={"a.sh": ""}, env={"PORT": "80"}, commands={"uv": ("--x",)}))
    assert texts_of("mine", system.recall("q"), 5)[0] == ("(5.0, 'present', 'present', '80')",)
    world.change(Change(files={"a.sh": None}, env={"PORT": None}))
    assert texts_of("mine", system.recall("q"), 5)[0] == ("(5.0, 'absent', 'present', None)",)


@pytest.mark.parametrize(("lacks", "has"), [("recall", "assemble"), ("assemble", "recall")])
def test_a_missing_verb_has_a_fallback_that_is_reported(submit: Make, tell: Tell, lacks: str, has: str) -> None:
    system = submit(HONEST.replace(f"def {lacks}", f"def other_{lacks}"))
    assert system.fallback == lacks  # type: ignore[attr-defined] # no verb of the Protocol
    system.observe(tell("fact", "Mara ships."))
    assert texts_of("mine", system.recall("who"), 5)[0] == ("Mara ships.",)
    assert system.assemble("ship", 50) == "Mara ships."
    assert has != lacks


def test_a_child_that_kills_the_server_costs_only_its_own_cell(submit: Make) -> None:
    failing(submit(with_recall("os.kill(os.getppid(), signal.SIGKILL); time.sleep(60)"), limit=0.5))
    assert submit(HONEST).recall("q", 1) == []


def test_a_child_that_stops_the_server_costs_only_its_own_cell(submit: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fork_server, "PATIENCE", 0.5)
    monkeypatch.setattr(fork_server, "_servers", {})
    system = submit(with_recall("os.kill(os.getppid(), signal.SIGSTOP); return ['stopped']"))
    assert texts_of("mine", system.recall("q"), 5)[0] == ("stopped",)
    assert submit(HONEST).recall("q", 1) == []


def test_processes_of_a_child_end_with_it_even_in_a_session_of_their_own(submit: Make) -> None:
    start = "subprocess.Popen(['sleep', '60'], start_new_session=True)"
    system = submit(with_recall(f"import subprocess; p = {start}; return [str(p.pid)]"))
    (pid,) = texts_of("mine", system.recall("q"), 5)[0]
    system.close()  # type: ignore[attr-defined] # a child can be closed
    assert _ended(int(pid))


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (r"raise ValueError('\\udc80 \\x1b[2J')", r"raised ValueError: \udc80 \x1b[2J"),
        ("raise ValueError('x' * 10_000_000)", "x" * 300),
        ("raise type('E' * 10_000, (Exception,), {})", "raised " + "E" * 300),
        ("raise Trap", "raised Trap (mine.py, line"),
    ],
)
def test_the_message_of_a_systems_error_is_short_and_printable(submit: Make, body: str, says: str) -> None:
    head = "class Trap(BaseException):\n    def __str__(self): raise SystemExit"
    message = failing(submit(with_recall(body, head)))
    assert says in message
    assert message.isprintable()
    assert len(message) < 1000


def test_a_refusal_is_as_short(submit: Make, tell: Tell) -> None:
    source = HONEST.replace("self.seen.append(event.text)", "raise Refused('x' * 10_000_000)")
    system = submit("from memlab.memory import Refused\n" + source)
    with pytest.raises(Refused, match=r"^x{300}$"):
        system.observe(tell("turn", "x"))


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
        assert pool.submit(_in_worker, f"{Path.cwd().parent / 'mine.py'}:Mine").result() == ("parent",)
    assert texts_of("m", system.recall("q"), 5)[0] == ("parent",)


def test_no_process_survives_the_end_of_memlab(submit: Make, tmp_path: Path) -> None:
    submit(with_recall("return [f'{os.getpid()} {os.getppid()}']"))
    completed = _in_python(tmp_path / "mine.py")
    assert [_ended(int(pid)) for pid in completed.stdout.split()] == [True, True]


def _in_python(path: Path) -> subprocess.CompletedProcess[str]:
    script = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
import test_child_system
print(*test_child_system._in_worker({str(path)!r} + ":Mine", keep=[]))
"""
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)


def _in_worker(name: str, keep: list[MemorySystem] | None = None) -> tuple[str, ...]:
    home = Path.cwd()
    system = from_path(name).build(Workspace(home, home, ScriptedWorld(), clock=float))
    if keep is not None:
        keep.append(system)
    return texts_of("m", system.recall("q"), 5)[0]


def test_a_dropped_system_ends_without_being_closed(tmp_path: Path, workspace: Workspace) -> None:
    path = tmp_path / "mine.py"
    path.write_text(with_recall("return [str(os.getpid())]"), encoding="utf-8")
    entry = from_path(f"{path}:Mine")
    (pid,) = texts_of("m", entry.build(workspace).recall("q"), 5)[0]
    assert _ended(int(pid))


def _ended(pid: int) -> bool:
    for _ in range(200):
        state = Path(f"/proc/{pid}/stat")
        try:
            if state.read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.01)
    return False
