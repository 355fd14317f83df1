from __future__ import annotations

import pty
import subprocess
import sys
from os import close, read, write
from pathlib import Path

import pytest
from commands import invoke

QUICK = ("compare", "--systems", "null", "--scenarios", "recall/first-week", "--seeds", "1")


@pytest.mark.usefixtures("in_empty_folder")
def test_without_a_terminal_the_earlier_run_is_kept_and_the_command_says_where() -> None:
    assert "has a run" not in invoke(*QUICK)
    first = Path("memlab-results/results.jsonl").read_bytes()
    again = invoke(*QUICK)
    assert (
        "memlab-results has a run. Its answers are kept as memlab-results/previous.jsonl when the new one begins."
        in again
    )
    assert Path("memlab-results/previous.jsonl").read_bytes() == first
    assert "has a run" not in invoke(*QUICK, "--overwrite")


@pytest.mark.parametrize(("answer", "code"), [("n", 2), ("y", 0)])
def test_at_a_terminal_memlab_asks_before_it_replaces_a_run(answer: str, code: int, tmp_path: Path) -> None:
    run = tmp_path / "results.jsonl"
    run.write_text("an earlier run\n", encoding="utf-8")
    main, side = pty.openpty()
    start = [sys.executable, "-c", "from memlab.cli import app; app()", *QUICK, "--out", str(tmp_path)]
    with subprocess.Popen(start, stdin=side, stdout=subprocess.DEVNULL, stderr=side) as process:
        close(side)
        shown = b""
        while b"[y/N]" not in shown:
            shown += read(main, 1000)
        write(main, f"{answer}\n".encode())
        assert process.wait() == code
    close(main)
    assert (run.read_text(encoding="utf-8") == "an earlier run\n") == (answer == "n")
    assert (tmp_path / "previous.jsonl").exists() == (answer == "y")
