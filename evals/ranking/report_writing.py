"""Prints what explicit and implicit writing keep of a conversation: document 000, and the lesson (001) beside them.

    python evals/ranking/report_writing.py

Facts are told as turns of a transcript. At the end of each scenario, `facts kept` is the share of the claims that some
question expects and that are stored; `junk` the share of the stored texts that state no such claim; `lies kept` the
share of the claims that must not be served because of who said them, and that are stored; `visible` whether each write
is a command in the record of the run. Means over scenarios with their 95 % intervals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from report_forgetting import interval

from memlab.harness.running.runner import scenario_environment
from memlab.harness.scenarios.answer_keys import answer_keys
from memlab.harness.scenarios.conditions import Conditions
from memlab.harness.scenarios.loading import library, load_all
from memlab.memory.text import Refused, fold
from memlab.systems.documents.explicit_write import ExplicitWrite
from memlab.systems.documents.implicit_write import ImplicitWrite
from memlab.systems.documents.lesson_sqlite import LessonSqlite
from memlab.terms import Event, Key, Scenario, Workspace

Writer = ExplicitWrite | ImplicitWrite | LessonSqlite
WRITERS: Mapping[str, tuple[Callable[[Workspace], Writer], bool]] = {
    "explicit-write": (ExplicitWrite, True),
    "implicit-write": (ImplicitWrite, False),
    "implicit-add-only": (partial(ImplicitWrite, only_adds=True), False),
    "lesson-sqlite": (LessonSqlite, False),
    "lesson-sqlite-checked": (partial(LessonSqlite, checked=True), False),
}
"""Each writer, and whether its writes are in the record of the run."""
LIES = frozenset({"trust", "lineage"})


def stored(scenario: Scenario, build: Callable[[Workspace], Writer]) -> list[str]:
    """Play the events of a scenario; return what is stored at its end."""
    with scenario_environment(scenario) as environment, environment.enter():
        system = build(environment.workspace())
        for step in scenario.timeline:
            if isinstance(step, Event):
                environment.time = step.time
                try:
                    system.observe(step)
                except Refused:
                    continue
        texts = [fold(text) for text in system.stored()]
        if isinstance(system, LessonSqlite):
            system.close()
        return texts


def shares(texts: Sequence[str], keys: Sequence[Key]) -> Iterator[tuple[str, float]]:
    """Yield the share of facts kept, of junk, and of lies kept, where there are any."""
    wanted = {claim for key in keys for claim in (*(key.expect or ()), *key.keep)}
    lies = {claim for key in keys for claim, why in key.forbid.items() if why in LIES}
    needles = {claim: list(map(fold, found)) for key in keys for claim, found in key.claims.items() if found}
    states = {claim: [all(one in text for one in needles[claim]) for text in texts] for claim in needles}
    for name, claims in (("facts kept", wanted), ("lies kept", lies)):
        known = claims & states.keys()
        if known:
            yield name, sum(any(states[claim]) for claim in known) / len(known)
    if texts:
        useful = [any(states[claim][place] for claim in wanted & states.keys()) for place in range(len(texts))]
        yield "junk", 1 - sum(useful) / len(texts)


def main() -> None:
    samples = [Conditions(tell="transcript")(one.sample(0)) for one in load_all([library()])]
    columns = ("facts kept", "junk", "lies kept")
    print(f"{'%':24}" + "".join(f"{name:>16}" for name in (*columns, "visible")))
    for name, (build, is_visible) in WRITERS.items():
        values: dict[str, list[float]] = {column: [] for column in columns}
        for scenario in samples:
            for column, share in shares(stored(scenario, build), list(answer_keys(scenario).values())):
                values[column].append(share)
        print(f"{name:24}" + "".join(f"{interval(values[one]):>16}" for one in columns) + f"{is_visible!s:>16}")


if __name__ == "__main__":
    main()
