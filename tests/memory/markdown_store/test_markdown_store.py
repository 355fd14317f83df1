from __future__ import annotations

import os
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from fact_folder import Open, fact, standing, swap

from memlab.memory.facts import Fact
from memlab.memory.markdown_store.store import FactFiles
from memlab.memory.retrieval.relevance import words


def version_chain(store: FactFiles, name: str = "timezone") -> list[tuple[str, str, str]]:
    known = {one.id: one.body for one in store.statements()}
    return [(one.origin.source, one.body, known.get(one.superseded_by, "")) for one in store.history(name)]


def settled(*paths: Path) -> None:
    """Let files look as if nobody had touched them for a second."""
    for path in paths:
        status = path.stat()
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns - 10**9))


def test_a_body_edited_by_hand_is_a_statement_of_the_user_and_the_old_one_stays_in_the_history(
    store: FactFiles, opened: Open, zone: Path
) -> None:
    store.put(fact("a", "The timezone is Mars.", source="agent"))
    swap(zone, "Mars", "Lisbon")
    for one in (store, opened()):
        (found,) = one.search(words("timezone"), 5)
        assert (found.body, found.rank, found.origin.source) == ("The timezone is Lisbon.", 3, "user")
        assert version_chain(one) == [
            ("agent", "The timezone is Mars.", "The timezone is Lisbon."),
            ("user", "The timezone is Lisbon.", ""),
        ]
        assert [one.as_of(time)[0].body for time in (50, 200)] == ["The timezone is Mars.", "The timezone is Lisbon."]


def test_an_edit_that_leaves_size_and_time_as_they_were_is_noticed_while_the_file_is_young(
    store: FactFiles, zone: Path
) -> None:
    store.put(fact("a", "The timezone is 1."))
    later = time.time_ns() + 10**10  # so that the file stays young however slowly this runs
    for number in range(2, 6):
        os.utime(zone, ns=(later, later))
        assert standing(store) == [f"The timezone is {number - 1}."]
        with zone.open("r+", encoding="utf-8") as file:
            text = file.read()
            file.seek(0)
            file.write(text.replace(f"is {number - 1}.", f"is {number}."))
    os.utime(zone, ns=(later, later))
    assert standing(store) == ["The timezone is 5."]
    assert len(store.history("timezone")) == 5


@pytest.mark.parametrize(
    ("line", "changed"),
    [
        ("description: where we work", {"description": "where we work"}),
        ("type: user", {"type": "user"}),
        ("about: clock", {"about": "clock"}),
        ("importance: 0.9", {"importance": 0.9}),
    ],
)
def test_an_edited_header_is_a_statement_of_the_user_too(
    store: FactFiles, zone: Path, line: str, changed: dict[str, str | float]
) -> None:
    store.put(fact("a", "The timezone is Paris.", source="agent"))
    swap(zone, "type: project\n", f"{line}\n" if line.startswith("type") else f"type: project\n{line}\n")
    old, new = store.history("timezone")
    assert old.superseded_by == new.id
    assert {name: getattr(new, name) for name in changed} == changed
    assert (new.body, new.rank, new.origin.source) == ("The timezone is Paris.", 3, "user")


def test_a_file_written_by_hand_is_left_unchanged(store: FactFiles, opened: Open, zone: Path) -> None:
    store.put(fact("a", "The timezone is Paris."))
    zone.write_text("Lisbon, since May.\n\n", encoding="utf-8")
    assert standing(store, "lisbon") == standing(opened(), "lisbon") == ["Lisbon, since May.\n\n"]
    assert zone.read_text(encoding="utf-8") == "Lisbon, since May.\n\n"


def test_a_file_created_by_hand_is_a_statement_of_the_user_and_has_an_index_line(
    store: FactFiles, tmp_path: Path
) -> None:
    (tmp_path / "facts").mkdir()
    (tmp_path / "facts" / "lamp.md").write_text("---\ndescription: the lamp\nimportance: 1\n---\nIt is red.\n")
    (found,) = store.search(words("lamp"), 5)
    assert (found.name, found.body, found.importance, found.type) == ("lamp", "It is red.", 1.0, "project")
    assert (found.origin.source, found.rank, found.origin.time) == ("user", 3, 100.0)
    assert (tmp_path / "MEMORY.md").read_text() == "- [lamp](facts/lamp.md) -- the lamp\n"


