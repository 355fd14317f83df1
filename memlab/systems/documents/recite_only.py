"""recite-only and file-stubs: one notes file, and the plan recited at the end of every context.

Source: Lab 07 (document 000), on the trick "the team behind the Manus agent wrote up: print the working to-do list
again at the very end". The to-do list is a file, so it survives a crash; all else is bucket-recent. `file-stubs` adds
the other part of Manus's design: a long result leaves the context, but can be restored, because its path stays.

Writes: each line to one notes file; goal and to-do to todo.md after each change.
Stores: one notes file and todo.md; file-stubs moves results over 500 tokens to files of their own.
Recalls: the newest lines.
Prompt: the newest lines, and last the goal and the open to-dos.
Wins: recitation: after a crash and under any history, the plan is at the end of every prompt.
Loses: everything else. There is no search, so an old fact is not found, and old rules leave the prompt.
"""

from __future__ import annotations

import json
from functools import partial

from memlab.memory.context import count_tokens, one_line
from memlab.memory.text import digest
from memlab.systems.documents.parts.prompt import Plan, compose
from memlab.systems.entry import Entry
from memlab.systems.notes import lines_of
from memlab.systems.single_bucket import BucketRecent
from memlab.terms import Event, Workspace

LONGEST_RESULT = 500
"""[m] In tokens: a longer tool result becomes a stub, its path and first line."""
PLAN_FILE = "todo.md"
"""The recited plan: the goal, then the open to-dos."""
_TASK = frozenset({"task", "done", "end"})


class ReciteOnly(BucketRecent):
    """Newest lines first, rules among them, and last the goal and the open to-dos."""

    def __init__(self, workspace: Workspace, *, stubs: bool = False) -> None:
        super().__init__(workspace)
        self._plan_file = workspace.directory / PLAN_FILE
        self._results = workspace.directory / "results"
        self._stubs = stubs
        self._plan = Plan()
        if self._plan_file.exists():
            self._plan.goal, *self._plan.todo = json.loads(self._plan_file.read_text(encoding="utf-8"))

    def observe(self, event: Event) -> None:
        """Append an event's lines; what is about the task changes the plan instead."""
        if event.kind in _TASK:
            self._plan.follow(event)
            self._plan_file.write_text(json.dumps([self._plan.goal, *self._plan.todo]), encoding="utf-8")
        if event.kind not in {"task", "done"}:
            self._notes.write(self._stub(event) if self._is_long(event) else lines_of(event))

    def assemble(self, task: str, budget: int) -> str:  # noqa: ARG002 - recency ignores the task
        return compose(budget, [], self._notes.newest_first(), self._plan.lines())

    def _is_long(self, event: Event) -> bool:
        return self._stubs and event.kind == "tool" and count_tokens(event.text) > LONGEST_RESULT

    def _stub(self, event: Event) -> list[str]:
        """Write a result to a file; return the line that stays."""
        self._results.mkdir(exist_ok=True)
        path = self._results / f"{digest(event.id, event.text)}.txt"
        path.write_text(event.text, encoding="utf-8", errors="replace")
        first = event.text.strip().partition("\n")[0]
        return [f"{self._results.name}/{path.name}: {one_line(first)}"]


ENTRIES = (
    Entry("recite-only", "bucket-recent with the plan recited last, as Manus does (000).", "documents", ReciteOnly),
    Entry("file-stubs", "recite-only with long results in files.", "documents", partial(ReciteOnly, stubs=True)),
)
