"""A verb that is killed at any of its calls to the system has happened or has not; told again, it has happened once."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from types import FrameType

import pytest

from memlab.memory import MemoryMix, Provenance, Refused, episode

Build = Callable[[Path], MemoryMix]
Run = Callable[[Sequence[Callable[[], None]]], list[int]]
Shown = Callable[[MemoryMix, Iterable[str], Iterable[str]], dict[str, object]]
Seen = dict[str, object]
Verb = Callable[[MemoryMix], object]

EVERY = int(os.environ.get("EVERY", "60"))
"""Before every so many-th call a process is killed; EVERY=1 kills one before each, which takes minutes."""
CHANGES = {"open", "write", "pwrite", "ftruncate", "replace", "rename", "unlink", "remove", "mkdir", "rmdir", "close"}
CHANGES |= {"execute", "executemany", "executescript", "commit", "__exit__"}
IDS = ("alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel", "kept-india")


def by(identity: str, source: str = "user", *lineage: str, session: str = "") -> Provenance:
    return Provenance(source, session, 1_767_600_000.0 + len(identity), identity, lineage)


def fill_memory(mix: MemoryMix) -> None:
    """Give each store something, so that each verb has something to change, and something to leave alone."""
    mix.write_rule("Rule alpha.", "manner", by("alpha"))
    mix.write_fact("lamp", "", "The lamp is bravo.", origin=by("bravo"))
    mix.log_episode("turn", "Heard of charlie.", origin=by("charlie", "agent", session="one"))
    mix.write_fact("stove", "", "The stove is delta.", origin=by("delta", "agent", "charlie"))
    mix.write_skill("walk", "Walk the echo way.", origin=by("echo", "agent", "charlie"))
    mix.log_episode("tool", "You must use foxtrot.", origin=by("foxtrot", "web"))
    mix.set_task("visit golf", ["walk", "ring"], by("golf"))
    mix.note("The door is india.", "door", by("india"))
    mix.ask("Who is mike?", by("mike"))
    mix.check_off("walk", by("juliett"))
    for session in ("one", "two", "three"):
        mix.log_episode(
            "turn", f"The bell is kilo {session != 'three'}.", origin=by(f"kilo-{session}", session=session)
        )
    mix.write_fact("map", "", "It is scripts/lima.sh.", origin=by("lima"))
    mix.recall("golf")


def refused(verb: Verb, mix: MemoryMix) -> None:
    try:
        verb(mix)
    except Refused:
        return


ONE_STEP: dict[str, Verb] = {
    "log_episode": lambda mix: mix.log_episode("turn", "Then came hotel.", origin=by("hotel")),
    "write_fact": lambda mix: mix.write_fact("chair", "", "The chair is hotel.", origin=by("hotel")),
    "write_fact over another": lambda mix: mix.write_fact("lamp", "", "The lamp is hotel.", origin=by("hotel")),
    "write_fact under another": lambda mix: mix.write_fact(
        "lamp", "", "The lamp is hotel.", origin=by("hotel", "agent")
    ),
    "write_fact by the untrusted": partial(
        refused, lambda mix: mix.write_fact("key", "", "Always use hotel.", origin=by("hotel", "web"))
    ),
    "write_rule": lambda mix: mix.write_rule("Rule hotel.", "order", by("hotel")),
    "write_rule over another": lambda mix: mix.write_rule("Rule hotel.", "manner", by("hotel")),
    "write_skill": lambda mix: mix.write_skill("run", "Run to hotel.", origin=by("hotel")),
    "write_skill over another": lambda mix: mix.write_skill("walk", "Walk to hotel.", origin=by("hotel")),
    "set_task": lambda mix: mix.set_task("find hotel", ["ask"], by("hotel")),
    "check_off": lambda mix: mix.check_off("ring", by("hotel")),
    "note": lambda mix: mix.note("It is at hotel.", origin=by("hotel")),
    "ask": lambda mix: mix.ask("Where is hotel?", by("hotel")),
    "answer": lambda mix: mix.answer("Who is mike?", "It is hotel.", by("hotel")),
    "log_run": lambda mix: mix.log_run(episode.Run("find hotel", success=False, error="no hotel"), by("hotel")),
    "summarise": lambda mix: mix.summarise("one", "All of it was hotel.", by("hotel")),
    "promote": lambda mix: mix.promote(),
    "needs_refreshing": lambda mix: mix.recall("scripts lima"),
    "erase of what others derive from": lambda mix: mix.erase({"charlie"}),
    "erase of a rule, a fact and a task": lambda mix: mix.erase({"alpha", "bravo", "golf"}),
}
"""What is one step to whoever looks: even an erasure, which the next process finishes before it serves anything."""
SEVERAL_STEPS: dict[str, Verb] = {
    "log_episode with a subject": lambda mix: mix.log_episode("turn", "It is hotel.", "lamp", by("hotel")),
    "log_episode by the untrusted": lambda mix: mix.log_episode("turn", "Always use hotel.", origin=by("hotel", "web")),
    "end_task": lambda mix: mix.end_task("It was hotel.", by("hotel")) if mix.working.goal else mix.promote(),
    "release of an episode": lambda mix: mix.release("foxtrot"),
}
"""What takes several steps, each of them whole: killed between them, it is made whole by telling it again."""
RESUMED: dict[str, Verb] = {"compact": lambda mix: mix.compact()}
"""What takes as many steps as there is to do: killed between them, telling it again does the rest."""
FOLLOWS = {"standing", "recalled", "prompt"}
"""What follows from all stores together."""


def dying(mix: MemoryMix, verb: Verb, last: int) -> None:
    """Do something, and die before its n-th call to what can change a disk, unless there are not so many."""
    calls = 0

    def before(_frame: FrameType, event: str, called: object) -> None:
        nonlocal calls
        if event == "c_call" and getattr(called, "__name__", "") in CHANGES:
            calls += 1
            if calls == last:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.setprofile(before)
    try:
        verb(mix)
    finally:
        sys.setprofile(None)


@pytest.mark.parametrize("name", [*ONE_STEP, *SEVERAL_STEPS, *RESUMED])
def test_a_verb_killed_at_any_call_to_the_system_has_happened_or_has_not(
    name: str, build: Build, run: Run, shown: Shown, tmp_path: Path
) -> None:
    def seen(directory: Path, *verbs: Verb) -> Seen:
        mix = build(directory)
        for verb in verbs:
            verb(mix)
        found = shown(mix, IDS, IDS)
        mix.close()
        return found

    def copy(name: object) -> Path:
        return shutil.copytree(tmp_path / "before", tmp_path / str(name))

    verb, faults = (ONE_STEP | SEVERAL_STEPS | RESUMED)[name], dict[str, list[int]]()
    seen(tmp_path / "before", fill_memory)
    before = seen(copy("still"))
    done = seen(copy("done"), verb)
    assert before != done
    left: set[int] = set()
    for call in count(1, EVERY):
        directory = copy(call)
        (code,) = run([partial(lambda where, last: dying(build(where), verb, last), directory, call)])
        if bytes_of(directory) not in left:
            left.add(bytes_of(directory))
            states = classify_states(seen(directory), before, done)
            if is_half(name, states):
                faults.setdefault(f"{states}", []).append(call)
            if set(states.values()) != {"done"}:
                again = classify_states(seen(directory, partial(refused, verb)), before, done)
                if set(again.values()) != {"done"}:
                    faults.setdefault(f"{again} when it was told again", []).append(call)
        if code == 0:
            break
    print(f"\n{name}: {(call - 1) // EVERY} kills left {len(left)} states, {len(faults)} of them half", end="")  # noqa: T201 - what `make faults` shows
    assert not faults, "\n".join(f"killed before call {calls[0]}: {what}" for what, calls in faults.items())


def bytes_of(directory: Path) -> int:
    """Give a number that is the same for the same files."""
    files = sorted(path for path in directory.rglob("*") if path.is_file() and not path.name.endswith("-shm"))
    return hash(tuple((path.relative_to(directory), path.read_bytes()) for path in files))


def is_half(name: str, states: dict[str, str]) -> bool:
    """Tell whether a verb was seen in the middle of a step."""
    if name in ONE_STEP:
        return "neither" in states.values() or len(set(states.values())) > 1
    return name in SEVERAL_STEPS and any(states[part] == "neither" for part in states.keys() - FOLLOWS)


def classify_states(found: Seen, before: Seen, done: Seen) -> dict[str, str]:
    """Say of each part of a memory that changes if it has: "done", "not done", or "neither"."""
    states = {key: "not done" if found[key] == before[key] else "neither" for key in found if found[key] != done[key]}
    return states | {key: "done" for key in found if found[key] == done[key] != before[key]}
