from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from memlab.memory.environment import live_world, tree
from memlab.memory.environment.live_world import LiveWorld

LONG_AGO = 1_700_000_000


def settled(*paths: Path) -> None:
    """Make it long ago that these changed, so that what was seen of them is remembered."""
    for path in paths:
        os.utime(path, (LONG_AGO, LONG_AGO))


@pytest.mark.parametrize("seconds_ago", [(1000, 999), (0, 0)])
def test_a_symbol_is_searched_again_when_its_file_has_changed(tmp_path: Path, seconds_ago: tuple[int, int]) -> None:
    """Both versions are of one length, and those of just now may fall into one tick of the file system's clock."""
    billing, live, now = tmp_path / "billing.py", LiveWorld(tmp_path), time.time()
    for name, other, ago in zip(("charge", "refund"), ("refund", "charge"), seconds_ago, strict=True):
        billing.write_text(f"def {name}(): ...\n")
        os.utime(billing, (now - ago, now - ago))
        assert live.symbol(name).presence == "present"
        assert live.symbol(other).presence == "absent"


def test_a_symbol_of_a_moved_or_removed_file_is_not_found_there(tmp_path: Path) -> None:
    live = LiveWorld(tmp_path)
    (tmp_path / "billing.py").write_text("def charge(): ...\n")
    settled(tmp_path / "billing.py", tmp_path)
    assert live.symbol("billing.charge").presence == "present"
    (tmp_path / "billing.py").rename(tmp_path / "payment.py")
    assert live.symbol("payment.charge").presence == "present"
    assert live.symbol("billing.charge").presence == "absent"
    (tmp_path / "payment.py").unlink()
    assert live.symbol("payment.charge").presence == "unknown"


