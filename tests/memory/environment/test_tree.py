from __future__ import annotations

from pathlib import Path

import pytest

from memlab.memory.environment import tree
from memlab.memory.environment.tree import Folder, TreeTooLargeError, is_ignored, walk


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Make a tree of six paths."""
    for path in ("a/one.txt", "b/two.txt", "c/three.txt"):
        (tmp_path / path).parent.mkdir()
        (tmp_path / path).touch()
    return tmp_path


def test_every_folder_has_its_names_in_order_except_one_that_is_deleted_meanwhile(root: Path) -> None:
    folders = walk(str(root))
    assert next(folders) == Folder("", ("a", "b", "c"), ())
    (root / "a" / "one.txt").unlink()
    (root / "a").rmdir()
    assert list(folders) == [Folder("b/", (), ("two.txt",)), Folder("c/", (), ("three.txt",))]


def test_the_paths_of_all_folders_together_are_limited(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "MOST_PATHS", 6)
    assert len(list(walk(str(root)))) == 4
    (root / "c" / "four.txt").touch()
    with pytest.raises(TreeTooLargeError):
        list(walk(str(root)))


def test_a_gitignore_file_that_is_deleted_meanwhile_ignores_nothing(tmp_path: Path) -> None:
    assert not is_ignored(str(tmp_path), [Folder("", (), (".gitignore",))], "a.log")
