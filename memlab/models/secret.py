"""A key from the environment that no message, log or file may contain."""

from __future__ import annotations

import os
from typing import Any

from memlab.models.model import ModelFailed


class Secret:
    """The value of an environment variable; its text form is the variable's name."""

    def __init__(self, variable: str) -> None:
        """Read the variable. Raises ModelFailed if it is empty or not set."""
        self.variable = variable
        self._value = os.environ.get(variable, "").strip()
        if not self._value:
            raise ModelFailed(f"the environment variable {variable} is not set; export it with the key of the server")

    def __repr__(self) -> str:
        return f"Secret({self.variable!r})"

    def reveal(self) -> str:
        """Return the key, for the client of the server alone."""
        return self._value

    def redact(self, value: Any) -> Any:  # noqa: ANN401 - any JSON
        """Return a value of JSON with the name of the variable in place of the key, also in the names of fields."""
        if isinstance(value, str):
            return value.replace(self._value, f"[{self.variable}]")
        if isinstance(value, list):
            return [self.redact(one) for one in value]
        if isinstance(value, dict):
            return {self.redact(name): self.redact(one) for name, one in value.items()}
        return value
