"""A model that answers from a list or a function: for tests and demonstrations."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from memlab.models.model import Answer, ModelFailed, Request, Schema

Script = Callable[[Request], Answer]


class Scripted:
    """Answers each request with the next of a list, or with what a function returns; `requests` lists the requests."""

    def __init__(self, script: Iterable[Answer] | Script, name: str = "scripted") -> None:
        self.name = name
        self.requests: list[Request] = []
        self._script = script if callable(script) else _next_of(script)

    def complete(self, system: str, user: str, schema: Schema | None = None) -> Answer:
        """Return the next answer. Raises ModelFailed if the list has no more."""
        self.requests.append(Request(system, user, schema))
        return self._script(self.requests[-1])


def _next_of(answers: Iterable[Answer]) -> Script:
    left = list(answers)
    count = len(left)

    def script(_: Request) -> Answer:
        if not left:
            raise ModelFailed(f"the script has {count} answers, and there was another request; add one to the list")
        return left.pop(0)

    return script
