"""The marks of one submission: points, reasons and tasks."""

from __future__ import annotations

import pytest
from tiny_checks import ADD, RIGHT, SAY
from tiny_lab import NoIsolation, grade_source, mark, tiny

pytestmark = pytest.mark.usefixtures("tiny_checks")


def test_each_failed_check_is_a_reason_with_the_smallest_case() -> None:
    found = grade_source(tiny(ADD, SAY), RIGHT.replace("one + two", "one + min(two, 30)"))
    add, say = found.marks
    (reason,) = (one for one in add.reasons if one.name == "add/adds")
    assert (reason.requirement, reason.message) == ("Two numbers are added.", "add(0, 31) returned 30, expected 31")
    assert (add.passed, add.total, add.points) == (1, 2, 0)
    assert (say.passed, say.total, say.points, say.reasons) == (2, 2, 10, ())


def test_each_task_runs_in_its_own_sandbox() -> None:
    level = NoIsolation()
    leaves = "import builtins\nbuiltins.left = getattr(builtins, 'left', 0) + 1\n"
    found = grade_source(tiny(ADD, SAY), leaves + RIGHT, level=level)
    assert (found.points, level.sandboxes) == (20, 3)  # and one that checks whether it loads


def test_a_task_is_not_checked_if_a_needed_task_earned_nothing() -> None:
    found = grade_source(tiny(ADD, SAY | {"needs": ["add"]}), RIGHT.replace("one + two", "0"))
    says = mark(found, "say").reasons[0].message
    assert (found.points, says) == (0, "was not checked: it needs the task 'add', which earned nothing")


def test_selected_tasks_get_the_same_points_as_in_a_full_grade() -> None:
    lab = tiny(ADD, SAY | {"needs": ["add"]})
    found = grade_source(lab, RIGHT.replace("one + two", "0"), only=("say",))
    assert [(one.task, one.points) for one in found.marks] == [("say", 0)]
    assert [one.task for one in grade_source(lab, RIGHT, only=("say",)).marks] == ["say"]


def test_the_message_of_a_hidden_task_does_not_reveal_its_checks() -> None:
    found = grade_source(tiny(SAY | {"visible": False}), "import os\ndef say(name):\n    os._exit(0)\n")
    assert not mark(found, "say").visible
    assert (found.status, found.message) == ("crashed", "in the task 'say': its checks are hidden")
    assert any("say(" in one.message for one in mark(found, "say").reasons)
