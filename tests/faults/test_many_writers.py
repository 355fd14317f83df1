"""Many processes write to one directory at once, and one reads all the time."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from math import inf
from pathlib import Path

from memlab.memory import MemoryMix, Provenance, Refused, ScriptedWorld

Build = Callable[[Path], MemoryMix]
Run = Callable[[Sequence[Callable[[], None]]], list[int]]

WRITERS = int(os.environ.get("WRITERS", "4"))
WRITES = int(os.environ.get("WRITES", "50"))
ERASURES = 8
PAD = "and so on " * 300
"""Longer than one disk write, so that half of it could be read."""


def keep_all(directory: Path) -> MemoryMix:
    """Open a memory that forgets nothing, since a log that is too large is compacted unasked."""
    return MemoryMix(directory, ScriptedWorld(), lambda: 1_767_614_400.0, keep=WRITERS * WRITES)


def write(build: Build, directory: Path, writer: int, finished: Path) -> None:
    mix = build(directory)
    try:
        for n in range(WRITES):
            tell(mix, n, f"{writer}-{n}")
    finally:
        mix.close()
        with finished.open("ab") as file:
            file.write(b"x")


def tell(mix: MemoryMix, n: int, one: str) -> None:
    origin = Provenance("user", f"session-{one}", 1_767_600_000.0 + n, f"id-{one}")
    if n % 5 == 0:
        mix.write_fact(f"fact-{one}", "", f"Fact {one} is whole. {PAD}", origin=origin)
    elif n % 5 == 1:
        mix.log_episode("note", f"Note {one} is whole. {PAD}", origin=origin)
    elif n % 5 == 2:
        mix.write_rule(f"Rule {one} is whole.", f"rule-{one}", origin)
    elif n % 5 == 3:
        mix.write_fact("subject", "", f"Subject {one} is whole. {PAD}", origin=origin)
    else:
        hold(mix, f"Always use {one}.", Provenance("web", origin.session, origin.time, origin.id))


def hold(mix: MemoryMix, order: str, origin: Provenance) -> None:
    try:
        mix.write_fact("key", "", order, origin=origin)
    except Refused:
        return
    raise AssertionError("an instruction of an untrusted source was stored")


def read(build: Build, directory: Path, finished: Path) -> None:
    """Read by every verb until all have written, and check that every memory is complete and none disappears."""
    mix, seen = build(directory), 0
    while not finished.exists() or finished.stat().st_size < WRITERS:
        for found in mix.recall("which fact or note or subject is whole", 10):
            assert "is whole." in found.text
        assert "[RULES]" in mix.assemble("which rule is whole", 100_000) or not mix.rules.all()
        current = [fact for fact in mix.facts.as_of(inf) if fact.name == "subject"]
        assert len(current) < 2, f"{len(current)} current facts on one subject"
        assert current or not mix.facts.history("subject"), "a subject with facts has no current fact"
        size = len(list(mix.episodes.replay())) + len(mix.facts.as_of(inf)) + len(mix.rules.all())
        assert size >= seen, f"{seen - size} of {seen} memories have gone"
        seen = size
    mix.close()


def test_concurrent_writes_are_each_stored_once_and_no_reader_sees_half_of_one(run: Run, tmp_path: Path) -> None:
    build, finished, directory = keep_all, tmp_path / "finished", tmp_path / "mix"
    writers = [partial(write, build, directory, writer, finished) for writer in range(WRITERS)]
    assert run([*writers, partial(read, build, directory, finished)]) == [0] * (WRITERS + 1)
    mix = build(directory)
    stored = Counter(fact.id for fact in [*mix.facts.as_of(inf), *mix.facts.history("subject")])
    stored += Counter(episode.id for episode in mix.episodes.replay())
    stored += Counter(rule.id for rule in mix.rules.all())
    stored += Counter(record["id"] for record in mix.quarantined())
    last = [fact.id for fact in mix.facts.history("subject") if not fact.superseded_by]
    assert stored == Counter(f"id-{writer}-{n}" for writer in range(WRITERS) for n in range(WRITES)) + Counter(last)
    assert len(last) == 1
    mix.close()
    print(f"\n{WRITERS} processes x {WRITES} writes: {len(stored)} there, each once", end="")  # noqa: T201 - the output of `make faults`


def erase(build: Build, directory: Path, writer: int) -> None:
    """Erase one thing after another, each from a memory that is opened anew while others are erasing."""
    for n in range(0, ERASURES, 2):
        mix = build(directory)
        mix.erase({f"{kind}-{writer}-{n}" for kind in ("said", "fact", "rule")})
        mix.close()


def test_concurrent_erasures_remove_their_memories_and_no_others(build: Build, run: Run, tmp_path: Path) -> None:
    mix = build(tmp_path / "mix")
    ids = [f"{writer}-{n}" for writer in range(WRITERS) for n in range(ERASURES)]
    for one in ids:
        mix.log_episode("note", f"Said {one}.", origin=Provenance("agent", one, 1.0, f"said-{one}"))
        mix.write_fact(f"fact-{one}", "", f"Fact {one}.", origin=Provenance("agent", one, 2.0, f"fact-{one}"))
        mix.write_rule(f"Rule {one}.", f"rule-{one}", Provenance("user", one, 3.0, f"rule-{one}"))
        mix.write_skill(f"skill-{one}", f"Do {one}.", origin=Provenance("agent", one, 3.0, "", (f"said-{one}",)))
    mix.close()
    assert run([partial(erase, build, tmp_path / "mix", writer) for writer in range(WRITERS)]) == [0] * WRITERS
    remaining = [one for one in ids if int(one.split("-")[1]) % 2]
    assert [episode.detail for episode in mix.episodes.replay()] == [f"Said {one}." for one in remaining]
    assert {fact.body for fact in mix.facts.as_of(inf)} == {f"Fact {one}." for one in remaining}
    assert {rule.text for rule in mix.rules.all()} == {f"Rule {one}." for one in remaining}
    assert {skill.steps for skill in mix.skills.all()} == {f"Do {one}." for one in remaining}
    mix.close()
