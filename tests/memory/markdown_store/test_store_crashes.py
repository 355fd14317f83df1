from __future__ import annotations

import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from fact_folder import Open, fact, standing, swap

from memlab.memory.markdown_store import page
from memlab.memory.markdown_store.log import FactJournal
from memlab.memory.markdown_store.store import FactFiles
from memlab.memory.trust import may_replace


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
def test_a_process_killed_at_any_call_leaves_each_write_complete_or_absent_and_views_are_repaired(
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
    if store.tombstones():
        assert all(b"Paris" not in path.read_bytes() for path in place.rglob("*") if path.is_file())
    store.close()
    return last


@pytest.mark.parametrize("shown", [False, True])
def test_a_file_that_a_crash_left_out_of_step_with_the_journal_is_no_edit(
    store: FactFiles, opened: Open, zone: Path, tmp_path: Path, *, shown: bool
) -> None:
    store.put(fact("a", "The timezone is Paris."))
    later = fact("b", "The timezone is Lisbon.")
    with closing(FactJournal(tmp_path / "facts.jsonl", may_replace)) as journal:
        journal.catch_up()
        journal.put(later)  # and what follows on that, up to the crash
    if shown:
        page.write(zone, later)
    for one in (opened(), store):
        assert standing(one) == ["The timezone is Lisbon."]
        assert [known.id for known in one.history("timezone")] == ["a", "b"]
    assert "The timezone is Lisbon." in zone.read_text()


def test_an_erasure_that_a_crash_cuts_short_is_not_taken_for_a_persons_withdrawal(
    store: FactFiles, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.put(fact("a", "The timezone is Paris."))
    store.put(fact("b", "The timezone is Lisbon."))
    with monkeypatch.context() as crash:
        crash.setattr(FactJournal, "tombstone", None)
        with pytest.raises(TypeError):
            store.erase({"b"})
    store.close()
    later = opened()
    assert [(known.id, known.superseded_by) for known in later.history("timezone")] == [("a", "b"), ("b", "")]
    assert standing(later) == ["The timezone is Lisbon."]
    later.erase({"b"})
    assert standing(later) == ["The timezone is Paris."]


def test_deleting_a_file_that_never_showed_the_current_fact_withdraws_nothing(
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


def test_a_journal_restored_to_an_older_state_in_place_is_read_again(store: FactFiles, tmp_path: Path) -> None:
    store.put(fact("a", "The timezone is Paris."))
    journal = tmp_path / "facts.jsonl"
    saved = journal.read_bytes()
    store.put(fact("b", "The lamp is red.", "lamp"))
    journal.write_bytes(saved)
    (tmp_path / "facts" / "lamp.md").unlink()
    assert [one.id for one in store.statements()] == ["a"]
    assert "lamp" not in (tmp_path / "MEMORY.md").read_text()


def test_another_store_sees_writes_edits_and_erasures_at_once(store: FactFiles, opened: Open, zone: Path) -> None:
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


def test_processes_that_share_a_directory_lose_no_statement_and_no_edit(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from memlab.memory.markdown_store.store import FactFiles\n"
        "from memlab.memory.facts import Fact; from memlab.memory.trust import Provenance\n"
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
