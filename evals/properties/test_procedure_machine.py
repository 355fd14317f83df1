"""Rules and skills, whoever writes them and in whatever order, are what a dictionary would hold."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import assume
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from profiles import property_settings
from strategies import NOON, SOURCES, names, valid_texts

from memlab.memory import Provenance, Refused
from memlab.memory.context import one_line
from memlab.memory.procedural import DAY, Skill, Skills
from memlab.memory.rules import Rule, Rules
from memlab.memory.trust import rank

rule_names = st.sampled_from(["lamp", "stove", "be-kind"])
texts = valid_texts.map(one_line)
prose = st.text(st.sampled_from("abc #>|:."), max_size=12).filter(
    lambda line: (
        not line.strip().startswith(("-", "*", "+")) and not line[:1].isspace()
    )  # indented, it goes on the rule
)


class RulesMachine(RuleBasedStateMachine):
    """Rules are added, replaced and withdrawn by name, and a person edits the file in between."""

    @initialize()
    def begin(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "rules.md"
        self.readers = [Rules(self.path), Rules(self.path)]
        self.model: list[tuple[str, str]] = []
        self.prose: list[str] = []

    @rule(name=rule_names, text=texts, identity=valid_texts, who=st.integers(0, 1))
    def put(self, name: str, text: str, identity: str, who: int) -> None:
        """Replace a rule of a known name where it stands, withdraw it where there is no text, else add it."""
        known = [one for one, _ in self.model]
        if not text and name not in known:
            with pytest.raises(Refused, match="there is none to withdraw"):
                self.readers[who].put(Rule(name, text, identity))
            return
        self.readers[who].put(Rule(name, text, identity))
        written = text.replace("<!--", "<!- -")
        if not text:
            self.model = [one for one in self.model if one[0] != name]
        elif name in known:
            self.model[known.index(name)] = (name, written)
        else:
            self.model.append((name, written))
        if text:
            assert next(one.id for one in self.readers[who].all() if one.name == name) == identity

    @rule(text=st.text(st.sampled_from("abc"), min_size=1, max_size=8))
    def add_by_hand(self, text: str) -> None:
        assume(text not in [one for _, one in self.model])
        self.path.write_text(f"{self.written()}- {text}\n", encoding="utf-8")
        self.model.append(("", text))

    @rule(line=prose)
    def write_prose_by_hand(self, line: str) -> None:
        assume(not line or line[0] not in "0123456789")
        self.path.write_text(f"{self.written()}\n{line}\n", encoding="utf-8")  # without the blank line a rule goes on
        self.prose.append(line.strip())

    @rule(block=st.sampled_from(["<!-- off:\n- a\n- b <!-- lamp e1 -->\n-->", "```\n- c\n```"]))
    def write_what_is_no_rule_by_hand(self, block: str) -> None:
        self.path.write_text(f"{self.written()}{block}\n", encoding="utf-8")
        self.prose += block.splitlines()

    @rule()
    def restart(self) -> None:
        self.readers = [Rules(self.path), Rules(self.path)]

    def written(self) -> str:
        return self.path.read_text(encoding="utf-8") if self.path.exists() else ""

    @invariant()
    def every_reader_finds_what_was_written_in_its_order(self) -> None:
        for rules in self.readers:
            assert [(one.name, one.text) for one in rules.all()] == self.model

    @invariant()
    def what_else_a_person_wrote_stays(self) -> None:
        left = [line.strip() for line in self.written().splitlines()]
        for line in self.prose:
            assert line in left

    def teardown(self) -> None:
        for rules in self.readers:
            rules.close()
        self.folder.cleanup()


@dataclass
class NaiveSkill:
    skill: Skill
    used: int = 0
    succeeded: int = 0
    last: float = 0.0


class SkillsMachine(RuleBasedStateMachine):
    """Skills are taught by anybody, used, forgotten by disuse and failure, and erased."""

    @initialize()
    def begin(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.skills = Skills(Path(self.folder.name) / "skills")
        self.model: dict[str, NaiveSkill] = {}
        self.away: dict[str, Skill] = {}
        self.count = 0
        self.now = NOON

    @rule(
        name=names,
        steps=valid_texts,
        kind=st.sampled_from(["", "Deploy", "deploy", "review"]),
        source=st.sampled_from(SOURCES),
    )
    def teach(self, name: str, steps: str, kind: str, source: str) -> None:
        """Teach a skill: a lower rank replaces nothing, forgotten or not, and new steps start a new record."""
        origin = Provenance(source, "s", self.now, f"id{self.count}", ("p",), steps)
        skill = Skill(name, steps, steps[::-1], kind, origin, rank(source))
        known = self.model.get(name)
        self.count += 1
        taught = [one for one in self.away.values() if one.name == name] + ([known.skill] if known else [])
        if any(one.rank > skill.rank for one in taught):
            with pytest.raises(Refused, match="ranks lower"):
                self.skills.put(skill)
            return
        self.skills.put(skill)
        same = known is not None and known.skill.steps == steps
        self.model[name] = (
            NaiveSkill(skill, known.used, known.succeeded, known.last) if known and same else NaiveSkill(skill)
        )

    @rule(name=names, success=st.booleans(), days=st.integers(0, 100), times=st.integers(1, 5))
    def use(self, name: str, *, success: bool, days: int, times: int) -> None:
        for _ in range(times):
            self.use_once(name, success=success)
        self.now += days * DAY

    def use_once(self, name: str, *, success: bool) -> None:
        if name not in self.model:
            with pytest.raises(Refused, match="there is none of that name"):
                self.skills.record_use(name, success=success, time=self.now)
            return
        self.skills.record_use(name, success=success, time=self.now)
        one = self.model[name]
        one.used, one.succeeded, one.last = one.used + 1, one.succeeded + success, max(one.last, self.now)

    @rule(days=st.integers(0, 400))
    def forget(self, days: int) -> None:
        """Forget what was idle or mostly failed: it is named with a reason, and put away rather than lost."""
        self.now += days * DAY
        gone = self.skills.forget(self.now)
        expected = {name for name, one in self.model.items() if idle(one, self.now) or failed(one)}
        assert {skill.name for skill, _ in gone} == expected
        assert all(why for _, why in gone)
        for name in expected:
            one = self.model.pop(name)
            self.away[one.skill.id] = one.skill

    @rule(data=st.data())
    def erase(self, data: st.DataObject) -> None:
        known = [*(one.skill.id for one in self.model.values()), *self.away]
        ids = set(data.draw(st.lists(st.sampled_from(known), max_size=2))) if known else set[str]()
        self.skills.erase(ids)
        self.model = {name: one for name, one in self.model.items() if one.skill.id not in ids}
        self.away = {identity: skill for identity, skill in self.away.items() if identity not in ids}

    @rule()
    def restart(self) -> None:
        self.skills.close()
        self.skills = Skills(Path(self.folder.name) / "skills")

    @invariant()
    def they_are_what_was_taught_with_their_record(self) -> None:
        found = {skill.name: skill for skill in self.skills.all()}
        assert set(found) == set(self.model)
        for name, one in self.model.items():
            assert (found[name].used, found[name].succeeded, found[name].last_used) == (
                one.used,
                one.succeeded,
                one.last,
            )
            assert (found[name].steps, found[name].origin) == (one.skill.steps, one.skill.origin)
            assert found[name].type == one.skill.type
            assert found[name].description == one.skill.description or not one.skill.description
        assert {skill.id for skill in self.skills.list_forgotten()} == set(self.away)

    @invariant()
    def a_type_of_task_gets_its_trusted_skills_the_best_record_first(self) -> None:
        found = self.skills.of_type("DEPLOY")
        fitting = {one.skill.id for one in self.model.values() if one.skill.type.lower() == "deploy" and one.skill.rank}
        assert {skill.id for skill in found} == fitting
        assert [skill.success_rate for skill in found] == sorted((skill.success_rate for skill in found), reverse=True)

    def teardown(self) -> None:
        self.skills.close()
        self.folder.cleanup()


def idle(one: NaiveSkill, now: float) -> bool:
    return now - max(one.last, one.skill.origin.time) > 180 * DAY


def failed(one: NaiveSkill) -> bool:
    return one.used >= 5 and one.succeeded * 2 < one.used


TestRulesAreWhatADictionaryHolds = RulesMachine.TestCase
TestRulesAreWhatADictionaryHolds.settings = property_settings
TestSkillsAreWhatADictionaryHolds = SkillsMachine.TestCase
TestSkillsAreWhatADictionaryHolds.settings = property_settings
