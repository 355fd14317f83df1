"""typed, typed-no-reflection and typed-append: memories tagged with a kind when they are written.

Source: "Memory types: episodic, semantic, procedural - and the scratchpad" (document 003). Episodic memory ages,
semantic memory is updated in place, procedural memory is retrieved by the type of the task, and a pass over new
episodes turns them into semantic memory. `typed-append` has the scratchpad that the document warns of: a log that is
only appended to.

Writes: each event with its kind: episodic, semantic or procedural. A fact of the same name is updated in place. After
    50 new episodes, reflection writes up to three conclusions.
Stores: one list of memories with kinds, and a scratchpad outside it.
Recalls: by the cue of the question: "when" asks for episodes, "how to" for skills, all else for facts.
Prompt: rules and skills, facts, episodes, the last three turns, the scratchpad.
Wins: a plain question about one fact finds it without an extractor, because events come with their kinds.
Loses: nothing says who spoke or what a conclusion rests on, so a lie that is told three times becomes a fact. A
    question with another cue is looked up among the wrong kind. Reflection changes no score here: what it concludes is
    seldom asked for.
"""

from __future__ import annotations

from collections import deque
from functools import partial

from memlab.memory.context import one_line
from memlab.memory.text import digest
from memlab.systems.documents.parts.bracket import Bracket
from memlab.systems.documents.parts.encoder import NAME
from memlab.systems.documents.parts.prompt import compose, statement
from memlab.systems.documents.parts.stand_ins import RULES, StandIns
from memlab.systems.documents.typed.memories import HEARTBEAT_SALIENCE, SALIENCE, TypedMemories
from memlab.systems.documents.typed.scratchpad import AppendedScratchpad, Scratchpad
from memlab.systems.entry import Entry
from memlab.terms import Event, Memory, Workspace

RAW_TURNS = 3
"""[m] "Only the scratchpad plus the last few raw turns enter the working set": three turns."""
FACTS_IN_CONTEXT, EPISODES_IN_CONTEXT, SKILLS_IN_CONTEXT = 10, 5, 3
"""[m] The most memories of each kind that a context recalls."""


class Typed:
    """One list of typed memories, and a scratchpad outside it."""

    def __init__(
        self, workspace: Workspace, stand_ins: StandIns = RULES, *, reflects: bool = True, appends: bool = False
    ) -> None:
        self._memories = TypedMemories(workspace.directory / "memories.jsonl", workspace.clock)
        self._pad = AppendedScratchpad() if appends else Scratchpad()
        self._turns: deque[str] = deque(maxlen=RAW_TURNS)
        self._stand_ins = stand_ins
        self._reflects = reflects

    def observe(self, event: Event) -> None:
        """Tag an event with its kind and store it; what is only about the current task goes to the scratchpad."""
        self._write(event)
        for fact in self._pad.follow(event):
            self._memories.write("semantic", digest(fact), fact, source="task")
        if event.kind == "turn":
            self._turns.append(f"{event.source}: {one_line(event.text)}")
        elif event.kind == "end":
            self._turns.clear()
        if self._reflects:
            self._memories.reflect(self._stand_ins, at_once=event.kind == "compact")

    def recall(self, query: str, k: int = 5) -> list[Memory]:
        """Return the k best memories for the query's cue."""
        return [
            Memory(memory["text"], (memory["source"],), memory["kind"], score)
            for memory, score in self._memories.recall(query, k)
        ]

    def assemble(self, task: str, budget: int) -> str:
        """Return procedural, semantic and episodic memories, the last raw turns, and last the scratchpad."""
        recall = self._memories.of_one_kind
        rules = [
            f"- {one_line(one['text'])}" for one in self._memories.of_kind("procedural") if one["source"] == "rule"
        ]
        skills = [one for one in recall("procedural", task, SKILLS_IN_CONTEXT) if one["source"] != "rule"]
        facts = recall("semantic", task, FACTS_IN_CONTEXT)
        episodes = recall("episodic", task, EPISODES_IN_CONTEXT)
        found = (one_line(one["text"]) for one in (*skills, *facts, *episodes))
        return compose(budget, rules, dict.fromkeys([*found, *self._turns]), self._pad.lines())

    def _write(self, event: Event) -> None:
        memories, text = self._memories, statement(event)
        if event.kind == "rule" and not event.text:
            memories.drop("procedural", event.name)
        elif event.kind == "rule":
            memories.write("procedural", event.name or digest(text), text, source="rule")
        elif event.kind == "skill":
            memories.write("procedural", event.name, text, source=event.source, task_type=event.type)
        elif event.kind == "fact":
            memories.write("semantic", event.name or event.about, text, source=event.source)
        elif event.kind in {"episode", "turn", "tool", "end"} and text:
            salience = HEARTBEAT_SALIENCE if event.type == "log" else SALIENCE
            memories.write("episodic", event.id, text, salience, source=event.source, session=event.session)


BRACKETS = (
    Bracket("typed", f"Document 003: kinds, reflection and a scratchpad; {NAME}, rules reflect.", "reflects", Typed),
)
ENTRIES = (
    *BRACKETS[0].entries(),
    Entry("typed-no-reflection", "typed without reflection.", "documents", partial(Typed, reflects=False)),
    Entry("typed-append", "typed with a scratchpad that only grows.", "documents", partial(Typed, appends=True)),
)
