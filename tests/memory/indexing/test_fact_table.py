from __future__ import annotations

import shutil
import sqlite3
import statistics
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from memlab.memory.facts import Fact
from memlab.memory.indexing.fact_table import VERSION, FactTable
from memlab.memory.retrieval.relevance import stems
from memlab.memory.storage.journal import Sync
from memlab.memory.text import Refused
from memlab.memory.trust import Provenance


def fact(identity: str, body: str, name: str = "lamp", at: float = 1.0) -> Fact:
    return Fact(name, body, origin=Provenance(time=at, id=identity))


def test_a_fact_is_read_with_every_field_that_was_put_and_found_by_either_subject(tmp_path: Path) -> None:
    store = FactTable(tmp_path / "facts.db")
    origin = Provenance("tool", "monday", 5.0, "a", ("p", "q"), "the lamp, red")
    first = Fact("lamp", "The lamp is red.", "its colour", "user", "The Light", origin, 2, "", 0.9)
    store.put(first)
    assert [store.get("a"), *store.statements()] == [first, first]
    later = replace(fact("b", "It is blue.", "light", 6.0), about="the light")
    assert store.on_subject(later) == [first]
    store.put(later)
    assert store.get("a") == replace(first, superseded_by="b")


def stem_otherwise(path: Path) -> None:
    """Turn a file into one of an older memlab, whose words have other stems."""
    with sqlite3.connect(path) as old:
        old.execute("UPDATE words SET stems = 'stemmedotherwise'")
        old.execute(f"PRAGMA user_version = {VERSION - 1}")
    old.close()


def test_the_words_of_a_file_of_an_older_version_are_stemmed_again_and_it_keeps_all_it_holds(tmp_path: Path) -> None:
    path = tmp_path / "facts.db"
    store = FactTable(path)
    store.put(replace(fact("a", "The lamp was red."), origin=Provenance("web", "", 1.0, "a", ("p",)), rank=0))
    store.put(fact("b", "The lamp is blue."))
    store.close()
    stem_otherwise(path)
    for _ in range(2):
        store = FactTable(path)
        assert [(one.id, one.superseded_by) for one in store.history("lamp")] == [("a", "b"), ("b", "")]
        assert [one.id for one in store.search(stems("lamps"), 5)] == ["b"]
        assert [one.id for one in store.search(stems("lamps"), 5, superseded=True)] == ["a"]
        assert store.frequency(["stemmedotherwise"]) == ({}, 2)
        assert store.derived_ids({"p"}) == {"a"}
        store.close()
    FactTable(path).put(fact("c", "The lamp is green."))


def test_a_file_of_a_later_layout_is_left_alone_with_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "facts.db"
    store = FactTable(path)
    store.put(fact("a", "The lamp is red."))
    store.close()
    with sqlite3.connect(path) as later:
        later.execute("PRAGMA user_version = 99")
    with pytest.raises(sqlite3.NotSupportedError, match=r"facts\.db: .*version 99.*update"):
        FactTable(path).search(["lamp"], 5)


