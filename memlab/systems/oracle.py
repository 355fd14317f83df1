"""The oracle answers from the answer key. It proves that every probe can be passed, and with how many tokens."""

# ruff: noqa: ARG002 - the answer depends on the key alone

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memlab.memory.text import fold
from memlab.terms import Event, Key, Workspace

ABOUT = "Reads the answer key: the best possible answers, in the fewest tokens."


class Oracle:
    """Answers from the key alone; it remembers nothing."""

    def __init__(self, workspace: Workspace) -> None:
        del workspace
        self._key: Key | None = None

    def hand(self, key: Key) -> None:
        """Receive the answer key of the next probe."""
        self._key = key

    def observe(self, event: Event) -> None:
        """Ignore the event; the key has the answer."""

    def recall(self, query: str, k: int = 5) -> list[str]:
        """Return the shortest text of each expected claim without a forbidden claim, in the key's order."""
        return minimal_items(self._current_key())[:k]

    def assemble(self, task: str, budget: int) -> str:
        """Return the smallest context that passes: rules, goal, claims, and last the next to-do."""
        return minimal_context(self._current_key())

    def window(self, task: str, budget: int, turns: Sequence[str], results: Sequence[str]) -> str:
        return minimal_context(self._current_key())

    def _current_key(self) -> Key:
        if self._key is None:
            raise LookupError("the oracle has no key: call hand(key) before each probe")
        return self._key


def minimal_items(key: Key) -> list[str]:
    """Return the shortest items that pass a recall probe; its budget is measured against their tokens."""
    return _texts(key, key.expect or ())


def minimal_context(key: Key) -> str:
    """Return the smallest context that passes an assemble probe; budgets are measured against its tokens."""
    goal = [f"goal: {key.goal}"] if key.goal else []
    claims = _texts(key, dict.fromkeys((*(key.expect or ()), *key.keep)))
    todo = [f"- {item}" for item in key.todo[:1]]
    return "\n".join([*key.rules, *goal, *claims, *todo])


def _texts(key: Key, claims: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(_shortest(key, claim) for claim in claims))


def _shortest(key: Key, claim: str) -> str:
    """Return the shortest text that states a claim, if possible one without a forbidden claim."""
    stating = [text for text in key.texts[claim] if _states(text, key.claims[claim])]
    forbidden = [key.claims[claim] for claim in key.forbid if key.claims.get(claim)]
    texts = [
        (any(_states(text, needles) for needles in forbidden), len(text), text) for text in stating or key.claims[claim]
    ]
    return min(texts)[-1]


def _states(text: str, needles: tuple[str, ...]) -> bool:
    plain = fold(text)
    return all(fold(needle) in plain for needle in needles)
