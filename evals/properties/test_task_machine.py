"""The scratchpad dies with its task, is rebuilt after any crash, and never holds what was finished or replaced."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from profiles import property_settings
from strategies import HOSTILE, minutes

from memlab.memory import MemoryMix, Provenance, Refused, ScriptedWorld
from memlab.memory.context import one_line
from memlab.memory.text import fold, replace_surrogates
from memlab.memory.trust import UNTRUSTED_SOURCES

plain = st.sampled_from(["a", "A ", "b", "c", "c\u200b", "d e"])
short = plain | st.lists(st.sampled_from([*"abcd -", *HOSTILE]), max_size=4).map("".join)
trusted = st.sampled_from(["user", "tool", "agent"])


@dataclass
class NaivePad:
    """What is promised of a scratchpad, in the plainest words."""

    goal: str = ""
    type: str = ""
    plan: list[str] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    done: list[str] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)

    @property
    def busy(self) -> bool:
        return bool(self.goal or self.plan)

    def note(self, text: str, name: str) -> None:
        name = name or next((known for old, known in self.notes if same(old, text)), "")
        self.notes = [one for one in self.notes if not same(one[0], text) and not (name and one[1] == name)]
        self.notes.append((text, name))


def same(one: str, other: str) -> bool:
    return fold(one) == fold(other)


class TaskMachine(RuleBasedStateMachine):
    """Any steps by anybody, and the process ends at any moment."""

    @initialize()
    def begin(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.clock = minutes()
        self.mix = self.opened()
        self.pad = NaivePad()
        self.kept = list[tuple[str, str]]()

    def opened(self) -> MemoryMix:
        return MemoryMix(Path(self.folder.name), ScriptedWorld(), self.clock, sync="never")

    @rule(goal=short, todo=st.lists(short, max_size=4), kind=short, source=trusted)
    def set_a_task(self, goal: str, todo: list[str], kind: str, source: str) -> None:
        self.mix.set_task(goal, todo, Provenance(source), type=kind)
        plan = [replace_surrogates(item) for item in todo]
        self.pad = NaivePad(replace_surrogates(goal), replace_surrogates(kind), plan, list(plan))

    @rule(item=short, source=trusted)
    def check_off(self, item: str, source: str) -> None:
        """Do the first open item that reads so; if none does, nothing is done."""
        found = [known for known in self.pad.open if same(known, replace_surrogates(item))]
        if not found:
            with pytest.raises(Refused, match="no open to-do"):
                self.mix.check_off(item, Provenance(source))
        else:
            self.mix.check_off(item, Provenance(source))
            self.pad.open.remove(found[0])
            self.pad.done.append(found[0])

    @rule(text=short, name=st.sampled_from(["", "", "lamp", "stove"]), source=trusted)
    def note(self, text: str, name: str, source: str) -> None:
        if self.pad.busy:
            self.mix.note(text, name, Provenance(source))
            self.pad.note(replace_surrogates(text), name)
        else:
            with pytest.raises(Refused, match="there is no current task"):
                self.mix.note(text, name, Provenance(source))

    @rule(question=short, source=trusted)
    def ask(self, question: str, source: str) -> None:
        if self.pad.busy:
            self.mix.ask(question, Provenance(source))
            if not any(same(known, replace_surrogates(question)) for known in self.pad.questions):
                self.pad.questions.append(replace_surrogates(question))
        else:
            with pytest.raises(Refused, match="there is no current task"):
                self.mix.ask(question, Provenance(source))

    @rule(question=short, text=short, source=trusted)
    def answer(self, question: str, text: str, source: str) -> None:
        found = [known for known in self.pad.questions if same(known, replace_surrogates(question))]
        if not found:
            with pytest.raises(Refused, match="no open question"):
                self.mix.answer(question, text, Provenance(source))
        else:
            self.mix.answer(question, text, Provenance(source))
            self.pad.questions.remove(found[0])
            self.pad.note(f"{found[0]} {replace_surrogates(text)}", "")

    @precondition(lambda self: self.pad.questions)
    @rule(data=st.data(), text=short)
    def answer_an_open_question(self, data: st.DataObject, text: str) -> None:
        self.answer(data.draw(st.sampled_from(self.pad.questions)), text, "user")

    @precondition(lambda self: self.pad.open)
    @rule(data=st.data(), dress=st.sampled_from([str, str.upper, "  {}\t".format]))
    def check_off_an_open_item(self, data: st.DataObject, dress: type[str]) -> None:
        item = data.draw(st.sampled_from(self.pad.open))
        self.check_off(dress(item) if same(dress(item), item) else item, "user")

    @rule(outcome=short, source=trusted)
    def end(self, outcome: str, source: str) -> None:
        """Keep as facts what was noted under a name, and nothing else."""
        self.mix.end_task(outcome, Provenance(source))
        for text, name in self.pad.notes:
            if name:
                assert self.mix.facts.history(name)[-1].body == text
        self.pad = NaivePad()

    @rule(source=st.sampled_from(sorted(UNTRUSTED_SOURCES)), quoting=st.booleans(), text=short)
    def meddle(self, source: str, *, quoting: bool, text: str) -> None:
        """Have the untrusted, and whoever restates what nobody can trace, try every step: none is taken."""
        origin = Provenance("user", derived_from=("nowhere",)) if quoting else Provenance(source)
        attempts: list[Callable[[], None]] = [
            lambda: self.mix.set_task(text, [text], origin),
            lambda: self.mix.check_off(next(iter(self.pad.open), text), origin),
            lambda: self.mix.note(text, "lamp", origin),
            lambda: self.mix.ask(text, origin),
            lambda: self.mix.answer(next(iter(self.pad.questions), text), text, origin),
            lambda: self.mix.end_task(text, origin),
        ]
        for attempt in attempts:
            with pytest.raises(Refused):
                attempt()

    @rule(kind=st.sampled_from(["task", "done", "note", "end"]), source=st.sampled_from(["user", "web"]), text=short)
    def talk_of_tasks(self, kind: str, source: str, text: str) -> None:
        self.mix.log_episode(kind, text, origin=Provenance(source))

    @rule(close=st.booleans())
    def restart(self, *, close: bool) -> None:
        """End the process, in good order or without a word, and begin another."""
        if close:
            self.mix.close()
        self.mix = self.opened()

    @rule()
    def another_process_reads_the_same_task(self) -> None:
        other = self.opened()
        assert other.working == self.mix.working
        other.close()

    @invariant()
    def the_pad_is_the_naive_one(self) -> None:
        pad = self.mix.working
        assert (pad.goal, pad.type, list(pad.plan)) == (self.pad.goal, self.pad.type, self.pad.plan)
        assert sorted(pad.todo) == sorted(self.pad.open)
        assert sorted(pad.done) == sorted(self.pad.done)
        assert [(note.text, note.name) for note in pad.notes] == self.pad.notes
        assert [question.text for question in pad.questions] == self.pad.questions

    @invariant()
    def the_open_items_are_recited_last_and_nothing_else_is(self) -> None:
        lines = self.mix.assemble("", 10_000).split("\n")
        recited = lines[lines.index("[TODO]") + 1 :] if "[TODO]" in lines else []
        assert recited == [one_line(f"- {item}") for item in self.mix.working.todo]

    def teardown(self) -> None:
        self.mix.close()
        self.folder.cleanup()


TestTheScratchpadIsTheNaiveOne = TaskMachine.TestCase
TestTheScratchpadIsTheNaiveOne.settings = property_settings
