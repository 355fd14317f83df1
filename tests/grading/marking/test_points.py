"""The three rules of points, for any rubric and anything that a submission keeps of it."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from memlab.grading.grade import Mark, Reason
from memlab.grading.marking.points import Outcome, add_needed_tasks, compute_shares, make_mark, skip_task
from memlab.labs.lab import Step, Task

Case = tuple[list[Task], dict[str, Outcome]]


def task(name: str, laws: int = 2, needs: Sequence[str] = (), points: float = 10, *, partial: bool = True) -> Step:
    """Make a task of so many laws."""
    fields = {"step": name, "title": name, "part": "build", "minutes": 5, "points": points, "partial": partial}
    return Step.model_validate(fields | {"needs": needs, "checks": [f"{name}/{one}" for one in range(laws)]})


def outcome(kept: Sequence[bool]) -> Outcome:
    """Make the outcome of a task whose laws held or did not."""
    reasons = tuple(Reason(f"law {at}", "It holds.", "it did not") for at, held in enumerate(kept) if not held)
    return Outcome(sum(kept), len(kept), reasons, main_check_failed=not kept[0])


def marks(tasks: Sequence[Task], outcomes: dict[str, Outcome]) -> dict[str, Mark]:
    """Give the marks by their tasks."""
    shares = compute_shares(tasks, outcomes)
    return {one.name: make_mark(one, outcomes[one.name], shares.get(one.name, 0.0)) for one in tasks}


@st.composite
def anything(draw: st.DrawFn) -> Case:
    """Draw a rubric, and what held of it."""
    tasks: list[Task] = []
    outcomes = {}
    for name in "abcdef"[: draw(st.integers(1, 6))]:
        before = [one.name for one in tasks]
        needs = draw(st.lists(st.sampled_from(before), unique=True, max_size=2)) if before else []
        kept = draw(st.lists(st.booleans(), min_size=1, max_size=4))
        max_points = draw(st.sampled_from([0, 1, 2.5, 10]))
        tasks.append(task(name, len(kept), needs, max_points, partial=draw(st.booleans())))
        outcomes[name] = outcome(kept)
    return tasks, outcomes


@given(anything())
def test_a_task_without_its_first_law_earns_nothing_and_neither_does_one_that_needs_it(case: Case) -> None:
    tasks, outcomes = case
    nothing: set[str] = set()
    for one in tasks:
        alone = outcomes[one.name]
        lost = alone.main_check_failed or not alone.passed or (not one.partial and alone.passed < alone.total)
        if lost or nothing.intersection(one.needs):
            nothing.add(one.name)
    assert {name for name, share in compute_shares(tasks, outcomes).items() if not share} == nothing


@given(anything())
def test_else_it_earns_its_share_or_all_of_its_points(case: Case) -> None:
    tasks, outcomes = case
    given_marks = marks(tasks, outcomes)
    for one in tasks:
        mark = given_marks[one.name]
        part = mark.passed / mark.total if one.partial else float(mark.passed == mark.total)
        assert mark.points in {0.0, one.points * part}
        assert mark.max_points == one.points


@given(anything())
def test_who_keeps_everything_gets_every_point_and_no_reason(case: Case) -> None:
    tasks, outcomes = case
    full = marks(tasks, {name: outcome([True] * one.total) for name, one in outcomes.items()})
    assert all(mark.points == mark.max_points and not mark.reasons for mark in full.values())


@given(anything(), st.integers(0, 5))
def test_to_keep_one_thing_more_never_costs_a_point(case: Case, which: int) -> None:
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


@given(anything())
def test_every_task_that_lost_points_by_itself_says_why(case: Case) -> None:
    tasks, outcomes = case
    for mark in marks(tasks, outcomes).values():
        lost_by_itself = mark.passed < mark.total or outcomes[mark.task].main_check_failed
        assert bool(mark.reasons) == lost_by_itself


def test_what_a_rule_takes_of_what_held_is_said_in_a_sentence() -> None:
    sunk, all_or_none = task("sunk", 3), task("whole", 3, partial=False)
    (*_, first) = make_mark(sunk, outcome([False, True, True]), 0.0).reasons
    (*_, second) = make_mark(all_or_none, outcome([True, True, False]), 0.0).reasons
    assert first.message.startswith("earns nothing, though 2 of 3 checks passed: its first check failed")
    assert second.message == "earns all of its points or none, and 2 of 3 checks passed"


def test_a_task_that_is_worth_nothing_takes_nothing_from_those_that_need_it_while_it_holds() -> None:
    tasks = [task("warm-up", points=0), task("work", needs=["warm-up"])]
    assert compute_shares(tasks, {one.name: outcome([True, True]) for one in tasks}) == {"warm-up": 1.0, "work": 1.0}


def test_a_task_of_which_nothing_was_asked_earns_nothing_in_parts_or_whole() -> None:
    for one in (task("parts"), task("whole", partial=False)):
        assert compute_shares([one], {one.name: skip_task(one, "was not checked")}) == {one.name: 0.0}


def test_what_a_fault_of_ours_left_undecided_takes_nothing_from_those_that_need_it() -> None:
    tasks = [task("write"), task("recall", needs=["write"])]
    outcomes = {"write": skip_task(tasks[0], "was not decided", fault="Traceback"), "recall": outcome([True, True])}
    assert compute_shares(tasks, outcomes) == {"recall": 1.0}


@given(anything(), st.sets(st.sampled_from("abcdef")))
def test_with_a_task_all_are_asked_that_it_needs_and_no_other_so_its_points_are_the_same(
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
