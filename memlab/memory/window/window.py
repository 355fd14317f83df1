"""Divides a model's context window: system text, memory, conversation, tool results, and room for the reply."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, fields
from sys import maxsize

from memlab.memory.context import Item, Section, TokenCounter, count_tokens, fill, printable
from memlab.memory.text import require_list
from memlab.memory.window.compression import MAX_TOKENS, compress

ROUNDING = 1e-9
"""More than the error of a float: 0.29 of 100 is 29, not 28.999999999999996."""


@dataclass(frozen=True, slots=True)
class WindowShares:
    """The shares of a window of `total` tokens. Raises ValueError if one is not in [0, 1], or their sum is over 1."""

    total: int = 32_768
    system: float = 0.08
    memory: float = 0.12
    conversation: float = 0.30
    results: float = 0.35
    reply: float = 0.15

    def __post_init__(self) -> None:
        if self.total < 1:
            raise ValueError(f"total {self.total}: a window has at least 1 token")
        for name, share in self._shares().items():
            if not 0 <= share <= 1:
                raise ValueError(f"{name} {share}: a share is between 0 and 1; write 8 % as 0.08")
        total = sum(self._shares().values())
        if total > 1 + ROUNDING:
            terms = " + ".join(f"{name} {share}" for name, share in self._shares().items())
            raise ValueError(f"{terms} = {total:g}: together the shares are at most 1; make one of them smaller")

    def tokens(self) -> dict[str, int]:
        """Return the tokens of each part by its name, rounded down, so that their sum never exceeds `total`."""
        return {name: int(self.total * share + ROUNDING) for name, share in self._shares().items()}

    def _shares(self) -> dict[str, float]:
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name != "total"}


def assemble_window(  # noqa: PLR0913 - the parts of a window, and how they are measured
    system: str,
    memory: Callable[[int], str],
    turns: Sequence[str] = (),
    results: Sequence[str] = (),
    *,
    shares: WindowShares = WindowShares(),
    limit: int = MAX_TOKENS,
    count: TokenCounter = count_tokens,
) -> str:
    """Return a complete window: the system text, the memory, the conversation, and the tool results.

    `memory` returns a text within a budget in tokens, such as `lambda budget: mix.assemble(task, budget)`. Its budget
    is its share and the tokens that the system text and the results do not use. The conversation gets what remains; the
    reply's share stays free. Turns and results are ordered oldest first. The latest are kept first; a turn is never
    cut, and one that does not fit is left out. A line counts what is left out. The last turn is always kept. Each
    result is compressed to `limit` tokens, or to half of the results' share if that is less. Raises BudgetTooSmall if
    the system text or the last turn does not fit, and ValueError if the memory exceeds its budget.
    """
    tokens = shares.tokens()
    first = fill([Section("[SYSTEM]", (Item(system, pinned=True),))] if system else [], tokens["system"], count)
    half = tokens["results"] // 2
    size = count if limit <= half else lambda text: count(_results([text], maxsize, count))
    short = [compress(result, min(limit, half), size) for result in require_list("results", results)]
    tool_results = _results(short, tokens["results"], count)
    room = sum(tokens[name] for name in ("system", "memory", "results")) - count(first) - count(tool_results)
    remembered = memory(room)
    if count(remembered) > room:
        advice = "let it count tokens as the window does, and keep to the budget that it is called with"
        raise ValueError(f"memory: it returned {count(remembered)} tokens, and its budget is {room}; {advice}")

    def compose(conversation: str) -> str:
        return "\n\n".join(filter(None, [first, remembered, conversation, tool_results]))

    others = count(compose(""))
    room = shares.total - tokens["reply"] - others
    items = _list_items(require_list("turns", turns))
    last = [item._replace(pinned=True) for item in items[-1:]]
    conversation = [Section("[CONVERSATION]", (*items[:-1], *last))]
    return compose(fill(conversation, room, lambda text: count(compose(text)) - others))


def _results(texts: Collection[str], budget: int, count: TokenCounter) -> str:
    return fill([Section("[RESULTS]", _list_items(texts))], budget, count)


def _list_items(texts: Collection[str]) -> tuple[Item, ...]:
    """Return list items; a later text has a higher priority. Further lines are indented, so none looks like a title."""
    return tuple(
        Item("- " + "\n  ".join(map(_printable, text.splitlines())), priority) for priority, text in enumerate(texts)
    )


def _printable(line: str) -> str:
    return "\t".join(map(printable, line.split("\t")))
