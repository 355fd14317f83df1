import json
import os
from pathlib import Path

import pytest

from memlab.labs.learner.progress import FILE, Progress, free_path, read, write

SPOILED = [
    '{"06": {"held": ["write"], "hints": {"write": -5}}}',
    "",
    "[",
    "[]",
    "[" * 100_000,
    "7",
    '{"06": null}',
    '{"06": {"held": "write", "hints": {}}}',
    '{"06": {"held": [1], "hints": {}}}',
    '{"06": {"held": [], "hints": {"write": "2"}}}',
    '{"06": {"held": [], "hints": {}, "charts": {"trust": {"all": "much"}}}}',
    '{"06": {"hints": {}}}',
]


def silent(word: str) -> None:
    raise AssertionError(word)


def test_saved_progress_is_read_back(tmp_path: Path) -> None:
    kept = Progress(["write", "recall"], {"stale": 2}, {"trust": {"all": 0.5}})
    write(tmp_path, "06", kept)
    assert read(tmp_path, "06", silent) == kept


def test_two_labs_in_one_folder_keep_their_own_progress(tmp_path: Path) -> None:
    write(tmp_path, "06", Progress(["write"]))
    write(tmp_path, "07", Progress(["rules"]))
    assert read(tmp_path, "06", silent) == Progress(["write"])
    assert read(tmp_path, "07", silent) == Progress(["rules"])


def test_without_saved_progress_no_step_is_passed(tmp_path: Path) -> None:
    assert read(tmp_path, "06", silent) == Progress()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", SPOILED, ids=lambda text: text[:60])
def test_a_damaged_file_is_moved_aside_with_a_message_and_kept(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_text(text, encoding="utf-8")
    words: list[str] = []
    assert read(tmp_path, "06", words.append) == Progress()
    (aside,) = tmp_path.iterdir()
    assert aside.read_text(encoding="utf-8") == text
    (word,) = words
    assert aside.name in word
    assert "memlab lab check" in word


def test_a_link_in_the_place_of_the_file_is_not_followed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine", encoding="utf-8")
    (tmp_path / ".memlab-lab.json.new").symlink_to(victim)
    write(tmp_path, "06", Progress(["write"]))
    assert victim.read_text(encoding="utf-8") == "mine"
    assert read(tmp_path, "06", print).held == ["write"]


def test_a_binary_file_is_moved_aside_too_and_no_damaged_file_is_lost(tmp_path: Path) -> None:
    words: list[str] = []
    for spoiled in (b"\xff\xfe", b"\xff"):
        (tmp_path / FILE).write_bytes(spoiled)
        read(tmp_path, "06", words.append)
    assert len(words) == 2
    assert {path.read_bytes() for path in tmp_path.iterdir()} == {b"\xff\xfe", b"\xff"}


def test_an_interrupted_write_leaves_the_old_contents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "06", Progress(["write"]))

    def full(*_: object) -> None:
        raise OSError

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError):  # noqa: PT011 - the disk's own error goes through
        write(tmp_path, "06", Progress(["write", "recall"]))
    assert read(tmp_path, "06", silent) == Progress(["write"])


def test_a_step_that_is_begun_again_is_open_and_its_hints_are_closed() -> None:
    progress = Progress(["write", "recall"], {"write": 1, "recall": 2})
    progress.forget("recall")
    progress.forget("verify")
    assert progress == Progress(["write"], {"write": 1})


def test_a_step_holds_once_however_often_it_is_noted() -> None:
    progress = Progress()
    progress.mark_passed("write")
    progress.mark_passed("write")
    assert progress.held == ["write"]
    progress.reopen("write")
    progress.reopen("write")
    assert progress.held == []


def test_a_file_that_an_older_memlab_wrote_is_read(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text(json.dumps({"06": {"held": ["write"], "hints": {}}}), encoding="utf-8")
    assert read(tmp_path, "06", silent) == Progress(["write"])


def test_a_free_name_is_one_that_nothing_has(tmp_path: Path) -> None:
    (tmp_path / "memory_store-1.py").touch()
    assert free_path(tmp_path, "memory_store", ".py").name == "memory_store-2.py"
