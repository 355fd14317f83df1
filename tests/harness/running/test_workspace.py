from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from memlab.harness.running.workspace import ScenarioEnvironment
from memlab.memory.world import Change

WORLD = Change(
    files={"scripts/a.sh": "echo a"},
    env={"MEMLAB_TEST": "on"},
    commands={"pnpmish": ("--frozen",)},
    links={"out": "/etc", "in": "scripts/a.sh"},
)


def test_a_world_exists_on_disk_in_the_environment_and_on_the_path(tmp_path: Path) -> None:
    with ScenarioEnvironment(tmp_path, WORLD).enter():
        assert Path("scripts/a.sh").read_text(encoding="utf-8") == "echo a"
        assert os.environ["MEMLAB_TEST"] == "on"
        command = shutil.which("pnpmish")
        assert command is not None
        output = subprocess.run([command, "--help"], capture_output=True, text=True, check=True).stdout
        assert "--frozen" in output


def test_a_change_takes_effect_at_once_and_everything_is_put_back_at_the_end(tmp_path: Path) -> None:
    before, here = dict(os.environ), Path.cwd()
    environment = ScenarioEnvironment(tmp_path, WORLD)
    with environment.enter():
        environment.change(Change(files={"scripts/a.sh": None}, env={"MEMLAB_TEST": None, "MEMLAB_OTHER": "x"}))
        assert not Path("scripts/a.sh").exists()
        assert "MEMLAB_TEST" not in os.environ
        assert os.environ["MEMLAB_OTHER"] == "x"
    assert dict(os.environ) == before
    assert Path.cwd() == here


@pytest.mark.parametrize("path", ["../x", "/etc/x", "out/x", ".", "scripts/../../x"])
def test_no_file_of_a_world_leads_out_of_its_root(tmp_path: Path, path: str) -> None:
    environment = ScenarioEnvironment(tmp_path, WORLD)
    with pytest.raises(ValueError, match="is outside of the world's root"):
        environment.change(Change(files={path: "x"}))


def test_writing_a_file_in_the_place_of_a_link_replaces_the_link_and_not_its_target(tmp_path: Path) -> None:
    environment = ScenarioEnvironment(tmp_path, WORLD)
    environment.change(Change(files={"in": "new"}))
    assert (tmp_path / "root" / "scripts" / "a.sh").read_text(encoding="utf-8") == "echo a"


def test_variables_of_the_machine_that_the_world_may_name_are_hidden_until_it_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMLAB_OTHER", "the user's own")
    environment = ScenarioEnvironment(tmp_path, WORLD, {"MEMLAB_OTHER"})
    with environment.enter():
        assert "MEMLAB_OTHER" not in os.environ
        environment.change(Change(env={"MEMLAB_OTHER": "x"}))
        assert os.environ["MEMLAB_OTHER"] == "x"
        environment.change(Change(env={"MEMLAB_OTHER": None}))
        assert "MEMLAB_OTHER" not in os.environ
    assert os.environ["MEMLAB_OTHER"] == "the user's own"


def test_a_folder_goes_with_its_last_file_as_it_does_in_the_scripted_world(tmp_path: Path) -> None:
    environment = ScenarioEnvironment(tmp_path, WORLD)
    environment.change(Change(files={"scripts/a.sh": None}, links={"in": None}))
    assert not (tmp_path / "root" / "scripts").exists()
    environment.change(Change(files={"scripts": "now a file"}))
    assert (tmp_path / "root" / "scripts").read_text(encoding="utf-8") == "now a file"


def test_a_change_of_the_world_frees_a_place_before_it_uses_it(tmp_path: Path) -> None:
    environment = ScenarioEnvironment(tmp_path, WORLD)
    environment.change(Change(files={"scripts": "x", "scripts/a.sh": None, "in": "y"}, links={"in": None}))
    assert (tmp_path / "root" / "scripts").read_text(encoding="utf-8") == "x"
    assert (tmp_path / "root" / "in").read_text(encoding="utf-8") == "y"


def test_a_world_may_have_a_cat_of_its_own(tmp_path: Path) -> None:
    with ScenarioEnvironment(tmp_path, Change(commands={"cat": ("--soft",), "echo": ()})).enter():
        output = subprocess.run(["cat", "--help"], capture_output=True, text=True, check=True, timeout=60).stdout  # noqa: S607 - the world's
        assert output == "usage: cat [options]\n  --soft\n"
