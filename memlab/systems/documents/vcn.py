"""vcn: the hybrid stack by the names of its products, without the guard of the labs.

Source: Lab 07 (document 000), on the hybrid stack of Vibe Coding Nights 33: "a loop holds the working state, a search
index holds the durable facts, a CLAUDE.md holds the behavior rules, and a log holds the past runs". It is Lab 07 with
an index in place of shared words, and without guard, trust or promotion. Lab 07 has no recall; this searches its index.

Writes: rules and facts about the user to CLAUDE.md, if a person says them; other facts to the index, the rest to the
    log.
Stores: CLAUDE.md, an index over facts, an append-only log, the state of the loop in RAM.
Recalls: the facts with the largest cosine.
Prompt: CLAUDE.md, five facts, the last three episodes, goal and to-do.
Wins: four places for four lifetimes, in a few lines of code. Only a person changes the rules.
Loses: without a guard, what is stale or false is served. The log is never searched, only its end is read, and the loop
    loses the task in a crash.
"""

from __future__ import annotations

from memlab.memory.context import one_line
from memlab.systems.documents.parts.encoder import NAME, VectorIndex
from memlab.systems.documents.parts.prompt import Plan, compose, statement
from memlab.systems.documents.parts.records import Records
from memlab.systems.entry import Entry
from memlab.terms import Event, Memory, Workspace

FACTS = 5
"""[m] A context has the five facts nearest to the task."""
LATEST = 3
"""[s] "The most recent few things that happened": the last three episodes."""
MEMORY_FILE = "CLAUDE.md"
"""The rules file, which the loop reads whole at every turn."""


class Vcn:
    """CLAUDE.md and a log on disk, an index over facts, and the state of the loop in RAM."""

    def __init__(self, workspace: Workspace) -> None:
        self._page = workspace.directory / MEMORY_FILE
        self._lines = Records(workspace.directory / "lines.jsonl")
        self._log = Records(workspace.directory / "log.jsonl")
        self._facts = Records(workspace.directory / "facts.jsonl")
        self._index = VectorIndex()
        for name, fact in self._facts.items():
            self._index.put(name, fact["text"])
        self._loop = Plan()

    def observe(self, event: Event) -> None:
        """Write an event to the part of its kind."""
        self._loop.follow(event)
        is_by_a_person = event.source == "user" and event.kind in {"rule", "fact"}
        if is_by_a_person and (event.kind == "rule" or event.type == "user"):
            self._edit_page(event)
        elif event.kind in {"fact", "skill"}:
            self._facts[event.name] = {"text": statement(event)}
            self._index.put(event.name, statement(event))
        elif event.kind in {"episode", "turn", "tool", "end"} and event.text:
            self._log[event.id] = {"text": f"{event.type or event.kind}: {event.text}"}

    def recall(self, query: str, k: int = 5) -> list[Memory]:
        """Return the k facts nearest to the query."""
        found = self._index.nearest(query, k)
        return [Memory(self._facts[name]["text"], (), "semantic", score) for name, score in found]

    def assemble(self, task: str, budget: int) -> str:
        """Return CLAUDE.md, facts, the last episodes, and the state of the loop; too much is cut from the middle."""
        page = self._page.read_text(encoding="utf-8").splitlines() if self._page.exists() else []
        facts = [one_line(memory.text) for memory in self.recall(task, FACTS)]
        latest = [one_line(one["text"]) for one in list(self._log.values())[-LATEST:]]
        return compose(budget, page, [*facts, *latest], self._loop.lines())

    def _edit_page(self, event: Event) -> None:
        """Edit CLAUDE.md as its user would: add a line, replace that of the same name, or delete it."""
        name = event.name or event.text
        if event.text:
            self._lines[name] = {"text": one_line(statement(event))}
        else:
            self._lines.pop(name, None)
        text = "".join(f"- {line['text']}\n" for line in self._lines.values())
        self._page.write_text(text, encoding="utf-8", errors="replace")


ENTRIES = (
    Entry("vcn", f"The stack that Lab 07 (000) names: CLAUDE.md, search index, log, loop; {NAME}.", "documents", Vcn),
)
