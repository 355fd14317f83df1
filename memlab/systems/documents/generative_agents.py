"""generative-agents: one stream of memories, scored by recency, importance and relevance, with reflection.

Source: Park et al. 2023, "Generative Agents", which the essay on memory types (document 003) cites. The authors'
released code differs from their paper: `generative-agents-code` is that code, `generative-agents-recency-0` the paper
without recency.

Writes: each event as a record with its importance from 1 to 10. When the importance of new records exceeds 150, it
    reflects: three questions, up to five insights for each.
Stores: one stream that is never updated and never cut.
Recalls: the records with the largest sum of recency, importance and relevance, each scaled to 0..1. Serving a record
    refreshes its recency.
Prompt: the best records for the task in the order of time, goal and to-do.
Wins: it shows what recency costs: without that score it finds half as many facts again. An oracle that rates importance
    more than doubles recall.
Loses: recency and importance outvote relevance, so a question is answered with what was recent or loud. Old and new
    value stand side by side, and rules are records like any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial

from memlab.memory.context import count_tokens, one_line
from memlab.systems.documents.parts.bracket import Bracket
from memlab.systems.documents.parts.encoder import NAME, VectorIndex, best
from memlab.systems.documents.parts.prompt import Plan, compose, statement
from memlab.systems.documents.parts.records import Records
from memlab.systems.documents.parts.reflector import Observation, frequent_pairs
from memlab.systems.documents.parts.stand_ins import RULES, StandIns
from memlab.systems.entry import Entry
from memlab.terms import Event, Memory, Workspace

PER_HOUR = 0.995
"""[p] Recency is 0.995 to the power of the hours since the last access."""
REFLECT_ABOVE = 150
"""[p] Reflection when the importance of the latest records sums to more than 150."""
LOOKS_AT, QUESTIONS, INSIGHTS = 100, 3, 5
"""[p] Reflection asks 3 questions about the last 100 records, and writes up to 5 insights for each."""
RETRIEVED = 10
"""[m] Records that are retrieved for one question of a reflection."""
LEAST_IMPORTANCE, MOST_IMPORTANCE = 1, 10
"""[p] Importance is a whole number from 1 to 10."""
_SECONDS_PER_HOUR = 3600.0


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of the three scores. `by_position`: recency is a power of the position, not of the hours."""

    recency: float = 1.0
    importance: float = 1.0
    relevance: float = 1.0
    by_position: float = 0.0


PAPER, WITHOUT_RECENCY = Weights(), Weights(recency=0.0)
"""[p] All weights are 1 in the paper."""
CODE = Weights(0.5, 2.0, 3.0, by_position=0.99)
"""[p] The released code: recency 0.5, relevance 3, importance 2; 0.99 to the power of the 1-based position, in
ascending order of the last access, so that what was not used for longest is the most recent."""


