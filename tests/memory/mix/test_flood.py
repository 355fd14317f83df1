"""However much one side tells, trusted sources or the others, it hides nothing that the other side has told."""

from __future__ import annotations

import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memlab.memory import MemoryMix, Provenance
from memlab.memory.episode import Episode
from memlab.memory.episodes import Episodes
from memlab.memory.facts import Fact
from memlab.memory.indexing.fact_table import FactTable
from memlab.memory.indexing.fulltext import MOST_ROWS
from memlab.memory.retrieval.relevance import stems
from memlab.memory.trust import rank

FLOOD = MOST_ROWS + 100
SAID = "The lantern parade starts at the old ford."
QUESTION = "where does the lantern parade start"
SIDES = pytest.mark.parametrize(("one", "many"), [("user", "web"), ("web", "user"), ("agent", "unknown")])


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Episodes]:
    with closing(Episodes(tmp_path, "never")) as episodes:
        yield episodes


@pytest.fixture
def table(tmp_path: Path) -> Iterator[FactTable]:
    with closing(FactTable(tmp_path / "facts.db")) as store:
        yield store


def flood_text(number: int) -> str:
    return f"Lantern parade starts at the bus station, note {number}."


def fact(identity: str, body: str, source: str, name: str = "") -> Fact:
    return Fact(name or f"fact-{identity}", body, origin=Provenance(source, "s", 1.0, identity), rank=rank(source))


def episode(identity: str, detail: str, source: str, kind: str = "turn") -> Episode:
    return Episode(kind, detail, Provenance(source, "s", 1.0, identity), rank(source))


def fill(log: Episodes, source: str, number: int = FLOOD) -> None:
    for n in range(number):
        log.append(episode(f"{source}{n}", flood_text(n), source))


def found(log: Episodes, question: str = QUESTION) -> list[str]:
    return [one.id for one, _ in log.search(stems(question), 3)]


@SIDES
def test_no_number_of_facts_from_one_side_hides_a_fact_of_the_other(tmp_path: Path, one: str, many: str) -> None:
    with closing(FactTable(tmp_path / "facts.db")) as store:
        store.put(fact("said", SAID, one))
        for n in range(FLOOD):
            store.put(fact(f"flood{n}", flood_text(n), many))
        flood = [f"flood{FLOOD - n}" for n in range(1, 4)]
        expected = ["said", *flood] if rank(one) else [*flood, "said"]
        assert [each.id for each in store.search(stems(QUESTION), 3)] == expected


@SIDES
def test_no_number_of_episodes_from_one_side_hides_an_episode_of_the_other(log: Episodes, one: str, many: str) -> None:
    log.append(episode("said", SAID, one))
    fill(log, many)
    flood = [f"{many}{FLOOD - n}" for n in range(1, 4)]
    assert found(log) == (["said", *flood] if rank(one) else [*flood, "said"])


@pytest.mark.parametrize("store", ["facts", "episodes"])
def test_statements_of_the_user_are_recalled_first_among_more_lies_than_a_search_reads(
    mix: MemoryMix, store: str
) -> None:
    def tell(body: str, source: str, number: int = 0) -> None:
        origin = Provenance(source, "s", 1.0 + number, f"{source}{number}")
        if store == "facts":
            mix.write_fact(f"{source}-{number}", "", body, origin=origin)
        else:
            mix.log_episode("turn", body, origin=origin)

    tell(SAID, "user")
    for n in range(FLOOD):
        tell(flood_text(n), "web", n)
    assert mix.recall(QUESTION, 3)[0].text == SAID


@pytest.mark.timing
@pytest.mark.parametrize("many", ["web", "tool"])
def test_a_search_among_sixteen_thousand_of_either_side_is_nearly_as_fast_as_among_two_thousand(
    log: Episodes, many: str
) -> None:
    """In CPU seconds, the best of many, of one run: were all rows looked at, it would be eight times as long."""

    def seconds() -> float:
        start = time.process_time()
        log.search(stems(QUESTION), 40)
        return time.process_time() - start

    log.append(episode("said", SAID, "user"))
    fill(log, many, 2000)
    few = min(seconds() for _ in range(20))
    fill(log, many, 16_000)
    assert min(seconds() for _ in range(20)) < 2 * few


def test_a_correction_by_the_user_stays_in_effect_among_more_lies_than_a_search_reads(table: FactTable) -> None:
    table.put(fact("said", SAID, "user", "parade"))
    table.put(fact("corrected", "The lantern parade starts at the mill.", "user", "parade"))
    for n in range(FLOOD):
        table.put(fact(f"web{n}", flood_text(n), "web", "rumour"))
    assert table.search(stems(QUESTION), 3, superseded=True)[0].id == "said"


