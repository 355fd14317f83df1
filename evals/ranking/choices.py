"""The choices of the ranking on development data: for each question its candidates, and which of them answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from memlab.harness.datasets import catalogue
from memlab.harness.datasets.rounds import ConversationRound
from memlab.harness.running.runner import Cell, scenario_environment
from memlab.harness.scenarios.answer_keys import answer_keys
from memlab.harness.scenarios.conditions import WITHOUT_LABELS
from memlab.harness.scenarios.loading import Template, library, load_all
from memlab.memory.retrieval.ranking import CANDIDATES, Candidate, Question
from memlab.memory.retrieval.stores import Stores
from memlab.memory.text import fold
from memlab.systems.entry import Entry
from memlab.systems.hybrid import Hybrid
from memlab.terms import Key, Memory, Scenario, Workspace

Matrix = np.ndarray[tuple[int, int], np.dtype[np.float64]]
FILES = {
    "locomo": ["locomo/locomo-dev5.json"],
    "beam": ["beam/beam-100k-dev8.json"],
    "factconsolidation": ["factconsolidation/dev.json"],
    "poisonedrag": ["poisonedrag/hotpotqa.json", "poisonedrag/msmarco.json"],
}
SCENARIOS = "scenarios"


class Choice(NamedTuple):
    """One question: the features of its candidates for each of its clauses, and which candidates answer.

    `parts` has one matrix for each clause, with one row for each candidate and the columns of FEATURES. `missed` is the
    number of statements that answer and are no candidates. `is_recall` is false for a task of `assemble`.
    """

    parts: list[Matrix]
    answers: np.ndarray[tuple[int], np.dtype[np.bool_]]
    missed: int
    is_recall: bool


class Recorder(Hybrid):
    """The reference, which also records the choice of each question."""

    def __init__(self, workspace: Workspace, choices: list[Choice]) -> None:
        super().__init__(workspace)
        self._choices = choices
        self._key: Key | None = None

    def hand(self, key: Key) -> None:
        """Take the answer key of the next question."""
        self._key = key

    def recall(self, query: str, k: int = 5) -> Sequence[Memory]:
        """Record the choice; answer nothing."""
        self._record(query, is_recall=True)
        return []

    def assemble(self, task: str, budget: int) -> str:
        """Record the choice; answer nothing."""
        self._record(task, is_recall=False)
        return ""

    def _record(self, query: str, *, is_recall: bool) -> None:
        key, mix = self._key, self._mix
        if key is None or key.expect is None or (not is_recall and not key.expect):
            return
        question = Question(query, Stores(mix.facts, mix.episodes, mix.skills), CANDIDATES)
        stale = [claim for claim, why in key.forbid.items() if why != "trust"]
        candidates = [one for one in question.candidates if not _states(one, stale, key)]
        if not candidates:
            return
        wanted = [claim for claim in key.expect if claim in key.texts]
        missed = sum(not any(_states(one, [claim], key) for one in candidates) for claim in wanted)
        parts = [np.array([one.features[part] for one in candidates]) for part in range(len(question.parts))]
        answers = np.array([_states(one, wanted, key) for one in candidates])
        self._choices.append(Choice(parts, answers, missed, is_recall))


def collect(data: Path, jobs: int) -> dict[str, list[Choice]]:
    """Return the choices by the name of the data set; a data set that is not in the folder is left out."""
    with ProcessPoolExecutor(jobs) as pool:
        found = {SCENARIOS: [*pool.map(_of_template, load_all([library()]))]}
        for name, files in FILES.items():
            loaded = (catalogue.load(name, data / file) for file in files if (data / file).is_file())
            rounds = [ConversationRound(name, one, ()) for conversations in loaded for one in conversations]
            if rounds:
                found[name] = [*pool.map(_of_conversation, rounds)]
    return {name: [one for some in lists for one in some] for name, lists in found.items()}


def _of_template(template: Template) -> list[Choice]:
    scenario = WITHOUT_LABELS(template.sample(0))
    return _play(scenario, answer_keys(scenario))


def _of_conversation(played: ConversationRound) -> list[Choice]:
    return _play(played.scenario(), {key.probe: key for key in played.answer_keys()})


def _play(scenario: Scenario, keys: Mapping[str, Key]) -> list[Choice]:
    choices: list[Choice] = []
    build = partial(Recorder, choices=choices)
    with scenario_environment(scenario) as environment:
        Cell(Entry("recorder", "Records.", "reference", build, sees_key=True), environment, keys).play(scenario)
    return choices


def _states(candidate: Candidate, claims: Sequence[str], key: Key) -> bool:
    """Return whether a candidate contains the text of one of these claims."""
    held = fold(candidate.memory.text)
    return any(fold(text) in held for claim in claims for text in key.texts.get(claim, ()))
