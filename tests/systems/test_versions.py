from __future__ import annotations

from pathlib import Path

import pytest

from memlab import __version__
from memlab.systems.entry import UnknownSystem
from memlab.systems.versions import memlab_version, system_version, versioned

MINE = "import os\nfrom beside import words\nclass Mine:\n    pass\n"


@pytest.fixture
def mine(tmp_path: Path) -> str:
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    (tmp_path / "beside.py").write_text("def words():\n    from folder.part import more\n", encoding="utf-8")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "__init__.py").write_text("", encoding="utf-8")
    (tmp_path / "folder" / "part.py").write_text("from . import other\nmore = 1\n", encoding="utf-8")
    (tmp_path / "folder" / "other.py").write_text("", encoding="utf-8")
    (tmp_path / "unrelated.py").write_text("", encoding="utf-8")
    return f"{tmp_path / 'mine.py'}:Mine"


@pytest.mark.parametrize("file", ["mine.py", "beside.py", "folder/__init__.py", "folder/part.py", "folder/other.py"])
def test_the_version_of_a_file_changes_with_it_and_with_each_module_of_its_own_that_it_imports(
    mine: str, file: str, tmp_path: Path
) -> None:
    before = system_version(mine)
    assert system_version(mine) == before
    with (tmp_path / file).open("a", encoding="utf-8") as source:
        source.write("# changed\n")
    assert system_version(mine) != before


def test_the_version_of_a_file_does_not_depend_on_files_that_it_does_not_import(mine: str, tmp_path: Path) -> None:
    before = system_version(mine)
    (tmp_path / "unrelated.py").write_text("changed = True\n", encoding="utf-8")
    assert system_version(mine) == before


def test_a_system_of_memlab_has_the_version_of_memlab_and_no_other(mine: str) -> None:
    assert memlab_version().startswith(f"{__version__} (source ")
    assert versioned(["hybrid", mine]) == ["hybrid", f"{mine} ({system_version(mine)})"]


def test_an_installed_system_has_the_version_of_its_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    info = tmp_path / "theirs-1.5.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.5\n", encoding="utf-8")
    (info / "entry_points.txt").write_text("[memlab.systems]\nother = theirs:Memory\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    assert system_version("other") == "theirs 1.5"


def test_a_file_that_is_not_there_is_an_unknown_system(tmp_path: Path) -> None:
    with pytest.raises(UnknownSystem, match="there is no file"):
        system_version(f"{tmp_path / 'mine.py'}:Mine")
