"""Recorded answers of a model: a paid run is recorded once, and replayed offline."""

from __future__ import annotations

import json
import os
from contextlib import closing
from pathlib import Path
from typing import Any

from memlab.memory.storage.lock import Lock
from memlab.models.model import Answer, MalformedAnswer, Model, ModelFailed, Request, Schema
from memlab.models.parsing import require_length


class Cassette:
    """A model whose answers are in a file of JSON lines: `request` (the SHA-256 of model, prompt and schema), `answer`.

    With a `model`, what the file lacks is asked of it and added; without one, nothing is sent. An answer that is too
    long or no JSON is recorded as `rejected` with the reason, and raised again. Prompts and keys are not in the file.
    Processes may share it: of two answers to one request, the first counts.
    """

    def __init__(self, path: Path, model: Model | None = None, name: str = "") -> None:
        """Read the file. Raises ValueError for a line that is no record, or without both a model and a name."""
        if not (model or name):
            raise ValueError(f"{path}: a cassette without a model needs the name with which it was recorded")
        self.name = name or (model.name if model else "")
        self._path, self._model = path, model
        self._records: dict[str, dict[str, Any]] = {}
        self._end, self._lines = 0, 0
        self._read_on()

    def complete(self, system: str, user: str, schema: Schema | None = None) -> Answer:
        """Return the recorded answer, else the model's. Raises ModelFailed if there is neither, and its errors."""
        key = Request(system, user, schema).digest(self.name)
        if key not in self._records:
            self._read_on()
        if key not in self._records:
            if self._model is None:
                raise ModelFailed(
                    f"{self._path}: no answer of {self.name!r} to request {key[:12]}; record it with a model"
                )
            self._add(key, _ask(self._model, Request(system, user, schema)))
        record = self._records[key]
        if "rejected" in record:
            raise MalformedAnswer(record["rejected"])
        answer: Answer = record["answer"]
        return answer

    def _add(self, key: str, record: dict[str, Any]) -> None:
        """Append a record unless another process has recorded the request meanwhile."""
        with closing(Lock(self._path)) as lock, lock:
            self._read_on()
            if key in self._records:
                return
            line = json.dumps({"request": key, "model": self.name, **record}) + "\n"
            with self._path.open("ab") as file:
                file.truncate(self._end)  # a line that a killed process left unfinished
                file.write(line.encode())
                file.flush()
                os.fsync(file.fileno())
            self._read_on()

    def _read_on(self) -> None:
        """Read the complete lines that were added since the last call."""
        if not self._path.exists():
            return
        with self._path.open("rb") as file:
            file.seek(self._end)
            added = file.read()
        for line in added[: added.rfind(b"\n") + 1].splitlines():
            self._lines += 1
            self._end += len(line) + 1
            record = _record(line, f"{self._path}:{self._lines}")
            self._records.setdefault(record["request"], record)


def recorded_name(path: Path) -> str:
    """Return the name of the model whose answers a cassette has. Raises OSError, and ValueError for none or several."""
    lines = path.read_bytes().splitlines()
    names = {str(_record(line, f"{path}:{number}").get("model")) for number, line in enumerate(lines, start=1)}
    if len(names) != 1:
        raise ValueError(f"{path} has the answers of {len(names)} models ({', '.join(sorted(names))}); it needs one")
    return names.pop()


def _ask(model: Model, request: Request) -> dict[str, Any]:
    """Return what to record of an answer."""
    try:
        answer = model.complete(request.system, request.user, request.schema)
        require_length(answer)
    except MalformedAnswer as error:
        return {"rejected": str(error)}
    return {"answer": answer}


def _record(line: bytes, place: str) -> dict[str, Any]:
    """Return the record of a line. Raises ValueError if it is none."""
    try:
        record = json.loads(line)
        valid = isinstance(record["request"], str) and isinstance(
            record.get("rejected", record.get("answer")), str | dict
        )
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        valid = False
    if not valid:
        raise ValueError(f'{place}: expected {{"request": ..., "answer": ...}}; remove the line and record it again')
    return dict(record)
