"""What is let in, under which rank, and what waits in quarantine until a person has read it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any, Literal, TypeVar

from memlab.memory.episode import Episode, Run
from memlab.memory.facts import Fact
from memlab.memory.heuristics.injection import is_instruction
from memlab.memory.procedural import Skill
from memlab.memory.retrieval.stores import Stores
from memlab.memory.rules import Rules
from memlab.memory.storage.journal import Record
from memlab.memory.storage.ledger import Ledger
from memlab.memory.text import Refused, digest, replace_surrogates
from memlab.memory.trust import NOT_TRUSTED, USER, Provenance, lowest_rank, rank

Statement = TypeVar("Statement", Fact, Skill, Episode)
Kind = Literal["fact", "skill", "episode"]
YEAR_1, YEAR_10000 = -62_135_596_800, 253_402_300_800


class Admission:
    """The gate before the stores: it stamps a statement, ranks it by its lineage, and holds back untrusted orders.

    Without `trusting` everyone is the user.
    """

    def __init__(
        self, stores: Stores, rules: Rules, quarantine: Path, clock: Callable[[], float], *, trusting: bool
    ) -> None:
        self._stores = stores
        self._rules = rules
        self._quarantine = Ledger(quarantine, kind=Kind, statement=Fact | Skill | Episode)
        self._clock = clock
        self._trusting = trusting

    def admit_episode(self, told: Episode) -> Episode:
        """Admit what happened; orders from the untrusted are marked as held, for they happened too."""
        episode, held = self._judged(told, told.detail)
        if held:
            episode = replace(episode, held=True)
            self._hold("episode", episode)
        return episode

    def admit_fact(self, told: Fact) -> Fact:
        """Admit a fact. Raises Refused if untrusted text gives orders: then it waits in quarantine."""
        fact, held = self._judged(told, f"{told.description}\n{told.body}".strip())
        if held:
            self._hold("fact", fact)
            raise Refused(
                f"fact {fact.name}: {fact.origin.source} gives orders, so it waits in quarantine; "
                "read it, then release it"
            )
        return fact

    def admit_skill(self, told: Skill) -> Skill:
        """Admit a skill. Raises Refused if it is not trusted: steps are orders, so it waits in quarantine."""
        skill, _ = self._judged(told, told.steps)
        if skill.rank == NOT_TRUSTED:
            self._hold("skill", skill)
            raise Refused(
                f"skill {skill.name}: {skill.origin.source} may not teach, so it waits in quarantine; "
                "read it, then release it"
            )
        return skill

    def rank(self, origin: Provenance) -> int:
        """Rank a source by the least of itself and all it restates; what cannot be traced is not trusted."""
        if not isinstance(origin, Provenance):
            raise TypeError(f"origin {origin!r}: say who tells it, such as Provenance('tool', session='monday')")
        if not self._trusting:
            return USER
        return lowest_rank([rank(origin.source), *map(self._rank_of, origin.derived_from)])

    def require_rank(self, least_rank: int, what: str, origin: Provenance) -> None:
        """Raise Refused unless a source ranks high enough for what it wants to do."""
        if self.rank(origin) < least_rank:
            who = "the user" if least_rank == USER else "the user, a tool or the agent"
            raise Refused(f"{what} by {origin.source or 'nobody'}: only {who} may; ask the user to state it")

    def stamp(self, origin: Provenance, *said: str) -> Provenance:
        """Give a provenance its time and, if it has none, an id that is a digest of what was said, by whom and when.

        Raises Refused if the time is none that a calendar has.
        """
        time = origin.time or self._clock()
        if not YEAR_1 <= time < YEAR_10000:
            raise Refused(f"time {time}: a time is seconds since 1970, UTC, in the years 1 to 9999; 0 stands for now")
        if origin.time and origin.id:
            return origin
        return replace(origin, time=time, id=origin.id or digest(*said, origin.source, origin.session, repr(time)))

    def require_not_erased(self, *ids: str) -> None:
        """Raise Refused if one of these ids was erased: nothing is told under it again, nor restates it."""
        for identity in filter(None, ids):
            if self._trusting and self._stores.episodes.is_erased(identity):
                raise Refused(f"{identity}: it was erased; state it anew under another id, without this lineage")

    def authors(self, identity: str) -> set[str]:
        """Name the sources of all that is kept under an id, held or not."""
        identity, held = replace_surrogates(identity), self._quarantine.under(identity)
        found = {known.origin.source for known in self._stores.under(identity)}
        found |= {str(one["statement"]["origin"]["source"]) for one in held}
        return found | {"user" for rule in self._rules.all() if rule.id == identity}

    def quarantined(self) -> list[Record]:
        """List what is held: id, kind (fact, skill, episode), and the statement with all its fields."""
        return self._quarantine.all()

    def release(self, identity: str) -> None:
        """Let a statement in as if the user had made it: a person has read it and vouches for it.

        It restates nothing from then on, and stays when what it restated is erased. Raises Refused if it is not in
        quarantine.
        """
        record = self._quarantine.find(identity)
        if record is None:
            raise Refused(f"release {identity!r}: it is not in quarantine; quarantined() lists what is")
        origin = Provenance(**record["statement"]["origin"] | {"derived_from": ()})
        stated = _read(record["statement"]) | {"origin": origin, "rank": USER}
        if record["kind"] == "fact":
            self._stores.facts.put(Fact(**stated))
        elif record["kind"] == "skill":
            self._stores.skills.put(Skill(**stated))
        elif self._is_held(identity):  # else a release that was cut short has logged it
            run = Run(**_read(stated["run"])) if stated["run"] else None
            episode = Episode(**stated | {"held": False, "run": run})
            if episode.about:
                self._stores.facts.put(to_fact(episode))
            self._stores.episodes.append(episode)
        self.forget({identity})

    def derived_ids(self, ids: set[str]) -> set[str]:
        """Give the ids of what is held and restates any of these."""
        held = self.quarantined()
        return {one["id"] for one in held if not ids.isdisjoint(one["statement"]["origin"]["derived_from"])}

    def forget(self, ids: set[str]) -> None:
        """Take statements out of quarantine for good."""
        self._quarantine.remove(ids)

    def close(self) -> None:
        """Let go of the file."""
        self._quarantine.close()

    def _judged(self, told: Statement, text: str) -> tuple[Statement, bool]:
        """Stamp and rank a statement, and say if it must be held. Raises Refused if it restates the erased."""
        told = _whole(told)
        origin: Provenance = self.stamp(told.origin, text)
        states = isinstance(told, Fact) or (isinstance(told, Episode) and bool(told.about))
        while states and not told.origin.id and self._stores.facts.get(origin.id):
            origin = replace(origin, id=digest(origin.id))  # it was told before at this time: the clock jumped back
        if told.origin.id and self._taken(told):
            origin = replace(origin, id=digest(origin.id, origin.source, origin.session, text))
        if not self._trusting:
            return replace(told, origin=origin, rank=USER), False
        self.require_not_erased(told.origin.id, *origin.derived_from)
        trusted = self.rank(origin)
        held = trusted == NOT_TRUSTED and (is_instruction(text) or any(map(self._is_held, origin.derived_from)))
        return replace(told, origin=origin, rank=trusted), held

    def _taken(self, told: Statement) -> bool:
        """Tell whether a given id stands for something else already, kept or held: other words, or another's."""
        identity, source = told.origin.id, told.origin.source
        waiting = [one["statement"] for one in self._quarantine.under(identity)]
        if any(told.text not in one.values() or told.name != one["name"] for one in waiting):
            return True
        if any(rule.id == identity for rule in self._rules.all()):
            return True
        return any((one.origin.source, one.text) != (source, told.text) for one in self._stores.under(identity))

    def _hold(self, kind: str, statement: Fact | Skill | Episode) -> None:
        self._quarantine.add_new({"id": statement.id, "kind": kind, "statement": asdict(statement)})

    def _rank_of(self, identity: str) -> int:
        known = self._stores.get(replace_surrogates(identity))
        if known is None and any(rule.id == identity for rule in self._rules.all()):
            return USER
        return known.rank if known else NOT_TRUSTED

    def _is_held(self, identity: str) -> bool:
        known = self._stores.get(replace_surrogates(identity))
        if isinstance(known, Episode):
            return known.held
        return known is None and self._quarantine.find(identity) is not None


