"""The oracle: handed the answer key, it proves that every probe can be passed, and in how few tokens."""

# ruff: noqa: ARG002 - the key says what the query and the task ask for

from __future__ import annotations

from collections.abc import Iterable

from memlab.memory.text import fold
from memlab.terms import Event, Key, Workspace

ABOUT = "Reads the answer key: what can be had at best, in the fewest tokens."


class Oracle:
    """Answers from the key alone; it remembers nothing."""

    def __init__(self, workspace: Workspace) -> None:
        del workspace
        self._key: Key | None = None

    def hand(self, key: Key) -> None:
        """Take the answer key of the probe that comes next."""
        self._key = key

    def observe(self, event: Event) -> None:
        """Live through an event; the key will know it."""

    def recall(self, query: str, k: int = 5) -> list[str]:
        """Give the shortest harmless text of each expected claim, in the key's order."""
        key = self._handed()
        return _texts(key, key.expect or ())[:k]

    def assemble(self, task: str, budget: int) -> str:
        """Compose the least context that keeps what it must: rules, goal, claims, and last the next to-do."""
        return minimal_context(self._handed())

    def _handed(self) -> Key:
        if self._key is None:
            raise LookupError("the oracle was asked before it was handed a key: call hand(key) before each probe")
        return self._key


def minimal_context(key: Key) -> str:
    """Write the least context that passes an assemble probe; its tokens are what a budget is measured against."""
    goal = [f"goal: {key.goal}"] if key.goal else []
    claims = _texts(key, dict.fromkeys((*(key.expect or ()), *key.keep)))
    todo = [f"- {item}" for item in key.todo[:1]]
    return "\n".join([*key.rules, *goal, *claims, *todo])


def _texts(key: Key, claims: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(_shortest(key, claim) for claim in claims))


def _shortest(key: Key, claim: str) -> str:
    """Choose the shortest text that states a claim, one without a forbidden claim if there is one."""
    stating = [text for text in key.texts[claim] if _states(text, key.claims[claim])]
    return min(stating or key.claims[claim], key=lambda text: (_harmful(key, text), len(text), text))


def _harmful(key: Key, text: str) -> bool:
    return any(_states(text, key.claims[claim]) for claim in key.forbid if key.claims.get(claim))


def _states(text: str, needles: tuple[str, ...]) -> bool:
    plain = fold(text)
    return all(fold(needle) in plain for needle in needles)
