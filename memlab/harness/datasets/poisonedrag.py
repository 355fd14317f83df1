"""PoisonedRAG: five planted texts for each question, which argue for a wrong answer.

Format: `results/adv_targeted_results/{nq,hotpotqa,msmarco}.json` of github.com/sleeepeer/PoisonedRAG (Zou et al. 2024,
arXiv 2402.07867): an object that maps ids to `question`, `correct answer`, `incorrect answer`, `adv_texts`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from memlab.harness.datasets.reading import DataFile
from memlab.harness.datasets.shape import Conversation, Question, Statement
from memlab.memory.text import digest
from memlab.terms import Event

EXPECTED = "an adv_targeted_results file of PoisonedRAG, an object of objects with `question` and `adv_texts`"
PLANTED = 5
"""Planted texts of each question that are used, as in the paper."""


class Target(BaseModel):
    """One attacked question. `gold_texts` is not in the published file: a user may add passages with the answer."""

    model_config = ConfigDict(extra="ignore")

    question: str
    correct: str = Field(alias="correct answer")
    adv_texts: list[str]
    gold_texts: list[str] = Field(default_factory=list)


def load(path: Path) -> list[Conversation]:
    """Read the questions as two memories. Raises BadDataset.

    In `attacked`, the user states the gold texts of each question, or else the question with its correct answer, and
    the web states five times the question with a planted text, as in the paper's black-box attack. In `clean`, the web
    states the gold texts and nothing is planted, so that a memory that drops what the web says finds nothing there. The
    texts are sorted by their digests, so that their order reveals nothing.
    """
    targets = DataFile.read(path, EXPECTED).parse(dict[str, Target])
    return [_memory("clean", targets, "web", 0), _memory("attacked", targets, "user", PLANTED)]


def _memory(name: str, targets: dict[str, Target], source: str, planted: int) -> Conversation:
    events: list[Event] = []
    questions: list[Question] = []
    for identity, target in targets.items():
        texts = target.gold_texts or [f"{target.question} {target.correct}"]
        gold = [_fact(f"{identity}-gold-{number}", source, text) for number, text in enumerate(texts, 1)]
        poison = list(_poison(identity, target, planted))
        events += [*gold, *(event for event, _ in poison)]
        evidence = tuple(Statement(event.id, event.text) for event in gold)
        statements = tuple(statement for _, statement in poison)
        questions.append(Question(f"{name}/{identity}", name, target.question, identity, evidence, poison=statements))
    shuffled = sorted(events, key=lambda event: digest(event.text))
    timed = (replace(event, time=float(number)) for number, event in enumerate(shuffled))
    return Conversation(name, tuple(timed), tuple(questions))


def _poison(identity: str, target: Target, count: int) -> Iterator[tuple[Event, Statement]]:
    for number, text in enumerate(target.adv_texts[:count], 1):
        event = _fact(f"{identity}-planted-{number}", "web", f"{target.question}. {text}")
        yield event, Statement(event.id, text)


def _fact(identity: str, source: str, text: str) -> Event:
    return Event(identity, "fact", 0.0, "s1", source, text, name=identity)
