from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from memlab.memory.storage.folder import make_folder, replace_file, require_inside
from memlab.memory.text import Refused


def test_a_folder_that_somebody_else_makes_at_the_same_time_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mkdir = Path.mkdir

    def make_twice(self: Path, *, exist_ok: bool) -> None:
        mkdir(self)
        mkdir(self, exist_ok=exist_ok)

    monkeypatch.setattr(Path, "mkdir", make_twice)
    make_folder(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").is_dir()


def test_a_folder_can_be_made_in_one_that_may_not_be_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise PermissionError

    monkeypatch.setattr(os, "open", refuse)
    make_folder(tmp_path / "a")
    assert (tmp_path / "a").is_dir()


def test_a_file_that_cannot_be_replaced_is_unchanged_and_the_error_names_it_and_the_next_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fill_disk(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    path = tmp_path / "rules.md"
    path.write_text("old")
    monkeypatch.setattr(os, "fsync", fill_disk)
    with pytest.raises(OSError, match="No space left") as refusal:
        replace_file(path, [b"new"])
    advice = "the file is unchanged; free space or make the folder writable, then try again"
    assert str(refusal.value) == f"[Errno {errno.ENOSPC}] No space left on device; {advice}: {str(path)!r}"
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_replaced_file_keeps_its_permissions_and_its_links(tmp_path: Path) -> None:
    (tmp_path / "rules.md").write_text("old")
    (tmp_path / "rules.md").chmod(0o640)
    (tmp_path / "linked.md").symlink_to("rules.md")
    replace_file(tmp_path / "linked.md", [b"new"])
    assert (tmp_path / "linked.md").is_symlink()
    assert (tmp_path / "rules.md").read_text() == "new"
    assert (tmp_path / "rules.md").stat().st_mode & 0o777 == 0o640


def test_a_link_out_of_a_folder_is_refused_with_its_target_and_what_to_do(tmp_path: Path) -> None:
    root = tmp_path / "mix"
    root.mkdir()
    (root / "near").symlink_to("inner")
    (root / "far").symlink_to(tmp_path / "mixed")
    for path in (root, root / "a", root / "near"):
        require_inside(path, root)
    with pytest.raises(Refused) as refusal:
        require_inside(root / "far", root)
    assert str(refusal.value) == (
        f"{root / 'far'} leads to {tmp_path / 'mixed'}, outside {root}, where nothing is written or deleted; "
        "replace the link, or allow it with MemoryMix(links=True)"
    )
