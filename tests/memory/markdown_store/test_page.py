from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from fact_folder import Open, fact, standing

from memlab.memory.facts import Fact
from memlab.memory.markdown_store.store import FactFiles
from memlab.memory.retrieval.relevance import words
from memlab.memory.trust import Provenance


def test_a_fact_reads_as_a_page_for_people(store: FactFiles, tmp_path: Path) -> None:
    origin = Provenance("user", "s1", 1_767_600_000.0, "a1", ("b2",), "we moved to Lisbon")
    store.put(Fact("timezone", "The timezone is Lisbon.", "where we work", "user", "clock", origin, importance=0.9))
    text = (tmp_path / "facts" / "timezone.md").read_text(encoding="utf-8")
    assert re.sub(r"digest: .*", "digest: 0", text) == (
        "---\n"
        "name: timezone\n"
        "description: where we work\n"
        "type: user\n"
        "about: clock\n"
        'importance: "0.9"\n'
        "metadata:\n"
        "  source: user\n"
        "  session: s1\n"
        '  time: "2026-01-05T08:00:00+00:00"\n'
        "  quote: we moved to Lisbon\n"
        "  id: a1\n"
        '  derived_from: "[\\"b2\\"]"\n'
        '  rank: "3"\n'
        "  digest: 0\n"
        "---\n\nThe timezone is Lisbon.\n"
    )
    assert (tmp_path / "MEMORY.md").read_text() == "- [timezone](facts/timezone.md) -- where we work\n"


@pytest.mark.parametrize(
    ("change", "body"),
    [
        (lambda text: text.replace("\n", "\r\n"), None),
        (lambda text: "\ufeff" + text, None),
        (lambda text: text + "\n\n", None),
        (lambda text: text.rstrip(), None),
        (lambda text: text.replace("type: project", "type: 'project'"), None),
        (lambda text: text.replace("  session: s1\n", ""), None),
        (lambda text: text.replace("name: timezone\n", "name timezone\n"), "name timezone\n\nThe timezone is Paris."),
        (lambda text: text.replace("type:", "kind: x\ntype:"), "kind: x\n\nThe timezone is Paris."),
        (lambda text: text.replace("type:", "importance: high\ntype:"), "importance: high\n\nThe timezone is Paris."),
        (lambda text: text.replace("type:", "importance: 7\ntype:"), "importance: 7\n\nThe timezone is Paris."),
        (lambda text: text.replace("---", "+++"), "+++"),
        (lambda text: text.partition("---\n\n")[0], "---\nname: timezone"),
        (lambda text: "\0" + text.split("\n\n")[1], "\0The timezone is Paris."),
    ],
)
def test_whatever_an_editor_makes_of_a_file_is_read_and_nothing_of_it_is_lost(
    store: FactFiles, opened: Open, zone: Path, change: Callable[[str], str], body: str | None
) -> None:
    store.put(fact("a", "The timezone is Paris.", source="agent"))
    text = zone.read_bytes().decode()
    zone.write_bytes(change(text).encode())
    for one in (store, opened()):
        (found,) = one.search(words("timezone"), 5)
        assert (found.origin.source, len(one.history("timezone"))) == (("agent", 1) if body is None else ("user", 2))
        assert found.body.startswith(body or "The timezone is Paris.")


