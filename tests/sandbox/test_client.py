"""A learner's file in its own process: each call returns a value, or raises one sentence."""

import os
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import strategies as st

from memlab.labs.checks.check import Checks, expect, fail
from memlab.labs.checks.checking import run_checks
from memlab.sandbox import client, fork_server
from memlab.sandbox.client import CheckFailed, LearnerFile, Raised
from memlab.sandbox.sandbox import StartSandbox
from memlab.sandbox.unisolated import TEMPLATES, start_anew, start_unisolated

Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Return a function that writes a learner's file."""

    def written(source: str) -> Path:
        path = tmp_path / "memory_store.py"
        path.write_text(source, encoding="utf-8")
        return path

    return written


def recall_problem(path: Path, *args: object, made: str = "", limit: float = 5.0) -> str:
    """Return the error message of a call of `recall`."""
    with LearnerFile(path, made, limit) as work:
        try:
            work.reset()
            return f"no error, it returned {work.call('recall', *args)}"
        except CheckFailed as wrong:
            return str(wrong)


def test_a_call_returns_a_plain_value_and_the_printed_text(write: Write) -> None:
    with LearnerFile(write("def recall(query, k=1):\n    print('hm')\n    return (query, [k, None])\n")) as work:
        work.reset()
        assert work.call("recall", "where", k=2) == ["where", [2, None]]
        assert work.printed == "hm\n"
        assert work.calls == ["recall('where', k=2)"]


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("def recall(q):\n    return {}['x']\n", "recall('q') raised KeyError: 'x' (line 2)"),
        ("def recall(q):\n    raise NotImplementedError\n", "recall is not written yet: it raises NotImplementedError"),
        (
            "def recal(q):\n    pass\n",
            "memory_store.py has no recall. Keep the name that it had: the interface is fixed",
        ),
        ("def recall(q)\n", "memory_store.py does not load, line 1: SyntaxError: expected ':'"),
        ("import nowhere_to_be_found\n", "memory_store.py does not load, line 1: ModuleNotFoundError: No module named"),
        (
            "def recall(q):\n    return object()\n",
            "recall('q') returned an object of type object, expected a plain value",
        ),
        ("def recall(q):\n    a = []\n    a.append(a)\n    return a\n", "lists nested too deep"),
        ("import os\ndef recall(q):\n    os._exit(3)\n", "recall('q') ended Python itself (exit code 3)"),
        ("import os\nos._exit(0)\n", "loading memory_store.py ended Python itself (exit code 0)"),
        ("def recall(q):\n    raise SystemExit\n", "recall('q') raised SystemExit: "),
        (
            "def recall():\n    pass\n",
            "recall('q') raised TypeError: recall() takes 0 positional arguments but 1 was given",
        ),
        ("", "memory_store.py has no recall"),
        ("import json\njson.dumps = lambda *a, **k: 'x'\n", "wrote into memlab's channel"),
        ("import json\njson.dumps = lambda *a, **k: '{}'\n", "or changed the code that answers"),
        (
            "import os, contextlib\ndef recall(q):\n    for n in range(3, 30):\n"  # noqa: ISC004 - one file
            "        with contextlib.suppress(OSError): os.write(n, b'[]\\n')\n",
            "wrote into memlab's channel",
        ),
        (
            "import os\ndef recall(q):\n    os.execv('/bin/sleep', ['sleep', '335'])\n",
            "raised PermissionError: the lab allows no other process (os.exec) (line 3)",
        ),
        ("def recall(q):\n    return ['\\udcff']\n", "returned a text with a lone surrogate"),
        ("def recall(q):\n    return 10**6000\n", "returned a number of more than 30 digits, expected a plain value"),
        (
            "class Bad(Exception):\n    def __str__(self): raise KeyError\ndef recall(q):\n    raise Bad\n",
            "raised Bad: (and its __str__ raised KeyError)",
        ),
    ],
)
def test_every_error_of_a_file_is_one_sentence(write: Write, source: str, sentence: str) -> None:
    assert sentence in recall_problem(write(source), "q")


