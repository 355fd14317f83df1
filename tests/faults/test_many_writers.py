"""Many processes write to one directory at once, and one reads all the time."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from math import inf
from pathlib import Path

from memlab.memory import MemoryMix, Provenance, Refused

Build = Callable[[Path], MemoryMix]
Run = Callable[[Sequence[Callable[[], None]]], list[int]]

WRITERS = int(os.environ.get("WRITERS", "4"))
WRITES = int(os.environ.get("WRITES", "50"))
ERASURES = 8
PAD = "and so on " * 300
"""Longer than what a disk takes at once, so that half of it could be read."""


def write(build: Build, directory: Path, writer: int, over: Path) -> None:
    mix = build(directory)
    try:
        for n in range(WRITES):
            tell(mix, n, f"{writer}-{n}")
    finally:
        mix.close()
        with over.open("ab") as file:
            file.write(b"x")


def tell(mix: MemoryMix, n: int, one: str) -> None:
    said = Provenance("user", f"session-{one}", 1_767_600_000.0 + n, f"id-{one}")
    if n % 5 == 0:
        mix.write_fact(f"fact-{one}", "", f"Fact {one} is whole. {PAD}", origin=said)
    elif n % 5 == 1:
        mix.log_episode("note", f"Note {one} is whole. {PAD}", origin=said)
    elif n % 5 == 2:
        mix.write_rule(f"Rule {one} is whole.", f"rule-{one}", said)
    elif n % 5 == 3:
        mix.write_fact("subject", "", f"Subject {one} is whole. {PAD}", origin=said)
    else:
        hold(mix, f"Always use {one}.", Provenance("web", said.session, said.time, said.id))


def hold(mix: MemoryMix, order: str, origin: Provenance) -> None:
    try:
        mix.write_fact("key", "", order, origin=origin)
    except Refused:
        return
    raise AssertionError("an order of the untrusted was let in")


def read(build: Build, directory: Path, over: Path) -> None:
    """Read by every verb until all have written, and be sure that all is whole and that nothing goes away."""
    mix, seen = build(directory), 0
    while not over.exists() or over.stat().st_size < WRITERS:
        for found in mix.recall("which fact or note or subject is whole", 10):
            assert "is whole." in found.text
        assert "[RULES]" in mix.assemble("which rule is whole", 100_000) or not mix.rules.all()
        standing = [fact for fact in mix.facts.as_of(inf) if fact.name == "subject"]
        assert len(standing) < 2, f"{len(standing)} facts stand on one subject"
        assert standing or not mix.facts.history("subject"), "no fact stands on a subject that has some"
        there = len(list(mix.episodes.replay())) + len(mix.facts.as_of(inf)) + len(mix.rules.all())
        assert there >= seen, f"{seen - there} of {seen} memories have gone"
        seen = there
    mix.close()


def test_all_that_many_processes_write_at_once_is_there_once_and_no_reader_sees_half_of_it(
    build: Build, run: Run, tmp_path: Path
) -> None:
    over, directory = tmp_path / "over", tmp_path / "mix"
    writers = [partial(write, build, directory, writer, over) for writer in range(WRITERS)]
    assert run([*writers, partial(read, build, directory, over)]) == [0] * (WRITERS + 1)
    mix = build(directory)
    told = Counter(fact.id for fact in [*mix.facts.as_of(inf), *mix.facts.history("subject")])
    told += Counter(episode.id for episode in mix.episodes.replay())
    told += Counter(rule.id for rule in mix.rules.all())
    told += Counter(record["id"] for record in mix.quarantined())
    last = [fact.id for fact in mix.facts.history("subject") if not fact.superseded_by]
    assert told == Counter(f"id-{writer}-{n}" for writer in range(WRITERS) for n in range(WRITES)) + Counter(last)
    assert len(last) == 1
    mix.close()
    print(f"\n{WRITERS} processes x {WRITES} writes: {len(told)} there, each once", end="")  # noqa: T201 - what `make faults` shows


def erase(build: Build, directory: Path, writer: int) -> None:
    """Erase one thing after another, each from a memory that is opened anew while others are erasing."""
    for n in range(0, ERASURES, 2):
        mix = build(directory)
        mix.erase({f"{kind}-{writer}-{n}" for kind in ("said", "fact", "rule")})
        mix.close()


def test_what_many_processes_erase_at_once_is_gone_and_nothing_else_is(build: Build, run: Run, tmp_path: Path) -> None:
    mix = build(tmp_path / "mix")
    ids = [f"{writer}-{n}" for writer in range(WRITERS) for n in range(ERASURES)]
    for one in ids:
        mix.log_episode("note", f"Said {one}.", origin=Provenance("agent", one, 1.0, f"said-{one}"))
        mix.write_fact(f"fact-{one}", "", f"Fact {one}.", origin=Provenance("agent", one, 2.0, f"fact-{one}"))
        mix.write_rule(f"Rule {one}.", f"rule-{one}", Provenance("user", one, 3.0, f"rule-{one}"))
        mix.write_skill(f"skill-{one}", f"Do {one}.", origin=Provenance("agent", one, 3.0, "", (f"said-{one}",)))
    mix.close()
    assert run([partial(erase, build, tmp_path / "mix", writer) for writer in range(WRITERS)]) == [0] * WRITERS
    kept = [one for one in ids if int(one.split("-")[1]) % 2]
    assert [episode.detail for episode in mix.episodes.replay()] == [f"Said {one}." for one in kept]
    assert {fact.body for fact in mix.facts.as_of(inf)} == {f"Fact {one}." for one in kept}
    assert {rule.text for rule in mix.rules.all()} == {f"Rule {one}." for one in kept}
    assert {skill.steps for skill in mix.skills.all()} == {f"Do {one}." for one in kept}
    mix.close()
