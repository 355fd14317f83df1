"""The scratchpad: the one task at hand, its plan and its progress; small, rewritten, gone when the task is over."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from memlab.memory.episode import Episode
from memlab.memory.naming import Refused, fold


@dataclass(frozen=True, slots=True)
class Scratchpad:
    """What is being done: the goal, the plan in its order, and which of its items are done."""

    goal: str = ""
    plan: tuple[str, ...] = ()
    done: tuple[str, ...] = ()

    @property
    def todo(self) -> tuple[str, ...]:
        """The open items, the next one first."""
        return tuple(item for item in self.plan if item not in self.done)

    def checked_off(self, item: str) -> Scratchpad:
        """Give the pad with one open item done. Raises Refused if no open item is called that."""
        for known in self.todo:
            if fold(known) == fold(item):
                return replace(self, done=(*self.done, known))
        open_items = "; ".join(self.todo) or "none"
        raise Refused(f"done {item!r}: no open to-do is called that; open are: {open_items}")


def rebuilt(newest_first: Iterable[Episode]) -> Scratchpad:
    """Rebuild the scratchpad from the log after a crash: the last task set, less what was done, unless it has ended."""
    done: list[str] = []
    for episode in newest_first:
        if episode.step == "end":
            return Scratchpad()
        if episode.step == "done":
            done.append(episode.detail)
        if episode.step == "task":
            known = tuple(dict.fromkeys(item for item in reversed(done) if item in episode.todo))
            return Scratchpad(episode.detail, episode.todo, known)
    return Scratchpad()
