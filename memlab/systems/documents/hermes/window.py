"""Working memory of document 004: the shares of a window, its sacred zone, and compressed tool results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memlab.memory.context import CHARS_PER_TOKEN, one_line
from memlab.memory.text import Refused
from memlab.memory.window.compression import compress

LONGEST_TOOL_RESULT = 500
"""[s] `max_tokens` of a compressed tool result, in tokens."""
FEWEST_RESULTS = 2
"""[m] In a small window a result is compressed to half of the share of the results, so that two of them fit."""


@dataclass(frozen=True, slots=True)
class Shares:
    """The shares of a window: system text, injected memory, conversation, tool results, and room for the reply."""

    system: float
    memory: float
    conversation: float
    results: float
    reply: float

    def zone(self, budget: int) -> int:
        """Return the most characters of the sacred zone with what it may take from the conversation."""
        return int(budget * CHARS_PER_TOKEN * (self.system + self.memory + self.conversation))


DOCUMENT = Shares(0.08, 0.12, 0.30, 0.35, 0.15)
"""[s] 8 % system, 12 % memory, 30 % conversation, 35 % tool results, 15 % for the reply; of 32,768 tokens there."""
EVEN = Shares(0.20, 0.20, 0.20, 0.20, 0.20)
"""[m] 20 % each."""
FOR_TOOLS = Shares(0.08, 0.12, 0.15, 0.50, 0.15)
"""[m] Half for tool results, as for a task with much code: the document's first question."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What a window is made of: the sacred zone, the task, and turns and tool results, the oldest first."""

    sacred: str
    plan: Sequence[str]
    turns: Sequence[str]
    results: Sequence[str]


def window(budget: int, parts: Parts, shares: Shares, *, buried: bool = False) -> str:
    """Return a window within `budget` tokens: sacred zone, task, latest turns, latest tool results.

    The sacred zone is never cut. If it is over its share, the conversation gets less; what the others leave unused, the
    conversation gets. `buried` puts the sacred zone last. Raises Refused if it alone exceeds the budget.
    """
    room = budget * CHARS_PER_TOKEN
    if len(parts.sacred) > room:
        least = -(-len(parts.sacred) // CHARS_PER_TOKEN)
        raise Refused(f"budget {budget}: the sacred zone alone needs {least} tokens; allow at least {least}")
    left = room - len(parts.sacred) - int(room * shares.reply)
    longest = min(LONGEST_TOOL_RESULT, int(budget * shares.results / FEWEST_RESULTS))
    short = [compress(one, longest) for one in parts.results]
    tools = _latest(short, min(left, int(room * shares.results)))
    head = _fitting(parts.plan, left - sum(map(len, tools)))
    talk = _latest(map(one_line, parts.turns), left - sum(len(one) + 1 for one in (*tools, *head)))
    rest = [*head, *talk, *tools]
    return "\n".join(filter(None, [*rest, parts.sacred] if buried else [parts.sacred, *rest]))


def _latest(texts: Iterable[str], room: int) -> list[str]:
    """Return the latest texts that fit, the oldest first; the first that does not fit ends it."""
    return _fitting(reversed(list(texts)), room)[::-1]


def _fitting(texts: Iterable[str], room: int) -> list[str]:
    taken: list[str] = []
    for text in texts:
        room -= len(text) + 1
        if room < 0:
            break
        taken.append(text)
    return taken