def _read(record: Record) -> Record:
    """Give the fields of a statement as JSON kept them, which knows lists only."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in record.items()}


def to_fact(episode: Episode) -> Fact:
    """Give the fact that an episode states, since it says what it is about."""
    name = f"said-{digest(episode.id)}"
    return Fact(name, episode.detail, about=episode.about, origin=episode.origin, rank=episode.rank)


_TYPES: dict[str, tuple[type, ...]] = {
    "str": (str,),
    "bool": (bool,),
    "int": (int,),
    "float": (int, float),
    "tuple[str, ...]": (tuple, list),
    "Provenance": (Provenance,),
}


def _whole(told: Any) -> Any:  # noqa: ANN401 - whatever a statement is made of
    """Leave no half character in any text of a statement. Raises TypeError where a field is of another type."""
    if isinstance(told, str):
        return replace_surrogates(told)
    if isinstance(told, tuple | list):
        return tuple(map(_whole, told))
    if isinstance(told, Fact | Skill | Episode | Provenance | Run):
        said = {one.name: getattr(told, one.name) for one in fields(told)}
        for one in fields(told):
            _check(f"{type(told).__name__} {one.name}", said[one.name], str(one.type))
        mended = {name: _whole(value) for name, value in said.items()}
        return told if mended == said else replace(told, **mended)
    return told


def _check(what: str, value: Any, wanted: str) -> None:  # noqa: ANN401 - whatever was handed over
    """Raise TypeError where a field is of another type than its own."""
    kinds = _TYPES.get(wanted, (object,))
    texts = value if isinstance(value, tuple | list) and list in kinds else ()
    odd = [one for one in texts if not isinstance(one, str)] if isinstance(value, kinds) else [value]
    if odd:
        raise TypeError(
            f"{what} {value!r}: this is to be of type {wanted}, and {odd[0]!r} is a {type(odd[0]).__name__}"
        )
