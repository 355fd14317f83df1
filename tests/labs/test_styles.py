"""Honest files in styles of their own, each written from what a learner reads: no check asks for one way to do it.

They are asked with some of the cases; with all of them by `make hostile`, which sets MEMLAB_HOSTILE=full.
"""

import os
from pathlib import Path, PurePosixPath

import pytest

from memlab.labs.checks.check import EXAMPLES
from memlab.labs.checks.checking import load_checks, run_checks
from memlab.labs.lab import load
from memlab.sandbox.client import LearnerFile, Raised

FOLDER = Path(__file__).parent / "styles"
STYLES = sorted(FOLDER.glob("lab*/*.py"))
CASES = EXAMPLES if os.environ.get("MEMLAB_HOSTILE") == "full" else 4


@pytest.mark.parametrize("path", STYLES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_each_style_passes_every_check_of_its_lab(path: Path) -> None:
    lab = load(path.parent.name.removeprefix("lab"))
    checks = load_checks(lab)
    required_checks = [checks[name] for step in lab.steps for name in step.checks]
    assert [
        (one.check.name, one.message)
        for one in run_checks(required_checks, path, lab.class_name, examples=CASES)
        if not one.passed
    ] == []


@pytest.mark.parametrize("lab", ["lab06", "lab07"])
def test_there_are_at_least_six_styles(lab: str) -> None:
    assert len([path for path in STYLES if path.parent.name == lab]) >= 6


def test_the_styles_of_lab_06_choose_differently_where_every_choice_is_right() -> None:
    chosen = [_choices(path) for path in STYLES if path.parent.name == "lab06"]
    names, places = (set(one) for one in zip(*chosen, strict=True))
    assert names == {"refuses an unsafe name", "makes an unsafe name safe"}
    assert places >= {"in the page", "in a file beside it", "in a folder"}


def _choices(path: Path) -> tuple[str, str]:
    with LearnerFile(path) as work:
        work.reset()
        unsafe = work.attempt("write_memory", "../out", "what lies outside", "project", "It is out.")
        for body in ("Old text.", "New text."):
            work.call("write_memory", "fact", "what is new", "project", body)
        kept = next(path for path in work.list_files("memory") if "Old text." in (work.read_text(path) or ""))
        return (
            "refuses an unsafe name" if isinstance(unsafe, Raised) else "makes an unsafe name safe",
            _place(PurePosixPath(kept).relative_to("memory")),
        )


def _place(kept: PurePosixPath) -> str:
    if kept == PurePosixPath("fact.md"):
        return "in the page"
    return "in a file beside it" if kept.suffix in {".json", ".history"} else "in a folder"
