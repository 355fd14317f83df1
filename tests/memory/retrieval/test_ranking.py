"""An answer is that of the stores as they are now, whoever wrote to them and whatever was asked before."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import cache
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memlab.memory import MemoryMix, Provenance, Refused, ScriptedWorld
from memlab.memory.episodes import Episodes
from memlab.memory.world import Change

QUESTION = "where is the lamp"


@pytest.fixture
def mix(make: Callable[[], MemoryMix]) -> MemoryMix:
    """Give a memory of many texts."""
    made = make()
    for n in range(513):
        made.log_episode("log", f"letter {n} was sent")
    made.log_episode("turn", "The lamp is in the hall.", origin=Provenance(id="hall"))
    return made


def texts(mix: MemoryMix) -> list[str]:
    return [one.text for one in mix.recall(QUESTION)]


def test_a_new_memory_that_shares_a_word_with_the_question_is_found_at_once(mix: MemoryMix) -> None:
    assert texts(mix) == ["The lamp is in the hall."]
    mix.log_episode("turn", "The lamp is in the cellar.")
    assert texts(mix) == ["The lamp is in the cellar.", "The lamp is in the hall."]


def test_writes_and_erasures_by_another_process_are_noticed(mix: MemoryMix, make: Callable[[], MemoryMix]) -> None:
    assert texts(mix) == ["The lamp is in the hall."]
    other = make()
    other.write_fact("lamp", "where the lamp is", "The lamp is on the roof.")
    assert texts(mix)[0] == "The lamp is on the roof."
    other.erase(["hall"])
    assert texts(mix) == ["The lamp is on the roof."]
    other.write_fact("lamp", "where the lamp is", "The lamp is at the mender's.")
    assert texts(mix) == ["The lamp is at the mender's."]


def test_the_world_is_checked_at_every_recall(mix: MemoryMix, world: ScriptedWorld) -> None:
    mix.log_episode("turn", "The lamp is switched by scripts/deploy.sh.")
    assert len(texts(mix)) == 2
    world.change(Change(files={"scripts/deploy.sh": None}))
    assert texts(mix) == ["The lamp is in the hall."]
    world.change(Change(files={"scripts/deploy.sh": ""}))
    assert len(texts(mix)) == 2


@pytest.mark.parametrize("first", ["switched", "dimmed"])
def test_all_memories_that_name_one_thing_are_judged_again_when_the_world_changes(
    mix: MemoryMix, world: ScriptedWorld, first: str
) -> None:
    """One of them restates what was superseded, and is not served whatever the World says."""
    old = mix.write_fact("stand", "what became of it", "The stand was sold.")
    mix.write_fact("stand", "what became of it", "The stand was kept.")
    for done in (first, *{"switched", "dimmed"} - {first}):
        origin = Provenance(derived_from=(old.id,) if done == "dimmed" else ())
        mix.log_episode("turn", f"The lamp is {done} by scripts/deploy.sh.", origin=origin)
    for there, expected in (("", 2), (None, 1), ("", 2), (None, 1)):
        world.change(Change(files={"scripts/deploy.sh": there}))
        assert len(texts(mix)) == expected


def test_a_skill_edited_by_hand_is_noticed(mix: MemoryMix) -> None:
    mix.write_skill("find-lamp", "Follow the lamp by its light.", "where the lamp is")
    assert "Follow the lamp by its light." in texts(mix)
    file = mix.directory / "skills" / "find-lamp" / "SKILL.md"
    file.write_text(file.read_text("utf-8").replace("its light", "its own hum"), encoding="utf-8")
    assert "Follow the lamp by its own hum." in texts(mix)


def test_the_origin_of_a_served_memory_is_checked_again_when_it_is_restated(mix: MemoryMix) -> None:
    old = mix.write_fact("stand", "what became of it", "The stand was sold.")
    mix.write_fact("stand", "what became of it", "The stand was kept.")
    mix.log_episode("note", "noted down", origin=Provenance("agent", id="note"))
    mix.log_episode("note", "The lamp fell over.", origin=Provenance("agent", derived_from=("note",)))
    assert "The lamp fell over." in texts(mix)
    mix.log_episode("note", "noted down", origin=Provenance("agent", id="note", derived_from=(old.id,)))
    assert "The lamp fell over." not in texts(mix)


def test_a_statement_repeated_with_another_source_or_lineage_is_judged_again(
    mix: MemoryMix, make: Callable[[], MemoryMix]
) -> None:
    """Once by the web and then by the user; once as such, and then as what restates the superseded."""
    mix.log_episode("log", "The lamp hums.", origin=Provenance("web", id="hum"))
    old = mix.write_fact("noise", "what it does", "It hums at night.")
    mix.write_fact("noise", "what it does", "It sings at night.")
    mix.log_episode("log", "The lamp glows.", origin=Provenance(id="glow"))
    assert "The lamp glows." in texts(mix)
    assert "The lamp hums." not in mix.assemble(QUESTION, 400)
    mix.log_episode("log", "The lamp hums.", origin=Provenance(id="hum"))
    mix.log_episode("log", "The lamp glows.", origin=Provenance(id="glow", derived_from=(old.id,)))
    assert [one.notes for one in mix.recall(QUESTION) if one.text == "The lamp hums."] == [()]
    assert "user) The lamp hums." in mix.assemble(QUESTION, 400)
    assert "The lamp glows." not in texts(mix)
    assert mix.recall(QUESTION) == make().recall(QUESTION)


def test_an_episode_after_an_incomplete_line_is_noticed(mix: MemoryMix, make: Callable[[], MemoryMix]) -> None:
    with (mix.directory / "episodes.jsonl").open("ab") as log:
        log.write(b'{"id":"torn","time":1.0,"sess')  # a writer was killed here
    assert texts(mix) == ["The lamp is in the hall."]
    mix.log_episode("turn", "The lamp is in the cellar.")
    make().log_episode("log", "lunch was late")
    assert texts(mix) == ["The lamp is in the cellar.", "The lamp is in the hall."]


def test_a_write_of_another_memory_between_two_reads_is_shown_once(
    mix: MemoryMix, make: Callable[[], MemoryMix], monkeypatch: pytest.MonkeyPatch
) -> None:
    recent, other = Episodes.recent, make()

    def late(self: Episodes) -> object:
        monkeypatch.undo()
        other.log_episode("log", "a door was shut")
        return recent(self)

    mix.recall(QUESTION)
    monkeypatch.setattr(Episodes, "recent", late)
    for _ in range(2):
        assert mix.assemble(QUESTION, 400).count("a door was shut") == 1


def test_an_episode_that_was_delivered_twice_is_among_the_latest_once(
    mix: MemoryMix, make: Callable[[], MemoryMix]
) -> None:
    """Before it was asked, between two questions, and by another process."""
    ping = Provenance("tool", time=1_767_600_000.0, id="ping")
    for delivering in (mix, mix, make(), make()):
        delivering.log_episode("log", "ping", origin=ping)
        for reader in (mix, make()):
            recent = reader.assemble("rest", 400)
            assert [recent.count(one) for one in ("ping", "letter 512", "lamp", "letter 511")] == [1, 1, 1, 0]


MOST_LAMPS = 5 * 40


def lit(room: int) -> str:
    return f"The lamp of room {room} was lit by {'her' if room % 2 else 'scripts/lamp.sh'}."


ACTS = st.lists(
    st.tuples(
        st.sampled_from(["log", "tool", "retell", "web", "fact", "restate", "erase", "skill", "ask", "assemble"]),
        st.sampled_from(
            ["The lamp is in the hall.", "The lamp hums.", "Nobody knows where.", "A door was shut.", "the LAMP hums."]
        )
        | st.integers(0, MOST_LAMPS).map(lit),  # the older of these are not found by those who have not asked before
    ),
    max_size=12,
)


@pytest.fixture(scope="module")
def logged(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], Path]:
    """Return a function that gives a folder with a log of 520 letters and some lamps, written once."""

    @cache
    def write(lamps: int) -> Path:
        directory, clock = tmp_path_factory.mktemp("logged"), count(1_767_600_000.0, 60)
        mix = MemoryMix(directory, ScriptedWorld(), lambda: next(clock), sync="never")
        for n in range(520):
            mix.log_episode("log", f"letter {n} was sent")
        for n in range(lamps):
            source = "web" if n % 4 == 0 else "user" if n % 7 == 0 else "tool"
            mix.log_episode("log", lit(n), origin=Provenance(source, f"s{n % 3}", id=f"lit{n}"))
        mix.close()
        return directory

    return write


@pytest.mark.parametrize("lamps", [0, 36, MOST_LAMPS])
@given(acts=ACTS, question=st.sampled_from([QUESTION, "where is the lamp, and who lit it"]))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
def test_a_process_that_has_asked_before_answers_like_a_new_one(
    acts: list[tuple[str, str]],
    lamps: int,
    question: str,
    logged: Callable[[int], Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    directory, clock = tmp_path_factory.mktemp("mix"), count(1_767_700_000.0, 60)
    shutil.copytree(logged(lamps), directory, dirs_exist_ok=True)
    mix = MemoryMix(directory, ScriptedWorld(), lambda: next(clock), sync="never")
    for number, (act, text) in enumerate(acts):
        mix.recall(question)
        if act == "fact":
            mix.write_fact("lamp", "where the lamp is", text, origin=Provenance(id=f"id{number}"))
        elif act == "erase":
            mix.erase([f"id{number - 1}"])
        elif act == "skill":
            mix.write_skill("lamp", text, "where the lamp is")
        elif act in {"log", "tool", "retell", "web", "restate"}:
            restated = (f"id{number - 1}",) if act == "restate" else ()
            source, name = act if act in {"tool", "web"} else "user", "same" if act == "retell" else f"id{number}"
            try:
                mix.log_episode("turn", text, origin=Provenance(source, f"s{number}", id=name, derived_from=restated))
            except Refused:  # it restates what was erased
                continue
        fresh = MemoryMix(directory, ScriptedWorld(), lambda: next(clock), sync="never")
        assert mix.recall(question) == fresh.recall(question)
        assert mix.assemble(question, 300) == fresh.assemble(question, 300)
        fresh.close()
    mix.close()