class GenerativeAgents:
    """Every event is a record of the stream, which is never updated and never cut."""

    def __init__(self, workspace: Workspace, stand_ins: StandIns = RULES, *, weights: Weights = PAPER) -> None:
        self._clock = workspace.clock
        self._stream = Records(workspace.directory / "stream.jsonl")
        self._state = Records(workspace.directory / "state.jsonl")
        self._index = VectorIndex()
        for key, record in self._stream.items():
            self._index.put(key, record["text"])
        self._plan = Plan()
        self._stand_ins = stand_ins
        self._weights = weights

    def observe(self, event: Event) -> None:
        """Append a record with its importance, and reflect if enough has happened."""
        self._plan.follow(event)
        text = statement(event)
        if event.kind in {"task", "done", "erase"} or not text:
            return
        grade = self._add(event.id, text, event.session)
        since = self._state.get("since", {"importance": 0})["importance"] + grade
        self._state["since"] = {"importance": since}
        if since > REFLECT_ABOVE:
            self._state["since"] = {"importance": 0}
            self._reflect()

    def recall(self, query: str, k: int = 5) -> list[Memory]:
        """Return the k records with the best sum of scores; serving refreshes their last access."""
        return [Memory(self._stream[key]["text"], (), "stream", score) for key, score in self._retrieve(query, k)]

    def assemble(self, task: str, budget: int) -> str:
        """Return the best records for the task in the order of time, then goal and to-do."""
        room, taken = budget - count_tokens("\n".join(self._plan.lines())), set[str]()
        for key, _ in best(self._scores(task), len(self._stream)):
            size = count_tokens(f"{one_line(self._stream[key]['text'])}\n")
            if size <= room:
                taken.add(key)
                room -= size
        self._touch(taken)
        found = [one_line(record["text"]) for key, record in self._stream.items() if key in taken]
        return compose(budget, [], found, self._plan.lines())

    def _add(self, key: str, text: str, session: str, sources: Iterable[str] = ()) -> int:
        span = MOST_IMPORTANCE - LEAST_IMPORTANCE
        grade = LEAST_IMPORTANCE + round(span * self._stand_ins.importance(text))
        times = {"created": self._clock(), "last_accessed": self._clock()}
        self._stream[key] = {"text": text, "session": session, "importance": grade, **times, "sources": list(sources)}
        self._index.put(key, text)
        return grade

    def _retrieve(self, query: str, k: int) -> list[tuple[str, float]]:
        found = best(self._scores(query), k)
        self._touch(key for key, _ in found)
        return found

    def _touch(self, keys: Iterable[str]) -> None:
        for key in keys:
            self._stream.change(key, last_accessed=self._clock())

    def _scores(self, query: str) -> dict[str, float]:
        """Return the weighted sum of recency, importance and relevance, each scaled to [0, 1] over all records."""
        weights = self._weights
        parts = (
            (weights.recency, self._recency()),
            (weights.importance, {key: record["importance"] for key, record in self._stream.items()}),
            (weights.relevance, self._index.cosines(query)),
        )
        scores = dict.fromkeys(self._stream, 0.0)
        for weight, values in parts:
            for key, value in scaled(values).items():
                scores[key] += weight * value
        return scores

    def _recency(self) -> dict[str, float]:
        accessed = {key: record["last_accessed"] for key, record in self._stream.items()}
        if self._weights.by_position:
            order = sorted(accessed, key=lambda key: accessed[key])
            return {key: self._weights.by_position**position for position, key in enumerate(order, start=1)}
        now = self._clock()
        return {key: PER_HOUR ** (max(now - time, 0.0) / _SECONDS_PER_HOUR) for key, time in accessed.items()}

    def _reflect(self) -> None:
        """Ask about the most frequent pairs of content stems; add what the records found for each have in common."""
        latest = list(self._stream)[-LOOKS_AT:]
        pairs = frequent_pairs([self._observation(key) for key in latest], 2)
        for pair in pairs[:QUESTIONS]:
            found = [self._observation(key) for key, _ in self._retrieve(" ".join(pair), RETRIEVED)]
            for insight in self._stand_ins.conclude(found, INSIGHTS):
                key = f"insight {len(self._stream)}"
                self._add(key, insight.text, "", insight.sources)

    def _observation(self, key: str) -> Observation:
        record = self._stream[key]
        return Observation(key, record["session"], record["text"])


def scaled(values: Mapping[str, float]) -> dict[str, float]:
    """Return values scaled so that the least is 0 and the largest 1; 0.5 if all are equal."""
    least, most = min(values.values(), default=0.0), max(values.values(), default=0.0)
    if least == most:
        return dict.fromkeys(values, 0.5)
    return {key: (value - least) / (most - least) for key, value in values.items()}


BRACKETS = (
    Bracket(
        "generative-agents",
        f"Park et al. 2023, cited in document 003: one stream, three scores; {NAME}, rules.",
        "reflects",
        GenerativeAgents,
    ),
)
ENTRIES = (
    *BRACKETS[0].entries(),
    *(
        Entry(
            f"generative-agents-{name}",
            f"generative-agents {how}.",
            "documents",
            partial(GenerativeAgents, weights=weights),
        )
        for name, how, weights in (
            ("recency-0", "with weight 0 for recency", WITHOUT_RECENCY),
            ("code", "as its released code", CODE),
        )
    ),
)
