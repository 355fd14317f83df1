from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from memlab.memory import live_world
from memlab.memory.live_world import LiveWorld

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
    (tmp_path / "shop" / "other.py").write_text("")
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
