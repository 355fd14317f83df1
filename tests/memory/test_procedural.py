from __future__ import annotations

import os
from pathlib import Path

import pytest
from skill_examples import NOON, by_hand, taught

from memlab.memory.procedural import DAY, Skill, Skills
from memlab.memory.storage import frontmatter
from memlab.memory.text import Refused
from memlab.memory.trust import USER, Provenance


def test_a_skill_is_a_file_of_the_agent_skills_convention(skills: Skills) -> None:
    origin = Provenance("agent", "s1", NOON, "e1", ("e0",), "first, build")
    skill = Skill("deploy", "1. Build.\n2. Ship.", "how to deploy", "Deploy", origin, 1)
    skills.put(skill)
    skills.record_use("deploy", success=True, time=NOON + DAY)
    text = (skills.directory / "deploy" / "SKILL.md").read_text(encoding="utf-8")
    assert text.startswith(
        "---\nname: deploy\ndescription: how to deploy\nmetadata:\n  type: Deploy\n  source: agent\n"
    )
    assert text.endswith("---\n\n1. Build.\n2. Ship.\n")
    keys = [line.split(":")[0].strip() for line in text.splitlines() if line.startswith(" ")]
    assert keys[:8] == ["type", "source", "session", "time", "quote", "id", "derived_from", "rank"]
    assert keys[8:] == ["steps", "used", "succeeded", "last_used"]
    (read,) = Skills(skills.directory).all()
    assert (read.used, read.succeeded, read.last_used) == (1, 1, NOON + DAY)
    assert read.origin == origin
    assert (read.rank, read.type, read.steps, read.text) == (1, "Deploy", skill.steps, skill.steps)


def test_a_missing_description_is_taken_from_the_steps(skills: Skills) -> None:
    skills.put(Skill("deploy", "Build.\nShip. " + "x" * 2000))
    (skill,) = skills.all()
    assert skill.description.startswith("Build. Ship. x")
    assert len(skill.description) == 1024


def test_a_skill_written_by_hand_is_read_and_belongs_to_the_user(skills: Skills) -> None:
    path = by_hand(skills)
    os.utime(path, (NOON, NOON))
    (skill,) = skills.all()
    assert skill.description == "How the page is deployed. Use it on Fridays."
    assert skill.steps == "# Deploy\n\n1. Build it.\n2. Ship it."
    assert (skill.name, skill.type, skill.rank, skill.used) == ("deploy-page", "deploy", USER, 0)
    assert skill.origin == Provenance("user", "", NOON, "deploy-page")


def test_header_fields_added_by_hand_survive_every_rewrite(skills: Skills) -> None:
    path = by_hand(skills)
    skills.record_use("deploy-page", success=True, time=NOON)
    skills.put(Skill("deploy-page", "Only ship it.", "shorter"))
    header, steps = frontmatter.read(path)
    assert (header["license"], header["allowed-tools"]) == ("MIT", "Bash(git:*) Read")
    assert header["paths"] == "docs, src"
    assert (header["metadata.author"], header["metadata.version"]) == ("Mara", "1.0")
    assert (header["description"], steps) == ("shorter", "Only ship it.")


def test_a_hand_made_skill_without_any_header_is_all_steps(skills: Skills) -> None:
    by_hand(skills, "Just ship it.\n", "ship")
    skills.record_use("ship", success=False, time=NOON)
    (skill,) = skills.all()
    assert (skill.steps.strip(), skill.used, skill.succeeded) == ("Just ship it.", 1, 0)


def test_numbers_that_a_person_made_unreadable_count_as_none(skills: Skills) -> None:
    by_hand(skills, "---\nmetadata:\n  used: many\n  succeeded: -3\n  last_used: nan\n---\n\nShip.\n", "ship")
    (skill,) = skills.all()
    assert (skill.used, skill.succeeded, skill.last_used) == (0, 0, 0.0)


def test_a_skill_edited_by_hand_is_the_users_from_then_on_and_keeps_its_record(skills: Skills) -> None:
    skills.put(taught("deploy", "agent"))
    skills.record_use("deploy", success=True, time=NOON)
    path = skills.directory / "deploy" / "SKILL.md"
    path.write_text(path.read_text(encoding="utf-8").replace("Do deploy.", "Do deploy, on Fridays."), encoding="utf-8")
    (skill,) = skills.all()
    assert (skill.origin.source, skill.rank, skill.used) == ("user", USER, 1)
    assert skill.id != "id-deploy"
    with pytest.raises(Refused, match="user wrote it, and agent ranks lower"):
        skills.put(taught("deploy", "agent"))


@pytest.mark.parametrize(("first", "second"), [("user", "tool"), ("tool", "agent"), ("agent", "web"), ("user", "web")])
def test_a_lower_rank_overwrites_no_skill_whatever_spelling_it_uses(skills: Skills, first: str, second: str) -> None:
    skills.put(taught("deploy", first))
    before = (skills.directory / "deploy" / "SKILL.md").read_bytes()
    for name in ("deploy", "DEPLOY", "de\u200bploy"):
        with pytest.raises(Refused, match=f"{first} wrote it, and {second} ranks lower"):
            skills.put(taught(name, second, steps="rm -rf the lamp"))
    assert (skills.directory / "deploy" / "SKILL.md").read_bytes() == before
    skills.put(taught("deploy", first, steps="better"))
    assert [skill.steps for skill in skills.all()] == ["better"]


