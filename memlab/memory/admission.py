"""The gate of the memory: what may be stored, at which trust rank, and what waits in quarantine for a person."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Literal, TypeVar

from memlab.memory.episode import Episode, Run, require_storable, with_tuples
from memlab.memory.facts import Fact
from memlab.memory.heuristics.injection import is_instruction
from memlab.memory.procedural import Skill
from memlab.memory.retrieval.stores import Stores
from memlab.memory.rules import Rules
from memlab.memory.storage.record_list import RecordList
from memlab.memory.text import Refused, clean, digest, replace_surrogates, text_size
from memlab.memory.trust import NOT_TRUSTED, USER, Provenance, lowest_rank, rank

Statement = TypeVar("Statement", Fact, Skill, Episode)
Kind = Literal["fact", "skill", "episode"]
MAX_BYTES = 1_000_000
"""A statement has at most a million bytes of text, in UTF-8."""
RESERVED = ("kept-", "learned-", "summary-", "forgotten-")
"""Beginnings of the ids of the memory's own statements: a source that took such an id would suppress that statement."""
YEAR_1, YEAR_10000 = -62_135_596_800, 253_402_300_800


@dataclass(frozen=True, slots=True)
class Admission:
    """Checks every statement before it is stored: adds time and id, ranks it by its lineage, quarantines instructions.

    `clock` returns seconds since 1970, UTC; a statement has at most `max_bytes` of text. With `ranks_sources=False`
    every source counts as the user.
    """

    stores: Stores
    rules: Rules
    quarantine: RecordList
    clock: Callable[[], float]
    max_bytes: int
    ranks_sources: bool

    def admit_episode(self, episode: Episode) -> Episode:
        """Return an episode with time, id and rank; untrusted instructions are logged too, but marked as held.

        Raises ValueError if a number of its run cannot be stored.
        """
        if episode.run:
            require_storable(episode.run)
        episode, is_held = self._stamp_and_rank(episode, episode.detail)
        if is_held:
            episode = replace(episode, held=True)
            self._add_to_quarantine(episode)
        return episode

    def admit_fact(self, fact: Fact) -> Fact:
        """Return a fact with time, id and rank. Untrusted instructions go to quarantine and raise Refused."""
        fact, is_held = self._stamp_and_rank(fact, f"{fact.description}\n{fact.body}".strip())
        if is_held:
            self._refuse(fact, "gives instructions")
        return fact

    def admit_skill(self, skill: Skill) -> Skill:
        """Return a skill with time, id and rank. An untrusted skill goes to quarantine and raises Refused."""
        skill, _ = self._stamp_and_rank(skill, skill.steps)
        if skill.rank == NOT_TRUSTED:
            self._refuse(skill, "may not write skills")
        return skill

    def rank(self, origin: Provenance) -> int:
        """Return the lowest rank among a source and everything it restates; an unknown id ranks as untrusted."""
        if not self.ranks_sources:
            return USER
        return lowest_rank([rank(origin.source), *map(self._rank_of, origin.derived_from)])

    def require_rank(self, least_rank: int, action: str, origin: Provenance) -> None:
        """Raise Refused unless a source ranks high enough for an action."""
        if self.rank(origin) < least_rank:
            who = "the user" if least_rank == USER else "the user, a tool or the agent"
            raise Refused(f"{action} by {origin.source or 'nobody'}: only {who} may; ask the user to state it")

    def stamp(self, origin: Provenance, *texts: str) -> Provenance:
        """Return a provenance with a time and an id (by default a digest). Raises Refused outside the calendar."""
        time = origin.time or self.clock()
        if not YEAR_1 <= time < YEAR_10000:
            raise Refused(f"time {time}: a time is seconds since 1970, UTC, in the years 1 to 9999; 0 stands for now")
        return replace(origin, time=time, id=origin.id or digest(*texts, origin.source, origin.session, repr(time)))

    def require_short(self, what: str, *values: object) -> None:
        """Raise Refused if the texts of a statement are too long: every later question would have to read them."""
        size = sum(map(text_size, values))
        if size > self.max_bytes:
            raise Refused(
                f"{what} of {size:,} bytes: a statement has at most {self.max_bytes:,}; "
                "store it in parts, or in a file of its own and say where it is"
            )

    def require_not_erased(self, *ids: str) -> None:
        """Raise Refused if one of these ids was erased: an erased id is neither reused nor restated."""
        for identity in filter(None, ids):
            if self.ranks_sources and self.stores.episodes.is_erased(identity):
                raise Refused(f"{identity}: it was erased; state it anew under another id, without this lineage")

    def authors(self, identity: str) -> set[str]:
        """Return the sources of everything stored or quarantined under an id."""
        identity = replace_surrogates(identity)
        sources = {known.origin.source for known in self.stores.under(identity)}
        sources |= {str(record["statement"]["origin"]["source"]) for record in self.quarantine.under(identity)}
        return sources | {"user" for rule in self.rules.all() if rule.id == identity}

    def release(self, identity: str) -> None:
        """Store a quarantined statement as the user's own, since a person has read it.

        It then restates nothing, and stays when its former sources are erased. Raises Refused if it is not in
        quarantine.
        """
        record = self.quarantine.find(identity)
        if record is None:
            raise Refused(f"release {identity!r}: it is not in quarantine; quarantined() lists what is")
        origin = Provenance(**record["statement"]["origin"] | {"derived_from": ()})
        statement = with_tuples(record["statement"]) | {"origin": origin, "rank": USER}
        if record["kind"] == "fact":
            self.stores.facts.put(Fact(**statement))
        elif record["kind"] == "skill":
            self.stores.skills.put(Skill(**statement))
        elif (known := self.stores.episodes.get(identity)) is None or known.held:  # else an earlier try logged it
            run = Run(**with_tuples(statement["run"])) if statement["run"] else None
            episode = Episode(**statement | {"held": False, "run": run})
            if episode.about:
                self.stores.facts.put(to_fact(episode))
            self.stores.episodes.append(episode)
        self.quarantine.remove({identity})

    def derived_ids(self, ids: set[str]) -> set[str]:
        """Return the ids of the quarantined statements that restate any of these."""
        records = self.quarantine.all()
        return {one["id"] for one in records if not ids.isdisjoint(one["statement"]["origin"]["derived_from"])}

    def _stamp_and_rank(self, statement: Statement, text: str) -> tuple[Statement, bool]:
        """Return a stamped, ranked statement and whether to quarantine it. Raises Refused if it restates the erased."""
        self.require_short(type(statement).__name__.lower(), statement)
        statement = clean(statement)
        given = statement.origin
        origin: Provenance = self.stamp(given, text)
        is_fact = isinstance(statement, Fact) or (isinstance(statement, Episode) and bool(statement.about))
        facts, log = self.stores.facts, self.stores.episodes
        while is_fact and not given.id and (facts.get(origin.id) or log.is_erased(origin.id)):
            origin = replace(origin, id=digest(origin.id))  # the same text at the same time: the clock was set back
        if given.id.startswith(RESERVED) or (given.id and self._is_id_taken(statement)):
            origin = replace(origin, id=digest(origin.id, origin.source, origin.session, text))
        if not self.ranks_sources:
            return replace(statement, origin=origin, rank=USER), False
        self.require_not_erased(given.id, *origin.derived_from)
        rank = self.rank(origin)
        is_held = rank == NOT_TRUSTED and (is_instruction(text) or any(map(self._is_held, origin.derived_from)))
        return replace(statement, origin=origin, rank=rank), is_held

    def _is_id_taken(self, statement: Statement) -> bool:
        """Return whether the id already belongs to another text or source, stored or quarantined."""
        identity, source = statement.origin.id, statement.origin.source
        waiting = [record["statement"] for record in self.quarantine.under(identity)]
        return (
            any(statement.text not in one.values() or statement.name != one["name"] for one in waiting)
            or any(rule.id == identity for rule in self.rules.all())
            or any((one.origin.source, one.text) != (source, statement.text) for one in self.stores.under(identity))
        )

    def _refuse(self, statement: Fact | Skill, reason: str) -> None:
        """Raise Refused; the statement waits in quarantine."""
        self._add_to_quarantine(statement)
        who = f"{type(statement).__name__.lower()} {statement.name}: {statement.origin.source}"
        raise Refused(f"{who} {reason}, so it waits in quarantine; read it, then release it")

    def _add_to_quarantine(self, statement: Fact | Skill | Episode) -> None:
        kind = type(statement).__name__.lower()
        self.quarantine.add_new({"id": statement.id, "kind": kind, "statement": asdict(statement)})

    def _rank_of(self, identity: str) -> int:
        if known := self.stores.get(replace_surrogates(identity)):
            return known.rank
        return USER if any(rule.id == identity for rule in self.rules.all()) else NOT_TRUSTED

    def _is_held(self, identity: str) -> bool:
        known = self.stores.get(replace_surrogates(identity))
        if isinstance(known, Episode):
            return known.held
        return known is None and self.quarantine.find(identity) is not None


def to_fact(episode: Episode) -> Fact:
    """Return the fact that an episode with a subject (`about`) states."""
    name = f"said-{digest(episode.id)}"
    return Fact(name, episode.detail, about=episode.about, origin=episode.origin, rank=episode.rank)
