"""The list of memories of document 003: each has a kind, which decides how it is updated, scored and dropped."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal

from memlab.memory.retrieval.relevance import stem_set
from memlab.memory.text import digest, fold
from memlab.systems.documents.parts.encoder import VectorIndex, best
from memlab.systems.documents.parts.records import Record, Records
from memlab.systems.documents.parts.reflector import FEWEST_EPISODES, Observation
from memlab.systems.documents.parts.stand_ins import StandIns

Kind = Literal["episodic", "semantic", "procedural"]
KINDS: tuple[Kind, ...] = ("episodic", "semantic", "procedural")
"""[s] Three durable kinds; the fourth is the scratchpad, which is transient."""
SALIENCE, HEARTBEAT_SALIENCE = 0.5, 0.3
"""[m] Salience of a memory, and of an episode of kind log."""
CONCLUSION_SALIENCE = 0.7
"""[s] Salience of what reflection concludes."""
MOST_CONCLUSIONS = 3
"""[s] "Infer up to 3 durable, general conclusions"."""
RECENCY_WEIGHT, RECENCY_PER_HOUR = 0.2, 0.995
"""[m] An episode's score has 0.2 x 0.995 to the power of its age in hours added; 0.995 is of Park et al. 2023."""
OTHER_KINDS = 0.5
"""[m] Memories of other kinds than the one asked for count half."""
NEW_EPISODES, MOST_EPISODES = 50, 500
"""[m] Reflection after 50 new episodes, or when there are more than 500."""
REFLECTED, FORGOTTEN_BELOW = 0.2, 0.05
"""[m] The factor on the salience of reflected episodes; one that has decayed below 0.05 is dropped."""
_CUES: dict[Kind, re.Pattern[str]] = {
    "episodic": re.compile(r"\b(when|last|did)\b", re.IGNORECASE),
    "procedural": re.compile(r"\bhow (to|do|does|should|can)\b|\bsteps?\b", re.IGNORECASE),
}
_SECONDS_PER_HOUR = 3600.0


class TypedMemories:
    """Memory(text, kind, ts, salience, last_used, source), by key; one index for each kind."""

    def __init__(self, path: Path, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._list = Records(path)
        self._index = {kind: VectorIndex() for kind in KINDS}
        for key, memory in self._list.items():
            self._index[memory["kind"]].put(key, memory["text"])

    def write(self, kind: Kind, name: str, text: str, salience: float = SALIENCE, **fields: str) -> None:
        """Store a memory; one of the same kind and name is updated in place, and its old text is gone.

        `fields` are its source, its session, and the task type of a skill.
        """
        now = self._clock()
        key = f"{kind} {name}"
        self._list[key] = {
            "text": text,
            "kind": kind,
            "ts": now,
            "salience": salience,
            "last_used": now,
            "source": "",
            "session": "",
            "task_type": "",
            **fields,
        }
        self._index[kind].put(key, text)

    def drop(self, kind: Kind, name: str) -> None:
        """Remove a memory if it is there."""
        key = f"{kind} {name}"
        if key in self._list:
            del self._list[key]
            self._index[kind].remove(key)

    def of_kind(self, kind: Kind) -> Iterator[Record]:
        """Yield the memories of a kind, the oldest first."""
        return (memory for memory in self._list.values() if memory["kind"] == kind)

    def recall(self, query: str, k: int) -> list[tuple[Record, float]]:
        """Return at most k memories, of the kind that the query's cue asks for first; serving sets `last_used`."""
        asked = cue(query)
        scores: dict[str, float] = {}
        for kind in KINDS:
            factor = 1.0 if kind == asked else OTHER_KINDS
            scores |= {key: factor * score for key, score in self._scores(kind, query).items()}
        return self._served(best(scores, k))

    def of_one_kind(self, kind: Kind, query: str, k: int) -> list[Record]:
        """Return at most k memories of one kind, the best first."""
        return [memory for memory, _ in self._served(best(self._scores(kind, query), k))]

    def reflect(self, stand_ins: StandIns, *, at_once: bool = False) -> None:
        """Turn new episodes into facts if there are enough of them, and drop what has decayed.

        The facts do not say what they rest on: that is the document's design, and what an untrusted source says
        several times becomes a fact without a source.
        """
        episodes = {key: one for key, one in self._list.items() if one["kind"] == "episodic"}
        new = {key: one for key, one in episodes.items() if not one.get("reflected")}
        is_full = len(episodes) > MOST_EPISODES and len(new) >= FEWEST_EPISODES
        if not (at_once or is_full or len(new) >= NEW_EPISODES):
            return
        seen = [Observation(key, one["session"], one["text"]) for key, one in new.items()]
        for conclusion in stand_ins.conclude(seen, MOST_CONCLUSIONS):
            name = digest(conclusion.text)
            self.write("semantic", name, conclusion.text, CONCLUSION_SALIENCE, source="reflection")
        for key, one in new.items():
            self._list.change(key, salience=one["salience"] * REFLECTED, reflected=True)
        for key, one in episodes.items():
            if one["salience"] * self._recency(one) < FORGOTTEN_BELOW:
                self.drop("episodic", key.removeprefix("episodic "))

    def _scores(self, kind: Kind, query: str) -> dict[str, float]:
        if kind == "procedural":
            return self._procedural_scores(query)
        cosines = self._index[kind].cosines(query)
        if kind == "semantic":  # a stable fact stays true: no term for its age
            return cosines
        aged = ((key, cosine, self._recency(self._list[key])) for key, cosine in cosines.items())
        return {key: cosine + RECENCY_WEIGHT * recency for key, cosine, recency in aged if cosine > 0}

    def _procedural_scores(self, query: str) -> dict[str, float]:
        """Return 1 for a memory whose task type the query names, else the share of the query's stems that it has."""
        asked, folded = stem_set(query), f" {fold(query)} "
        scores = {}
        for key, memory in self._list.items():
            if memory["kind"] == "procedural":
                is_type = memory["task_type"] and f" {fold(memory['task_type'])} " in folded
                shared = len(asked & stem_set(memory["text"])) / max(len(asked), 1)
                scores[key] = 1.0 if is_type else shared
        return scores

    def _recency(self, memory: Record) -> float:
        hours = max(self._clock() - memory["ts"], 0.0) / _SECONDS_PER_HOUR
        return float(RECENCY_PER_HOUR**hours)

    def _served(self, found: Sequence[tuple[str, float]]) -> list[tuple[Record, float]]:
        for key, _ in found:
            self._list.change(key, last_used=self._clock())
        return [(self._list[key], score) for key, score in found]


def cue(query: str) -> Kind:
    """Return the kind of memory that should answer a query: "ask what query should retrieve it" [s]."""
    if _CUES["procedural"].search(query):
        return "procedural"
    return "episodic" if _CUES["episodic"].search(query) else "semantic"
