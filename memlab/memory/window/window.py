"""A model's whole window, shared out: system text, memory, conversation, tool results, and room for the reply."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction

from memlab.memory.context import Counter, Item, Section, count_tokens, fill
from memlab.memory.text import require_list
from memlab.memory.window.compression import LONGEST, compress


def _exact(share: float) -> Fraction:
    """Take a share for the decimal that it is written as: 0.29 of 100 is 29, not 28.999999999999996."""
    return Fraction(str(share))


@dataclass(frozen=True, slots=True)
class WindowShares:
    """How a window of `total` tokens is shared out; each share is in [0, 1], and together they are at most 1.

    Raises ValueError for anything else.
    """

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
        whole = sum(_exact(share) for share in self._shares().values())
        if whole > 1:
            told = " + ".join(f"{name} {share}" for name, share in self._shares().items())
            raise ValueError(f"{told} = {float(whole)}: together the shares are at most 1; make one of them smaller")

    def tokens(self) -> dict[str, int]:
        """Give the tokens of each part by its name: whole numbers, rounded down, so that they never exceed `total`."""
        return {name: int(self.total * _exact(share)) for name, share in self._shares().items()}

    def _shares(self) -> dict[str, float]:
        return {one.name: getattr(self, one.name) for one in fields(self) if one.name != "total"}


def assemble_window(  # noqa: PLR0913 - the parts of a window, and how they are measured
    system: str,
    memory: Callable[[int], str],
    turns: Sequence[str] = (),
    results: Sequence[str] = (),
    *,
    shares: WindowShares = WindowShares(),
    limit: int = LONGEST,
    count: Counter = count_tokens,
) -> str:
    """Compose a whole window: the system text, what is remembered, the conversation, and the tool results.

    `memory` gives a text within a budget in tokens, such as `lambda budget: mix.assemble(task, budget)`. Turns and
    results are given oldest first; the latest stay, whole, and a line counts the others. The last turn always stays. A
    result is `compress` to `limit` tokens, or to half of the results' share if that is less. What the other parts
    leave of their shares goes to the conversation, and the reply's share stays free. Raises BudgetTooSmall where the
    system text or the last turn does not fit, and ValueError if the memory gives more than it may.
    """
    tokens = shares.tokens()
    first = fill([Section("[SYSTEM]", (Item(system, pinned=True),))] if system else [], tokens["system"], count)
    remembered = memory(tokens["memory"])
    if count(remembered) > tokens["memory"]:
        raise ValueError(
            f"memory: it gave {count(remembered)} tokens where it may give {tokens['memory']}; "
            "let it count as the window does, and keep the budget that it is called with"
        )
    longest = min(limit, tokens["results"] // 2)
    short = [compress(result, longest, count) for result in require_list("results", results)]
    told = fill([Section("[RESULTS]", _latest(short))], tokens["results"], count)

    def whole(conversation: str) -> str:
        return "\n\n".join(filter(None, [first, remembered, conversation, told]))

    others = count(whole(""))
    room = shares.total - tokens["reply"] - others
    latest = _latest(require_list("turns", turns))
    last = [item._replace(pinned=True) for item in latest[-1:]]
    said = [Section("[CONVERSATION]", (*latest[:-1], *last))]
    return whole(fill(said, room, lambda conversation: count(whole(conversation)) - others))


def _latest(texts: Collection[str]) -> tuple[Item, ...]:
    """Return list items; a later text has a higher priority. Further lines are indented, so none looks like a title."""
    return tuple(Item(_block(text), priority) for priority, text in enumerate(texts))


def _block(text: str) -> str:
    lines = ["".join(one if one.isprintable() or one == "\t" else " " for one in line) for line in text.splitlines()]
    return "- " + "\n  ".join(lines)
