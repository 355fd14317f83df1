"""Prints what automatic edits of a user's page lose: question 3 of document 004.

    python evals/ranking/report_profiles.py

In each of 40 lives a person writes ten lines; then come sessions with three new facts each. In half of the sessions, at
random, the user quotes one of the ten lines. `lines of the user` is the share of the ten that are on the page at the
end, `new facts` the share of all facts that are. Means over lives with their 95 % intervals.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from report_forgetting import interval, life

from memlab.memory.world import ScriptedWorld
from memlab.systems.documents.profiles import ProfileAuto, ProfileSafe
from memlab.terms import Event, Kind, Workspace

LIVES, FACTS = 40, 3
SESSIONS = (10, 20, 50)
QUOTED = "As I said:"
RULES = (
    *("Answer in prose.", "Prefer npm.", "Never touch the vault.", "Quote prices in euros.", "Use metric units."),
    *("Ask before a purchase.", "Greet Ada first.", "Keep copies of letters.", "Avoid the night train."),
    "Write dates in full.",
)
"""The lines of the person."""


def events(number: int, sessions: int) -> Iterator[Event]:
    """Yield the rules of a person, then the messages of each session; `number` chooses the facts and the quotes."""
    chance = random.Random(number)  # noqa: S311 - a sample, not a secret
    told = iter(life(LIVES * FACTS * max(SESSIONS))[number * FACTS * sessions :])
    clock = count()

    def event(kind: Kind, text: str, session: str) -> Event:
        time = next(clock)
        return Event(f"e{time}", kind, float(time), session, "user", text)

    for rule in RULES:
        yield event("rule", rule, "first")
    for session in range(sessions):
        for _ in range(FACTS):
            yield event("turn", next(told).event.text.split(". ")[0] + ".", f"s{session}")
        if chance.random() < 1 / 2:
            yield event("turn", f"{QUOTED} {chance.choice(RULES)}", f"s{session}")


def kept(build: type[ProfileAuto], number: int, sessions: int) -> tuple[float, float]:
    """Return the shares of the person's lines and of the facts that are on the page after a life."""
    told = list(events(number, sessions))
    facts = [one.text for one in told if one.kind == "turn" and not one.text.startswith(QUOTED)]
    with TemporaryDirectory() as name:
        system = build(Workspace(Path(name), Path(name), ScriptedWorld(), lambda: 0.0))
        for one in told:
            system.observe(one)
        system.recall("a question ends the last session")
        page = (Path(name) / "profile.md").read_text(encoding="utf-8")
    return sum(one in page for one in RULES) / len(RULES), sum(one in page for one in facts) / len(facts)


def main() -> None:
    print(f"{'on the page, %':30}{'lines of the user':>20}{'new facts':>20}")
    for sessions in SESSIONS:
        found = {build: [kept(build, one, sessions) for one in range(LIVES)] for build in (ProfileAuto, ProfileSafe)}
        auto, safe = np.array(found[ProfileAuto]), np.array(found[ProfileSafe])
        for name, shares in (("profile-auto", auto), ("profile-safe", safe), ("safe minus auto", safe - auto)):
            print(f"{f'{name}, {sessions} sessions':30}" + "".join(f"{interval(one):>20}" for one in shares.T))


if __name__ == "__main__":
    main()
