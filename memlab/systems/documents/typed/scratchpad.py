"""The scratchpad of document 003: rewritten each turn; and the append-only log that the document warns of."""

from __future__ import annotations

from memlab.memory.context import CHARS_PER_TOKEN, one_line
from memlab.systems.documents.parts.prompt import Plan
from memlab.terms import Event

MOST_TOKENS = 300
"""[s] "rewritten each turn, ~300 tok cap"."""
_OPEN, _FACT = "ask", "note"
"""Kinds of episodes that go to the pad during a task: an open question, which `answer` resolves, and a fact."""


class Scratchpad:
    """Goal, plan, facts and open questions in RAM; it dies with the task."""

    def __init__(self) -> None:
        self._plan = Plan()
        self._facts: list[str] = []
        self._open: dict[str, str] = {}

    def follow(self, event: Event) -> list[str]:
        """Rewrite the pad; return its facts when the task ends."""
        durable: list[str] = []
        if event.kind in {"task", "end"}:
            durable = self._facts if event.kind == "end" else []
            self._facts, self._open = [], {}
        elif event.kind == "episode" and self._plan.goal:
            self._note(event)
        self._plan.follow(event)
        return durable

    def lines(self) -> list[str]:
        """Return the pad in at most MOST_TOKENS; resolved items leave first, then facts, then questions."""
        plan = self._plan
        goal = [f"goal: {one_line(plan.goal)}"] if plan.goal else []
        done = [f"[x] {one_line(item)}" for item in plan.done]
        todo = [f"[ ] {one_line(item)}" for item in plan.todo]
        facts = [f"facts: {one_line(text)}" for text in self._facts]
        questions = [f"open: {one_line(text)}" for text in self._open.values()]
        while _size(lines := [*goal, *done, *todo, *facts, *questions]) > MOST_TOKENS * CHARS_PER_TOKEN:
            for part in (done, facts, questions, todo, goal):
                if part:
                    part.pop(0 if part is not todo else -1)
                    break
        return lines

    def _note(self, event: Event) -> None:
        if event.type == _FACT:
            self._facts.append(event.text)
        elif event.type == _OPEN:
            self._open[event.name or event.about] = event.text
        elif event.type == "answer":
            self._open.pop(event.name or event.about, None)


class AppendedScratchpad(Scratchpad):
    """The wrong scratchpad: everything is appended, and the last MOST_TOKENS are kept."""

    def __init__(self) -> None:
        super().__init__()
        self._log: list[str] = []

    def follow(self, event: Event) -> list[str]:
        durable = super().follow(event)
        if event.kind == "end":
            self._log = []
        elif event.kind == "task":
            plan = ", ".join(map(one_line, event.todo))
            self._log = [f"goal: {one_line(event.text)}", f"plan: {plan}"]
        elif event.kind in {"done", "episode", "turn", "tool"} and self._log:
            self._log.append(f"{event.type or event.kind}: {one_line(event.text)}")
        return durable

    def lines(self) -> list[str]:
        lines = list(self._log)
        while lines and _size(lines) > MOST_TOKENS * CHARS_PER_TOKEN:
            lines.pop(0)
        return lines


def _size(lines: list[str]) -> int:
    return sum(len(line) + 1 for line in lines)
