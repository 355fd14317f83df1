"""The four stores composed: one memory that is told, recalls, and assembles the prompt of a turn."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from memlab.memory.admission import Admission, to_fact
from memlab.memory.context import Counter, count_tokens, fill
from memlab.memory.episode import Episode, Run
from memlab.memory.episodes import Episodes
from memlab.memory.erasure import Erasure
from memlab.memory.facts import Fact, FactStore
from memlab.memory.forgetting import KEEP, SUMMARY, Compacted, Write, forget_episodes, referred
from memlab.memory.guard import Finding
from memlab.memory.indexing.fact_table import FactTable
from memlab.memory.live_world import LiveWorld
from memlab.memory.procedural import Skill, Skills
from memlab.memory.promotion import promote
from memlab.memory.prompt import PLACES, memory_count, remembered, sections
from memlab.memory.retrieval.ranking import Candidate, Recalled
from memlab.memory.retrieval.recall import Recall, latest_servable
from memlab.memory.retrieval.stores import Stores
from memlab.memory.rules import Rule, Rules
from memlab.memory.storage.journal import Record, Sync
from memlab.memory.storage.ledger import Ledger
from memlab.memory.text import digest, fold, replace_surrogates, require_list, slug
from memlab.memory.trust import AGENT, NOT_TRUSTED, USER, Provenance, may_replace, never_replaces
from memlab.memory.working import Scratchpad, Task
from memlab.memory.world import World


@dataclass(frozen=True, slots=True)
class Defences:
    """Which promises the mix keeps; each can be taken away to see what it buys."""

    guard: bool = True
    trust: bool = True
    versions: bool = True
    pin: bool = True
    recite: bool = True
    log: bool = True


ALL = Defences()

RECENT = 3
"""So many episodes every context tells, whatever the task is: the last that are trusted and hold up."""
BY_USER = Provenance()


class MemoryMix:
    """Working, episodic, semantic and procedural memory in one directory.

    `world` is what reality can confirm (by default the current directory and environment); `clock` gives seconds since
    1970, UTC; `facts` is the fact store (by default SQLite); `sync` says what a power cut may take of the log. `keep`
    is how many episodes are never forgotten, and `summary` what sums up others better than a count of them would.
    `with MemoryMix(...) as mix` closes its files at the end; whatever is asked after that opens them again. It belongs
    to one thread at a time, until it is closed: open one in each thread, they share the directory as processes do.
    """

    def __init__(  # noqa: PLR0913 - each is one independent choice of whoever composes the mix
        self,
        directory: Path | str,
        world: World | None = None,
        clock: Callable[[], float] = time.time,
        *,
        facts: FactStore | None = None,
        sync: Sync = "batch",
        defences: Defences = ALL,
        count: Counter = count_tokens,
        keep: int = KEEP,
        summary: Write | None = None,
    ) -> None:
        if keep < 0:
            raise ValueError(f"keep {keep}: so many episodes are never forgotten; 0 or more")
        self.directory = directory = Path(directory)
        self.episodes = Episodes(directory, sync)
        self.facts = facts or FactTable(directory / "facts.db", may_replace if defences.versions else never_replaces)
        self.skills = Skills(directory / "skills")
        self.rules = Rules(directory / "rules.md")
        self._stores = Stores(self.facts, self.episodes, self.skills)
        self._world = (world or LiveWorld(Path.cwd())) if defences.guard else None
        self._admission = Admission(
            self._stores, self.rules, directory / "quarantine.jsonl", clock, trusting=defences.trust
        )
        self._refresh = Ledger(directory / "needs_refreshing.jsonl", names=str)
        self._erasure = Erasure(directory / "erasing.jsonl", self._stores, self.rules, self._admission, self._refresh)
        self._recall = Recall(self._stores, self._world, self._flag)
        self._defences = defences
        self._count = count
        self._places = {**PLACES, "semantic": self.facts.location}
        self._keep = keep
        self._summary = summary
        self._task = Task(self.episodes, self._admission, defences.log)
        self._erasure.carry_out()

    @property
    def working(self) -> Scratchpad:
        """The scratchpad of the task at hand."""
        return self._task.pad

    def set_task(
        self,
        goal: str,
        todo: Sequence[str] = (),
        origin: Provenance = BY_USER,
        *,
        type: str = "",  # noqa: A002 - the field's own word
    ) -> None:
        """Begin a task. `type` (deploy, review) is that by which skills are looked up.

        A task that was not ended before is abandoned: what it noted stays in the log, and becomes no fact. Raises
        Refused, as every step of a task does, if an untrusted source takes it.
        """
        plan = tuple(require_list("todo", todo))
        self._task.step(Episode("task", goal, origin, step="task", todo=plan, name=type))

    def check_off(self, item: str, origin: Provenance = BY_USER) -> None:
        """Mark an open to-do as done. Raises Refused if it is not open."""
        self._task.step(Episode("done", item, origin, step="done"))

    def note(self, text: str, name: str = "", origin: Provenance = BY_USER) -> None:
        """Note what the task has to know. With a name it is durable: a fact of that name when the task is over.

        Raises Refused if no task is at hand, or if the name is no slug.
        """
        self._task.step(Episode("note", text, origin, step="note", name=slug(name) if name else ""))

    def ask(self, question: str, origin: Provenance = BY_USER) -> None:
        """Keep a question open until it is answered. Raises Refused if no task is at hand."""
        self._task.step(Episode("ask", question, origin, step="ask"))

    def answer(self, question: str, text: str, origin: Provenance = BY_USER) -> None:
        """Close an open question with a note of its answer. Raises Refused if it is not open."""
        asked = [one.origin.id for one in self.working.questions if fold(one.text) == fold(question)]
        lineage = (*origin.derived_from, *(asked if self._defences.log else ()))
        self._task.step(Episode("answer", text, replace(origin, derived_from=lineage), step="answer", name=question))

    def end_task(self, outcome: str = "", origin: Provenance = BY_USER) -> None:
        """End the task: its durable notes become facts, its outcome is logged, the scratchpad is forgotten.

        What has recurred by now is promoted.
        """
        self._admission.require_rank(AGENT, "end", origin)
        for note in self.working.notes:
            if note.name:
                lineage = (note.origin.id,) if self._defences.log else ()
                kept = replace(note.origin, id=f"kept-{note.origin.id}", derived_from=lineage)
                self.facts.put(Fact(note.name, note.text, origin=kept, rank=self._admission.rank(note.origin)))
        self._task.step(Episode("outcome", outcome, origin, step="end"))
        self.promote()

    def log_episode(self, kind: str, detail: str, about: str = "", origin: Provenance = BY_USER) -> None:
        """Log one thing that happened: a turn of a conversation, a tool's result.

        What says what it is `about` states a fact too, in its place among the versions. Untrusted orders are held.
        """
        episode = self._admission.episode(Episode(kind, detail, origin, about=about))
        if about and not episode.held:
            self.facts.put(to_fact(episode))
        self._task.log(episode)  # last: a crash leaves no telling whose fact is missing, and telling it again is whole

    def log_run(self, run: Run, origin: Provenance = BY_USER) -> None:
        """Log what one run of a task came to, and count it for the skills that were applied.

        Raises Refused if one of them is not known: then nothing is logged.
        """
        for name in require_list("skills", run.skills):
            self.skills.named(name)
        episode = self._admission.episode(Episode("run", run.text, origin, run=run))
        self._task.log(episode)
        if episode.rank > NOT_TRUSTED:
            for name in run.skills:
                self.skills.record_use(name, success=run.success, time=episode.origin.time)

    def summarise(self, session: str, text: str, origin: Provenance = BY_USER) -> None:
        """Log a summary of one session. It restates what its origin says, or else all that the session told."""
        told = origin.derived_from or tuple(one.id for one in self.episodes.replay() if one.origin.session == session)
        self._task.log(
            self._admission.episode(Episode(SUMMARY, text, replace(origin, session=session, derived_from=told)))
        )

    def write_fact(  # noqa: PLR0913 - the fact's own fields
        self,
        name: str,
        description: str,
        body: str,
        *,
        type: str = "project",  # noqa: A002 - the field's own word
        about: str = "",
        importance: float = 0.5,
        origin: Provenance = BY_USER,
    ) -> Fact:
        """Keep a fact; what it may replace on its subject is superseded. Without a name it gets a digest for one.

        Raises Refused if the name is no slug, or if untrusted text gives orders: then it waits in quarantine.
        """
        safe = slug(name or f"fact-{digest(body)}")
        told = Fact(safe, body, description, type or "project", about, origin, importance=importance)
        fact = self._admission.fact(told)
        self.facts.put(fact)
        return fact

    def write_rule(self, text: str, name: str = "", origin: Provenance = BY_USER) -> None:
        """Add, replace (same name) or withdraw (no text) a rule. Raises Refused unless the user does it."""
        self._admission.require_rank(USER, "rule", origin)
        self._admission.require_not_erased(origin.id)
        safe = slug(name or f"rule-{digest(text)}")
        self.rules.put(Rule(safe, replace_surrogates(text), self._admission.stamp(origin, text).id))

    def write_skill(
        self,
        name: str,
        steps: str,
        description: str = "",
        *,
        type: str = "",  # noqa: A002 - the field's own word
        origin: Provenance = BY_USER,
    ) -> Skill:
        """Keep a skill: the steps of one type of task. Raises Refused: steps are orders; the untrusted teach none."""
        told = Skill(slug(name or f"skill-{digest(steps)}"), steps, description, type, origin)
        skill = self._admission.skill(told)
        self.skills.put(skill)
        return skill

    def recall(self, query: str, k: int = 5) -> list[Recalled]:
        """Answer a question with at most k memories, best first; with none if nothing kept answers it."""
        return self._recall.find(query, k)

    def assemble(self, task: str, budget: int) -> str:
        """Compose the prompt of one turn within a budget in tokens. Raises BudgetTooSmall if the pins do not fit."""
        question = self._recall.question(task)
        found = self._recall.answer(question, memory_count(budget), least=0, near=0)
        recent = latest_servable(question.recent(), RECENT, lambda one: self._recall.is_servable(one, question))
        pad, pin, recite = self.working, self._defences.pin, self._defences.recite
        typed = (Candidate(one, one.text, "procedural") for one in self.skills.of_type(pad.type))
        skills = [one.memory for one in typed if self._recall.is_servable(one, question)]
        told = remembered(found, recent, skills)
        parts = sections(self.rules.all(), told, pad, pin=pin, recite=recite, count=self._count, places=self._places)
        return fill(parts, budget, self._count)

    def promote(self) -> list[Fact]:
        """Lift into the facts what has recurred in independent sessions and holds up."""
        return promote(self._stores, self._world) if self._defences.log else []

    def compact(self, origin: Provenance = BY_USER) -> Compacted:
        """Condense history and give what was done: what recurred is promoted, then what is of no use is forgotten.

        Beyond the latest episodes go those that nothing refers to, each session summed up first; skills go that mostly
        failed, or were not used for long.
        """
        self._admission.require_rank(AGENT, "compact", origin)
        promoted = self.promote()
        forgotten = forget_episodes(self.episodes, referred(self._stores), self._keep, self._summary)
        useless = self.skills.forget(self._admission.stamp(origin).time)
        for skill, reason in useless:
            told = f"skill {skill.name} was put away in skills/.forgotten: {reason}"
            self._task.log(self._admission.episode(Episode("forgotten", told, Provenance("tool"))))
        return Compacted(promoted, forgotten, useless)

    def erase(self, ids: Collection[str], origin: Provenance = BY_USER) -> set[str]:
        """Erase statements and all that was derived from them, as if they had never been told; see erasure.py.

        Gives the ids that were there to be erased; the id of what recall serves is its `origin.id`. What has one of
        these ids, there or not, is refused from now on. Raises Refused if the source may not: then all stays.
        """
        erased = self._erasure.decide(require_list("ids", ids), origin, trusting=self._defences.trust)
        self._erasure.carry_out()
        return erased

    def quarantined(self) -> list[Record]:
        """List what untrusted sources said that gives orders: id, kind (fact, skill, episode) and the statement.

        No verb serves it until a person decides: `release(id)` lets it in, `erase([id])` takes it away.
        """
        return self._admission.quarantined()

    def release(self, identity: str) -> None:
        """Let a statement out of quarantine: a person read it and vouches for it. Raises Refused if it is not there."""
        self._admission.release(identity)

    def needs_refreshing(self) -> list[Record]:
        """List what the World has refuted: id, store, what it names, why, and when that was seen."""
        return self._refresh.all()

    def mark_refreshed(self, ids: Collection[str]) -> None:
        """Take statements off the list of what needs refreshing, once each was told anew or erased.

        One that still stands, and that the World still refutes, is listed again when it is next looked at.
        """
        self._refresh.remove(require_list("ids", ids))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of every file."""
        stores = (self.episodes, self.facts, self.skills, self.rules)
        for one in (*stores, self._admission, self._refresh, self._erasure):
            one.close()

    def _flag(self, candidate: Candidate, finding: Finding) -> None:
        """Write down once what needs refreshing."""
        told = {"id": candidate.memory.id, "names": finding.name, "store": candidate.store, "reason": finding.reason}
        self._refresh.add_new(told | {"time": self._admission.stamp(BY_USER).time}, "names")
