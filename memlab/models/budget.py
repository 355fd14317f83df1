"""A cap on what a model may cost."""

from __future__ import annotations

from dataclasses import dataclass

from memlab.models.model import BudgetExhausted


@dataclass
class Budget:
    """The most requests and tokens of one process; None is no limit. The counts are of what was used so far.

    A failed attempt is a request, and counts with the most tokens that it may have cost: servers also bill for answers
    that arrive too late.
    """

    max_requests: int | None = None
    max_tokens: int | None = None
    requests: int = 0
    tokens: int = 0

    def reserve(self, tokens: int) -> None:
        """Count a request that may cost so many tokens. Raises BudgetExhausted if it would exceed the budget."""
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
        self.tokens += used - reserved
