from __future__ import annotations

import errno
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import typer
from commands import invoke, one_line

import memlab
from memlab.cli.app import err, user_errors
from memlab.cli.compare import resumable
from memlab.harness.running.results import read_results

pytestmark = pytest.mark.usefixtures("in_empty_folder")
MINE = "class Mine:\n    def observe(self, event): pass\n    def recall(self, query, k=5): return []\n"
SEVERAL = "bucket-recent,bucket-search,bm25,bucket-guarded"
"""Systems that are played at every seed: many of them make a long run of few samples, which is planned sooner."""
QUICK = ("compare", "--systems", "null", "--scenarios", "stale/deploy-script-moved", "--seeds", "1")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("check", "--folder", "nowhere"),
            "nowhere: is not a folder. Give a folder that contains <family>/<name>.yaml.",
        ),
        (("scenarios", "--folder", "."), "has no *.yaml file. Give a folder"),
        (("show", "nothing"), "no scenario or family is called 'nothing'."),
        (("show", "stale", "--seed", "-1"), "Invalid value for '--seed'"),
        (("score", "nowhere"), "nowhere: cannot be read (No such file or directory). Give a results.jsonl"),
        (("score", "empty.jsonl"), "there are no results to report. Run `memlab compare` first."),
        (("score", "torn.jsonl"), "the last line is incomplete"),
        (("score", "deep.jsonl"), "deep.jsonl:1: this is not JSON"),
        (("score", "foreign.jsonl"), "foreign.jsonl:1: the line has neither `key` nor `system`"),
        ((*QUICK, "--out", "empty.jsonl"), "empty.jsonl: File exists. A folder is required: choose another path."),
        ((*QUICK, "--out", "/dev/null"), "/dev/null: File exists. A folder is required: choose another path."),
        ((*QUICK, "--out", "empty.jsonl/x"), "x: Not a directory. A folder is required: choose another path."),
        ((*QUICK, "--out", "/proc/x"), "/proc/x: No such file or directory. Choose another path."),
        ((*QUICK, "--attacks", ","), "--attacks: ',' names no attack. Valid: all, delete, "),
        ((*QUICK, "--systems", "nul"), "no system is called 'nul'. Did you mean 'null'?"),
        ((*QUICK, "--systems", "mine.py:Mine"), "there is no file"),
        *(((*QUICK, f"--{name}", "0"), f"Invalid value for '--{name}'") for name in ("seeds", "jobs", "limit")),
        ((*QUICK, "--limit", "inf"), "Invalid value for '--limit'"),
    ],
)
def test_a_mistake_is_one_sentence_and_exit_code_2(words: tuple[str, ...], message: str) -> None:
    Path("empty.jsonl").touch()
    Path("torn.jsonl").write_text("[[[", encoding="utf-8")
    Path("deep.jsonl").write_text("[" * 200_000 + "\n", encoding="utf-8")
    Path("foreign.jsonl").write_text('{"a": 1}\n', encoding="utf-8")
    assert message in one_line(*words, code=2)


def test_an_error_about_a_read_only_folder_does_not_ask_to_free_space() -> None:
    with pytest.raises(typer.Exit), err.capture() as output, user_errors():
        raise PermissionError(errno.EACCES, "Permission denied", "out")
    assert output.get() == "out: Permission denied. Change its permissions or choose another folder.\n"


def test_a_system_that_is_named_twice_runs_once() -> None:
    invoke(*QUICK, "--systems", "null, ,null,")
    results = read_results(Path("memlab-results") / "results.jsonl")
    assert len({one.key.probe for one in results}) == len(results)


def test_a_system_that_fails_at_every_probe_is_shown_as_an_error_and_the_run_is_fine() -> None:
    Path("mine.py").write_text(MINE.replace("pass", "raise LookupError('no \x1b[31m place')"), encoding="utf-8")
    output = invoke(*QUICK, "--systems", "mine.py:Mine,null")
    assert r"! observe() of 'mine.py:Mine' raised LookupError: no \x1b[31m place (mine.py, line 2)" in output