def test_an_endless_loop_is_reported_and_later_calls_return_at_once(write: Write) -> None:
    path = write("def recall(q):\n    while True: pass\n")
    with LearnerFile(path, limit=0.3) as work:
        work.reset()
        for _ in range(50):
            with pytest.raises(
                CheckFailed, match=r"recall\(.q.\) did not return within 0.3 s. Is there an endless loop"
            ):
                work.call("recall", "q")


@pytest.mark.parametrize("start", ["os.fork()", "subprocess.run('true')", "os.posix_spawn('/bin/true', ['true'], {})"])
def test_a_call_that_starts_a_process_is_refused_with_its_line_and_the_bound(write: Write, start: str) -> None:
    problem = recall_problem(write(f"import os, subprocess\ndef recall(q):\n    {start}\n"), "q")
    assert re.fullmatch(r".* PermissionError: the lab allows no other process \(\w+\.\w+\) \(line 3\)", problem), (
        problem
    )


def test_long_exception_messages_are_cut(write: Write) -> None:
    assert len(recall_problem(write("def recall(q):\n    raise KeyError('x' * 500_000)\n"), "q")) < 500


def test_environment_variables_of_the_machine_do_not_reach_the_file(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAB_DATABASE_URL", "x")
    with LearnerFile(
        write("import os\ndef recall(q):\n    return [os.environ.get(q), bool(os.environ.get('PATH'))]\n")
    ) as work:
        work.reset()
        assert work.call("recall", "LAB_DATABASE_URL") == [None, True]


def test_slow_calls_end_at_the_total_time_limit(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(client, "time", SimpleNamespace(monotonic=lambda: now[0]))
    with LearnerFile(write("def recall(q):\n    pass\n"), total=2.5) as work:
        work.reset()
        now[0] = 1.5
        work.call("recall", "q")
        now[0] = 3.0
        with pytest.raises(CheckFailed, match=r"the calls of this check took over 2.5 s, the last was recall\(.q.\)"):
            work.call("recall", "q")


def test_a_check_reports_an_answer_of_unexpected_shape(write: Write) -> None:
    checks = Checks("06")

    @checks.add("recall")
    def gives_pairs(work: LearnerFile) -> None:
        """Recall returns pairs."""
        work.reset()
        assert [a + b for a, b in work.call("recall", "q")]

    (finding,) = run_checks(checks, write("def recall(q):\n    return None\n"))
    assert finding.message.startswith(
        "recall('q') returned or left something of another shape than expected (TypeError"
    )


def test_output_of_the_file_never_reaches_the_answers(write: Write) -> None:
    source = "import os, sys\ndef recall(q):\n    os.write(1, b'{}\\n'); sys.__stdout__.write('{}\\n'); return q\n"
    with LearnerFile(write(source)) as work:
        work.reset()
        assert [work.call("recall", "q"), work.printed] == ["q", "{}\n"]


def test_reset_gives_a_new_folder_with_the_given_files_variables_and_commands_and_reloads_the_file(
    write: Write,
) -> None:
    source = (
        "import os\nfrom pathlib import Path\nHELP = {}\nSEEN = []\n"
        "def recall(q):\n    SEEN.append(q)\n    Path('left').touch()\n"
        "    here = [str(one) for one in sorted(Path().rglob('*'))]\n"
        "    return [here, os.environ.get('MEMLAB_X'), HELP, SEEN]\n"
    )
    with LearnerFile(write(source)) as work:
        work.reset({"a/b.sh": "text"}, {"MEMLAB_X": "1"}, {"npm": "--x"})
        assert work.call("recall", "q") == [["a", "a/b.sh", "left"], "1", {"npm": "--x"}, ["q"]]
        assert work.read_text("a/b.sh") == "text"
        work.reset()
        assert work.call("recall", "r") == [["left"], None, {}, ["r"]]


def test_restart_gives_a_new_process_with_another_hash_seed_in_the_same_folder(write: Write) -> None:
    with LearnerFile(write("import os\ndef recall(q):\n    return [os.getpid(), hash(q), os.listdir()]\n")) as work:
        work.reset(["a"])
        first = work.call("recall", "q")
        work.restart()
        second = work.call("recall", "q")
        assert first[0] != second[0]
        assert first[1] != second[1]
        assert first[2] == second[2] == ["a"]


def test_where_processes_cannot_be_copied_each_starts_python_anew(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write("def recall(q):\n    return hash(q)\n")
    monkeypatch.delattr(os, "fork")
    with LearnerFile(path) as work:
        work.reset()
        first = work.call("recall", "q")
        work.restart()
        assert work.call("recall", "q") != first


@pytest.mark.parametrize("start", [start_unisolated, start_anew])
def test_the_next_process_knows_nothing_of_the_one_before(write: Write, start: StartSandbox) -> None:
    source = (
        "import gc, os, sys\ngc.unfreeze()\nsys.known = getattr(sys, 'known', 0) + 1\nMARK = 'made by ' + 'the file'\n"
        "def recall(q):\n    return [sys.known, sum('made by the ' + 'file' == one for held in gc.get_objects()\n"
        "        if isinstance(held, dict) for one in list(held.values()) if isinstance(one, str))]\n"
    )
    with LearnerFile(write(source), start_sandbox=start) as work:
        for _ in range(6):  # more than there are templates
            work.reset()
            work.restart()
            assert work.call("recall", "q") == [1, 1]


def test_the_process_to_copy_holds_neither_memlab_nor_a_variable_of_the_machine(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAB_DATABASE_URL", "postgres-of-the-machine")
    source = (
        "import gc, importlib.util, os, sys\ngc.unfreeze()\n"
        "def recall(q):\n    words = [one for held in gc.get_objects() for one in texts(held)]\n"
        "    return [importlib.util.find_spec('memlab') is None, [one for one in sys.modules if 'memlab' in one],\n"
        "        [one for one in words if one.startswith(q) and one != q]]\n"
        "def texts(held):\n    some = held.values() if type(held) is dict else held\n"
        "    return [one for one in some if isinstance(one, str)] if type(held) in (dict, list, tuple) else []\n"
    )
    with LearnerFile(write(source)) as work:
        work.reset()
        assert work.call("recall", "postgres-of-") == [True, [], []]


def test_a_process_holds_its_own_channel_and_no_other_open_file(write: Write) -> None:
    source = (
        "from os import dup2\ndef recall(q):\n    try: return bool(dup2(q, 31))\n    except OSError: return False\n"
    )
    with LearnerFile(write(source)) as work:
        work.reset()
        assert sum(work.call("recall", number) for number in range(31)) == 3 + 1  # silenced streams, and the channel


def test_a_process_that_kills_or_stops_its_template_costs_no_other_file_anything(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fork_server, "PATIENCE", 0.5)
    path = write("import os, signal\ndef recall(q):\n    os.kill(os.getppid(), getattr(signal, q))\n")
    for name in ("SIGKILL", "SIGSTOP"):
        with LearnerFile(path) as work, suppress(CheckFailed):
            work.reset()
            work.call("recall", name)
        with LearnerFile(write("def recall(q):\n    return q\n")) as other:
            for _ in range(TEMPLATES):
                other.reset()
                other.restart()
                assert other.call("recall", "q") == "q"


def test_reset_creates_a_new_object_of_the_class_and_its_methods_are_called(write: Write) -> None:
    source = (
        "class Mix:\n    seen = 0\n"
        "    def recall(self, q, *, source='user'):\n        self.seen += 1\n        return self.seen\n"
    )
    with LearnerFile(write(source), "Mix") as work:
        work.reset()
        assert [work.call("recall", "q"), work.call("recall", "q"), work.get("seen")] == [1, 2, 2]
        assert [work.has_parameter("recall", "source"), work.has_parameter("recall", "session")] == [True, False]
        work.reset()
        assert work.call("recall", "q") == 1
    assert recall_problem(write("class Mox: pass\n"), made="Mix") == (
        "memory_store.py does not load: AttributeError: it has no class Mix. Keep the name that it had"
    )


@pytest.mark.parametrize(
    ("before", "parameters", "takes"),
    [
        ("", "q, /, *, source='user'", True),
        ("", "q, **named", True),
        ("", "q, *source", False),
        ("", "q", False),
        ("@wrapped", "q, source='user'", True),
        ("@partial(partial, source='user')", "q, source", True),
        ("@partial(partial, q='q')", "q", False),
    ],
)
def test_a_parameter_is_found_however_the_function_is_written(
    write: Write,
    before: str,
    parameters: str,
    takes: bool,  # noqa: FBT001 - a parameter
) -> None:
    source = (
        "from functools import partial, wraps\ndef wrapped(function):\n    return wraps(function)(lambda q: 'q')\n"
        f"{before}\ndef recall({parameters}):\n    return q\n"
    )
    with LearnerFile(write(source)) as work:
        work.reset()
        assert work.has_parameter("recall", "source") == takes


def test_an_exception_can_be_returned_as_a_value(write: Write) -> None:
    with LearnerFile(write("def recall(q):\n    raise ValueError('no ' + q)\n")) as work:
        work.reset()
        assert work.attempt("recall", "q") == Raised("ValueError", "no q (line 2)", is_refusal=True)


@pytest.mark.parametrize(
    ("error", "refuses"),
    [
        ("No('q')", True),
        ("KeyError('q')", False),
        ("UnicodeError('q')", False),
        ("json.JSONDecodeError('q', '', 0)", False),
    ],
)
def test_only_a_deliberate_value_error_is_a_refusal(write: Write, error: str, refuses: bool) -> None:  # noqa: FBT001 - a parameter
    with LearnerFile(write(f"import json\nclass No(ValueError): pass\ndef recall(q):\n    raise {error}\n")) as work:
        work.reset()
        assert work.attempt("recall", "q").is_refusal == refuses


def test_the_list_of_calls_begins_with_the_initial_files_variables_and_commands(write: Write) -> None:
    with LearnerFile(write("HELP = {}\ndef recall(q):\n    return q\n")) as work:
        work.reset({"run.sh": "", "rules.md": "Be slow."}, env={"DOCK": ""}, commands={"pnpm": "usage: pnpm"})
        work.call("recall", "q")
        files = ["(run.sh is there)", "(rules.md holds 'Be slow.')"]
        assert work.calls == [*files, "($DOCK is '')", "(HELP['pnpm'] is 'usage: pnpm')", "recall('q')"]


def test_the_folder_of_a_file_is_removed_at_the_end(write: Write) -> None:
    with LearnerFile(write("def recall(q):\n    open('left', 'w').close()\n")) as work:
        work.reset()
        work.call("recall", "q")
        folder = Path(work.folder)
        assert (folder / "left").exists()
    assert not folder.parent.exists()


def test_a_property_reports_the_smallest_case_and_its_calls_and_is_reproducible(write: Write) -> None:
    checks = Checks("06")

    @checks.add("recall", number=st.integers(0, 1000))
    def gives_the_number(work: LearnerFile, number: int) -> None:
        """Recall gives what it was asked."""
        work.reset()
        work.call("recall", 0)
        expect(work.call("recall", number), number, "the number itself", work)

    path = write("def recall(n):\n    return min(n, 17)\n")
    (first,), (second,) = run_checks(checks, path), run_checks(checks, path)
    assert first == second
    assert not first.passed
    assert first.message == "recall(18) returned 17, expected the number itself"
    assert first.calls == ("recall(0)",)
    assert (first.check.name, first.check.sentence) == ("recall/gives-the-number", "Recall gives what it was asked.")


def test_a_nondeterministic_answer_is_reported_and_is_not_a_crash(write: Write) -> None:
    checks = Checks("06")

    @checks.add("recall", number=st.integers(0, 3))
    def repeats(work: LearnerFile, number: int) -> None:
        """Recall returns zero."""
        work.reset()
        if work.call("recall", number):
            fail(work, "gave something")

    counting = "import sys\ndef recall(n):\n    sys.seen = getattr(sys, 'seen', 0) + 1\n    return sys.seen == 3\n"
    (finding,) = run_checks(checks, write(counting))
    assert "two different outcomes" in finding.message
