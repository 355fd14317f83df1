"""A cap on what a model may cost."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from memlab.memory.storage.lock import Lock
from memlab.models.model import BudgetExhausted


@dataclass
class Budget:
    """The most requests and tokens, None for no limit, and the counts of what was used so far.

    With a `file`, the counts are in it: all processes and later runs that name the file share one budget. A failed
    attempt is a request, and counts with the most tokens that it may have cost: servers also bill for answers that
    arrive too late.
    """

    max_requests: int | None = None
    max_tokens: int | None = None
    file: Path | None = None
    requests: int = 0
    tokens: int = 0

    def reserve(self, tokens: int) -> None:
        """Count a request that may cost so many tokens. Raises BudgetExhausted if it would exceed the budget."""
        with self._shared():
            if self.max_requests is not None and self.requests + 1 > self.max_requests:
                raise BudgetExhausted(f"the budget of {self.max_requests} requests is used up; raise max_requests")
            if self.max_tokens is not None and self.tokens + tokens > self.max_tokens:
                raise BudgetExhausted(
                    f"the next request may cost {tokens} tokens, and {self.tokens} of {self.max_tokens} are used; "
                    "raise max_tokens of the budget"
                )
            self.requests += 1
            self.tokens += tokens

    def settle(self, reserved: int, used: int) -> None:
        """Replace the tokens that were reserved by those that were used."""
        with self._shared():
            self.tokens += used - reserved

    @contextmanager
    def _shared(self) -> Iterator[None]:
        """Read the counts from the file, and write them at the end; meanwhile no other process does."""
        if self.file is None:
            yield
            return
        with closing(Lock(self.file)) as lock, lock:
            if self.file.exists():
                self.requests, self.tokens = _counts(self.file)
            yield
            written = self.file.with_name(f".{self.file.name}.new")
            written.write_text(json.dumps({"requests": self.requests, "tokens": self.tokens}) + "\n", encoding="utf-8")
            written.replace(self.file)


def _counts(file: Path) -> tuple[int, int]:
    """Return the counts in a file. Raises ValueError if it has none."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        return int(found["requests"]), int(found["tokens"])
    except (ValueError, LookupError, TypeError):
        raise ValueError(f'{file}: expected {{"requests": 3, "tokens": 2048}}; correct it or delete it') from None