def _memlab(*words: str) -> subprocess.Popen[str]:
    start = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from memlab.cli import app; app()"
    return subprocess.Popen(
        [sys.executable, "-c", start, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        env={**os.environ, "COLUMNS": "200"},
    )


def _running(jobs: str) -> tuple[subprocess.Popen[str], Path]:
    """Start a long run, and wait until it has finished some cells."""
    path = Path("out") / "results.jsonl"
    run = _memlab("compare", "--systems", SEVERAL, "--seeds", "17", "--jobs", jobs, "--out", "out")
    while not (path.exists() and path.stat().st_size > 50_000):
        assert run.poll() is None, run.communicate()[0]
        time.sleep(0.05)
    return run, path


def later(output: str) -> str:
    """Take away what a long run says before it begins."""
    rest, announced = re.subn(r"^[\d,]+ cells to run\. Reduce them with .*\n", "", output)
    assert announced == 1
    return rest


def test_an_error_during_the_cleanup_after_ctrl_c_is_not_reported(tmp_path: Path) -> None:
    def play() -> None:
        try:
            raise KeyboardInterrupt
        finally:
            os.close(-1)

    with pytest.raises(typer.Exit), resumable(tmp_path):
        play()
    with pytest.raises(OSError, match="Bad file descriptor"), resumable(tmp_path):
        os.close(-1)


def test_no_process_outlives_a_run_that_is_killed() -> None:
    run, path = _running("2")
    run.kill()
    assert later(run.communicate(timeout=60)[0]) == ""  # the pipe closes when the last of them has ended
    assert len(read_results(path, warn=lambda _: None)) > 5


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_stopped_keeps_what_was_finished_and_says_where(by: signal.Signals, jobs: str) -> None:
    run, path = _running(jobs)
    if by is signal.SIGINT:
        os.killpg(run.pid, by)  # a terminal sends it to every process of the group
    else:
        run.send_signal(by)
    output, _ = run.communicate(timeout=60)
    assert run.returncode == 2
    advice = "`memlab score out` reports on it, the same command with --resume plays the rest."
    assert later(output) == f"Stopped. Finished cells are in out/results.jsonl: {advice}\n"
    assert len(read_results(path, warn=pytest.fail)) > 5
    with pytest.raises(ProcessLookupError):
        os.killpg(run.pid, 0)


def test_a_disk_that_is_full_is_named_and_what_was_finished_is_kept() -> None:
    script = """
import resource
from memlab.cli import app
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
app(["compare", "--systems", "null", "--seeds", "5", "--out", "out"])
"""
    output = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert output.returncode == 2
    assert "out: File too large. Free some space or choose another folder." in output.stderr
    assert "Traceback" not in output.stderr
    assert len(read_results(Path("out") / "results.jsonl", warn=lambda _: None)) > 5


def test_help_does_not_import_the_packages_of_the_report() -> None:
    script = "import sys, memlab.cli; print([one for one in ('pandas', 'matplotlib', 'scipy') if one in sys.modules])"
    output = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert output == "[]\n"


@pytest.mark.parametrize("width", [30, 80])
def test_a_list_that_is_piped_has_every_id_and_every_title_in_one_line(width: int) -> None:
    output = invoke("scenarios", width=width)
    assert re.search(r"^oversize/one-comment-among-two-hundred +\S.*\S", output, re.MULTILINE)
    assert "\N{HORIZONTAL ELLIPSIS}" not in output
    assert len(output.splitlines()) == 1 + len(memlab.scenarios())


def test_a_run_of_family_limits_only_has_a_page_and_says_that_no_mean_counts_it() -> None:
    quick = ("compare", "--systems", "null", "--scenarios", "limits/where-it-is-not", "--seeds", "1")
    assert "Only family limits was run" in invoke(*quick)
    assert Path("memlab-results/report.html").exists()
    assert "column" in invoke("compare", "--scenarios", "limits", "--power")


def test_an_attack_that_applies_to_no_scenario_starts_no_run() -> None:
    output = invoke(*QUICK, "--scenarios", "recall/first-week", "--attacks", "revive", code=2)
    assert "revive applies to none of these scenarios" in output
    assert not Path("memlab-results").exists()