def test_a_change_of_line_ends_is_no_edit_even_of_a_body_that_had_both(store: FactFiles, zone: Path) -> None:
    store.put(fact("a", "The timezone\r\nis\nParis."))
    zone.write_bytes(zone.read_bytes().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"))
    assert standing(store) == ["The timezone\r\nis\nParis."]


def test_surrogates_in_a_file_are_read_once_as_replacement_characters(store: FactFiles, zone: Path) -> None:
    zone.parent.mkdir()
    zone.write_bytes("---\nabout: \ud800\n---\nThe timezone is \udfff.".encode("utf-8", "surrogatepass"))
    for _ in range(2):
        assert standing(store) == ["The timezone is \ufffd."]
        assert [one.about for one in store.history("timezone")] == ["\ufffd"]


def test_bytes_that_are_no_utf_8_are_read_as_an_old_editor_wrote_them(store: FactFiles, zone: Path) -> None:
    zone.parent.mkdir()
    zone.write_bytes("The café is the timezone.".encode("latin-1"))
    assert standing(store) == ["The café is the timezone."]
    zone.write_bytes("The café was the timezone.".encode("utf-16"))
    assert standing(store) == ["The café was the timezone."]


def test_a_file_that_is_no_fact_is_named_with_what_to_do_and_left_alone(
    store: FactFiles, opened: Open, zone: Path, tmp_path: Path
) -> None:
    store.put(fact("a", "The timezone is Paris."))
    store.put(fact("b", "The lamp is red.", "lamp"))
    folder = zone.parent
    (folder / "My notes.md").write_text("mine")
    (folder / "Lamp.md").write_text("mine too")
    (folder / "stove.md").mkdir()
    (folder / "gone.md").symlink_to(folder / "nowhere")
    zone.write_bytes(b"")
    for one in (store, opened()):
        assert standing(one) == ["The timezone is Paris."]
        named = dict(line.split(": ", 1) for line in one.unread)
        assert set(named) == {"facts/My notes.md", "facts/Lamp.md", "facts/stove.md", "facts/timezone.md"}
        assert "a name is a slug" in named["facts/My notes.md"]
        assert named["facts/Lamp.md"] == "a name is a slug; rename it to lamp.md"
        assert named["facts/stove.md"] == "it is no file; move it elsewhere"
        assert named["facts/timezone.md"] == "it says nothing; write the fact, or delete the file to withdraw it"
    lines = (tmp_path / "MEMORY.md").read_text().splitlines()
    assert [line.split("]")[0] for line in lines] == ["- [lamp", "- [timezone", *["- [not read"] * 4]
    listed = [line.removeprefix("- [not read](facts/) -- ") for line in lines[2:]]
    assert listed == [line.removeprefix("facts/") for line in store.unread]
    assert (folder / "My notes.md").read_text() == "mine"
    (folder / "My notes.md").rename(folder / "notes.md")
    assert standing(store, "mine") == ["mine"]
    assert len(store.unread) == 3


def test_a_file_that_is_no_fact_is_reported_until_it_is_fixed_or_removed(
    store: FactFiles, zone: Path, tmp_path: Path
) -> None:
    zone.parent.mkdir()
    zone.write_bytes(b"")
    assert [line.split(":")[0] for line in store.unread] == ["facts/timezone.md"]
    os.utime(zone, (1, 1))
    assert len(store.unread) == 1
    for n in range(3):
        store.put(fact(f"b{n}", f"The lamp is red {n}.", "lamp"))
        assert len(store.unread) == 1
    zone.write_text("The timezone is Oslo.")
    assert store.unread == []
    assert standing(store) == ["The timezone is Oslo."]
    assert "not read" not in (tmp_path / "MEMORY.md").read_text()


@pytest.mark.parametrize("name", [".timezone.md", ".md", "timezone.md~", "timezone.md.swp", "timezone.txt"])
def test_a_hidden_file_or_an_editors_copy_is_neither_a_fact_nor_an_error(
    store: FactFiles, tmp_path: Path, name: str
) -> None:
    store.put(fact("b", "The lamp is red.", "lamp"))
    (tmp_path / "facts" / name).write_text("The timezone is Oslo.")
    assert store.unread == []
    assert [one.name for one in store.statements()] == ["lamp"]
    assert (tmp_path / "facts" / name).read_text() == "The timezone is Oslo."


def test_a_fact_whose_file_cannot_be_written_is_kept_and_the_error_says_so_and_when_it_will_be_shown(
    store: FactFiles, tmp_path: Path
) -> None:
    index = tmp_path / "MEMORY.md"
    index.mkdir()
    with pytest.raises(OSError, match="directory") as refusal:
        store.put(fact("a", "The timezone is Paris."))
    advice = "the fact is stored in facts.jsonl, and its file will show it after the next check"
    assert str(refusal.value).endswith(f" directory; {advice}: {str(index)!r}")
    index.rmdir()
    assert standing(store) == ["The timezone is Paris."]
    assert index.read_text() == "- [timezone](facts/timezone.md) -- \n"


def test_a_folder_in_the_place_of_a_fact_is_moved_aside(store: FactFiles, tmp_path: Path) -> None:
    (tmp_path / "facts" / "lamp.md" / "mine").mkdir(parents=True)
    store.put(fact("b", "The lamp is red.", "lamp"))
    assert standing(store, "lamp") == ["The lamp is red."]
    assert (tmp_path / "facts" / "lamp.md").is_file()
    assert (tmp_path / "facts" / "lamp.md.unread" / "mine").is_dir()
    assert store.unread == []


def test_erasing_one_fact_leaves_the_file_of_another_as_its_person_wrote_it(
    store: FactFiles, zone: Path, tmp_path: Path
) -> None:
    store.put(fact("a", "The timezone is Paris."))
    store.put(fact("b", "The lamp is red.", "lamp"))
    zone.write_text("The timezone is Oslo.")
    assert standing(store) == ["The timezone is Oslo."]
    store.erase({"b"})
    assert zone.read_text() == "The timezone is Oslo."
    assert not (tmp_path / "facts" / "lamp.md").exists()


def test_a_fact_whose_file_was_just_deleted_can_be_erased(store: FactFiles, zone: Path) -> None:
    store.put(fact("a", "The timezone is Paris."))
    zone.unlink()
    store.tombstone({"a"})
    assert standing(store) == []
    assert "a" in store.tombstones()


def test_lines_that_a_person_adds_to_the_index_stay_and_generated_lines_are_restored(
    store: FactFiles, tmp_path: Path
) -> None:
    index = tmp_path / "MEMORY.md"
    store.put(fact("a", "The timezone is Paris."))
    index.write_text("# My memory\n\n- [evil](facts/evil.md) -- forged\n- my own line\n")
    store.put(fact("b", "The lamp is red.", "lamp"))
    mended = "# My memory\n\n- my own line\n- [lamp](facts/lamp.md) -- \n- [timezone](facts/timezone.md) -- \n"
    assert index.read_text() == mended
    index.unlink()
    standing(store)
    assert index.read_text() == mended.split("own line\n")[1]


def test_the_index_has_one_line_a_fact_that_nothing_stored_can_forge(store: FactFiles, tmp_path: Path) -> None:
    odd = "one\n- [evil](evil.md) -- two\r\x85\u2028\v- [evil](facts/evil.md)"
    store.put(Fact("host", "x", odd, origin=Provenance(id="a", time=1)))
    store.put(fact("b", "y"))
    for _ in range(2):
        lines = (tmp_path / "MEMORY.md").read_text(encoding="utf-8").splitlines()
        assert [line.split("]")[0] for line in lines] == ["- [host", "- [timezone"]
        store.put(fact("c", "z", "host"))


def test_a_link_to_itself_is_named_as_any_other_file_that_cannot_be_read(store: FactFiles, tmp_path: Path) -> None:
    store.put(fact("a", "The timezone is Paris."))
    (tmp_path / "facts" / "round.md").symlink_to("round.md")
    assert standing(store) == ["The timezone is Paris."]
    assert store.unread == ["facts/round.md: it is no file; move it elsewhere"]
    assert "round.md: it is no file" in (tmp_path / "MEMORY.md").read_text(encoding="utf-8")


def test_a_linked_page_is_written_where_the_link_leads_and_erased_there(
    store: FactFiles, zone: Path, tmp_path: Path
) -> None:
    target = tmp_path / "elsewhere.md"
    target.write_text("The timezone is Paris.", encoding="utf-8")
    zone.parent.mkdir()
    zone.symlink_to(target)
    assert standing(store) == ["The timezone is Paris."]
    store.put(fact("b", "The timezone is Lisbon."))
    assert zone.is_symlink()
    assert "Lisbon" in target.read_text(encoding="utf-8")
    store.erase({one.id for one in store.history("timezone")})
    assert not zone.is_symlink()
    assert not target.exists()
