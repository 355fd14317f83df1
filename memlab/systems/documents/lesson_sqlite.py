"""lesson-sqlite and lesson-sqlite-checked: distilled facts with embeddings in one SQLite table.

Source: the lesson "The Memory Taxonomy & Persistent Stores" (document 001): "Store distilled facts, not raw
transcripts". `lesson-sqlite` is its code as published: facts are extracted at the end of a session and added, and
nothing ever sets `superseded_by`. `lesson-sqlite-checked` has the write path that it announces ("the write path still
dedupes and checks contradictions before anything is stored"). Neither asks who speaks: the last statement wins.

Writes: at the end of a session, the facts that the extractor finds, each with its quote; a fact that is handed over at
    once. The checked row drops repetitions and instructions, and supersedes an older value.
Stores: one SQLite table: fact, provenance, time, importance, superseded_by, embedding.
Recalls: the active facts with the largest cosine; of equal ones the newer.
Prompt: rules, recalled facts, the plan.
Wins: a fact is shorter than what was said, so precision and tokens are better than those of transcripts. The checks
    refuse instructions, which is most of their gain. With an oracle, the checked row is the best that only extracts.
Loses: what the extractor does not find is gone, and rules find two thirds of what an oracle finds. Whoever speaks last
    wins, so a web page replaces what the user said. The plan is in RAM: a crash loses the task.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from memlab.memory.context import count_tokens
from memlab.memory.text import Refused, clean
from memlab.models.extraction import Candidate
from memlab.systems.documents.parts.bracket import Bracket
from memlab.systems.documents.parts.encoder import NAME
from memlab.systems.documents.parts.extractor import verbatim
from memlab.systems.documents.parts.fact_table import CheckedFacts, FactTable
from memlab.systems.documents.parts.prompt import Plan, Rules, compose, statement
from memlab.systems.documents.parts.stand_ins import RULES, StandIns
from memlab.systems.documents.parts.transcript import MESSAGES, Message, Transcript
from memlab.terms import Event, Memory, Workspace

MOST_TOKENS = 1024
"""[s] `max_tokens` of the structured call that extracts facts: of claude-sonnet-4-5, at temperature 0."""
EXTRACTED = "session_extraction"
"""[s] The type of provenance of an extracted fact; its fields are type, session and quote."""
IN_CONTEXT = 50
"""[m] The most facts that a context recalls."""


class LessonSqlite:
    """Adds facts at once, and what a session's transcript contains at the end of the session.

    A question begins a new session: what is pending is extracted before it is answered.
    """

    def __init__(self, workspace: Workspace, stand_ins: StandIns = RULES, *, checked: bool = False) -> None:
        directory: Path = workspace.directory
        self._facts = (CheckedFacts if checked else FactTable)(directory / "memory.db", workspace.clock)
        self._transcript = Transcript(directory)
        self._rules = Rules(directory)
        self._plan = Plan()
        self._stand_ins = stand_ins

    def observe(self, event: Event) -> None:
        """Store a fact, or keep a message for the end of its session. Raises Refused if a fact gives instructions."""
        event = clean(event)
        self._extract(event.session)
        self._plan.follow(event)
        if event.kind == "rule":
            self._rules.follow(event)
        elif event.kind in {"fact", "skill"}:
            self._add_fact(event)
        elif event.kind in MESSAGES:
            self._transcript.add(event)
        elif event.kind == "end":
            self._extract()

    def recall(self, query: str, k: int = 5) -> list[Memory]:
        """Return the k active facts that are most similar to the query."""
        self._extract()
        return [Memory(row.fact, (), "semantic", score) for row, score in self._facts.nearest(query, k)]

    def assemble(self, task: str, budget: int) -> str:
        """Return rules, recalled facts, and last the plan."""
        found = (memory.text for memory in self.recall(task, IN_CONTEXT))
        return compose(budget, self._rules.lines(), found, self._plan.lines())

    def stored(self) -> list[str]:
        """Return every active fact."""
        self._extract()
        return [row.fact for row in self._facts.all_active()]

    def close(self) -> None:
        """Close the database."""
        self._facts.close()

    def _add_fact(self, event: Event) -> None:
        kind = "user_statement" if event.source == "user" else "tool_output"
        provenance = {"type": kind, "session": event.session, "quote": event.text}
        if self._facts.add(statement(event), provenance, subject=event.name or event.about) is None:
            raise Refused(f"{event.kind} {event.name}: an instruction is no fact; state what is true")

    def _extract(self, current: str | None = None) -> None:
        """Add the facts of each session that is over: all but the current one."""
        for messages in self._transcript.take_finished(current):
            for one in self._record_facts(messages):
                provenance = {"type": EXTRACTED, "session": messages[0].session, "quote": one.quote}
                self._facts.add(one.fact, provenance, one.importance)

    def _record_facts(self, messages: Sequence[Message]) -> list[Candidate]:
        """Return the answer of the structured call: the most important facts, each once, until its tokens are used up.

        Four of five sessions have more: in the order of the transcript, the answer would be what was said first.
        """
        found: dict[str, Candidate] = {}
        transcript = "\n".join(message.text for message in messages)
        for one in verbatim(self._stand_ins.extract([message.turn for message in messages]), transcript):
            found.setdefault(one.fact, one)
        room, answer = MOST_TOKENS, list[Candidate]()
        for one in sorted(found.values(), key=lambda one: -one.importance):  # stable: of equal ones the earlier
            room -= count_tokens(f"{one.fact}{one.quote}")
            if room < 0:
                break
            answer.append(one)
        return answer


BRACKETS = (
    Bracket(
        "lesson-sqlite",
        f"Lesson 001 as published: facts with embeddings in SQLite, only added; {NAME}, rules-v1.",
        "extracts",
        LessonSqlite,
    ),
    Bracket(
        "lesson-sqlite-checked",
        f"Lesson 001 with its announced checks before a fact is added; {NAME}, rules-v1.",
        "extracts",
        partial(LessonSqlite, checked=True),
    ),
)
ENTRIES = tuple(entry for one in BRACKETS for entry in one.entries())
