"""Processes that erase, compact, promote and read one memory, with a model beside them that knows what must be left."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from itertools import count
from pathlib import Path
from random import Random

from memlab.memory import MemoryMix, Provenance
from memlab.memory.retrieval.relevance import stems

Build = Callable[[Path], MemoryMix]
Run = Callable[[Sequence[Callable[[], None]]], list[int]]

SECONDS = float(os.environ.get("SECONDS_BESIDE", "3"))
"""How long they work beside each other; `make faults` gives them a minute."""
BELLS = [f"The bell number {n} is loud." for n in range(6)]


def by(identity: str, session: str = "") -> Provenance:
    return Provenance("user", session, 1_767_600_000.0, identity)


def erase(build: Build, directory: Path, until: float, writer: int) -> None:
    """Log notes and erase every second one: the model is that the even ones go and the odd ones stay."""
    mix = build(directory)
    for n in count():
        mix.log_episode("note", f"Writer {writer} saw word{n}.", origin=by(f"{writer}-{n}", f"s{n}"))
        mix.write_fact(f"fact-{writer}-{n}", "", f"Fact of {writer} is term{n}.", origin=by(f"fact-{writer}-{n}"))
        if n % 2 == 0:
            with suppress(BlockingIOError):  # it is recorded, and no method returns them, while another process reads
                assert mix.erase({f"{writer}-{n}", f"fact-{writer}-{n}"}) >= {f"fact-{writer}-{n}"}
        bodies = {fact.body for fact in mix.facts.as_of(1e12)}
        expected = {f"Fact of {writer} is term{k}." for k in range(n + 1) if k % 2}
        assert {body for body in bodies if body.startswith(f"Fact of {writer} ")} == expected
        assert set(BELLS) <= bodies
        if time.time() > until:
            break
    mix.close()


def compact(build: Build, directory: Path, until: float) -> None:
    """Begin tasks and end them: each named note must become a fact, and what recurs must stay promoted."""
    chance = Random(1)  # noqa: S311 - chance has a seed
    for n in count():
        mix = build(directory)
        mix.set_task(f"goal {n}", ["one"], by(f"task-{n}"))
        mix.note(f"Note {n} is kept.", f"note-{n}", by(f"note-{n}"))
        for _ in range(chance.randrange(3)):
            mix.compact()
        assert f"goal: goal {n}" in mix.assemble("which note", 4000)
        mix.end_task(f"end {n}", by(f"end-{n}"))
        kept = [fact.body for fact in mix.facts.as_of(1e12) if fact.name.startswith("note-")]
        assert kept == [f"Note {k} is kept." for k in range(n + 1)]
        mix.close()
        if time.time() > until:
            break


def read(build: Build, directory: Path, until: float) -> None:
    """Ask for what nobody erases; it is there whatever the others do."""
    mix = build(directory)
    while time.time() < until:
        assert {one.text for one in mix.recall("which bell is loud", 20)} & set(BELLS)
        assert mix.episodes.search(stems("the shutter creaks"), 1)[0][0].detail == "The shutter creaks."
        assert mix.episodes.get("shutter") is not None
        assert "Be kind." in mix.assemble("which bell is loud", 4000)
    mix.close()


def test_what_processes_write_and_erase_beside_each_other_is_what_a_model_says(
    build: Build, run: Run, tmp_path: Path
) -> None:
    directory = tmp_path / "mix"
    mix = build(directory)
    mix.write_rule("Be kind.")
    for text in BELLS:
        for session in ("one", "two"):
            mix.log_episode("turn", text, origin=by(f"{text}-{session}", session))
    mix.promote()
    mix.log_episode("turn", "The shutter creaks.", origin=by("shutter"))
    mix.write_fact("shutter-source", "", "Somebody heard it.", origin=Provenance("user", derived_from=("shutter",)))
    mix.close()
    until = time.time() + SECONDS
    erasers = [partial(erase, build, directory, until, writer) for writer in range(2)]
    assert run([*erasers, partial(compact, build, directory, until), partial(read, build, directory, until)]) == [0] * 4
    mix = build(directory)
    mix.recall("bell")
    assert not mix.damaged()
    left = b"".join(path.read_bytes() for path in directory.iterdir() if path.is_file())
    assert not [n for n in range(0, 400, 2) if b"saw word%d." % n in left or b"is term%d." % n in left]
    mix.close()