@pytest.mark.parametrize(
    "content", [b"no database at all, but a text of some length", b"SQLite format 3\0" + b"x" * 4096]
)
def test_a_damaged_file_is_an_error_that_names_it_and_the_next_step(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "facts.db"
    path.write_bytes(content)
    with pytest.raises(sqlite3.DatabaseError, match=r"facts\.db: .*; it is damaged: restore a copy"):
        FactTable(path).get("a")
    assert path.read_bytes() == content


def test_damage_within_a_file_is_named_once_with_the_next_step(tmp_path: Path) -> None:
    path = tmp_path / "facts.db"
    store = FactTable(path)
    for n in range(200):
        store.put(fact(f"i{n}", f"The lamp {n} is red." * 20, f"lamp-{n}"))
    store.close()
    data = bytearray(path.read_bytes())
    data[8192:-4096] = b"\xff" * len(data[8192:-4096])
    path.write_bytes(data)
    store = FactTable(path)
    with pytest.raises(sqlite3.DatabaseError, match=r"^[^;]*facts\.db: [^;]*; it is damaged[^;]*$"):
        store.put(fact("x", "The lamp is blue.", "lamp-7"))


def test_a_file_that_cannot_be_written_is_an_error_that_says_so(tmp_path: Path) -> None:
    path = tmp_path / "facts.db"
    store = FactTable(path)
    store.put(fact("a", "The lamp is red."))
    assert store._index.db.execute("PRAGMA query_only = ON") is not None  # noqa: SLF001 - as a file of another's is to us
    with pytest.raises(sqlite3.OperationalError, match=r"facts\.db: .*readonly.*make the file and its folder writable"):
        store.put(fact("b", "The lamp is blue."))
    assert [one.id for one in store.history("lamp")] == ["a"]


@pytest.mark.parametrize(("mode", "level"), [("always", 2), ("batch", 1), ("never", 1)])
def test_sqlite_waits_for_the_disk_at_each_fact_only_in_mode_always(tmp_path: Path, mode: Sync, level: int) -> None:
    store = FactTable(tmp_path / "facts.db", mode)
    store.put(fact("a", "The lamp is red."))
    assert store._index.db.execute("PRAGMA synchronous").fetchone() == (level,)  # noqa: SLF001 - as SQLite knows it


def test_a_file_behind_a_link_out_of_the_folder_is_written_only_if_links_are_allowed(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "facts.db").symlink_to(tmp_path / "facts.db")
    with pytest.raises(Refused, match="outside"):
        FactTable(tmp_path / "in" / "facts.db").put(fact("a", "The lamp is red."))
    FactTable(tmp_path / "in" / "facts.db", links=True).put(fact("a", "The lamp is red."))
    assert FactTable(tmp_path / "facts.db").get("a")


def test_an_empty_file_is_no_store_but_one_whose_facts_were_lost(tmp_path: Path) -> None:
    (tmp_path / "facts.db").touch()
    with pytest.raises(sqlite3.DatabaseError, match=r"facts\.db: it is empty; restore a copy"):
        FactTable(tmp_path / "facts.db").get("a")


@pytest.mark.parametrize("rank", [0, 3])
def test_the_words_of_an_erased_statement_are_in_no_file_even_while_the_store_is_open(
    tmp_path: Path, rank: int
) -> None:
    store = FactTable(tmp_path / "facts.db")
    for n in range(3):
        store.put(replace(fact(f"a{n}", f"The quuxblat is {n}.", f"lamp-{n}"), rank=rank))
    assert store.erase({"a0", "a1", "a2", "nobody"})
    assert [path.name for path in tmp_path.iterdir() if b"uuxblat" in path.read_bytes()] == []
    assert store.frequency(stems("quuxblat")) == ({}, 0)


def test_a_folder_in_the_place_of_the_file_is_an_error_that_says_so(tmp_path: Path) -> None:
    (tmp_path / "facts.db").mkdir()
    with pytest.raises(sqlite3.OperationalError, match=r"facts\.db: .*make its folder writable, and the file a file"):
        FactTable(tmp_path / "facts.db").put(fact("a", "The lamp is red."))


def test_a_fact_is_written_among_ten_thousand_as_fast_as_among_ten_in_steps_of_sqlite(tmp_path: Path) -> None:
    def steps(name: str, facts: int) -> float:
        store, taken = FactTable(tmp_path / name), [0]

        def count() -> None:
            taken[-1] += 1

        for n in range(facts + 300):
            if n == facts:
                store._index.db.set_progress_handler(count, 1)  # noqa: SLF001 - SQLite counts by connection
            taken.append(0)
            store.put(fact(f"i{n}", f"The lamp {n} stands in room {n % 97} beside {n % 1009}.", f"lamp-{n}"))
        store._index.db.set_progress_handler(None, 0)  # noqa: SLF001
        store.close()
        return statistics.median(taken[-300:])

    assert 0 < steps("many", 10_000) < 3 * steps("few", 10)


def test_restatements_are_found_without_reading_all_statements(tmp_path: Path) -> None:
    store = FactTable(tmp_path / "facts.db")
    store.put(fact("a", "The lamp is red."))
    restates = "SELECT id FROM lineage JOIN facts USING (row) WHERE parent = ?"
    plan = store._index.db.execute(f"EXPLAIN QUERY PLAN {restates}", ("a",)).fetchall()  # noqa: SLF001
    assert [step for *_, step in plan if "SCAN" in step] == []


def test_deleting_an_open_file_loses_its_facts_but_no_later_ones(tmp_path: Path) -> None:
    store = FactTable(tmp_path / "facts.db")
    store.put(fact("a", "The lamp is red."))
    for file in tmp_path.glob("facts.db*"):
        file.unlink()
    assert store.history("lamp") == []
    store.put(fact("b", "The lamp is blue."))
    for one in (store, FactTable(tmp_path / "facts.db")):
        assert [found.id for found in one.search(stems("lamp"), 5)] == ["b"]


def test_a_copy_restored_while_the_file_is_open_is_used_for_reads_and_writes(tmp_path: Path) -> None:
    store = FactTable(tmp_path / "live" / "facts.db")
    store.put(fact("a", "The lamp is red."))
    store.close()
    shutil.copytree(tmp_path / "live", tmp_path / "copy")
    store.put(fact("b", "The lamp is blue."))
    shutil.rmtree(tmp_path / "live")
    (tmp_path / "copy").rename(tmp_path / "live")
    assert [found.id for found in store.search(stems("lamp"), 5)] == ["a"]
    store.put(fact("c", "The door is green.", "door"))
    assert [found.id for found in FactTable(tmp_path / "live" / "facts.db").statements()] == ["a", "c"]


def test_a_file_of_an_older_version_that_is_put_back_is_stemmed_again(tmp_path: Path) -> None:
    for name, body in (("facts.db", "The stove is hot."), ("old.db", "The lamp is red.")):
        store = FactTable(tmp_path / name)
        store.put(fact(name, body))
    store.close()
    stem_otherwise(tmp_path / "old.db")
    store = FactTable(tmp_path / "facts.db")
    assert store.get("facts.db")
    for file in tmp_path.glob("facts.db*"):
        file.unlink()
    (tmp_path / "old.db").rename(tmp_path / "facts.db")
    assert [one.id for one in store.search(stems("lamps"), 5)] == ["old.db"]


def test_the_error_in_another_thread_says_to_open_a_second_memory(tmp_path: Path) -> None:
    store = FactTable(tmp_path / "facts.db")
    store.put(fact("a", "The lamp is red."))
    with ThreadPoolExecutor(1) as pool:
        for use in (lambda: store.get("a"), lambda: store.put(fact("b", "It is blue.")), store.close):
            with pytest.raises(RuntimeError, match=r"facts\.db: .*open one MemoryMix in each thread"):
                pool.submit(use).result()
        store.close()
        assert pool.submit(store.history, "lamp").result() == [fact("a", "The lamp is red.")]
        pool.submit(store.close).result()