def test_deleting_a_file_by_hand_withdraws_the_fact_and_keeps_it_in_the_history(
    store: FactFiles, opened: Open, zone: Path, tmp_path: Path
) -> None:
    store.put(fact("a", "The timezone is Paris."))
    store.put(fact("lie", "The timezone is Mars.", source="web", time=2))
    zone.unlink()
    for one in (store, opened()):
        assert standing(one) == []
        assert version_chain(one)[0] == ("user", "The timezone is Paris.", "")
        assert [[known.id for known in one.as_of(time)] for time in (2, 1000)] == [["a", "lie"], []]
        assert not zone.exists()
    assert (tmp_path / "MEMORY.md").read_text() == ""
    store.put(fact("b", "The timezone is Lisbon.", source="agent", time=200))
    assert standing(store) == ["The timezone is Lisbon."]
    assert zone.exists()


def test_restoring_a_deleted_file_restates_its_fact_with_the_original_source(store: FactFiles, zone: Path) -> None:
    store.put(fact("a", "The timezone is Paris.", source="agent"))
    saved = zone.read_bytes()
    zone.unlink()
    assert standing(store) == []
    zone.write_bytes(saved)
    (found,) = store.search(words("timezone"), 5)
    assert (found.body, found.origin.source, found.rank) == ("The timezone is Paris.", "agent", 1)
    assert (found.origin.derived_from, found.origin.time, found.id == "a") == (("a",), 101.0, False)
    assert zone.read_bytes() == saved


def test_restoring_an_older_version_makes_it_current_only_if_its_source_may_do_so(store: FactFiles, zone: Path) -> None:
    saved = {}
    for place, source in enumerate(("agent", "user", "user")):
        store.put(fact(f"i{place}", f"The timezone is {place}.", source=source))
        saved[place] = zone.read_bytes()
    zone.write_bytes(saved[0])
    assert [one.body for one in store.rivals(Fact("timezone", ""))] == ["The timezone is 2.", "The timezone is 0."]
    assert zone.read_bytes() == saved[2]
    zone.write_bytes(saved[1])
    assert [one.body for one in store.rivals(Fact("timezone", ""))] == ["The timezone is 1."]
    assert zone.read_bytes() == saved[1]


def test_a_file_of_another_store_keeps_its_provenance(store: FactFiles, tmp_path: Path) -> None:
    other = FactFiles(tmp_path / "other")
    page = replace(fact("p", "The lamp is red.", "lamp", "web", 5.0), importance=0.25)
    other.put(page)
    other.close()
    (tmp_path / "facts").mkdir()
    shutil.copy(tmp_path / "other" / "facts" / "lamp.md", tmp_path / "facts" / "lamp.md")
    assert store.get("p") == page
    shutil.copy(tmp_path / "other" / "facts" / "lamp.md", tmp_path / "facts" / "stove.md")
    assert [one.origin.source for one in store.history("stove")] == ["user"]


def test_erasing_an_edit_or_the_edited_fact_makes_neither_current(store: FactFiles, opened: Open, zone: Path) -> None:
    store.put(fact("a", "The timezone is Quuxblat."))
    swap(zone, "Quuxblat", "Lisbon")
    store.erase({"a"})
    assert standing(store) == standing(opened()) == ["The timezone is Lisbon."]
    store.erase({store.history("timezone")[0].id})
    assert standing(store) == standing(opened()) == []
    assert not zone.exists()


def test_a_restored_file_of_an_erased_fact_is_removed(
    store: FactFiles, opened: Open, zone: Path, tmp_path: Path
) -> None:
    store.put(fact("a", "The timezone is Quuxblat."))
    saved = zone.read_bytes()
    zone.with_name("timezone.md.new").write_bytes(saved)  # as a process leaves it that is killed while it writes
    store.erase({"a"})
    zone.write_bytes(saved)
    assert standing(store) == standing(opened()) == []
    assert [path for path in tmp_path.rglob("*") if path.is_file() and b"Quuxblat" in path.read_bytes()] == []
    zone.write_bytes(saved.replace(b"Quuxblat", b"Lisbon"))
    assert standing(store) == ["The timezone is Lisbon."]


