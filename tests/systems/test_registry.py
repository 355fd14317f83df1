import importlib.metadata
from dataclasses import replace
from pathlib import Path

import pytest

from memlab.systems import registry
from memlab.systems.entry import UnknownSystem, installed


def complaint(name: str) -> str:
    with pytest.raises(UnknownSystem) as caught:
        registry.entry(name)
    return str(caught.value)


def test_every_builtin_has_a_name_of_its_own_and_one_sentence() -> None:
    known = registry.entries()
    assert len({one.name for one in known}) == len(known)
    assert all(one.about.endswith(".") and "\n" not in one.about for one in known)
    assert all(registry.entry(one.name) is one for one in known)


def test_only_oracles_see_the_key_and_only_who_looks_for_it_gets_a_process_of_its_own() -> None:
    oracles = [one.name for one in registry.entries() if one.sees_key]
    assert [name for name in oracles if not name.endswith("+oracle")] == ["oracle"]
    assert [one.name for one in registry.entries() if one.child] == ["peeker"]


def test_the_error_for_an_unknown_name_lists_the_valid_ones_and_the_closest() -> None:
    message = complaint("buket-search")
    assert "Did you mean 'bucket-search'?" in message
    assert all(one.name in message for one in registry.entries())
    assert "path/to/file.py:Class" in message


def test_a_file_is_resolved_without_running_it(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("raise SystemExit\nclass Mine: pass\n", encoding="utf-8")
    entry = registry.entry(f"{path}:Mine")
    assert (entry.name, entry.group, entry.child) == (f"{path}:Mine", "yours", True)


def test_the_error_for_a_wrong_file_class_or_syntax_says_what_exists(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text("class MyMemory: pass\nclass _Hidden: pass\nif True:\n    make = MyMemory\n")
    Path("broken.py").write_text("x = 1\nclass Mine(:\n")
    Path("empty.py").write_text("")
    assert "there is no file" in complaint("mime.py:MyMemory")
    assert "Did you mean 'mine.py'?" in complaint("mime.py:MyMemory")
    assert "Python files there: none" in complaint("nowhere/mine.py:MyMemory")
    assert "mine.py defines no 'MyMemry'. Did you mean 'MyMemory'? It defines: MyMemory, make." in complaint(
        "mine.py:MyMemry"
    )
    assert "'mine.py' names no class after a colon. It defines: MyMemory, make." in complaint("mine.py")
    assert "It defines: nothing" in complaint("empty.py:Mine")
    Path("user.py").write_text("import sys\nfrom mine import MyMemory\nclass Own: pass\n")
    assert "It defines: Own." in complaint("user.py:MyMemry")
    Path("moved.py").write_text("from mine import MyMemory\n")
    assert "It defines: MyMemory." in complaint("moved.py:Own")
    assert registry.entry("user.py:MyMemory").child
    assert "broken.py:2: this is not Python" in complaint("broken.py:Mine")
    assert registry.entry("mine.py:make").child
    Path("star.py").write_text("from elsewhere import *\n")
    assert registry.entry("star.py:Whatever").child


def test_an_installed_entry_point_is_found_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    point = importlib.metadata.EntryPoint("theirs", "their_package.memory:Memory", registry.ENTRY_POINTS)
    monkeypatch.setattr(
        importlib.metadata, "entry_points", lambda group: [point] if group == registry.ENTRY_POINTS else []
    )
    assert registry.entry("theirs").child
    assert "theirs" in complaint("their")


def test_a_name_that_no_table_can_show_is_refused() -> None:
    for name in ("a\nb.py:Mine", "a\udcff.py:Mine", "a\x1b[2J.py:Mine"):
        assert complaint(name) == f"{name!a} cannot be printed in a table. Rename the file or the class."


def test_a_file_that_is_nested_too_deeply_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "deep.py"
    path.write_text(f"x = {'-' * 200_000}1\nclass Mine: pass\n", encoding="utf-8")
    assert "this is not Python: " in complaint(f"{path}:Mine")


def test_rows_are_installed_if_all_modules_that_they_import_are() -> None:
    bare, absent = (
        replace(registry.entry("null"), modules=()),
        replace(registry.entry("null"), modules=("json", "no_such_module.inner")),
    )
    present = replace(bare, modules=("json", "json.decoder"))
    assert installed([bare, absent, present]) == [bare, present]
