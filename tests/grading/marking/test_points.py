"""The three points rules, for any rubric and any results of its checks."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from memlab.grading.grade import Mark, Reason
from memlab.grading.marking.points import Outcome, add_needed_tasks, compute_shares, make_mark, skip_task
from memlab.labs.rubric import Step, Task

Case = tuple[list[Task], dict[str, Outcome]]


def task(name: str, checks: int = 2, needs: Sequence[str] = (), points: float = 10, *, partial: bool = True) -> Step:
    """Return a task with this number of checks."""
    fields = {"step": name, "title": name, "part": "build", "minutes": 5, "points": points, "partial": partial}
    return Step.model_validate(fields | {"needs": needs, "checks": [f"{name}/{one}" for one in range(checks)]})


def outcome(passed: Sequence[bool]) -> Outcome:
    """Return the outcome of a task, given which of its checks passed."""
    reasons = tuple(Reason(f"check {at}", "It passes.", "it failed") for at, one in enumerate(passed) if not one)
    return Outcome(sum(passed), len(passed), reasons, main_check_failed=not passed[0])


def marks(tasks: Sequence[Task], outcomes: dict[str, Outcome]) -> dict[str, Mark]:
    """Return the marks by task."""
    shares = compute_shares(tasks, outcomes)
    return {one.name: make_mark(one, outcomes[one.name], shares.get(one.name, 0.0)) for one in tasks}


@st.composite
def rubrics_with_outcomes(draw: st.DrawFn) -> Case:
    """Draw a rubric, and the outcome of each task."""
    tasks: list[Task] = []
    outcomes = {}
    for name in "abcdef"[: draw(st.integers(1, 6))]:
        before = [one.name for one in tasks]
        needs = draw(st.lists(st.sampled_from(before), unique=True, max_size=2)) if before else []
        passed = draw(st.lists(st.booleans(), min_size=1, max_size=4))
        max_points = draw(st.sampled_from([0, 1, 2.5, 10]))
        tasks.append(task(name, len(passed), needs, max_points, partial=draw(st.booleans())))
        outcomes[name] = outcome(passed)
    return tasks, outcomes


@given(rubrics_with_outcomes())
def test_a_task_that_fails_its_first_check_earns_nothing_nor_does_a_task_that_needs_it(case: Case) -> None:
    tasks, outcomes = case
    nothing: set[str] = set()
    for one in tasks:
        alone = outcomes[one.name]
        lost = alone.main_check_failed or not alone.passed or (not one.partial and alone.passed < alone.total)
        if lost or nothing.intersection(one.needs):
            nothing.add(one.name)
    assert {name for name, share in compute_shares(tasks, outcomes).items() if not share} == nothing


@given(rubrics_with_outcomes())
def test_any_other_task_earns_its_share_of_passed_checks(case: Case) -> None:
    tasks, outcomes = case
    given_marks = marks(tasks, outcomes)
    for one in tasks:
        mark = given_marks[one.name]
        part = mark.passed / mark.total if one.partial else float(mark.passed == mark.total)
        assert mark.points in {0.0, one.points * part}
        assert mark.max_points == one.points


@given(rubrics_with_outcomes())
def test_passing_every_check_gives_all_points_and_no_reason(case: Case) -> None:
    tasks, outcomes = case
    full = marks(tasks, {name: outcome([True] * one.total) for name, one in outcomes.items()})
    assert all(mark.points == mark.max_points and not mark.reasons for mark in full.values())


@given(rubrics_with_outcomes(), st.integers(0, 5))
def test_passing_one_more_check_never_costs_a_point(case: Case, which: int) -> None:
    tasks, outcomes = case
    name = list(outcomes)[which % len(outcomes)]
    one = outcomes[name]
    more = Outcome(
        min(one.passed + 1, one.total),
        one.total,
        main_check_failed=one.main_check_failed and one.passed + 1 < one.total,
    )
    before, after = marks(tasks, outcomes), marks(tasks, outcomes | {name: more})
    assert all(after[task].points >= before[task].points for task in before)


@given(rubrics_with_outcomes())
def test_every_task_with_failed_checks_has_a_reason(case: Case) -> None:
    tasks, outcomes = case
    for mark in marks(tasks, outcomes).values():
        lost_by_itself = mark.passed < mark.total or outcomes[mark.task].main_check_failed
        assert bool(mark.reasons) == lost_by_itself


def test_points_that_a_rule_takes_away_are_explained_in_a_sentence() -> None:
    sunk, all_or_none = task("sunk", 3), task("whole", 3, partial=False)
    (*_, first) = make_mark(sunk, outcome([False, True, True]), 0.0).reasons
    (*_, second) = make_mark(all_or_none, outcome([True, True, False]), 0.0).reasons
    assert first.message.startswith("earns nothing, though 2 of 3 checks passed: its first check failed")
    assert second.message == "earns all of its points or none, and 2 of 3 checks passed"


def test_a_passed_task_of_zero_points_takes_nothing_from_tasks_that_need_it() -> None:
    tasks = [task("warm-up", points=0), task("work", needs=["warm-up"])]
    assert compute_shares(tasks, {one.name: outcome([True, True]) for one in tasks}) == {"warm-up": 1.0, "work": 1.0}


def test_a_skipped_task_earns_nothing() -> None:
    for one in (task("parts"), task("whole", partial=False)):
        assert compute_shares([one], {one.name: skip_task(one, "was not checked")}) == {one.name: 0.0}


def test_a_task_that_the_grader_failed_to_decide_takes_nothing_from_tasks_that_need_it() -> None:
    tasks = [task("write"), task("recall", needs=["write"])]
    outcomes = {"write": skip_task(tasks[0], "was not decided", fault="Traceback"), "recall": outcome([True, True])}
    assert compute_shares(tasks, outcomes) == {"recall": 1.0}


@given(rubrics_with_outcomes(), st.sets(st.sampled_from("abcdef")))
def test_selected_tasks_are_graded_with_exactly_the_tasks_they_need_for_the_same_points(
    case: Case, names: set[str]
) -> None:
    tasks, outcomes = case
    only = [one.name for one in tasks if one.name in names]
    some = add_needed_tasks(tasks, [one for one in tasks if one.name in only])
    assert [one for one in tasks if one in some] == some
    fewer = compute_shares(some, outcomes)
    assert {name: fewer[name] for name in only} == {name: compute_shares(tasks, outcomes)[name] for name in only}
    needed = {need for one in some for need in one.needs}
    assert {one.name for one in some} == {*only, *needed}