def test_an_erased_statement_that_a_person_writes_again_is_stored_again_even_if_the_clock_stops(
    tmp_path: Path, zone: Path
) -> None:
    store = FactFiles(tmp_path, clock=lambda: 5.0)
    zone.parent.mkdir()
    for body in ("Lisbon", "Paris", "Lisbon"):
        zone.write_text(f"The timezone is {body}.", encoding="utf-8")
        assert standing(store) == [f"The timezone is {body}."]
    for _ in range(2):
        store.erase({one.id for one in store.history("timezone")})
        assert standing(store) == []
        zone.write_text("The timezone is Lisbon.", encoding="utf-8")
        assert standing(store) == ["The timezone is Lisbon."]
    store.close()


def test_a_damaged_line_of_the_journal_is_reported_with_its_place(
    store: FactFiles, opened: Open, tmp_path: Path
) -> None:
    store.put(fact("a", "The timezone is Paris."))
    swap(tmp_path / "facts.jsonl", '"body":', '"boddy":')
    with pytest.raises(ValueError, match=r"facts\.jsonl, byte 0: no record of this store .*boddy.*; correct or delete"):
        opened().get("a")


def test_a_search_opens_no_file_but_those_that_have_changed(
    store: FactFiles, zone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in range(50):
        store.put(fact(f"i{n}", f"The lamp {n} is red.", f"lamp-{n}"))
    settled(*zone.parent.glob("*.md"), zone.parent.parent / "MEMORY.md")
    standing(store, "lamp")
    opens, read = list[str](), Path.read_bytes

    def counted(path: Path) -> bytes:
        opens.append(path.name)
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", counted)
    assert len(store.search(words("lamp"), 50)) == 50
    assert opens == []
    swap(zone.parent / "lamp-7.md", "red", "blue")
    settled(zone.parent / "lamp-7.md")
    opens.clear()
    assert standing(store, "blue") == ["The lamp 7 is blue."]
    assert [name for name in opens if name != "MEMORY.md"] == ["lamp-7.md"]


def test_a_revived_fact_has_its_file_and_line_again(store: FactFiles, zone: Path) -> None:
    store.put(replace(fact("a", "The timezone is Paris."), about="clock"))
    store.put(replace(fact("b", "The timezone is Lisbon.", "zone", time=2), about="clock"))
    store.put(fact("c", "The timezone is Mars.", source="web", time=3))
    store.erase({"b"})
    assert "Paris" in zone.read_text()
    assert standing(store) == ["The timezone is Paris.", "The timezone is Mars."]
    assert not (zone.parent / "zone.md").exists()


def test_a_statement_of_lower_rank_does_not_replace_a_file_edited_by_hand(store: FactFiles, zone: Path) -> None:
    store.put(fact("a", "The timezone is Paris."))
    store.put(fact("b", "The timezone is Mars.", source="web", time=2))
    swap(zone, "Paris", "Lisbon")
    store.put(fact("c", "The lamp is red.", name="lamp", time=3))
    assert "Lisbon" in zone.read_text()


def test_an_edit_by_hand_has_no_session_and_the_current_time(tmp_path: Path) -> None:
    store = FactFiles(tmp_path, clock=lambda: 50.0)
    page = tmp_path / "facts" / "lamp.md"
    page.parent.mkdir(parents=True, exist_ok=True)
    ids = set()
    for colour in ("red", "green", "red"):
        page.write_text(f"The lamp is {colour}.")
        (fact,) = store.search(["lamp"], 5)
        assert (fact.body, fact.rank) == (f"The lamp is {colour}.", 3)
        assert (fact.origin.source, fact.origin.session, fact.origin.time) == ("user", "", 50.0)
        ids.add(fact.id)
    assert len(ids) == 3


def test_one_of_many_threads_writes_the_others_get_an_error_and_acknowledged_writes_are_stored_once(
    store: FactFiles, opened: Open
) -> None:
    def tell(thread: int) -> int:
        kept = 0
        for n in range(20):
            with suppress(RuntimeError):
                store.put(fact(f"i{thread}-{n}", f"The lamp {n} is red.", f"lamp-{n}"))
                kept += 1
        return kept

    with ThreadPoolExecutor(4) as pool:
        kept = list(pool.map(tell, range(4)))
    assert sum(kept) == len(list(opened().statements())) >= 20

    store.close()
    store.put(fact("a", "The timezone is Paris."))
    with ThreadPoolExecutor(1) as pool, pytest.raises(RuntimeError, match="open one MemoryMix in each thread"):
        pool.submit(store.put, fact("b", "The timezone is Lisbon.")).result()
