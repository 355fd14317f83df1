import re
from dataclasses import replace
from pathlib import Path

import pytest
from sample_grades import HOSTILE, PageReader, grade, grade_with_lost_points, hide_tasks, lab, mark, reason

from memlab.grading.grade import Grade, Mark, Reason
from memlab.grading.intake.similarity import Pair
from memlab.grading.marking.points import make_empty_marks
from memlab.grading.reports.charts import count_tenths
from memlab.grading.reports.class_statistics import compute_statistics
from memlab.grading.reports.feedback import write_feedback
from memlab.grading.reports.overview import LOOK, MAX_LINES, MAX_PAIRS, render_overview, write_overview
from memlab.labs.handout.rules import rule_of
from memlab.labs.handout.wrong import mistakes

RUN: dict[str, object] = {"lab": "06", "seed": 987654321, "isolation": "landlock", "overlay": "", "only": ["write"]}
FAULT = Grade(
    "oops.py", "oops", "cd" * 32, "internal", "The grader failed.", fault="Traceback\nValueError: <b>boom</b>"
)
ABSENT = Grade("", "absent", "", "missing", "Nothing was handed in.")
LOST = "recall/opens-the-best-match"
CLASS = (
    grade_with_lost_points("anna", LOST, "gave the first"),
    grade_with_lost_points("ben", LOST, "gave the first"),
    grade_with_lost_points("cy", LOST, "gave None"),
    hide_tasks(grade("dora", mark("write", 0, reason()), mark("recall", 14))),
    *(grade(name, mark("write", 12), mark("recall", 14)) for name in HOSTILE),
    FAULT,
    ABSENT,
)
PAIRS = [
    Pair("cy.py", "dora.py", 1.0, 90, "identical"),
    Pair("anna.py", "ben.py", 0.97, 80),
    Pair("gone.py", f"{HOSTILE[0]}.py", 0.5, 31),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("class")
    for one in CLASS:
        write_feedback(one, lab(), folder)
    write_overview(iter(CLASS), lab(), RUN, PAIRS, folder)
    return folder


@pytest.fixture(scope="module")
def page(folder: Path) -> PageReader:
    return PageReader((folder / "index.html").read_text(encoding="utf-8"))


def test_failures_of_the_grader_come_first_with_their_place(page: PageReader) -> None:
    sections = [names["id"] for tag, names in page.tags if tag == "section"]
    assert sections == ["faults", "points", "tasks", "laws", "pairs", "lines", "run"]
    assert page.text.count("ValueError: <b>boom</b>") == 2, "its last line stands alone, and at the end of the whole"


def test_a_submission_that_passes_nothing_and_raises_everywhere_is_marked() -> None:
    raised = reason(message="write_memory('a') raised RuntimeError: can't start new thread (line 3)")
    nothing = replace(mark("write", 0, *[raised] * 5), passed=0)
    unwritten = replace(nothing, reasons=(reason(message="write_memory is not written yet: it raises X"),) * 5)
    does_not_load = Grade("eve.py", "eve", "", "crashed", "memory_store.py does not load, line 3: KeyError: 7")
    marked = [grade("ada", nothing), does_not_load]
    others = [grade("bo", nothing, mark("recall", 2, raised)), grade("cy", unwritten), grade("dora"), ABSENT, FAULT]
    assert [one.raises_everywhere for one in [*marked, *others]] == [True] * 2 + [False] * 5
    assert PageReader(render_overview([*marked, *others], lab(), RUN)).text.count(LOOK) == 2


def test_every_link_leads_to_an_existing_section_or_page(folder: Path, page: PageReader) -> None:
    places = {names["id"] for _, names in page.tags if "id" in names}
    links = {names["href"] or "" for tag, names in page.tags if tag == "a"}
    file_links = {link for link in links if not link.startswith("#")}
    assert {link.removeprefix("#") for link in links - file_links} <= places
    assert {folder / link for link in file_links} == set((folder / "feedback").iterdir())
    assert len(file_links) == len(CLASS)


def test_the_count_of_each_status_is_shown(page: PageReader) -> None:
    counts = f"{len(CLASS)} submissions: {len(CLASS) - 2} graded, 1 missing, 1 not graded: the grader failed."
    assert counts in page.text


def test_a_missing_submission_counts_as_zero_points_but_not_for_a_task() -> None:
    found = compute_statistics(CLASS, lab())
    assert len(found.shares) == len(CLASS) - 1
    assert min(found.shares) == 0
    assert {task.evaluated for task in found.hardest()} == {len(CLASS) - 2}


def test_the_difficulty_of_a_task_counts_only_submissions_that_reached_it() -> None:
    unasked = make_empty_marks([lab().step("recall")], "was not checked: it builds on 'write', which earned nothing")
    stuck = grade("eli", mark("write", 0, reason()), *unasked)
    recall = compute_statistics([stuck, grade_with_lost_points("anna")], lab()).tasks["recall"]
    assert (recall.mean, recall.evaluated, recall.skipped) == (1, 1, 1)
    message = "memory_store.py does not load"
    broken = Grade(
        "f.py", "f", "", "crashed", message, make_empty_marks([lab().step("write")], f"was not checked: {message}")
    )
    assert not compute_statistics([broken], lab()).hardest()


def test_a_task_without_points_is_counted_and_has_no_share() -> None:
    free = replace(mark("write", 0, reason()), max_points=0.0)
    found = compute_statistics([grade("anna", free)], lab())
    assert (found.tasks["write"].evaluated, found.hardest()) == (1, [])
    assert "1 of 1 checked submissions" in PageReader(render_overview([grade("anna", free)], lab(), RUN)).text


def test_the_hardest_task_comes_first_with_counts_of_full_partial_and_no_points() -> None:
    first, second = compute_statistics(CLASS, lab()).hardest()
    assert (first.title, second.title) == ("One fact, one file, one row", "Found by its description")
    assert first.parts() == (len(HOSTILE), 3, 1)
    assert second.mean == 1


def test_a_check_counts_each_submission_that_failed_it_once_and_shows_the_most_frequent_answer() -> None:
    first, second = compute_statistics(CLASS, lab()).most_failed()
    assert (first.name, first.failures, first.example) == (LOST, 3, "gave the first")
    assert (second.name, second.failures) == ("write/keeps-any-text", 1)


def test_only_the_beginning_of_a_long_answer_is_kept() -> None:
    (failed_check,) = compute_statistics([grade_with_lost_points("anna", LOST, "y" * 100_000)], lab()).most_failed()
    assert failed_check.example == "y" * 300 + " (… 100,000 characters in total)"


def test_a_check_is_shown_with_the_thought_behind_its_typical_mistake(page: PageReader) -> None:
    (thought,) = [one for one in mistakes(lab()) if one.path.stem == "opens_the_first_match"]
    assert LOST in thought.loses
    assert thought.thinks in page.text
    assert "wrong/opens_the_first_match.py" in page.text


def test_a_points_rule_is_not_a_failed_check() -> None:
    rule = replace(reason(), name="", message="earns all of its points or none, and 3 of 5 checks passed")
    assert not compute_statistics([grade("anna", mark("write", 0, rule))], lab()).checks


def test_a_failed_printout_is_listed_among_the_misunderstandings_by_its_task() -> None:
    why = Reason("demo", "What the demo prints", "line 1 is 'a', expected 'b'")
    lost = Mark("demo", why.requirement, 0, 4, 0, 1, reasons=(why,))
    (found,) = compute_statistics([grade("anna", lost)], lab()).most_failed()
    assert (found.name, found.failures, found.example) == ("demo", 1, why.message)
    assert why.message in PageReader(render_overview([grade("anna", lost)], lab(), RUN)).text


def test_similar_submissions_are_shown_without_judgement(page: PageReader) -> None:
    assert "97 %" in page.text
    assert "identical" in page.text
    assert "no verdict" in page.text
    assert "gone.py" in page.text  # it has no page


def test_the_page_names_the_file_of_the_seed_but_not_the_seed(page: PageReader) -> None:
    assert "987654321" not in page.text
    assert "run.json" in page.text
    assert "landlock" in page.text


def test_every_image_has_a_text_alternative(page: PageReader) -> None:
    points, tasks = [names for tag, names in page.tags if tag == "img"]
    assert (points["src"] or "").startswith("data:image/svg+xml;base64,")
    assert f"90 to 100 %: {len(HOSTILE) + 3}" in (points["alt"] or "")
    assert "One fact, one file, one row 91 %" in (tasks["alt"] or "")


def test_untrusted_text_is_escaped(page: PageReader) -> None:
    assert HOSTILE[0] in page.text
    assert not {"script", "base", "iframe", "form", "link"} & set(page.names)
    assert page.names.count("img") == 2
    assert page.names.count("style") == 1
    assert not any(name.startswith("on") or name == "style" for _, names in page.tags for name in names)


def test_the_histogram_has_ten_bins_and_full_marks_are_in_the_last() -> None:
    assert count_tenths([0, 0.0999, 0.1, 0.3, 0.7, 0.9, 1, 1]) == [2, 1, 0, 1, 0, 0, 0, 1, 0, 3]
    assert count_tenths([sum([0.1] * 8)])[8] == 1  # the sum is 0.7999999999999999
    assert count_tenths([]) == [0] * 10


@pytest.mark.parametrize("few", [[CLASS[0]], [], [FAULT], [ABSENT]], ids=["one", "none", "a fault", "nothing"])
def test_classes_of_one_of_none_and_of_failures_have_a_page(few: list[Grade]) -> None:
    assert f"{len(few)} submission" in PageReader(render_overview(few, lab(), RUN)).text


def test_the_page_of_a_large_class_stays_small() -> None:
    many = (grade_with_lost_points(f"student-{number}", message=f"gave {number}") for number in range(3000))
    page = render_overview(many, lab(), RUN, PAIRS * 100)
    assert len(page) < 900_000
    assert f"Shows the first {MAX_LINES:,} of 3,000; gradebook.csv has all." in page
    assert len(re.findall(r'href="feedback/', page)) <= MAX_LINES + 2 * MAX_PAIRS


def test_the_same_grades_give_the_same_bytes(folder: Path) -> None:
    later = [replace(one, seconds=9.0) for one in reversed(CLASS)]
    assert render_overview(later, lab(), RUN, PAIRS) == (folder / "index.html").read_bytes().decode()


def test_a_check_that_failed_often_is_shown_with_the_sentence_of_the_lab(page: PageReader) -> None:
    assert "It compares the question with each description, selects the best one, and opens that one file." in page.text
    assert rule_of(lab(), "write/says-what-it-wrote").startswith("A call must print one line, such as `wrote")
    says = grade_with_lost_points("anna", "write/says-what-it-wrote", "printed nothing")
    text = render_overview([says], lab(), RUN)
    assert "such as <code>wrote memory/package-manager.md</code>." in text
