"""A writer is killed at random moments, again and again: what it acknowledged is there, and nothing is half there."""

# ruff: noqa: ARG005, S311 - every verb is called alike; chance has a seed

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from random import Random

import pytest

from memlab.memory import MemoryMix, Provenance, Refused, episode

Build = Callable[[Path], MemoryMix]
Run = Callable[[Sequence[Callable[[], None]], float], list[int]]
Shown = Callable[[MemoryMix, Iterable[str], Iterable[str]], dict[str, object]]
Verb = Callable[[MemoryMix, int, Provenance, Random], object]

KILLS = int(os.environ.get("KILLS", "20"))
LIVES = 5
"""So many kills each directory lives through, one after the other."""
LONGEST = 0.3
"""Seconds within which each writer dies."""
KILLED = -9
STEPS = ("wake", "wash", "walk", "ring", "rest")

VERBS: dict[str, tuple[int, Verb]] = {
    "log": (
        20,
        lambda mix, n, by, any_: mix.log_episode("note", f"Heard w{n}. {'x' * any_.randrange(9999)}", origin=by),
    ),
    "log again": (
        10,
        lambda mix, n, by, any_: mix.log_episode("note", f"Valve {any_.randrange(9)} sticks.", origin=by),
    ),
    "say": (5, lambda mix, n, by, _: mix.log_episode("note", f"It is w{n}.", "lamp", by)),
    "write": (20, lambda mix, n, by, _: mix.write_fact(f"fact-{n}", "", f"Fact w{n}.", origin=by)),
    "write over": (10, lambda mix, n, by, _: mix.write_fact(f"subject-{n % 3}", "", f"Subject w{n}.", origin=by)),
    "write stale": (4, lambda mix, n, by, _: mix.write_fact("script", "", f"It is scripts/w{n}.sh.", origin=by)),
    "hold": (4, lambda mix, n, by, _: mix.write_fact("key", "", f"Always use w{n}.", origin=by_web(by))),
    "rule": (8, lambda mix, n, by, _: mix.write_rule(f"Rule w{n}.", f"rule-{n % 4}", by)),
    "skill": (8, lambda mix, n, by, _: mix.write_skill(f"skill-{n % 4}", f"Do w{n}.", origin=by)),
    "task": (6, lambda mix, n, by, _: mix.set_task(f"goal w{n}", STEPS, by)),
    "note": (4, lambda mix, n, by, _: mix.note(f"Note w{n}.", f"noted-{n % 2}" if n % 3 else "", by)),
    "done": (8, lambda mix, n, by, any_: mix.check_off(any_.choice(STEPS), by)),
    "end": (3, lambda mix, n, by, _: mix.end_task(f"Came to w{n}.", by) if mix.working.goal else mix.promote()),
    "ask": (2, lambda mix, n, by, _: mix.ask(f"Who is w{n}?", by)),
    "run": (4, lambda mix, n, by, _: mix.log_run(episode.Run(f"run w{n}", success=n % 2 > 0), by)),
    "compact": (1, lambda mix, n, by, _: mix.compact()),
    "promote": (2, lambda mix, n, by, _: mix.promote()),
    "flag": (6, lambda mix, n, by, _: mix.recall("what is the script")),
    "clear": (3, lambda mix, n, by, any_: mix.mark_refreshed({f"w{any_.randrange(n + 1)}" for _ in range(n)})),
    "release": (4, lambda mix, n, by, any_: mix.release(any_.choice([*mix.quarantined(), {"id": ""}])["id"])),
    "erase": (4, lambda mix, n, by, any_: mix.erase({f"w{any_.randrange(n + 1)}"})),
}
SEVERAL_STEPS = {"say", "end", "promote", "release", "compact"}
"""What goes to two stores, or is several facts: cut short it leaves each whole, and told again it is whole."""


def by_web(origin: Provenance) -> Provenance:
    return Provenance("web", origin.session, origin.time, origin.id)


def act(mix: MemoryMix, seed: int, n: int) -> str:
    """Do the n-th of the things that write, and name it; it is up to chance. A refusal is written down as well."""
    chance = Random(f"{seed} {n}")
    (name,) = chance.choices([*VERBS], [weight for weight, _ in VERBS.values()])
    try:
        VERBS[name][1](mix, n, Provenance("user", f"s{n}", 1_767_600_000.0 + n, f"w{n}"), chance)
    except Refused:
        return name
    return name


