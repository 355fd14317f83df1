from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from skill_examples import NOON, by_hand, taught

from memlab.memory.procedural import DAY, Skills
from memlab.memory.storage import frontmatter
from memlab.memory.text import Refused
from memlab.memory.trust import USER


def test_a_file_that_is_no_skill_is_ignored(skills: Skills) -> None:
    skills.put(taught("deploy"))
    (skills.directory / "README.md").write_text("not a skill", encoding="utf-8")
    (skills.directory / "assets").mkdir()
    assert [skill.name for skill in skills.all()] == ["deploy"]
    assert Skills(skills.directory / "nowhere").all() == []


def test_a_file_is_read_again_only_when_it_has_changed(skills: Skills, monkeypatch: pytest.MonkeyPatch) -> None:
    read, seen = frontmatter.read, list[str]()

    def reads(path: Path) -> tuple[dict[str, str], str]:
        seen.append(path.parent.name)
        return read(path)

    monkeypatch.setattr(frontmatter, "read", reads)
    for name in ("one", "two", "three"):
        skills.put(taught(name))
    skills.all()
    seen.clear()
    assert [skill.name for skill in skills.all()] == ["one", "three", "two"]
    assert seen == []
    Skills(skills.directory).put(taught("two", steps="Do  two."))
    seen.clear()
    assert skills.all()[2].steps == "Do  two."
    assert seen == ["two"]


@pytest.mark.timing
def test_an_unchanged_folder_of_skills_is_listed_at_least_five_times_as_fast_as_it_is_read(skills: Skills) -> None:
    for number in range(200):
        skills.put(taught(f"skill-{number}"))

    def cost(some: Skills) -> float:
        start = time.perf_counter()
        some.all()
        return time.perf_counter() - start

    fresh = min(cost(Skills(skills.directory)) for _ in range(3))
    skills.all()
    assert min(cost(skills) for _ in range(5)) * 5 < fresh


def test_a_skill_is_kept_under_the_slug_of_its_name(skills: Skills) -> None:
    skills.put(taught("Deploy"))
    assert [skill.name for skill in skills.all()] == ["deploy"]
    assert "used" not in (skills.directory / "deploy" / "SKILL.md").read_text()


def test_a_refusal_names_the_source_of_the_skill_the_known_skills_and_what_to_do(skills: Skills) -> None:
    with pytest.raises(Refused) as refusal:
        skills.record_use("ship", success=True, time=NOON)
    assert str(refusal.value) == "skill 'ship': there is none of that name; known skills: none"
    for name in ("deploy", "build"):
        skills.put(taught(name))
    with pytest.raises(Refused) as refusal:
        skills.record_use("ship", success=True, time=NOON)
    assert str(refusal.value) == "skill 'ship': there is none of that name; known skills: build, deploy"
    with pytest.raises(Refused) as refusal:
        skills.put(taught("deploy", "agent"))
    assert str(refusal.value) == (
        "skill deploy: user wrote it, and agent ranks lower; choose another name, or let a source of that rank write it"
    )


def test_repeated_steps_keep_their_uses_successes_and_last_use(skills: Skills) -> None:
    skills.put(taught("deploy"))
    skills.record_use("deploy", success=True, time=NOON + 1)
    skills.record_use("deploy", success=False, time=NOON + 2)
    skills.put(taught("deploy", description="told again"))
    (skill,) = skills.all()
    assert (skill.used, skill.succeeded, skill.last_used, skill.description) == (2, 1, NOON + 2, "told again")


def test_an_edit_by_hand_is_a_statement_of_its_own_made_when_the_file_was_saved(skills: Skills) -> None:
    for name in ("deploy", "build"):
        skills.put(taught(name, "agent"))
        path = skills.directory / name / "SKILL.md"
        path.write_text(path.read_text().replace(f"Do {name}.", "Do it by hand."))
        os.utime(path, (NOON, NOON))
    build, deploy = skills.all()
    for skill in (build, deploy):
        assert (skill.rank, skill.origin.source, skill.origin.session, skill.origin.time) == (USER, "user", "", NOON)
        assert (skill.origin.derived_from, len(skill.id)) == ((), 16)
    assert build.id != deploy.id
    path.write_text(path.read_text().replace("by hand", "otherwise"))
    assert build.id not in {skill.id for skill in skills.all()}


def test_a_file_that_says_nothing_but_its_steps_lacks_the_rest(skills: Skills) -> None:
    by_hand(skills, "Walk.\n", "visit")
    (skill,) = skills.all()
    assert (skill.description, skill.type, skill.used, skill.succeeded, skill.last_used) == ("", "", 0, 0, 0.0)


@pytest.mark.parametrize("count", ["inf", "nan", "-3", "many", ""])
def test_an_invalid_count_counts_as_zero(skills: Skills, count: str) -> None:
    by_hand(skills, f"---\nname: visit\nmetadata:\n  used: {count}\n---\n\nWalk.\n", "visit")
    assert [skill.used for skill in skills.all()] == [0]


def test_a_record_edited_by_hand_into_nonsense_stays_a_probability(skills: Skills) -> None:
    path = by_hand(skills, "---\nmetadata:\n  used: 2\n  succeeded: 99\n---\n\nBuild it.\n")
    assert [(one.used, one.succeeded, one.success_rate) for one in skills.all()] == [(2, 2, 0.75)]
    path.write_text("---\nmetadata:\n  succeeded: 99\n---\n\nBuild it now.\n", encoding="utf-8")
    assert [(one.used, one.succeeded, one.success_rate) for one in skills.all()] == [(0, 0, 0.5)]


@pytest.mark.parametrize("written", ["nan", "-inf", "inf", "last week"])
def test_a_skill_with_an_unreadable_time_has_the_time_of_its_file(skills: Skills, written: str) -> None:
    path = by_hand(skills, f"---\nmetadata:\n  time: {written}\n---\n\nBuild it.\n")
    os.utime(path, (NOON, NOON))
    assert skills.all()[0].origin.time == NOON
    assert skills.forget(NOON + 100 * DAY) == []
    assert [why for _, why in skills.forget(NOON + 181 * DAY)] == ["it was not used for 181 days"]


def test_a_link_to_itself_and_a_folder_in_the_place_of_the_file_are_passed_over(skills: Skills) -> None:
    skills.put(taught("deploy"))
    (skills.directory / "round").symlink_to("round")
    (skills.directory / "inner").mkdir()
    (skills.directory / "inner" / "SKILL.md").symlink_to("SKILL.md")
    (skills.directory / "outer" / "SKILL.md").mkdir(parents=True)
    skills.record_use("deploy", success=True, time=NOON)
    assert [(skill.name, skill.used) for skill in skills.all()] == [("deploy", 1)]
    skills.erase({"id-deploy"})
    assert skills.all() == []
