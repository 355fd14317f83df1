from __future__ import annotations

import shutil
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from memlab.grading.marking.hidden_solution import hide_solution
from memlab.labs.lab import Lab, load
from memlab.sandbox.isolation import LEVELS, Level
from memlab.sandbox.isolation.users import is_readable, is_root


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    """Return a lab whose solution every user may read."""
    tmp_path.chmod(0o755)
    for name in ("solution.py", "lab.md"):
        shutil.copy(load("06").folder / name, tmp_path)
        (tmp_path / name).chmod(0o644)
    return replace(load("06"), folder=tmp_path)


@pytest.mark.parametrize("level", LEVELS, ids=lambda level: level.name)
def test_only_root_can_read_the_solution_while_a_level_that_hides_no_files_grades(lab: Lab, level: Level) -> None:
    solution = lab.folder / "solution.py"
    with hide_solution(lab, level):
        hidden = not solution.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH)
        assert hidden == (is_root() and "files" not in level.holds)
        assert not (hidden and is_readable(solution))
    assert stat.S_IMODE(solution.stat().st_mode) == 0o644


def test_the_solution_can_be_read_again_after_an_error(lab: Lab) -> None:
    with pytest.raises(KeyError), hide_solution(lab, LEVELS[-1]):
        raise KeyError
    assert stat.S_IMODE((lab.folder / "solution.py").stat().st_mode) == 0o644


@pytest.mark.skipif(not is_root(), reason="only root can hide a file from the user of the submissions")
def test_of_two_runs_the_last_that_ends_lets_every_user_read_the_solution_again(lab: Lab) -> None:
    solution = lab.folder / "solution.py"
    first, second = hide_solution(lab, LEVELS[-1]), hide_solution(lab, LEVELS[-1])
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert stat.S_IMODE(solution.stat().st_mode) == 0o600
    second.__exit__(None, None, None)
    assert stat.S_IMODE(solution.stat().st_mode) == 0o644
