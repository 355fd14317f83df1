"""What is let in, under which rank, and what waits in quarantine until a person has read it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from memlab.memory.episode import Episode
from memlab.memory.journal import Journal, Record
from memlab.memory.naming import Refused, digest
from memlab.memory.orders import is_order
from memlab.memory.procedural import Rules, Skill
from memlab.memory.question import Stores
from memlab.memory.semantic import Fact
from memlab.memory.trust import NOT_TRUSTED, USER, Provenance, least, rank

Held = Fact | Skill | Episode


@dataclass(frozen=True, slots=True)
class Admitted:
    """A statement's complete provenance, its rank, and whether it must be held back."""

    origin: Provenance
    rank: int
    held: bool


class Admission:
    """The gate before the stores. Without `trusting` everyone is the user."""

    def __init__(
        self, stores: Stores, rules: Rules, quarantine: Path, clock: Callable[[], float], *, trusting: bool
    ) -> None:
        self._stores = stores
        self._rules = rules
        self._journal = Journal(quarantine)
        self._clock = clock
        self._trusting = trusting

    def admit(self, text: str, origin: Provenance) -> Admitted:
        """Stamp a statement, rank it by its lineage, say if it is held. Raises Refused if it restates the erased."""
        stamped = self.stamped(origin, text)
        if not self._trusting:
            return Admitted(stamped, USER, held=False)
        for identity in origin.derived_from:
            if self._stores.episodes.erased(identity):
                raise Refused(f"{stamped.id}: it restates {identity}, which was erased; state it anew or leave it out")
        trusted = self.rank(origin)
        held = trusted == NOT_TRUSTED and (is_order(text) or any(map(self._is_held, origin.derived_from)))
        return Admitted(stamped, trusted, held)

    def rank(self, origin: Provenance) -> int:
        """Rank a source by the least of itself and all it restates; what cannot be traced is not trusted."""
        if not self._trusting:
            return USER
        return least([rank(origin.source), *map(self._rank_of, origin.derived_from)])

    def only(self, least_rank: int, what: str, origin: Provenance) -> None:
        """Raise Refused unless a source ranks high enough for what it wants to do."""
        if self.rank(origin) < least_rank:
            who = "the user" if least_rank == USER else "the user, a tool or the agent"
            raise Refused(f"{what} by {origin.source or 'nobody'}: only {who} may; ask the user to state it")

    def stamped(self, origin: Provenance, *said: str) -> Provenance:
        """Give a provenance its time and, if it has none, an id that is a digest of what was said, by whom and when."""
        if origin.time and origin.id:
            return origin
        time = origin.time or self._clock()
        return replace(origin, time=time, id=origin.id or digest(*said, origin.source, origin.session, repr(time)))

    def author(self, identity: str) -> str:
        """Name the source of a statement that is kept, held or not; empty if there is none."""
        known = self._known(identity)
        if known:
            return known.origin.source
        held = next((record for record in self.quarantined() if record["id"] == identity), None)
        return str(held["statement"]["origin"]["source"]) if held else ""

    def hold(self, kind: str, statement: Held) -> None:
        """Put a statement into quarantine."""
        self._journal.append({"id": statement.id, "kind": kind, "statement": asdict(statement)})

    def quarantined(self) -> list[Record]:
        """List what is held: id, kind (fact, skill, episode), and the statement with all its fields."""
        return [record for _, _, record in self._journal.replay()]

    def release(self, identity: str) -> None:
        """Let a statement in as if the user had made it: a person has read it and vouches for it."""
        record = next((record for record in self.quarantined() if record["id"] == identity), None)
        if record is None:
            raise Refused(f"release {identity}: it is not in quarantine; quarantined() lists what is")
        origin = Provenance(**record["statement"]["origin"] | {"derived_from": ()})
        fields = record["statement"] | {"origin": origin, "rank": USER}
        if record["kind"] == "fact":
            self._stores.facts.put(Fact(**fields))
        elif record["kind"] == "skill":
            self._stores.skills.put(Skill(**fields))
        else:
            self._stores.episodes.append(Episode(**fields | {"held": False}))
        self.forget({identity})

    def derived(self, ids: set[str]) -> set[str]:
        """Give the ids of what is held and restates any of these."""
        held = self.quarantined()
        return {one["id"] for one in held if not ids.isdisjoint(one["statement"]["origin"]["derived_from"])}

    def forget(self, ids: set[str]) -> None:
        """Take statements out of quarantine for good."""
        if self._journal.path.exists():
            self._journal.rewrite(lambda record: None if record["id"] in ids else record)

    def close(self) -> None:
        """Let go of the file."""
        self._journal.close()

    def _known(self, identity: str) -> Held | None:
        known = self._stores.facts.get(identity) or self._stores.episodes.get(identity)
        return known or next((skill for skill in self._stores.skills.all() if skill.id == identity), None)

    def _rank_of(self, identity: str) -> int:
        known = self._known(identity)
        if known is None and any(rule.id == identity for rule in self._rules.all()):
            return USER
        return known.rank if known else NOT_TRUSTED

    def _is_held(self, identity: str) -> bool:
        known = self._known(identity)
        if isinstance(known, Episode):
            return known.held
        return known is None and any(record["id"] == identity for record in self.quarantined())
