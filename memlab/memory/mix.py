"""MemoryMix: one memory composed of four stores. It stores events, recalls memories and assembles prompts."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Self

from memlab.memory.admission import MAX_BYTES, Admission, Kind, to_fact
from memlab.memory.context import TokenCounter, count_tokens, fill
from memlab.memory.defences import Defences
from memlab.memory.environment.live_world import LiveWorld
from memlab.memory.episode import Episode, Run
from memlab.memory.episodes import Episodes
from memlab.memory.erasure import Erasure
from memlab.memory.facts import Fact
from memlab.memory.forgetting import KEEP, SUMMARY, Compaction, forget_episodes, is_compaction_due, referenced_ids
from memlab.memory.heuristics.reference_check import Finding
from memlab.memory.indexing.fact_table import FactTable
from memlab.memory.method_checks import checked
from memlab.memory.procedural import Skill, Skills
from memlab.memory.promotion import promote
from memlab.memory.prompt import IN_CONTEXT, TOKENS_PER_MEMORY, build_sections, join_memories
from memlab.memory.retrieval.ranking import Candidate, Recalled
from memlab.memory.retrieval.recall import Recall
from memlab.memory.retrieval.stores import Stores
from memlab.memory.retrieval.vectors import Encoder, Vectors
from memlab.memory.rules import Rule, Rules
from memlab.memory.storage.journal import Record, Sync
from memlab.memory.storage.record_list import RecordList
from memlab.memory.text import clean, digest, slug
from memlab.memory.trust import AGENT, BY_USER, NOT_TRUSTED, USER, Provenance
from memlab.memory.working import Scratchpad, Task
from memlab.memory.world import World

RECENT = 3
"""A prompt offers the last 3 trusted, valid episodes, whatever the task is; a small budget leaves them out."""


@checked(without_lock=("recall", "assemble", "quarantined", "needs_refreshing", "damaged", "close"))
class MemoryMix:
    """Working, episodic, semantic and procedural memory in one directory.

    `world` is the environment that claims are checked against (default: current directory and environment variables);
    `clock` returns seconds since 1970, UTC; `facts` is the fact store; `sync` is the log's durability (see Journal);
    `defences` turns single defences off; `count` returns the tokens of a text (default: a quarter of its characters);
    `keep` is the number of latest episodes of trusted sources, and of others, that are never forgotten; a log with
    2.5 times `keep` episodes is compacted automatically, within about a thousand events;
    a statement has at most `max_bytes` of text (else Refused); with `links`, what a link leads to
    outside the directory may be written and deleted; an `encoder` also finds texts by their meaning (vectors.py).

    `with MemoryMix(...) as mix` closes its files at the end; a later call opens them again. Use one object per thread.

    >>> with memlab.MemoryMix("memory") as mix:
    ...     fact = mix.write_fact("deploy-day", "when we deploy", "We deploy on Tuesdays.")
    ...     print(mix.recall("when do we deploy")[0].text)
    We deploy on Tuesdays.
    """

    def __init__(  # noqa: PLR0913 - each is one independent choice
        self,
        directory: Path | str,
        world: World | None = None,
        clock: Callable[[], float] = time.time,
        *,
        facts: FactTable | None = None,
        sync: Sync = "batch",
        defences: Defences = Defences(),  # noqa: B008 - it is frozen
        count: TokenCounter = count_tokens,
        keep: int = KEEP,
        max_bytes: int = MAX_BYTES,
        links: bool = False,
        encoder: Encoder | None = None,
    ) -> None:
        if keep < 0:
            raise ValueError(f"keep {keep}: this many episodes are never forgotten, so it must be 0 or more")
        self.directory = directory = Path(directory)
        self.episodes = Episodes(directory, sync, links=links)
        self.facts = facts or FactTable(directory / "facts.db", sync, versions=defences.versions, links=links)
        self.skills = Skills(directory / "skills", links=links)
        self.rules = Rules(directory / "rules.md", links=links)
        self.vectors = Vectors(directory / "vectors.db", encoder, self.facts, self.episodes, self.skills, links=links)
        self._stores = Stores(self.facts, self.episodes, self.skills, self.vectors)
        self._world = (world or LiveWorld(Path.cwd())) if defences.guard else None
        make_list = partial(RecordList, sync=sync, links=links)
        held = make_list(directory / "quarantine.jsonl", kind=Kind, statement=Fact | Skill | Episode)
        self._admission = Admission(self._stores, self.rules, held, clock, max_bytes, ranks_sources=defences.trust)
        self._refresh = make_list(directory / "needs_refreshing.jsonl", names=str)
        pending = make_list(directory / "erasing.jsonl", ids=tuple[str, ...], time=float)
        self._lists = held, self._refresh, pending
        self._erasure = Erasure(pending, self._stores, self.rules, self._admission, self._refresh)
        self._recall = Recall(self._stores, self._world, self._flag, versions=defences.versions)
        self._defences, self._count, self._keep = defences, count, keep
        self._task = Task(self.episodes, self._admission, defences.log)
        self._erasure.resume()

    @property
    def working(self) -> Scratchpad:
        """The scratchpad of the current task."""
        return self._task.pad

    def set_task(self, goal: str, todo: Sequence[str] = (), origin: Provenance = BY_USER, *, type: str = "") -> None:
        """Begin a task. `type` (deploy, review) selects the skills for its prompts.

        A task that has not ended is abandoned: its notes do not become facts. Raises Refused for an untrusted source.
        """
        self._task.step(Episode("task", goal, origin, step="task", todo=tuple(todo), name=type))

    def check_off(self, item: str, origin: Provenance = BY_USER) -> None:
        """Mark an open to-do as done. Raises Refused if it is not open."""
        self._task.step(Episode("done", item, origin, step="done"))

    def note(self, text: str, name: str = "", origin: Provenance = BY_USER) -> None:
        """Add a note to the task. A note with a name becomes a fact of that name when the task ends.

        Raises Refused if there is no current task, or if the name is not a slug.
        """
        self._task.step(Episode("note", text, origin, step="note", name=slug(name) if name else ""))

    def ask(self, question: str, origin: Provenance = BY_USER) -> None:
        """Add an open question to the task. Raises Refused if there is no current task."""
        self._task.step(Episode("ask", question, origin, step="ask"))

    def answer(self, question: str, text: str, origin: Provenance = BY_USER) -> None:
        """Replace an open question by a note with its answer. Raises Refused if it is not open."""
        self._task.answer(question, text, origin)

    def end_task(self, outcome: str = "", origin: Provenance = BY_USER) -> None:
        """End the task: notes with a name become facts, the outcome is logged, recurring episodes are promoted."""
        self._admission.require_rank(AGENT, "end", origin)
        end = self._admission.admit_episode(Episode("outcome", outcome, origin, step="end"))  # it may be Refused
        for fact in self._task.durable_facts():
            self.facts.put(fact)
        self._task.step(end)
        self.promote()

    def log_episode(self, kind: str, detail: str, about: str = "", origin: Provenance = BY_USER) -> None:
        """Log an event, such as a turn of a conversation or a tool result.

        With `about` (its subject) the event also becomes a fact. Untrusted instructions go to quarantine.
        """
        episode = self._admission.admit_episode(Episode(kind, detail, origin, about=about))
        if about and not episode.held:
            self.facts.put(to_fact(episode))
        self._log(episode)  # last: after a crash no logged episode lacks its fact

    def log_run(self, run: Run, origin: Provenance = BY_USER) -> None:
        """Log a run and count it for its skills, once for a given id. Raises Refused if it names an unknown skill."""
        for name in run.skills:
            self.skills.named(name)
        episode = self._admission.admit_episode(Episode("run", run.text, origin, run=run))
        if origin.id and self.episodes.get(episode.id):
            return
        for name in run.skills if episode.rank > NOT_TRUSTED else ():
            self.skills.record_use(name, success=run.success, time=episode.origin.time, run=origin.id and episode.id)
        self._log(episode)  # last: after a crash no logged run lacks its count

    def summarise(self, session: str, text: str, origin: Provenance = BY_USER) -> None:
        """Log a summary of one session; by default it is derived from all its episodes, the user's from the user's."""
        is_user = self._admission.rank(origin) == USER
        every = (one for one in self.episodes.replay() if one.origin.session == session)
        ids = origin.derived_from or tuple(one.id for one in every if one.rank == USER or not is_user)
        summary = Episode(SUMMARY, text, replace(origin, session=session, derived_from=ids))
        self._log(self._admission.admit_episode(summary))

    def write_fact(  # noqa: PLR0913 - the fact's own fields
        self,
        name: str,
        description: str,
        body: str,
        *,
        type: str = "project",
        about: str = "",
        importance: float = 0.5,
        origin: Provenance = BY_USER,
    ) -> Fact:
        """Store a fact; it supersedes facts on its subject that rank no higher. An empty name becomes a digest.

        `description` is extra text by which the fact is found; it may be empty. Raises Refused if the name is not a
        slug, or if untrusted text gives instructions: then the fact goes to quarantine.
        """
        safe = slug(name or f"fact-{digest(body)}")
        stated = Fact(safe, body, description, type or "project", about, origin, importance=importance)
        fact = self._admission.admit_fact(stated)
        self.facts.put(fact)
        return fact

    def write_rule(self, text: str, name: str = "", origin: Provenance = BY_USER) -> None:
        """Add, replace (same name) or withdraw (empty text) a rule. Raises Refused unless the source is the user."""
        text, origin = clean((text, origin))
        self._admission.require_rank(USER, "rule", origin)
        self._admission.require_not_erased(origin.id)
        self._admission.require_short("rule", text, origin)
        self.rules.put(Rule(slug(name or f"rule-{digest(text)}"), text, self._admission.stamp(origin, text).id))

    def write_skill(
        self, name: str, steps: str, description: str = "", *, type: str = "", origin: Provenance = BY_USER
    ) -> Skill:
        """Store a skill: the steps for one type of task. Raises Refused if the source is untrusted."""
        safe = slug(name or f"skill-{digest(steps)}")
        skill = self._admission.admit_skill(Skill(safe, steps, description, type, origin))
        self.skills.put(skill)
        return skill

    def recall(self, query: str, k: int = 5) -> list[Recalled]:
        """Return at most k memories that answer a question, best first; an empty list if none does.

        A memory that the environment refutes is not returned; `needs_refreshing` lists it. Raises ValueError if k is
        negative.
        """
        return self._recall.find(query, k)

    def assemble(self, task: str, budget: int) -> str:
        """Return one turn's prompt within a budget in tokens. Raises BudgetTooSmall if the pinned lines do not fit."""
        count = max(IN_CONTEXT, budget // TOKENS_PER_MEMORY)
        validity = self._recall.validity(task, count)
        found = self._recall.answer(validity, count, least=0, failures=False)
        recent = validity.latest(self.episodes.recent(), RECENT)
        pad, pin, recite = self.working, self._defences.pin, self._defences.recite
        pad = replace(pad, notes=tuple(one for one in pad.notes if validity.verdict(one.text) != "refuted"))
        skills = [skill for skill in self.skills.of_type(pad.type) if validity.is_valid(skill, "procedural")]
        memories = join_memories(found, recent, skills)
        parts = build_sections(self.rules.all(), memories, pad, pin=pin, recite=recite, count=self._count)
        return fill(parts, budget, self._count)

    def promote(self) -> list[Fact]:
        """Turn episodes that recurred in independent sessions into facts, if they are valid; return the new facts."""
        return promote(self._stores, self._world) if self._defences.log else []

    def compact(self, origin: Provenance = BY_USER) -> Compaction:
        """Promote what recurred, in other words too, then forget old episodes and useless skills (forgetting.py)."""
        self._admission.require_rank(AGENT, "compact", origin)
        promoted = promote(self._stores, self._world, patterns=True) if self._defences.log else []
        forgotten = forget_episodes(self.episodes, referenced_ids(self._stores), self._keep)
        skills = self.skills.forget(self._admission.stamp(origin).time, self._task.log_forgotten)
        return Compaction(promoted, forgotten, skills)

    def erase(self, ids: Collection[str], origin: Provenance = BY_USER) -> set[str]:
        """Erase statements and everything derived from them; return the ids that existed. See erasure.py.

        From now on all given ids are refused. Raises Refused, and erases nothing, if the source has no right to;
        BlockingIOError if another process still reads a file with their words; no method returns them any more.
        """
        erased = self._erasure.decide(ids, origin)
        self._erasure.carry_out()
        return erased

    def quarantined(self) -> list[Record]:
        """Return the quarantined statements: id, kind (fact, skill, episode) and fields. A person may release them."""
        return self._admission.quarantine.all()

    def release(self, identity: str) -> None:
        """Accept a quarantined statement as the user's own. Raises Refused if the id is not in quarantine."""
        self._admission.release(identity)

    def needs_refreshing(self) -> list[Record]:
        """Return the memories that the environment refuted: id, store, name of the missing thing, reason, time.

        A fact that has a newer version is no longer listed.
        """
        listed = ((one, self.facts.get(one["id"])) for one in self._refresh.all())
        return [one for one, fact in listed if fact is None or not fact.superseded_by]

    def mark_refreshed(self, ids: Collection[str]) -> None:
        """Remove ids from the needs_refreshing list; what is still stored and refuted is listed at the next check."""
        self._refresh.remove(ids)

    def damaged(self) -> list[Record]:
        """Return the lines of the log and the lists that cannot be read: file, line, text. They stay for a person."""
        return [line for some in (self.episodes, *self._lists) for line in some.damaged()]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close every file."""
        for store in (self._stores, self.rules, *self._lists):
            store.close()

    def _log(self, episode: Episode) -> None:
        self._task.log(episode)
        if is_compaction_due(self.episodes, self._keep, episode.id):
            self.compact(Provenance("tool"))  # at the time of the clock: an event may claim any time

    def _flag(self, candidate: Candidate, finding: Finding) -> None:
        """Add a refuted memory to the needs_refreshing list, once; a folder that can only be read keeps no list."""
        entry = {"id": candidate.memory.id, "names": finding.name, "store": candidate.store, "reason": finding.reason}
        self._refresh.add_new_if_writable(entry | {"time": self._admission.stamp(BY_USER).time}, "names")
