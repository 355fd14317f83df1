from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from memlab.memory.fact_files import FactFiles
from memlab.memory.relevance import words
from memlab.memory.semantic import Fact
from memlab.memory.trust import Provenance, rank

Open = Callable[[], FactFiles]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    ticks, made = count(100), list[FactFiles]()

    def build() -> FactFiles:
        made.append(FactFiles(tmp_path, clock=lambda: float(next(ticks))))
        return made[-1]

    yield build
    for store in made:
        store.close()


@pytest.fixture
def store(opened: Open) -> FactFiles:
    return opened()


@pytest.fixture
def zone(tmp_path: Path) -> Path:
    return tmp_path / "facts" / "timezone.md"


def fact(identity: str, body: str, name: str = "timezone", source: str = "user", time: float = 1.0) -> Fact:
    return Fact(name, body, origin=Provenance(source, "s1", time, identity), rank=rank(source))


def standing(store: FactFiles, question: str = "timezone") -> list[str]:
    return [found.body for found in store.search(words(question), 10)]


def swap(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def told(store: FactFiles, name: str = "timezone") -> list[tuple[str, str, str]]:
    known = {one.id: one.body for one in store.statements()}
    return [(one.origin.source, one.body, known.get(one.superseded_by, "")) for one in store.history(name)]


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


def test_a_body_edited_by_hand_is_the_users_word_and_what_stood_stays_in_the_history(
    store: FactFiles, opened: Open, zone: Path
) -> None:
    store.put(fact("a", "The timezone is Mars.", source="agent"))
    swap(zone, "Mars", "Lisbon")
    for one in (store, opened()):
        (found,) = one.search(words("timezone"), 5)
        assert (found.body, found.rank, found.origin.source) == ("The timezone is Lisbon.", 3, "user")
        assert told(one) == [
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
def test_an_edited_header_is_the_users_word_too(
    store: FactFiles, zone: Path, line: str, changed: dict[str, str | float]
) -> None:
    store.put(fact("a", "The timezone is Paris.", source="agent"))
    swap(zone, "type: project\n", f"{line}\n" if line.startswith("type") else f"type: project\n{line}\n")
    old, new = store.history("timezone")
    assert old.superseded_by == new.id
    assert {name: getattr(new, name) for name in changed} == changed
    assert (new.body, new.rank, new.origin.source) == ("The timezone is Paris.", 3, "user")


def test_what_a_person_has_written_is_left_as_it_was_written(store: FactFiles, opened: Open, zone: Path) -> None:
    store.put(fact("a", "The timezone is Paris."))
    zone.write_text("Lisbon, since May.\n\n", encoding="utf-8")
    assert standing(store, "lisbon") == standing(opened(), "lisbon") == ["Lisbon, since May.\n\n"]
    assert zone.read_text(encoding="utf-8") == "Lisbon, since May.\n\n"


def test_a_file_made_by_hand_is_the_users_word_and_has_its_line(store: FactFiles, tmp_path: Path) -> None:
    (tmp_path / "facts").mkdir()
    (tmp_path / "facts" / "lamp.md").write_text("---\ndescription: the lamp\nimportance: 1\n---\nIt is red.\n")
    (found,) = store.search(words("lamp"), 5)
    assert (found.name, found.body, found.importance, found.type) == ("lamp", "It is red.", 1.0, "project")
    assert (found.origin.source, found.rank, found.origin.time) == ("user", 3, 100.0)
    assert (tmp_path / "MEMORY.md").read_text() == "- [lamp](facts/lamp.md) -- the lamp\n"


def test_a_file_deleted_by_hand_withdraws_what_stood_and_it_stays_in_the_history(
    store: FactFiles, opened: Open, zone: Path, tmp_path: Path
) -> None:
    store.put(fact("a", "The timezone is Paris."))
    store.put(fact("lie", "The timezone is Mars.", source="web", time=2))
    zone.unlink()
    for one in (store, opened()):
        assert standing(one) == []
        assert told(one)[0] == ("user", "The timezone is Paris.", "")
        assert [[known.id for known in one.as_of(time)] for time in (2, 1000)] == [["a", "lie"], []]
        assert not zone.exists()
    assert (tmp_path / "MEMORY.md").read_text() == ""
    store.put(fact("b", "The timezone is Lisbon.", source="agent", time=200))
    assert standing(store) == ["The timezone is Lisbon."]
    assert zone.exists()


def test_a_file_put_back_says_again_what_it_said_by_whoever_said_it(store: FactFiles, zone: Path) -> None:
    store.put(fact("a", "The timezone is Paris.", source="agent"))
    saved = zone.read_bytes()
    zone.unlink()
    assert standing(store) == []
    zone.write_bytes(saved)
    (found,) = store.search(words("timezone"), 5)
    assert (found.body, found.origin.source, found.rank) == ("The timezone is Paris.", "agent", 1)
    assert (found.origin.derived_from, found.id == "a") == (("a",), False)
    assert zone.read_bytes() == saved


def test_an_older_version_put_back_is_revived_only_if_its_source_may(store: FactFiles, zone: Path) -> None:
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


def test_erasing_an_edit_or_what_was_edited_revives_neither(store: FactFiles, opened: Open, zone: Path) -> None:
    store.put(fact("a", "The timezone is Quuxblat."))
    swap(zone, "Quuxblat", "Lisbon")
    store.erase({"a"})
    assert standing(store) == standing(opened()) == ["The timezone is Lisbon."]
    store.erase({store.history("timezone")[0].id})
    assert standing(store) == standing(opened()) == []
    assert not zone.exists()


def test_a_file_of_the_erased_that_was_put_back_is_taken_away(
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


def test_what_a_person_states_again_is_told_again_though_it_was_erased_and_the_clock_stands_still(
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


def test_a_line_of_the_journal_that_somebody_has_broken_is_named_with_its_place(
    store: FactFiles, opened: Open, tmp_path: Path
) -> None:
    store.put(fact("a", "The timezone is Paris."))
    swap(tmp_path / "facts.jsonl", '"body":', '"boddy":')
    with pytest.raises(ValueError, match=r"facts\.jsonl, byte 0: no statement of this store .*boddy.*; mend or delete"):
        opened().get("a")


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


def test_half_characters_in_a_file_are_told_once_as_the_mark_of_what_is_no_character(
    store: FactFiles, zone: Path
) -> None:
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
        assert "it says nothing" in named["facts/timezone.md"]
    lines = (tmp_path / "MEMORY.md").read_text().splitlines()
    assert [line.split("]")[0] for line in lines] == ["- [lamp", "- [timezone", *["- [not read"] * 4]
    assert (folder / "My notes.md").read_text() == "mine"
    (folder / "My notes.md").rename(folder / "notes.md")
    assert standing(store, "mine") == ["mine"]
    assert len(store.unread) == 3


def test_what_stands_in_the_place_of_a_fact_and_is_none_is_set_aside(store: FactFiles, tmp_path: Path) -> None:
    (tmp_path / "facts" / "lamp.md" / "mine").mkdir(parents=True)
    store.put(fact("b", "The lamp is red.", "lamp"))
    assert standing(store, "lamp") == ["The lamp is red."]
    assert (tmp_path / "facts" / "lamp.md").is_file()
    assert (tmp_path / "facts" / "lamp.md.unread" / "mine").is_dir()
    assert store.unread == []


def test_what_a_person_writes_into_the_index_stays_and_our_lines_are_mended(store: FactFiles, tmp_path: Path) -> None:
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


def settled(*paths: Path) -> None:
    """Let files look as if nobody had touched them for a second."""
    for path in paths:
        status = path.stat()
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns - 10**9))


def test_a_revived_fact_has_its_file_and_line_again(store: FactFiles, zone: Path) -> None:
    store.put(replace(fact("a", "The timezone is Paris."), about="clock"))
    store.put(replace(fact("b", "The timezone is Lisbon.", "zone", time=2), about="clock"))
    store.put(fact("c", "The timezone is Mars.", source="web", time=3))
    store.erase({"b"})
    assert "Paris" in zone.read_text()
    assert standing(store) == ["The timezone is Paris.", "The timezone is Mars."]
    assert not (zone.parent / "zone.md").exists()


def test_a_file_edited_by_hand_is_not_pushed_out_of_its_place_by_what_ranks_lower(store: FactFiles, zone: Path) -> None:
    store.put(fact("a", "The timezone is Paris."))
    store.put(fact("b", "The timezone is Mars.", source="web", time=2))
    swap(zone, "Paris", "Lisbon")
    store.put(fact("c", "The lamp is red.", name="lamp", time=3))
    assert "Lisbon" in zone.read_text()


def test_another_process_sees_at_once_what_was_told_edited_and_erased(
    store: FactFiles, opened: Open, zone: Path
) -> None:
    other = opened()
    store.put(fact("a", "The timezone is Paris."))
    assert standing(other) == ["The timezone is Paris."]
    swap(zone, "Paris", "Lisbon")
    assert standing(other) == ["The timezone is Lisbon."]
    assert standing(store) == ["The timezone is Lisbon."]
    assert len(store.history("timezone")) == len(other.history("timezone")) == 2
    for n in range(4):  # each erasure rewrites the journal, and the disk likes to use an inode again
        store.put(fact(f"n{n}", f"Note {n}.", "note"))
        store.put(fact(f"m{n}", f"Other note {n}.", "other"))
        assert other.get(f"m{n}") is not None
        store.erase({f"n{n}"})
        store.erase({f"m{n}"})
        assert [one.id for one in other.statements()] == [one.id for one in store.statements()]


def killed(place: Path, calls: int, step: str) -> bool:
    """Do one step in a process that is killed once it has asked the system for so many files; tell whether it was."""
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1] != 0
    left = calls

    def spend(event: str, args: tuple[object, ...]) -> None:
        nonlocal left
        if event in {"open", "os.rename", "os.remove"} and str(args[0]).startswith(str(place)):
            left -= 1
            if left < 0:
                os._exit(9)

    store = FactFiles(place, clock=lambda: 50.0)
    zone = place / "facts" / "timezone.md"
    latest = store.history("timezone")[-1].id
    sys.addaudithook(spend)
    if step == "put":
        store.put(fact("b", "The timezone is Lisbon."))
    elif step.startswith("erase"):
        store.erase({latest})
    elif step == "edit":
        zone.write_text("The timezone is Lisbon.", encoding="utf-8")
    else:
        zone.unlink()
    store.get("a")
    os._exit(0)


@pytest.mark.parametrize("step", ["put", "erase", "erase-edit", "delete", "edit"])
def test_a_process_killed_at_any_call_leaves_all_told_or_not_and_views_that_the_next_look_mends(
    tmp_path: Path, step: str
) -> None:
    expected = {
        "put": ["The timezone is Paris.", "The timezone is Lisbon."],
        "erase": ["The timezone is Paris.", "The timezone is Rome."],
        "erase-edit": ["The timezone is Paris.", "The timezone is Berlin."],
        "delete": ["The timezone is Paris.", ""],
        "edit": ["The timezone is Paris.", "The timezone is Lisbon."],
    }[step]
    outcomes, again = list[str](), True
    while again:
        place = tmp_path / str(len(outcomes))
        store = FactFiles(place, clock=lambda: 60.0)
        store.put(fact("before", "The timezone is Rome."))
        store.put(fact("a", "The timezone is Berlin." if step == "erase-edit" else "The timezone is Paris."))
        if step == "erase-edit":
            swap(place / "facts" / "timezone.md", "Berlin", "Paris")
            assert standing(store) == ["The timezone is Paris."]
        store.close()
        again = killed(place, len(outcomes), step)
        outcomes.append(seen(store, place, step))
    assert list(dict.fromkeys(outcomes)) == expected


def seen(store: FactFiles, place: Path, step: str) -> str:
    """Give what stands, after asserting that history, views and index agree with it, and nothing else was told."""
    bodies = standing(store)
    zone = place / "facts" / "timezone.md"
    assert [path.read_text().count(body) for path in [zone] for body in bodies] == [1] * len(bodies)
    assert zone.exists() == bool(bodies)
    assert (place / "MEMORY.md").read_text().count("[timezone]") == len(bodies)
    *before, last = (one.body for one in store.history("timezone"))
    assert bodies == [last] * bool(last)
    edited = ["The timezone is Berlin."] if step == "erase-edit" else []
    assert before == {
        "The timezone is Rome.": [],
        "The timezone is Berlin.": ["The timezone is Rome."],
        "The timezone is Paris.": ["The timezone is Rome.", *edited],
    }.get(last, ["The timezone is Rome.", "The timezone is Paris."])
    if store.buried():
        assert all(b"Paris" not in path.read_bytes() for path in place.rglob("*") if path.is_file())
    store.close()
    return last


def test_a_file_deleted_before_it_ever_showed_what_stands_now_withdraws_nothing(
    store: FactFiles, opened: Open, zone: Path, tmp_path: Path
) -> None:
    for identity in "ab":
        store.put(fact(identity, f"The timezone is {identity}."))
    store.close()
    journal = tmp_path / "facts.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:-1]))  # as a process leaves it that is killed between statement and view
    zone.unlink()
    assert standing(opened()) == ["The timezone is b."]
    assert "The timezone is b." in zone.read_text()


def test_processes_that_share_a_directory_lose_no_statement_and_no_edit(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from memlab.memory.fact_files import FactFiles\n"
        "from memlab.memory.semantic import Fact; from memlab.memory.trust import Provenance\n"
        "store = FactFiles(Path(sys.argv[1]))\n"
        "for n in range(20):\n"
        "    one = f'{sys.argv[2]}-{n}'\n"
        "    store.put(Fact(f'own-{one}', f'Own {one}.', origin=Provenance(time=1.0, id=f'own-{one}')))\n"
        "    store.put(Fact('shared', f'Shared {one}.', origin=Provenance(time=1.0, id=f'shared-{one}')))\n"
        "    (Path(sys.argv[1]) / 'facts' / f'own-{one}.md').write_text(f'Edited {one}.')\n"
        "    assert store.search(['edit'], 100)"
    )
    writers = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path), name]) for name in "abc"]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    store = FactFiles(tmp_path)
    names = [f"{name}-{n}" for name in "abc" for n in range(20)]
    assert {one.id for one in store.history("shared")} == {f"shared-{name}" for name in names}
    for name in names:
        assert [one.body for one in store.history(f"own-{name}")] == [f"Own {name}.", f"Edited {name}."]
    store.close()
