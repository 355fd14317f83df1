"""The reference and a naive model of it side by side: the rank of each statement, and what must not be served."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from hypothesis.stateful import RuleBasedStateMachine, initialize
from naive import NaiveFacts, same_subject
from strategies import NOON

from memlab.memory import MemoryMix, Provenance, Refused, ScriptedWorld
from memlab.memory.facts import Fact
from memlab.memory.trust import rank

Deed = Callable[[MemoryMix, ScriptedWorld], object]


@dataclass
class Statement:
    """One statement as the naive model knows it."""

    what: str
    text: str
    origin: Provenance
    rank: int
    name: str = ""
    about: str = ""
    place: str = ""
    held: bool = False
    gone: bool = False
    replaced: bool = False

    @property
    def known(self) -> bool:
        return not (self.gone or self.replaced)

    @property
    def word(self) -> str:
        return f"word{self.origin.id[2:]}."


class MixModel(RuleBasedStateMachine):
    """The memory and the naive model; each deed is noted, so that in the end all can be done again elsewhere."""

    @initialize()
    def begin(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.world = ScriptedWorld()
        self.mix = self.opened(Path(self.folder.name), self.world, NOON)
        self.deeds: list[tuple[float, Deed | None]] = []
        self.statements: dict[str, Statement] = {}
        self.facts = NaiveFacts()
        self.time = NOON

    def opened(self, place: Path, world: ScriptedWorld, time: float) -> MemoryMix:
        return MemoryMix(place, world, lambda: time, sync="never")

    def do(self, deed: Deed) -> bool:
        """Do a thing, and tell whether it was refused."""
        self.deeds.append((self.time, deed))
        try:
            deed(self.mix, self.world)
        except Refused:
            return False
        return True

    def origin(self, source: str, restates: list[int]) -> Provenance:
        """Give the next statement its provenance; what it would restate that nobody told is known to nobody."""
        self.time += 60
        count = len(self.statements)
        lineage = tuple(f"id{one}" if one < count else "nowhere" for one in restates)
        return Provenance(source, f"s{count % 3}", self.time, f"id{count}", lineage)

    def record_statement(self, what: str, text: str, origin: Provenance, *, has_instruction: bool = False) -> Statement:
        """Judge a statement naively: its rank is the least of its lineage, and untrusted orders are held."""
        lineage = [self.statements.get(identity) for identity in origin.derived_from]
        least = min([rank(origin.source), *(one.rank if one and one.known else 0 for one in lineage)])
        statement = Statement(what, text, origin, least)
        statement.held = not least and (has_instruction or any(one and one.held for one in lineage))
        statement.gone = any(one and one.gone and one.what != "refused" for one in lineage)
        self.statements[origin.id] = statement
        return statement

    def put(self, statement: Statement) -> None:
        name = statement.name if statement.what == "fact" else f"said-{statement.origin.id}"
        self.facts.put(Fact(name, statement.text, about=statement.about, origin=statement.origin, rank=statement.rank))

    def replace_skills(self, statement: Statement) -> None:
        """Let go of the skill of the same name, if one who ranks no higher wrote it."""
        for one in self.statements.values() if statement.rank else ():
            if one is not statement and one.what == "skill" and one.name == statement.name and not one.held:
                one.replaced |= one.rank <= statement.rank

    def tombstone(self, ids: set[str]) -> None:
        """Let go of statements and of all that restates them; what was refused was never said."""
        doomed = set(ids)
        for identity, one in self.statements.items():
            if one.what != "refused" and doomed.intersection(one.origin.derived_from):
                doomed.add(identity)
        for identity in doomed & set(self.statements):
            self.statements[identity].gone = True
        self.facts.erase(doomed)

    def nothing_forbidden(self, served: str) -> None:
        """Find nothing erased, held, refuted or superseded, and nothing that a higher rank speaks against."""
        superseded = {fact.id for fact in self.facts.statements if fact.superseded_by}
        for identity, one in self.statements.items():
            if one.what == "note" or one.word not in served:
                continue
            assert not one.gone, f"{one} was erased or refused"
            assert not one.held, f"{one} gives instructions"
            assert one.place in self.world.files or not one.place, f"{one} is refuted"
            assert identity not in superseded, f"{one} was superseded"
            assert self.is_current(one), f"{one} is outranked"
        for name in ("lamp", "lantern", "stove"):
            notes = [
                one for one in self.statements.values() if one.what == "note" and one.name == name and not one.gone
            ]
            assert notes or f"The valve of the {name} sticks" not in served
        gone = {identity for identity, one in self.statements.items() if one.gone}
        assert not gone.intersection(record["id"] for record in self.mix.needs_refreshing())

    def is_current(self, statement: Statement) -> bool:
        """Tell whether nobody ranks higher on its subject, or the World refutes all of them and confirms this."""
        fact = next((fact for fact in self.facts.standing() if fact.id == statement.origin.id), None)
        rivals = [one for one in self.facts.standing() if fact and same_subject(one, fact) and one.rank > fact.rank]
        there = self.world.files
        confirmed = statement.place in there and there[statement.place][1] == "user"
        higher = [self.statements[one.id].place for one in rivals]
        return not rivals or (confirmed and all(place and place not in there for place in higher))

    def the_latest_word_of_the_highest_rank_is_served(self) -> None:
        """Ask for each subject by what was last said of it: that is what answers, unless the World refutes it."""
        for fact in self.facts.standing():
            statement = self.statements[fact.id]
            fresh = statement.place in self.world.files or not statement.place
            if fact.rank and fresh and self.is_current(statement) and not statement.origin.derived_from:
                assert statement.word in "\n".join(one.text for one in self.mix.recall(fact.body, 20)), statement

    def do_all_again(self, place: Path) -> None:
        world = ScriptedWorld()
        mix = self.opened(place, world, NOON)
        for time, deed in self.deeds:
            if deed is None:
                mix.close()
                mix = self.opened(place, world, time)
                continue
            with suppress(Refused):
                deed(mix, world)
        mix.close()
