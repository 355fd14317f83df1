"""What a user's system prints is kept with the answer before which it was printed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import memlab
from memlab.harness.running.runner import play
from memlab.harness.scenarios.loading import library, load
from memlab.report.folder import write
from memlab.systems.registry import entry
from memlab.terms import Result

LOUD = """
import os, sys
print("loading", file=sys.stderr)
class Loud:
    def __init__(self, workspace):
        self.workspace = workspace
    def observe(self, event): pass
    def recall(self, query, k=5):
        print("asked", query)
        os.system("echo from a process of its own >&2")
        {more}
        return []
"""


def played(folder: Path, more: str = "pass", content: str = LOUD) -> list[Result]:
    (folder / "loud.py").write_text(content.format(more=more), encoding="utf-8")
    scenario = load(library() / "recall" / "first-week.yaml").sample(0)
    return next(iter(play(scenario, [entry(f"{folder / 'loud.py'}:Loud")])))


def test_what_was_printed_is_in_the_result_of_the_next_answer(tmp_path: Path) -> None:
    first, second, _ = played(tmp_path)
    assert first.printed == f"loading\nasked {first.key.query}\nfrom a process of its own\n"
    assert second.printed == f"asked {second.key.query}\nfrom a process of its own\n"


def test_what_was_printed_before_an_end_is_kept(tmp_path: Path) -> None:
    first, second, _ = played(tmp_path, "os._exit(3)")
    assert "exit code 3" in first.error
    assert first.printed.startswith(f"loading\nasked {first.key.query}\n")
    assert not second.printed


def test_what_was_printed_before_loading_failed_is_kept(tmp_path: Path) -> None:
    first, *_ = played(tmp_path, content="print('a' * 9000 + 'end')\nclass Loud:\n    observe = 1 / 0\n")
    assert "division by zero" in first.error
    assert first.printed.startswith("... a")
    assert first.printed.endswith("aend\n")
    assert len(first.printed) < 2100


def test_a_system_cannot_have_another_file_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("a secret", encoding="utf-8")
    folder = 'os.path.join(os.environ["TMPDIR"], name)'
    more = f'for name in os.listdir(os.environ["TMPDIR"]): os.unlink({folder}); os.symlink({str(secret)!r}, {folder})'
    assert not [one for one in played(tmp_path, more) if "secret" in one.printed]


def test_printed_text_is_in_a_file_beside_the_results_and_in_the_explanation(tmp_path: Path) -> None:
    results = played(tmp_path)
    write(results, tmp_path / "run")
    text = (tmp_path / "run" / "printed.txt").read_text(encoding="utf-8")
    assert "recall/first-week, seed 0, before probe door:\nloading\nasked code of the medicine room" in text
    assert "printed: from a process of its own" in str(memlab.Results(results).explain())
    write([replace(one, printed="") for one in results], tmp_path / "run")
    assert not (tmp_path / "run" / "printed.txt").exists()