def test_a_symbol_in_a_new_file_is_found_at_once(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    live = LiveWorld(tmp_path)
    assert live.symbol("charge").presence == "unknown"
    (tmp_path / "shop" / "other.py").write_text("def other(): ...\n")
    assert live.symbol("charge").presence == "absent"
    (tmp_path / "shop" / "till.py").write_text("def charge(): ...\n")
    assert live.symbol("shop.charge").presence == "present"


def test_a_source_file_is_parsed_once_while_it_stays_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []

    def parse(source: str) -> frozenset[str]:
        parsed.append(source)
        return frozenset({"charge"})

    monkeypatch.setattr(live_world, "defined_symbols", parse)
    (tmp_path / "till.py").write_text("def charge(): ...\n")
    settled(tmp_path / "till.py", tmp_path)
    for _ in range(3):
        assert LiveWorld(tmp_path).symbol("charge").presence == "present"
        assert LiveWorld(tmp_path).symbol("nothing").presence == "absent"
    assert len(parsed) == 1


def test_a_symbol_in_a_file_that_is_only_linked_to_is_not_confirmed(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "theirs.py").write_text("def charge(): ...\n")
    (root / "mine.py").symlink_to(tmp_path / "theirs.py")
    assert LiveWorld(root).symbol("charge").presence == "unknown"


def test_a_path_is_followed_through_its_links_and_no_further_than_the_root(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "inner").mkdir(parents=True)
    (root / "inner" / "a.txt").write_text("")
    (tmp_path / "b.txt").write_text("")
    (root / "near").symlink_to("inner")
    (root / "far").symlink_to(tmp_path)
    (root / "lost").symlink_to("nowhere")
    (root / "round").symlink_to("round")
    seen = {
        path: LiveWorld(root).file(path).presence for path in ("near/a.txt", "far/b.txt", "lost", "lost/c", "round")
    }
    assert seen == {
        "near/a.txt": "present",
        "far/b.txt": "unknown",
        "lost": "absent",
        "lost/c": "absent",
        "round": "unknown",
    }
    assert LiveWorld(root).file("inner/a.txt/below").presence == "absent"
    assert LiveWorld(root).file("x" * 300).presence == "unknown"


def plant(root: Path, *places: str, **texts: str) -> LiveWorld:
    """Create empty files, and the files of a text, in a root folder."""
    for place, text in (dict.fromkeys(places, "") | texts).items():
        (root / place).parent.mkdir(parents=True, exist_ok=True)
        (root / place).write_text(text)
    return LiveWorld(root)


def test_a_path_is_there_if_a_path_of_the_tree_ends_in_it_whole_as_it_is_written(tmp_path: Path) -> None:
    live = plant(tmp_path, "src/app/billing/charge.py", "src/app/billing/charge_test.py", "a/node_modules/x/in.js")
    there = [
        "charge.py",
        "billing/charge.py",
        "app/billing/",
        "billing",
        "_test.py",
    ]
    assert {path: live.anywhere(path).presence for path in there} == dict.fromkeys(there, "present")
    gone = [
        "harge.py",
        "ling/charge.py",
        "app/charge.py",
        "src/charge.py",
        "src/billing/charge.py",
        "billing/app/charge.py",
        "charge.py/x",
        "in.js",
        "x/in.js",
    ]
    assert {path: live.anywhere(path).presence for path in gone} == dict.fromkeys(gone, "absent")
    assert live.file("charge.py").presence == "absent"


def test_a_hidden_file_is_not_there_because_a_name_ends_like_it(tmp_path: Path) -> None:
    live = plant(tmp_path, "deploy/prod.env", "src/view.test.ts")
    assert live.anywhere(".env").presence == "absent"
    assert live.anywhere(".test.ts").presence == "present"


def test_a_path_below_the_root_has_the_author_of_the_most_trusted_file_of_its_name(tmp_path: Path) -> None:
    plant(tmp_path, "a/run.sh", "b/run.sh", "a/only.sh")
    live = LiveWorld(tmp_path, by={"a": "web"})
    assert (live.anywhere("run.sh").by, live.anywhere("only.sh").by) == ("user", "web")


def test_what_git_ignores_or_a_build_makes_is_unknown_and_not_absent(tmp_path: Path) -> None:
    ignored = "# made\n*.log\n/config/local.yaml\ncache/\nout/**/*.bin\n!keep.log\n*\nv?.txt\nFIX\n"
    live = plant(tmp_path, **{".gitignore": ignored, "docs/.gitignore": "/site/\ndocs\n"})
    unknown = ["a.log", "logs/b.log", "config/local.yaml", "cache/", "x/cache/y.txt", "out/a/b.bin", "docs/site/x.md"]
    unknown += ["site/", "dist/app.js", "docs/build/index.md", "out/a/b/c.bin", "v1.txt", "FIX", "docs/docs/x.md"]
    assert {path: live.anywhere(path).presence for path in unknown} == dict.fromkeys(unknown, "unknown")
    absent = ["made", "keep.log", "config/other.yaml", "caches/", "out/a.txt", "a.logs", "v12.txt", "docs/x.md"]
    assert {path: live.anywhere(path).presence for path in absent} == dict.fromkeys(absent, "absent")


def test_in_a_tree_that_is_too_large_nothing_is_absent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    live = plant(tmp_path, **{"till.py": "def charge(): ...\n", "b.txt": "", "c.txt": ""})
    assert (live.anywhere("x.sh").presence, live.symbol("refund").presence) == ("absent", "absent")
    monkeypatch.setattr(tree, "MOST_PATHS", 2)
    assert (live.anywhere("x.sh").presence, live.symbol("refund").presence) == ("unknown", "unknown")


def test_a_symbol_is_absent_only_where_most_sources_are_read_and_define_something(tmp_path: Path) -> None:
    live = plant(tmp_path, "pkg/__init__.py", "web/a.ts")
    assert live.symbol("refund").presence == "unknown"
    plant(tmp_path, **{"pkg/till.py": "def charge(): ...\n"})
    assert live.symbol("refund").presence == "absent"
    plant(tmp_path, "web/b.ts", "web/c.ts")
    assert live.symbol("refund").presence == "unknown"


def test_a_variable_that_is_not_set_is_absent_only_in_an_environment_that_was_given(tmp_path: Path) -> None:
    given = {"API_KEY": "x"}
    worlds = {
        "this process": LiveWorld(tmp_path),
        "nothing": LiveWorld(tmp_path, {}),
        "given": LiveWorld(tmp_path, given),
    }
    found = {name: world.variable("NOBODY_SET_THIS").presence for name, world in worlds.items()}
    assert found == {"this process": "unknown", "nothing": "unknown", "given": "absent"}
    assert LiveWorld(tmp_path, given).variable("API_KEY").presence == "present"


def test_a_target_is_read_from_the_file_at_the_root_and_has_its_author(tmp_path: Path) -> None:
    assert LiveWorld(tmp_path).target("make", "test").presence == "unknown"
    plant(tmp_path, Makefile="build:\n", **{"sub/Makefile": "test:\n"})
    live = LiveWorld(tmp_path, by={"Makefile": "web"})
    assert (live.target("make", "build").by, live.target("make", "build").presence) == ("web", "present")
    assert live.target("make", "test").presence == "absent"
    (tmp_path / "justfile").symlink_to("/etc/hosts")
    assert live.target("just", "test").presence == "unknown"
