"""The reference with another order of forgetting: which episodes are deleted first when there are too many.

Source: the three-tier architecture (document 004), question 4: "When episodic memory exceeds 10,000 entries, which
episodes should be prioritized for deletion?" All orders forget at `compact`, never what a fact or a skill came from. No
scenario has 10,000 episodes: evals/ranking/report_forgetting.py compares the orders on a long life.

Writes: as the reference; at `compact`, episodes are deleted in the order of the row until the wanted number is left.
Stores: as the reference.
Recalls: as the reference. `forget-unused` also notes what was served.
Prompt: as the reference.
Wins: deleting the oldest first is as good as any order where questions are about recent events; deleting what is called
    unimportant where importance predicts the questions.
Loses: no order wins everywhere, and no scenario has enough episodes to tell them apart: see docs/documents.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from hashlib import blake2b

from memlab.memory.episode import Episode
from memlab.memory.forgetting import KEEP, referenced_ids
from memlab.memory.retrieval.stores import Stores
from memlab.systems.documents.parts.extractor import importance
from memlab.systems.entry import Entry
from memlab.systems.reference.hybrid import Hybrid, to_memory
from memlab.terms import Build, Event, Memory, Workspace

Priority = Callable[[Episode, Mapping[str, float]], float]
"""Returns a number for an episode, given when each id was served last: the lowest is deleted first, then the oldest."""
NEVER = 10**9
"""The orders replace the forgetting of the reference, which then keeps every episode."""
_FAILED = re.compile(r"error|failed|Traceback")


class Forgetting(Hybrid):
    """Keeps the `keep` episodes that come last in an order of deletion, and all that something was derived from."""

    def __init__(self, workspace: Workspace, priority: Priority, keep: int = KEEP) -> None:
        super().__init__(workspace, keep=NEVER)
        self._clock = workspace.clock
        self._served_file = workspace.directory / "served.json"
        self._priority = priority
        self._most = keep
        self._served: dict[str, float] = {}
        if self._served_file.exists():
            self._served = json.loads(self._served_file.read_text(encoding="utf-8"))

    def observe(self, event: Event) -> None:
        """Write one event; at `compact`, forget. Raises Refused if its source may not do this."""
        super().observe(event)
        if event.kind == "compact":
            self.forget()

    def recall(self, query: str, k: int = 5) -> Sequence[Memory]:
        """Return at most k memories for a query, best first, and note which were served."""
        found = self._mix.recall(query, k)
        self._served |= dict.fromkeys((one.origin.id for one in found), self._clock())
        self._served_file.write_text(json.dumps(self._served), encoding="utf-8")
        return [to_memory(one) for one in found]

    def forget(self) -> None:
        """Delete episodes in the order of their priority until `keep` are left."""
        episodes = list(self._mix.episodes.replay())
        needed = self._needed(episodes)
        spare = [one for one in episodes if one.id not in needed]
        order = sorted(spare, key=lambda one: self._priority(one, self._served))  # stable: of equal ones the oldest
        doomed = {one.id for one in order[: max(0, len(episodes) - self._most)]}
        if doomed:
            self._mix.episodes.drop(doomed)

    def _needed(self, episodes: Sequence[Episode]) -> set[str]:
        """Return the ids that facts, skills and other episodes come from, the steps of tasks, and summaries."""
        mix = self._mix
        needed = referenced_ids(Stores(mix.facts, mix.episodes, mix.skills, mix.vectors))
        needed |= {one.id for one in episodes if one.step or one.forgot}
        return needed | {identity for one in episodes for identity in one.origin.derived_from}


def oldest(episode: Episode, served: Mapping[str, float]) -> float:  # noqa: ARG001 - all are equal
    """Delete in the order of the log."""
    return 0.0


def random(episode: Episode, served: Mapping[str, float]) -> float:  # noqa: ARG001 - see Priority
    """Delete in the order of a hash of the id: the same in every run."""
    return int.from_bytes(blake2b(episode.id.encode(), digest_size=6).digest(), "big")


def unused(episode: Episode, served: Mapping[str, float]) -> float:
    """Delete first what was never recalled, then what was not recalled for longest."""
    return served.get(episode.id, float("-inf"))


def failed_first(episode: Episode, served: Mapping[str, float]) -> float:  # noqa: ARG001 - see Priority
    """Delete first what failed and was not resolved, by its run record or its words."""
    run = episode.run
    has_failed = not (run.success or run.resolution) if run else _FAILED.search(episode.detail) is not None
    return 0.0 if has_failed else 1.0


def unimportant(episode: Episode, served: Mapping[str, float]) -> float:  # noqa: ARG001 - see Priority
    """Delete the least important first, as rules-v1 rates it."""
    return importance(episode.detail)


ORDERS: Mapping[str, Priority] = {
    "oldest": oldest,
    "random": random,
    "unused": unused,
    "failed-first": failed_first,
    "unimportant": unimportant,
}
"""The orders of deletion; `reference` is the reference's own: the oldest, behind a summary of each session."""


def build(order: str, keep: int = KEEP) -> Build:
    """Return a build of the reference with an order of deletion, or with its own, and a number of episodes to keep."""
    if order == "reference":
        return partial(Hybrid, keep=keep)
    return partial(Forgetting, priority=ORDERS[order], keep=keep)


ENTRIES = tuple(
    Entry(
        f"forget-{order}",
        f"Document 004, question 4: the reference, which forgets {how} first.",
        "forgetting",
        build(order),
        document="004",
    )
    for order, how in {
        "oldest": "the oldest episodes",
        "random": "any episodes",
        "unused": "episodes that were never recalled",
        "failed-first": "failures",
        "unimportant": "unimportant episodes",
        "reference": "the oldest episodes, after a summary,",
    }.items()
)
