from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from memlab.harness.stage import Stage
from memlab.memory.world import Change

WORLD = Change(
    files={"scripts/a.sh": "echo a"},
    env={"MEMLAB_TEST": "on"},
    commands={"pnpmish": ("--frozen",)},
    links={"out": "/etc", "in": "scripts/a.sh"},
)


def test_a_world_stands_on_disk_in_the_environment_and_on_the_path(tmp_path: Path) -> None:
    with Stage(tmp_path, WORLD).entered():
        assert Path("scripts/a.sh").read_text(encoding="utf-8") == "echo a"
        assert os.environ["MEMLAB_TEST"] == "on"
        command = shutil.which("pnpmish")
        assert command is not None
        told = subprocess.run([command, "--help"], capture_output=True, text=True, check=True).stdout
        assert "--frozen" in told


def test_a_change_takes_effect_at_once_and_everything_is_put_back_at_the_end(tmp_path: Path) -> None:
    before, here = dict(os.environ), Path.cwd()
    stage = Stage(tmp_path, WORLD)
    with stage.entered():
        stage.change(Change(files={"scripts/a.sh": None}, env={"MEMLAB_TEST": None, "MEMLAB_OTHER": "x"}))
        assert not Path("scripts/a.sh").exists()
        assert "MEMLAB_TEST" not in os.environ
        assert os.environ["MEMLAB_OTHER"] == "x"
    assert dict(os.environ) == before
    assert Path.cwd() == here


@pytest.mark.parametrize("path", ["../x", "/etc/x", "out/x", ".", "scripts/../../x"])
def test_no_file_of_a_world_leads_out_of_its_root(tmp_path: Path, path: str) -> None:
    stage = Stage(tmp_path, WORLD)
    with pytest.raises(ValueError, match="leads out of the world's root"):
        stage.change(Change(files={path: "x"}))


def test_writing_a_file_where_a_link_stood_replaces_the_link_and_not_its_target(tmp_path: Path) -> None:
    stage = Stage(tmp_path, WORLD)
    stage.change(Change(files={"in": "new"}))
    assert (tmp_path / "root" / "scripts" / "a.sh").read_text(encoding="utf-8") == "echo a"