def write(build: Build, directory: Path, acks: Path, seed: int, first: int) -> None:
    mix = build(directory)
    with acks.open("wb", buffering=0) as file:
        for n in count(first):
            act(mix, seed, n)
            file.write(b"done\n")


def differences(shown: Shown, mix: MemoryMix, twin: MemoryMix, did: int, questions: Sequence[str] = ()) -> list[str]:
    """Say what one memory shows, and what another shows in its place."""
    ids = [f"w{n}" for n in range(did + 1)]
    one, other = (shown(each, ids, questions) for each in (mix, twin))
    return [
        f"{part}: {only(one[part], other[part])}, where its twin has {only(other[part], one[part])}"
        for part in one
        if one[part] != other[part]
    ]


def only(one: object, other: object) -> list[str]:
    """List what stands in one of two collections only."""
    if isinstance(one, dict) and isinstance(other, dict):
        return only([*one.items()], [*other.items()])
    if isinstance(one, list | tuple | set) and isinstance(other, list | tuple | set):
        return [repr(item)[:400] for item in one if item not in other] or ["the same in another order or number"]
    return [repr(one)[:2000]]


def catch_up_twin(shown: Shown, mix: MemoryMix, twin: MemoryMix, seed: int, did: int) -> int:
    """Hold what was killed against its twin, which did what was acknowledged; tell if it did one more.

    What is stored is compared first, since a question that finds something stale is written down as well.
    """
    one_more, cut, lost = 0, "", differences(shown, mix, twin, did)
    if lost:
        one_more, cut = 1, act(twin, seed, did)
        if cut in SEVERAL_STEPS and differences(shown, mix, twin, did):
            act(mix, seed, did)
    questions = [f"w{n}" for n in Random(did).sample(range(did + 1), min(3, did + 1))]
    half = differences(shown, mix, twin, did, [*questions, f"w{did}", "lamp", "script"])
    assert not half, "\n".join([f"act {did} was cut short: {cut}; without it,", *lost, "with it,", *half])
    return one_more


@pytest.fixture(scope="module")
def tally() -> Iterator[Counter[str]]:
    """Count over all seeds, and print what was counted at the end."""
    counts = Counter[str]()
    yield counts
    summary = ", ".join(f"{count:,} {what}" for what, count in counts.items())
    print(f"\n{summary}, 0 lost, 0 half-written")  # noqa: T201 - what `make faults` shows


@pytest.mark.parametrize("seed", range(max(1, KILLS // LIVES // 2)))
def test_what_a_killed_writer_had_acknowledged_is_there_in_full_and_nothing_is_half_there(  # noqa: PLR0913, PLR0917 - fixtures
    seed: int, build: Build, run: Run, shown: Shown, tally: Counter[str], tmp_path: Path
) -> None:
    chance, did, acks = Random(seed), 0, tmp_path / "acks"
    twin = build(tmp_path / "twin")
    for _ in range(LIVES):
        acks.write_bytes(b"")
        assert run([partial(write, build, tmp_path / "killed", acks, seed, did)], chance.uniform(0, LONGEST)) == [
            KILLED
        ]
        acknowledged = len(acks.read_bytes().splitlines())
        for n in range(did, did + acknowledged):
            act(twin, seed, n)
        did += acknowledged
        torn = sum(tear(file, chance) for file in sorted((tmp_path / "killed").glob("*[a-z].jsonl")))
        mix = build(tmp_path / "killed")
        did += catch_up_twin(shown, mix, twin, seed, did)
        mix.close()
        tally.update({"kills": 1, "acknowledged": acknowledged, "torn tails mended": torn})
    twin.close()


def tear(journal: Path, chance: Random) -> bool:
    """Leave at the end what one more record would leave there whose writer was cut short, now and then."""
    *_, last = [b"", *journal.read_bytes().splitlines()]
    if len(last) < 2 or chance.random() < 0.5:
        return False
    with journal.open("ab") as file:
        file.write(last[: chance.randrange(1, len(last))])
    return True
