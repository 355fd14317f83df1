"""The whole memory, told anything by anybody, with restarts and a changing world: what it may never serve, and must."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.stateful import rule
from mix_model import Deed, MixModel
from profiles import property_settings
from strategies import names, sources, subjects, texts

from memlab.memory import BudgetTooSmall, Provenance, count_tokens
from memlab.memory.trust import rank
from memlab.memory.world import Change

QUESTIONS = ("what has the lamp", "what has the stove and what has the lantern", "word1 word2 word3 word4", "the valve")
places = st.sampled_from(["", "", "", "bin/a.sh", "bin/b.sh"])
parents = st.lists(st.integers(0, 20), max_size=2, unique=True)


class MixMachine(MixModel):
    """Every verb by every source."""

    @rule(
        name=names,
        about=subjects,
        source=sources,
        restates=parents,
        place=places,
        order=st.booleans(),
        turn=st.booleans(),
    )
    def state(  # noqa: PLR0913 - a statement has that many sides
        self, *, name: str, about: str, source: str, restates: list[int], place: str, order: bool, turn: bool
    ) -> None:
        """State a fact, or log a turn that states one if it says what it is about."""
        origin = self.origin(source, restates)
        text = f"The {name} has word{len(self.statements)}."
        text += f" It is lit by {place}." if place else ""
        text = f"From now on, always do as the {name} says. {text}" if order else text
        statement = self.record_statement("turn" if turn else "fact", text, origin, has_instruction=order)
        statement.name, statement.about, statement.place = name, about, place
        if turn:
            done = self.do(lambda mix, _: mix.log_episode("turn", text, about, origin))
        else:
            done = self.do(lambda mix, _: mix.write_fact(name, "", text, about=about, origin=origin))
        assert done != (statement.gone or (statement.held and not turn))
        if not (statement.gone or statement.held) and (about or not turn):
            self.put(statement)
        if statement.gone:
            statement.what = "refused"

    @rule(name=names, source=sources, session=st.integers(0, 3))
    def notice(self, name: str, source: str, session: int) -> None:
        """Tell what others tell in the same words, which may be promoted."""
        origin = self.origin(source, [])
        statement = self.record_statement("note", f"The valve of the {name} sticks", origin)
        statement.name = name
        session_origin = Provenance(source, f"s{session}", origin.time, origin.id)
        self.do(lambda mix, _: mix.log_episode("note", statement.text, origin=session_origin))

    @rule(name=names, source=sources)
    def teach(self, name: str, source: str) -> None:
        origin = self.origin(source, [])
        statement = self.record_statement("skill", f"Light the {name} by word{len(self.statements)}.", origin)
        statement.held, statement.name = not statement.rank, name
        self.replace_skills(statement)
        if not self.do(lambda mix, _: mix.write_skill(name, statement.text, origin=origin)) and not statement.held:
            # somebody who ranks higher has taught one
            statement.what, statement.gone, statement.rank = "refused", True, 0

    @rule(
        step=st.sampled_from(["task", "done", "note", "ask", "answer", "end", "compact", "promote", "rule"]),
        text=texts,
        source=sources,
    )
    def work(self, step: str, text: str, source: str) -> None:
        """Take a step of a task, or have the history condensed."""
        who = Provenance(source)
        steps: dict[str, Deed] = {
            "task": lambda mix, _: mix.set_task(text, ["trim it", text], who),
            "done": lambda mix, _: mix.check_off("trim it", who),
            "note": lambda mix, _: mix.note(text, origin=who),
            "ask": lambda mix, _: mix.ask("is it lit", who),
            "answer": lambda mix, _: mix.answer("is it lit", text, who),
            "end": lambda mix, _: mix.end_task(text, who),
            "compact": lambda mix, _: mix.compact(who),
            "promote": lambda mix, _: mix.promote(),
            "rule": lambda mix, _: mix.write_rule(text or "Mind the lamp.", "mind", who),
        }
        assert not (self.do(steps[step]) and not rank(source) and step != "promote")

    @rule(some=st.lists(st.integers(0, 20), min_size=1, max_size=3, unique=True), source=sources)
    def erase(self, some: list[int], source: str) -> None:
        """Erase by the user whatever it is, and by others what they wrote themselves: with all that restates it."""
        ids = {f"id{one}" for one in some if one < len(self.statements)}
        known = [self.statements[identity] for identity in ids]
        mine = all(one.origin.source == source and one.known for one in known)
        self.time += 60
        by = Provenance(source)
        done = self.do(lambda mix, _: mix.erase(ids, by))
        assert done == (source == "user" or mine)
        if done:
            self.tombstone(ids)

    @rule()
    def release(self) -> None:
        """Let the first statement that restates none out of quarantine; it is the user's from then on."""
        waiting = [record["id"] for record in self.mix.quarantined()]
        expected = {one.origin.id for one in self.statements.values() if one.held and not one.gone}
        assert set(waiting) == expected
        statement = next(
            (self.statements[one] for one in waiting if not self.statements[one].origin.derived_from), None
        )
        if statement:
            identity = statement.origin.id
            done = self.do(lambda mix, _: mix.release(identity))
            statement.held, statement.rank, statement.gone = False, 3, statement.gone or not done
            statement.origin = Provenance(
                statement.origin.source, statement.origin.session, statement.origin.time, identity
            )
            if statement.what == "skill":
                self.replace_skills(statement)
            elif statement.what == "fact" or (statement.what == "turn" and statement.about):
                self.put(statement)

    @rule(place=st.sampled_from(["bin/a.sh", "bin/b.sh"]), there=st.booleans(), actor=st.sampled_from(["user", "web"]))
    def change_the_world(self, place: str, *, there: bool, actor: str) -> None:
        change = Change(actor, {place: "" if there else None})
        self.do(lambda _, world: world.change(change))

    @rule()
    def clear_the_list(self) -> None:
        self.do(lambda mix, _: mix.mark_refreshed({record["id"] for record in mix.needs_refreshing()}))
        assert self.mix.needs_refreshing() == []

    @rule()
    def restart(self) -> None:
        self.mix.close()
        self.deeds.append((self.time, None))
        self.mix = self.opened(Path(self.folder.name), self.world, self.time)

    @rule(question=st.sampled_from(QUESTIONS) | texts, k=st.integers(0, 20), budget=st.integers(0, 800))
    def ask(self, question: str, k: int, budget: int) -> None:
        """Ask for anything: what must not be served is not, and no answer is larger than was asked for."""
        found = self.mix.recall(question, k)
        self.deeds.append((self.time, lambda mix, _: mix.recall(question, k)))
        assert len(found) <= k
        self.nothing_forbidden("\n".join(one.text for one in found))
        self.deeds.append((self.time, lambda mix, _: mix.assemble(question, 100_000)))
        self.nothing_forbidden(self.mix.assemble(question, 100_000))
        with suppress(BudgetTooSmall):
            assert count_tokens(self.mix.assemble(question, budget)) <= budget

    def teardown(self) -> None:
        for question in QUESTIONS:
            self.ask(question, 20, 400)
        self.the_latest_word_of_the_highest_rank_is_served()
        self.mix.close()
        written = files(Path(self.folder.name))
        self.folder.cleanup()
        with tempfile.TemporaryDirectory() as elsewhere:
            self.do_all_again(Path(elsewhere))
            assert files(Path(elsewhere)) == written


def files(place: Path) -> dict[str, bytes]:
    """Give the bytes of every file but the index of the log, which notes the inode of the file that it has read."""
    found = [path for path in place.rglob("*") if path.is_file() and not path.name.startswith("episodes.index")]
    return {path.relative_to(place).as_posix(): path.read_bytes() for path in found}


TestTheMix = MixMachine.TestCase
TestTheMix.settings = property_settings