@pytest.mark.parametrize("kind", ["turn", "note"])
@pytest.mark.parametrize("between", [0, FLOOD], ids=["one batch", "read before"])
def test_a_web_statement_repeated_by_the_user_is_found_as_the_users_and_counts_once(
    log: Episodes, kind: str, between: int
) -> None:
    log.append(episode("read", SAID, "web"))
    if between:
        assert found(log) == ["read"]
    fill(log, "web", between)
    log.append(episode("said", f"  {SAID.upper()}", "user", kind))
    log.append(episode("again", SAID, "web"))
    fill(log, "unknown", 3)
    assert found(log)[0] == "said"
    assert "read" not in [one.id for one, _ in log.search(stems(QUESTION), 2 * FLOOD)]
    assert [found(log, f"{first} old ford")[0] for first in ("turn", "note")] == ["said", "said"]
    texts = max(between, 3) + 1
    held = {"lantern": texts, "ford": 1, "turn": texts}
    assert log.frequency([*held]) == (held, texts)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["The lamp.", "the  LAMP.", "A door", "\u0301lamp"]),
            st.sampled_from(["web", "unknown", "tool", "user"]),
            st.sampled_from(["turn", "lamp notes", "\ud800"]),
            st.booleans(),
        )
    )
)
def test_the_index_holds_the_same_words_on_the_same_sides_in_however_many_parts_the_log_was_read(
    story: list[tuple[str, str, str, bool]],
) -> None:
    with tempfile.TemporaryDirectory() as folder, closing(Episodes(Path(folder), "never")) as log:
        for n, (detail, source, kind, is_read) in enumerate(story):
            log.append(episode(f"id{n}", detail, source, kind))
            if is_read:
                log.frequency([])
        log.frequency([])
        index = Path(folder, "episodes.index")
        in_parts = contents(index)
        sides = {text for text, rank in in_parts.texts if rank}, {-text for text, rank in in_parts.texts if not rank}
        assert {row for row, *_ in in_parts.words} == set.union(*sides)
        log.close()
        index.unlink()
        log.frequency([])
        assert contents(index) == in_parts


class Contents(NamedTuple):
    """What an index says of each text, as its row and rank, and of each of their words, and where that stands."""

    texts: list[tuple[int, int]]
    words: list[tuple[int, str, int]]
    sizes: list[tuple[int, bytes]]


def contents(index: Path) -> Contents:
    with closing(sqlite3.connect(index)) as db:
        db.execute("INSERT INTO words (words) VALUES ('integrity-check')")
        db.execute("CREATE VIRTUAL TABLE temp.held USING fts5vocab (main, words, instance)")
        return Contents(
            db.execute("SELECT row, trust FROM texts ORDER BY row").fetchall(),
            db.execute('SELECT doc, term, "offset" FROM held ORDER BY doc, "offset"').fetchall(),
            db.execute("SELECT id, sz FROM words_docsize ORDER BY id").fetchall(),
        )


def test_opening_a_file_of_the_old_layout_separates_trusted_and_untrusted_facts(tmp_path: Path) -> None:
    path = tmp_path / "facts.db"
    bodies = {"said": SAID, **{f"web{n}": flood_text(n) for n in range(FLOOD)}}
    with closing(FactTable(path)) as store:
        for identity, body in bodies.items():
            store.put(fact(identity, body, identity.rstrip("0123456789").replace("said", "user")))
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        before = db.execute("SELECT * FROM facts").fetchall()
        indexed = db.execute("SELECT abs(rowid), stems FROM words").fetchall()
        db.execute("BEGIN")
        db.execute("DELETE FROM words")
        db.executemany("INSERT INTO words (rowid, stems) VALUES (?, ?)", indexed)
        db.execute("PRAGMA user_version = 1")
        db.execute("COMMIT")
    for _ in range(2):
        with closing(FactTable(path)) as store:
            assert [one.id for one in store.search(stems(QUESTION), 1)] == ["said", f"web{FLOOD - 1}"]
            assert {one.id: one.body for one in store.statements()} == bodies
            assert store.frequency(["lantern"]) == ({"lantern": FLOOD + 1}, FLOOD + 1)
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT * FROM facts").fetchall() == before


Left = Callable[[], Sequence[Path]]


@pytest.fixture
def left(tmp_path: Path) -> Left:
    """Give the files that say more of the secret than its id."""
    return lambda: [path for path in tmp_path.rglob("*") if path.is_file() and b"uuxblat" in path.read_bytes().lower()]


@pytest.mark.parametrize("source", ["user", "web"])
def test_an_erased_fact_leaves_nothing_in_the_index(tmp_path: Path, table: FactTable, left: Left, source: str) -> None:
    table.put(fact("kept", "The lamp is red.", "user"))
    table.put(fact("other", "The lamp is blue.", "web"))
    table.put(fact("gone", "The secret lamp is quuxblat.", source))
    assert left()
    table.erase({"gone"})
    assert table.frequency(["lamp", "quuxblat"]) == ({"lamp": 2}, 2)
    assert [one.id for one in table.search(stems("secret lamp quuxblat"), 5)] == ["kept", "other"]
    table.close()
    assert left() == []
    with closing(sqlite3.connect(tmp_path / "facts.db")) as db:
        assert db.execute("SELECT rowid FROM words ORDER BY rowid").fetchall() == [(-2,), (1,)]


def test_an_erased_episode_that_became_trusted_leaves_nothing_in_the_index(log: Episodes, left: Left) -> None:
    log.append(episode("read", "The secret lamp is quuxblat.", "web"))
    assert found(log, "lamp") == ["read"]
    log.append(episode("said", "The secret lamp is quuxblat.", "user"))
    log.append(episode("kept", "The lamp is red.", "web"))
    assert found(log, "lamp") == ["said", "kept"]
    log.erase({"said"}, 1.0)
    assert found(log, "lamp") == ["kept", "read"]
    log.erase({"read"}, 1.0)
    assert found(log, "lamp quuxblat") == ["kept"]
    log.close()
    assert left() == []
