"""The model of a run, as the command line names it: recorded, with a budget, and with a list of what was rejected."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path

from memlab.models.anthropic_server import AnthropicServer
from memlab.models.budget import Budget
from memlab.models.cassette import Cassette, recorded_name
from memlab.models.client import Client, Server
from memlab.models.model import Answer, Model, ModelFailed
from memlab.models.openai_server import OPENAI, OpenAIServer
from memlab.models.scripted import Scripted

FORMS = "anthropic:NAME, openai:NAME, openai:NAME@URL, scripted:FILE or cassette:FILE"
KEY_VARIABLE = "MEMLAB_MODEL_KEY"
"""The environment variable with the key of a server at another URL; without it, no key is sent."""
CASSETTE, BUDGET, REJECTED = "cassette.jsonl", "budget.json", "rejected.txt"
SHOWN = 3
"""Reasons that a summary quotes."""
LONGEST_REASON = 200
"""Characters of a quoted reason."""
_NOT_IN_NAME = re.compile(r"[^A-Za-z0-9._-]+")


class ModelRun:
    """The model that rows of one run use.

    A server's answers are recorded in `cassette.jsonl` in the run's folder, where equal requests of this and of later
    runs find them; `budget.json` counts its tokens. All processes of a run share these files.
    """

    def __init__(self, text: str, folder: Path, max_tokens: int) -> None:
        """Choose a model by one of FORMS. Raises ModelFailed if there is none, or if its key is missing."""
        kind, _, name = text.partition(":")
        makers: dict[str, Callable[[str, Path, Budget], Model]] = {
            "anthropic": _of_anthropic,
            "openai": _of_openai,
            "scripted": _scripted,
            "cassette": _replayed,
        }
        if kind not in makers or not name:
            raise ModelFailed(f"--model {text!r}: choose {FORMS}, such as openai:llama@http://127.0.0.1:8080/v1")
        budget = Budget(max_tokens=max_tokens, file=folder / BUDGET)
        try:
            self.model = makers[kind](name, folder, budget)
        except (OSError, ValueError) as error:
            raise ModelFailed(f"--model {text}: {error}") from None
        self._rejected = folder / REJECTED

    def start(self) -> None:
        """Begin a new list of rejected answers."""
        self._rejected.unlink(missing_ok=True)

    def reject(self, reason: str) -> None:
        """Add the reason why an answer, or a part of one, may not be stored: one line."""
        with self._rejected.open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(" ".join(reason.split()) + "\n")

    def summary(self) -> str:
        """Return how much was rejected, with the first reasons."""
        found = self._rejected.read_text(encoding="utf-8").splitlines() if self._rejected.exists() else []
        head = f"{self.model.name}: {len(found)} answers or parts of answers were rejected, and not stored"
        shown = [f"  {one[:LONGEST_REASON]}" for one in found[:SHOWN]]
        return "\n".join([f"{head}; {REJECTED} has the reasons." if found else f"{head}.", *shown])


def _of_anthropic(name: str, folder: Path, budget: Budget) -> Model:
    return _recorded(AnthropicServer(name), name, folder, budget)


def _of_openai(text: str, folder: Path, budget: Budget) -> Model:
    name, _, url = text.partition("@")
    variable = KEY_VARIABLE if url and os.environ.get(KEY_VARIABLE) else ""
    return _recorded(OpenAIServer(name, base_url=url or OPENAI, key_variable=variable), name, folder, budget)


def _recorded(server: Server, name: str, folder: Path, budget: Budget) -> Model:
    short = _NOT_IN_NAME.sub("-", name.rpartition("/")[2]).strip("-._") or "model"
    return Cassette(folder / CASSETTE, Client(server, short, budget))


def _scripted(name: str, folder: Path, budget: Budget) -> Model:  # noqa: ARG001 - it costs nothing
    """Return a model that gives the answers of a file in turn, and then from the first again."""
    path = Path(name)
    answers = list(_answers(path))
    if not answers:
        raise ValueError("the file has no answers; write one JSON value a line")
    turns = cycle(answers)
    return Scripted(lambda _: next(turns), _NOT_IN_NAME.sub("-", path.stem).strip("-._") or "scripted")


def _answers(path: Path) -> Iterator[Answer]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        answer = json.loads(line)
        if not isinstance(answer, str | dict):
            raise ModelFailed(f"{path}:{number}: an answer is a JSON object or a string in quotes, not {line[:60]}")
        yield answer


def _replayed(name: str, folder: Path, budget: Budget) -> Model:  # noqa: ARG001 - it costs nothing
    """Return a cassette by the name of the model that was recorded in it."""
    return Cassette(Path(name), name=recorded_name(Path(name)))
