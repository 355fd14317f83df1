"""The four stores composed: one memory that observes, recalls, and assembles the prompt of a turn."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from memlab.memory.admission import Admission
from memlab.memory.context import Counter, count_tokens, fill
from memlab.memory.episode import Episode, Run
from memlab.memory.episodic import Episodes
from memlab.memory.erasure import check_right, erase, lineage_down
from memlab.memory.fact_table import FactTable
from memlab.memory.guard import Finding
from memlab.memory.journal import Record, Sync
from memlab.memory.ledger import Ledger
from memlab.memory.naming import digest, slug, whole
from memlab.memory.procedural import Rule, Rules, Skill, Skills
from memlab.memory.promotion import promotable
from memlab.memory.prompt import IN_CONTEXT, remembered, sections
from memlab.memory.question import Candidate, Question, Stores
from memlab.memory.recall import Recall, Recalled, most_recent
from memlab.memory.semantic import Fact, FactStore
from memlab.memory.trust import AGENT, NOT_TRUSTED, USER, Provenance, may_replace
from memlab.memory.working import Scratchpad, rebuilt
from memlab.memory.world import LiveWorld, World

RECENT = 3
"""So many episodes every context tells, the last ones, whatever the task is."""
ELSEWHERE = "facts.db and episodes.jsonl"
BY_USER = Provenance()


@dataclass(frozen=True, slots=True)
class Defences:
    """Which promises the mix keeps; each can be taken away to see what it buys."""

    guard: bool = True
    trust: bool = True
    versions: bool = True
    pin: bool = True
    recite: bool = True
    log: bool = True


class MemoryMix:
    """Working, episodic, semantic and procedural memory in one directory.

    `world` is what reality can confirm (by default the current directory and environment); `clock` gives seconds since
    1970, UTC; `facts` is the fact store (by default SQLite); `sync` says what a power cut may take of the log.
    """

    def __init__(  # noqa: PLR0913 - each is one independent choice of whoever composes the mix
        self,
        directory: Path,
        world: World | None = None,
        clock: Callable[[], float] = time.time,
        *,
        facts: FactStore | None = None,
        sync: Sync = "batch",
        defences: Defences = Defences(),
        count: Counter = count_tokens,
    ) -> None:
        self.directory = directory
        self.episodes = Episodes(directory, sync)
        self.facts = facts or FactTable(directory / "facts.db", may_replace if defences.versions else _never)
        self.skills = Skills(directory / "skills")
        self.rules = Rules(directory / "rules.md")
        self._stores = Stores(self.facts, self.episodes, self.skills)
        self._world = (world or LiveWorld(Path.cwd())) if defences.guard else None
        self._admission = Admission(
            self._stores, self.rules, directory / "quarantine.jsonl", clock, trusting=defences.trust
        )
        self._refresh = Ledger(directory / "needs_refreshing.jsonl")
        self._recall = Recall(self._stores, self._world, self._flag)
        self._defences = defences
        self._count = count
        self._pad: Scratchpad | None = None

    @property
    def working(self) -> Scratchpad:
        """The scratchpad of the task at hand, rebuilt from the log if this process has not set it."""
        if self._pad is None:
            self._pad = rebuilt(self.episodes.steps()) if self._defences.log else Scratchpad()
        return self._pad

    def set_task(self, goal: str, todo: Sequence[str] = (), origin: Provenance = BY_USER) -> None:
        """Begin a task; the one before is over. Raises Refused if an untrusted source sets it."""
        self._admission.only(AGENT, "task", origin)
        self._log(Episode("task", goal, origin, step="task", todo=tuple(todo)))
        self._pad = Scratchpad(goal, tuple(todo))

    def check_off(self, item: str, origin: Provenance = BY_USER) -> None:
        """Mark an open to-do as done. Raises Refused if it is not open, or if an untrusted source says so."""
        self._admission.only(AGENT, "done", origin)
        pad = self.working.checked_off(item)
        self._log(Episode("done", pad.done[-1], origin, step="done"))
        self._pad = pad

    def end_task(self, outcome: str = "", origin: Provenance = BY_USER) -> None:
        """End the task: log the outcome, forget the scratchpad, promote what recurred. Raises Refused as set_task."""
        self._admission.only(AGENT, "end", origin)
        self._log(Episode("outcome", outcome, origin, step="end"))
        self._pad = Scratchpad()
        self.promote()

    def log_episode(self, kind: str, detail: str, about: str = "", origin: Provenance = BY_USER) -> None:
        """Log one thing that happened: a turn of a conversation, a tool's result.

        What says what it is `about` states a fact too, in its place among the versions. Untrusted orders are held.
        """
        episode = self._log(Episode(kind, detail, origin, about=about))
        if about and not episode.held:
            name = f"said-{digest(episode.id)}"
            self.facts.put(Fact(name, detail, about=about, origin=episode.origin, rank=episode.rank))

    def log_run(self, run: Run, origin: Provenance = BY_USER) -> None:
        """Log what one run of a task came to, and count it for the skills that were applied."""
        episode = self._log(Episode("run", run.text, origin, run=run))
        if episode.rank > NOT_TRUSTED:
            for name in run.skills:
                self.skills.tried(name, success=run.success, time=episode.origin.time)

    def write_fact(  # noqa: PLR0913 - the fact's own fields
        self,
        name: str,
        body: str,
        description: str = "",
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
        self._admission.only(USER, "rule", origin)
        safe = slug(name or f"rule-{digest(text)}")
        self.rules.put(Rule(safe, whole(text), self._admission.stamped(origin, text).id))

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
        found = self._recall.find(task, IN_CONTEXT, least=0, near=0)  # here the budget is the limit
        question = Question(task, self._stores)
        recent = most_recent(self.episodes.recent(), RECENT, lambda one: self._recall.holds_up(one, question))
        told = remembered(found, recent)
        parts = sections(self.rules.all(), told, self.working, pin=self._defences.pin, recite=self._defences.recite)
        return fill(parts, budget, self._count, ELSEWHERE)

    def promote(self) -> list[Fact]:
        """Lift into the facts what has recurred in independent sessions and holds up."""
        if not self._defences.log:
            return []
        lifted = [
            fact
            for fact in promotable(self.episodes, self._world)
            if self.facts.get(fact.id) is None and not self.episodes.erased(fact.id)
        ]
        for fact in lifted:
            self.facts.put(fact)
        return lifted

    def compact(self, origin: Provenance = BY_USER) -> None:
        """Condense history: what has recurred is promoted; in this simple form the log itself stays whole."""
        self._admission.only(AGENT, "compact", origin)
        self.promote()

    def erase(self, ids: Collection[str], origin: Provenance = BY_USER) -> None:
        """Erase statements and all that was derived from them, as if they had never been told; see erasure.py.

        Raises Refused if the source may not: then all stays.
        """
        doomed = set(ids)
        if self._defences.trust:
            check_right(ids, origin, self._admission)
            doomed = lineage_down(ids, self._stores, self._admission)
        erase(doomed, self._stores, self.rules, self._admission.stamped(origin).time)
        self._admission.forget(doomed)
        self.refreshed(doomed)
        self._pad = None if self._defences.log else self._pad

    def quarantined(self) -> list[Record]:
        """List what untrusted sources said that gives orders: served by no verb until a person decides."""
        return self._admission.quarantined()

    def release(self, identity: str) -> None:
        """Let a statement out of quarantine: a person read it and vouches for it. Raises Refused if it is not there."""
        self._admission.release(identity)

    def needs_refreshing(self) -> list[Record]:
        """List what the World has refuted: id, store, what it names, why, and when that was seen."""
        return self._refresh.all()

    def refreshed(self, ids: Collection[str]) -> None:
        """Take statements off the list of what needs refreshing: a person has seen to them."""
        self._refresh.strike(ids)

    def close(self) -> None:
        """Let go of every file."""
        for store in (self.episodes, self.facts, self.skills, self.rules, self._admission, self._refresh):
            store.close()

    def _log(self, told: Episode) -> Episode:
        """Admit an episode, and log it."""
        episode = self._admission.episode(told)
        if self._defences.log:
            self.episodes.append(episode)
        return episode

    def _flag(self, candidate: Candidate, finding: Finding) -> None:
        """Write down once what needs refreshing."""
        memory = candidate.memory
        flagged = {"id": memory.id, "names": finding.name}
        if not any(flagged.items() <= record.items() for record in self._refresh.all()):
            seen = self._admission.stamped(BY_USER).time
            self._refresh.add(flagged | {"store": candidate.store, "reason": finding.reason, "time": seen})


def _never(_new: int, _old: int) -> bool:
    return False
