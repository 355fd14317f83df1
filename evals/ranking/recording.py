"""Plays development data to the reference, and collects examples from the candidates of every question."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from memlab.harness.datasets import catalogue
from memlab.harness.datasets.rounds import ConversationRound
from memlab.harness.running.runner import Cell, scenario_environment
from memlab.harness.scenarios.answer_keys import answer_keys
from memlab.harness.scenarios.conditions import WITHOUT_LABELS
from memlab.harness.scenarios.loading import Template, library, load_all
from memlab.memory.retrieval.ranking import Candidate, Question
from memlab.memory.retrieval.stores import Stores
from memlab.memory.retrieval.vectors import Encoder
from memlab.memory.text import fold
from memlab.models.embedders import MINILM, WORDLLAMA
from memlab.systems.entry import Entry
from memlab.systems.reference.hybrid import Hybrid
from memlab.terms import Event, Key, Memory, Scenario, Workspace

T = TypeVar("T")
FILES = {
    "locomo": ["locomo/locomo-dev5.json"],
    "beam": ["beam/beam-100k-dev8.json"],
    "factconsolidation": ["factconsolidation/dev.json"],
    "poisonedrag": ["poisonedrag/hotpotqa.json", "poisonedrag/msmarco.json"],
}
FITTED = 100
"""Candidates of each store and side: twice as many as recall takes, so that the model sees more wrong answers."""
SCENARIOS, EARLIER = "scenarios", "earlier sets"
EARLIER_SETS = [
    Path(__file__).parents[1] / f"{number}_sight" for number in ("first", "second", "third", "fourth", "fifth")
]
"""They are development data since their failures were read; a set that is still unseen is never played here."""
ENCODERS = {one.name: one for one in (MINILM, WORDLLAMA)}


class KeyedQuestion(NamedTuple):
    """One question or task with its answer key; `labels` are the author's subjects by event id, or None."""

    question: Question
    stores: Stores
    key: Key
    is_recall: bool
    labels: Mapping[str, str] | None

    @property
    def wanted(self) -> list[str]:
        """The claims that an answer must have and that were stated."""
        claims = (self.key.expect if self.is_recall else self.key.keep) or ()
        return [claim for claim in claims if claim in self.key.texts]

    def states(self, candidate: Candidate, claims: Sequence[str]) -> bool:
        """Return whether a candidate contains the text of one of these claims."""
        held = fold(candidate.memory.text)
        return any(fold(text) in held for claim in claims for text in self.key.texts.get(claim, ()))


class Recorder(Hybrid):
    """The reference memory, but it passes every question to `take` and answers nothing."""

    def __init__(
        self,
        workspace: Workspace,
        labels: Mapping[str, str] | None,
        take: Callable[[KeyedQuestion], object],
        encoder: Encoder | None,
    ) -> None:
        super().__init__(workspace, encoder=encoder)
        self._labels = labels
        self._take = take
        self._key: Key | None = None

    def hand(self, key: Key) -> None:
        """Take the answer key of the next question."""
        self._key = key

    def recall(self, query: str, k: int = 5) -> Sequence[Memory]:
        """Record a question."""
        self._record(query, is_recall=True)
        return []

    def assemble(self, task: str, budget: int) -> str:
        """Record a task."""
        self._record(task, is_recall=False)
        return ""

    def _record(self, query: str, *, is_recall: bool) -> None:
        if self._key is not None:
            stores = Stores(self._mix.facts, self._mix.episodes, self._mix.skills, self._mix.vectors)
            self._take(KeyedQuestion(Question(query, stores, FITTED), stores, self._key, is_recall, self._labels))


def read_options(description: str | None) -> argparse.Namespace:
    """Read the options of a script that fits weights: the folder of the data sets, the processes, --check."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--data", type=Path, required=True, help="folder with one folder for each public data set")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--check", action="store_true", help="leave each data set out in turn; write nothing")
    parser.add_argument("--encoder", choices=ENCODERS, default="", help="only of the ranking: fit its weights")
    return parser.parse_args()


def collect(
    examples: Callable[[KeyedQuestion], Iterable[T]], data: Path, jobs: int, encoder: Encoder | None = None
) -> dict[str, list[T]]:
    """Return all examples by the name of the data set; a data set that is not in the folder is left out."""
    with ProcessPoolExecutor(jobs) as pool:
        found = {
            name: [*pool.map(partial(_of_template, examples, encoder=encoder), load_all(folders))]
            for name, folders in {SCENARIOS: [library()], EARLIER: EARLIER_SETS}.items()
        }
        for name in FILES:
            if rounds := rounds_of(name, data):
                found[name] = [*pool.map(partial(of_conversation, examples, encoder=encoder), rounds)]
    return {name: [one for some in lists for one in some] for name, lists in found.items()}


def rounds_of(name: str, data: Path) -> list[ConversationRound]:
    """Return the conversations of a data set; none if its files are not in the folder."""
    loaded = (catalogue.load(name, data / file) for file in FILES[name] if (data / file).is_file())
    return [ConversationRound(name, one, ()) for conversations in loaded for one in conversations]


def of_conversation(
    examples: Callable[[KeyedQuestion], Iterable[T]], played: ConversationRound, encoder: Encoder | None = None
) -> list[T]:
    """Return the examples of one conversation."""
    return _play(examples, played.scenario(), {key.probe: key for key in played.answer_keys()}, None, encoder)


def _of_template(
    examples: Callable[[KeyedQuestion], Iterable[T]], template: Template, encoder: Encoder | None
) -> list[T]:
    written = template.sample(0)
    labels = {step.id: step.about for step in written.timeline if isinstance(step, Event)}
    scenario = WITHOUT_LABELS(written)
    return _play(examples, scenario, answer_keys(scenario), labels, encoder)


def _play(
    examples: Callable[[KeyedQuestion], Iterable[T]],
    scenario: Scenario,
    keys: Any,  # noqa: ANN401 - as in Cell
    labels: Mapping[str, str] | None,
    encoder: Encoder | None,
) -> list[T]:
    found: list[T] = []
    build = partial(Recorder, labels=labels, take=lambda asked: found.extend(examples(asked)), encoder=encoder)
    with scenario_environment(scenario) as environment:
        Cell(Entry("recorder", "Records.", "reference", build, sees_key=True), environment, keys).play(scenario)
    return found