def test_for_a_type_of_task_the_best_record_comes_first_and_the_untrusted_never(skills: Skills) -> None:
    for name, used, succeeded in (("often", 10, 9), ("once", 1, 1), ("never", 0, 0), ("badly", 4, 1)):
        skills.put(taught(name, used=used, succeeded=succeeded))
    skills.put(taught("by-tool", "tool"))
    skills.put(taught("by-web", "web", used=9, succeeded=9))
    skills.put(taught("other", type="review"))
    skills.put(taught("untyped", type=""))
    assert [one.name for one in skills.of_type(" DEPLOY")] == ["often", "once", "never", "by-tool", "badly"]
    assert [one.success_rate for one in skills.of_type("deploy")[:3]] == [10 / 12, 2 / 3, 1 / 2]
    assert skills.of_type("") == skills.of_type("cook") == []


def test_uses_are_counted_and_a_clock_that_jumps_back_takes_nothing_away(skills: Skills) -> None:
    skills.put(taught("deploy"))
    for success, when in ((True, NOON), (False, NOON - DAY), (True, NOON - 2 * DAY)):
        skills.record_use(" DEPLOY", success=success, time=when)
    (skill,) = skills.all()
    assert (skill.used, skill.succeeded, skill.last_used) == (3, 2, NOON)
    with pytest.raises(Refused, match="there is none of that name; known skills: deploy"):
        skills.record_use("cook", success=True, time=NOON)


def test_repeated_steps_keep_their_record_and_other_steps_start_a_new_one(skills: Skills) -> None:
    skills.put(taught("deploy"))
    skills.record_use("deploy", success=True, time=NOON)
    skills.put(taught("deploy", description="told again"))
    assert [(one.used, one.description) for one in skills.all()] == [(1, "told again")]
    skills.put(taught("deploy", steps="other"))
    assert [one.used for one in skills.all()] == [0]


def test_a_skill_long_unused_or_mostly_failing_is_forgotten_with_a_reason_and_never_lost(skills: Skills) -> None:
    for name, used, succeeded in (("idle", 0, 0), ("failing", 5, 2), ("trying", 4, 0), ("even", 6, 3)):
        skills.put(taught(name, used=used, succeeded=succeeded, last_used=NOON + 100 * DAY if used else 0.0))
    (skills.directory / "idle" / "notes.txt").write_text("kept with it", encoding="utf-8")
    gone = skills.forget(NOON + 181 * DAY)
    assert [(skill.name, why) for skill, why in gone] == [
        ("failing", "it failed in 3 of 5 uses"),
        ("idle", "it was not used for 181 days"),
    ]
    assert [skill.name for skill in skills.all()] == ["even", "trying"]
    assert [(skill.name, skill.steps) for skill in skills.list_forgotten()] == [
        ("failing", "Do failing."),
        ("idle", "Do idle."),
    ]
    assert (skills.directory / ".forgotten" / "idle" / "notes.txt").exists()
    assert skills.forget(NOON + 181 * DAY) == []
    (skills.directory / ".forgotten" / "idle").rename(skills.directory / "idle")
    assert [skill.name for skill in skills.all()] == ["even", "idle", "trying"]


def test_a_skill_is_idle_only_after_the_whole_time_and_never_in_the_future(skills: Skills) -> None:
    skills.put(taught("deploy"))
    for now in (NOON - 900 * DAY, NOON, NOON + 180 * DAY):
        assert skills.forget(now) == []
    assert len(skills.forget(NOON + 180 * DAY + 1)) == 1


def test_two_forgotten_skills_of_one_name_are_both_kept(skills: Skills) -> None:
    for number in range(4):
        skills.put(taught("deploy", steps=f"version {number}"))
        skills.forget(NOON + 400 * DAY)
    assert sorted(skill.steps for skill in skills.list_forgotten()) == [f"version {number}" for number in range(4)]
    assert [skill.name for skill in skills.list_forgotten()] == ["deploy", "deploy.2", "deploy.3", "deploy.4"]


def test_an_erased_skill_is_removed_from_the_forgotten_ones_too_and_its_lineage_is_known(skills: Skills) -> None:
    parent = Provenance("user", time=NOON, id="child", derived_from=("lesson",))
    skills.put(taught("deploy", origin=parent))
    skills.put(taught("stays"))
    skills.forget(NOON + 400 * DAY)
    skills.put(taught("deploy"))
    assert skills.derived_ids({"lesson"}) == {"child"}
    assert skills.get("child") is not None
    skills.erase({"child", "id-deploy"})
    assert (skills.all(), [one.name for one in skills.list_forgotten()]) == ([], ["stays"])
    assert skills.get("child") is None
    assert not list(skills.directory.rglob("deploy*"))


def test_a_linked_skill_is_erased_where_it_is_linked(skills: Skills, tmp_path: Path) -> None:
    outside = by_hand(Skills(tmp_path / "elsewhere"), name="shared").parent
    skills.directory.mkdir()
    (skills.directory / "shared").symlink_to(outside)
    skills.erase({skills.all()[0].id})
    assert skills.all() == []
    assert outside.exists()
