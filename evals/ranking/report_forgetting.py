"""Prints how much evidence is found after a life was cut, for each order of forgetting: document 004, question 4.

    python evals/ranking/report_forgetting.py --life 2000 --keep 200

Every episode says where somebody left one thing. After 100 questions the life is cut to `keep` episodes, and 100 other
questions follow. The evidence of both is drawn by age: uniformly, mostly recent, or among what was called important.
Each cell is the share of the later questions whose evidence is in the first five answers, with its 95 % interval; in
the second part, the difference from the reference on the same questions.
"""

from __future__ import annotations

import argparse
import random
import shutil
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from memlab.memory.world import ScriptedWorld
from memlab.systems.reference.hybrid_forgetting import ORDERS, build
from memlab.terms import Event, Memory, Workspace

HOUR = 3600.0
QUESTIONS, TOP = 100, 5
RECENT_SHARE = 0.1
"""The mean age of recent evidence, as a share of the life."""
IMPORTANT_EVERY, FAILED_EVERY = 5, 7
_COLOURS = "red blue green black white brown grey pink amber copper silver olive scarlet ivory violet"
_THINGS = "key lamp rope crate ladder hammer kettle chisel bucket lantern pulley saddle barrel compass anvil"
_PLACES = "pier mill chapel quarry stable cellar tower orchard foundry bakery kiln ferry smithy vineyard dairy"
_PEOPLE = "Ada Bruno Clara Diego Elif Farid Greta Hanna Ivo Jonas Kaia Luca Mara Nils Olga"


class Evidence(NamedTuple):
    """One episode of the life, and the question that it answers."""

    event: Event
    question: str
    is_important: bool


def life(count: int) -> list[Evidence]:
    """Return so many episodes, one an hour; one in 5 is called important, one in 7 a failure."""
    chance = random.Random(count)  # noqa: S311 - a sample, not a secret
    subjects = list(product(*(words.split() for words in (_PEOPLE, _COLOURS, _THINGS, _PLACES))))
    chosen = chance.sample(subjects, count)
    found = []
    for number, (who, colour, thing, place) in enumerate(chosen):
        important = "This must always stay there." if number % IMPORTANT_EVERY == 0 else "It rained that day."
        failed = "The search for it failed." if number % FAILED_EVERY == 0 else ""
        text = f"{who} left the {colour} {thing} at the {place}. {important} {failed}".strip()
        event = Event(f"e{number}", "episode", number * HOUR, f"s{number // 20}", "agent", text, type="log")
        found.append(Evidence(event, f"who left the {colour} {thing} at the {place}", number % IMPORTANT_EVERY == 0))
    return found


def drawn(told: Sequence[Evidence], ages: str, seed: int) -> list[Evidence]:
    """Return 100 pieces of evidence: `uniform` in age, mostly `recent`, or `important` ones of any age."""
    chance = np.random.default_rng(seed)
    if ages == "recent":
        back = np.minimum(chance.exponential(RECENT_SHARE * len(told), QUESTIONS).astype(int), len(told) - 1)
        return [told[-1 - age] for age in back]
    among = [one for one in told if one.is_important] if ages == "important" else list(told)
    return [among[place] for place in chance.integers(len(among), size=QUESTIONS)]


def found_after_cut(
    folder: Path, order: str, keep: int, earlier: Sequence[Evidence], later: Sequence[Evidence]
) -> list[bool]:
    """Return for each later question whether its evidence is among the first five answers."""
    end = later[0].event.time + HOUR
    workspace = Workspace(folder, folder, ScriptedWorld(), lambda: end)
    system = build(order, keep)(workspace)
    for one in earlier:
        system.recall(one.question, TOP)
    system.observe(Event("cut", "compact", end, "cut", "agent"))
    answers = [[item.text for item in system.recall(one.question, TOP) if isinstance(item, Memory)] for one in later]
    system.close()  # type: ignore[attr-defined] # the hybrid has it
    return [one.event.text in texts for one, texts in zip(later, answers, strict=True)]


def compare(count: int, keep: int) -> Mapping[str, Mapping[str, list[bool]]]:
    """Return for each distribution of ages and each order which questions were answered."""
    told = life(count)
    answered: dict[str, dict[str, list[bool]]] = {}
    with TemporaryDirectory() as name:
        lived = Path(name) / "life"
        lived.mkdir()
        now = [0.0]
        writer = build("reference", count)(Workspace(lived, lived, ScriptedWorld(), lambda: now[0]))  # forgets nothing
        for one in told:
            now[0] = one.event.time
            writer.observe(one.event)
        writer.close()  # type: ignore[attr-defined] # the hybrid has it
        for ages in ("uniform", "recent", "important"):
            answered[ages] = {}
            for order in ("reference", *ORDERS):
                folder = Path(name) / f"{ages}-{order}"
                shutil.copytree(lived, folder)
                asked = drawn(told, ages, 1), drawn(told, ages, 2)
                answered[ages][order] = found_after_cut(folder, order, keep, *asked)
                shutil.rmtree(folder)
    return answered


def interval(values: npt.ArrayLike) -> str:
    """Return the mean of values and its 95 % bootstrap interval, in percent."""
    each = np.asarray(values, dtype=float)
    means = np.random.default_rng(0).choice(each, (2000, len(each))).mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return f"{100 * each.mean():4.0f} [{100 * low:.0f}, {100 * high:.0f}]"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--life", type=int, default=2000, help="episodes of the life")
    parser.add_argument("--keep", type=int, default=200, help="episodes that are left")
    given = parser.parse_args()
    answered = compare(given.life, given.keep)
    print(f"{'evidence found, %':20}" + "".join(f"{ages:>18}" for ages in answered))
    for order in ("reference", *ORDERS):
        print(f"{order:20}" + "".join(f"{interval(one[order]):>18}" for one in answered.values()))
    print("difference from the reference")
    for order in ORDERS:
        pairs = [np.subtract(one[order], one["reference"], dtype=float) for one in answered.values()]
        print(f"{order:20}" + "".join(f"{interval(pair):>18}" for pair in pairs))


if __name__ == "__main__":
    main()
