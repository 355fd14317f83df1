"""claude-memory: a language model keeps its own notes, by the commands of Anthropic's memory tool.

Source: Lab 07 (document 000), on Anthropic's memory tool: "the agent chooses to write, and the write shows up in the
run's record". It has the files, the record and the recall of explicit-write, but a model gives the commands, after each
session and for all that was said in it, also by the web. It is played only with a model:
`memlab compare --systems claude-memory --model anthropic:NAME`.
"""

from __future__ import annotations

from functools import partial

from memlab.models.model import Model, row_name
from memlab.models.notes import decide
from memlab.systems.documents.explicit_write import PROGRESS_FILE, RULES_FILE, ExplicitWrite
from memlab.systems.documents.parts.model_stand_ins import Reject
from memlab.systems.documents.parts.transcript import MESSAGES, Transcript
from memlab.systems.entry import Entry
from memlab.terms import Event, Memory, Workspace

NAME = "claude-memory"
_OWN: frozenset[str | int] = frozenset({RULES_FILE, PROGRESS_FILE})
"""The user's rules and the progress of the task, which the model does not write."""
_READ = frozenset({*MESSAGES, "fact", "skill"})


class ClaudeMemory(ExplicitWrite):
    """Files that a model writes at the end of each session; a question begins a new one."""

    def __init__(self, workspace: Workspace, model: Model, reject: Reject) -> None:
        super().__init__(workspace)
        self._model, self._reject = model, reject
        self._transcript = Transcript(workspace.directory)

    def observe(self, event: Event) -> None:
        """Keep a message for the model; rules and progress are written as in explicit-write."""
        self._write(event.session)
        if event.kind in _READ:
            self._transcript.add(event)
        else:
            super().observe(event)
        if event.kind == "end":
            self._write()

    def recall(self, query: str, k: int = 5) -> list[Memory]:
        self._write()
        return super().recall(query, k)

    def stored(self) -> list[str]:
        self._write()
        return super().stored()

    def _write(self, current: str | None = None) -> None:
        """Let the model write after each session that is over. What the tool answers is in the record, errors too."""
        for messages in self._transcript.take_finished(current):
            files = {path: self._tool.read(path) for path in self._files()}
            found = decide(files, [message.turn for message in messages], self._model)
            for reason in found.rejected:
                self._reject(reason)
            for one in found.accepted:
                if _OWN.intersection(one.arguments):
                    self._reject(f"{self._model.name}: {one.command} {one.path}: the model does not write this file")
                else:
                    self._do(one.command, *one.arguments)


def with_model(model: Model, reject: Reject) -> Entry:
    """Return the row with a model; `reject` is called with the reason for each answer that may not be stored."""
    about = f"Lab 07 (000), after Anthropic's memory tool: {model.name} gives the commands."
    build = partial(ClaudeMemory, model=model, reject=lambda reason: reject(f"{NAME}: {reason}"))
    return Entry(row_name(NAME, model), about, "documents", build)
