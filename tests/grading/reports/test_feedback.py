import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sample_grades import (
    HOSTILE,
    PageReader,
    grade,
    grade_with_lost_points,
    grade_with_text,
    hide_tasks,
    lab,
    mark,
    reason,
)

from memlab.grading.grade import Grade, Reason, Status
from memlab.grading.marking.points import make_empty_marks
from memlab.grading.reports.feedback import render_feedback, write_feedback
from memlab.grading.reports.gradescope import render_results
from memlab.grading.reports.messages import HIDDEN, MADE_UP_WORDS, MAX_SENTENCE

PLAIN = PageReader(render_feedback(grade_with_text("words"), lab()))
HARMLESS = {
    *("html", "head", "meta", "title", "style", "body", "header", "main", "footer", "section", "article", "div"),
    *("h1", "h2", "h3", "h4", "p", "strong", "b", "small", "span", "a", "code", "pre", "dl", "dt", "dd"),
    *("table", "caption", "thead", "tbody", "tr", "th", "td"),
}


def page_of(one: Grade) -> PageReader:
    return PageReader(render_feedback(one, lab()))


@pytest.mark.parametrize("words", HOSTILE)
def test_untrusted_text_never_changes_the_tags_of_a_page(words: str) -> None:
    assert page_of(grade_with_text(words)).tags == PLAIN.tags
    assert set(PLAIN.names) <= HARMLESS


@settings(max_examples=60)
@given(st.text(st.sampled_from("<>/\"'&=;- \n\x00\u2028abcdrstyl!"), min_size=1, max_size=30))
def test_no_generated_text_changes_the_tags_of_a_page(words: str) -> None:
    assert page_of(grade_with_text(words)).tags == PLAIN.tags


@pytest.mark.parametrize("sign", "\u202e\u2066\u200b\ufeff\x00\x1b\x85\xad\u061c\u2028\u3164\U000e0041")
def test_an_invisible_character_is_shown_by_its_code_point(sign: str) -> None:
    text = page_of(grade_with_text(f"a{sign}b")).text
    assert sign not in text
    assert f"a□{ord(sign):04x}b" in text


def test_long_texts_are_cut_with_a_note() -> None:
    page = render_feedback(grade_with_text("y" * 10_000), lab())
    assert "10,000 characters in total" in page
    assert "y" * (MAX_SENTENCE + 1) not in page
    many = replace(reason(), calls=tuple(f"write({call})" for call in range(500)))
    text = page_of(grade("anna", mark("write", 0, many))).text
    assert "(488 earlier)\nwrite(488)\n" in text
    assert "write(499)" in text


def test_the_note_about_random_words_is_shown_only_with_an_answer() -> None:
    assert MADE_UP_WORDS in page_of(grade_with_lost_points("anna")).text
    rule = replace(reason(), name="", message="was not checked: it builds on 'write', which earned nothing")
    for one in (grade("anna"), hide_tasks(grade_with_lost_points("anna")), grade("anna", mark("write", 0, rule))):
        assert MADE_UP_WORDS not in page_of(one).text


def test_a_submission_that_was_not_graded_is_not_reported_as_run() -> None:
    missing = Grade("anna.py", "anna", "ab" * 32, "missing", "anna.py is empty")
    text = PageReader(render_feedback(missing, lab(), "bubblewrap")).text
    assert "There is no file that could be graded: anna.py is empty" in text
    assert "in a sandbox" not in text
    assert "abab" not in text
    assert (
        "in a sandbox (bubblewrap)"
        in PageReader(render_feedback(grade_with_lost_points("anna"), lab(), "bubblewrap")).text
    )


def test_the_content_security_policy_allows_only_our_style() -> None:
    page = render_feedback(grade_with_lost_points("anna"), lab())
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert style
    assert policy
    ours = b64encode(sha256(style[1].encode()).digest()).decode()
    rules = dict(one.split(" ", 1) for one in policy[1].split("; "))
    assert rules == {
        "default-src": "'none'",
        "style-src": f"'sha256-{ours}'",
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    assert page.index("Content-Security-Policy") < page.index("<style>")
    assert "url(" not in style[1]
    assert "@import" not in style[1]


def test_the_page_has_no_script_no_image_and_no_external_link() -> None:
    attributes = [(name, value or "") for _, names in PLAIN.tags for name, value in names.items()]
    assert not any(name.startswith("on") or name in {"style", "src"} for name, _ in attributes)
    places = {value for name, value in attributes if name == "id"}
    links = [value for name, value in attributes if name == "href"]
    assert links
    assert all(link.startswith("#") and link.removeprefix("#") in places for link in links)


def test_every_failed_check_is_shown_with_its_requirement_the_answer_and_the_calls() -> None:
    text = page_of(grade("anna", mark("write", 6, reason()), mark("recall", 0, reason("recall/x", "gave 7")))).text
    assert "6 of 26 points" in text
    for sentence in (
        "The requirement of write/keeps-any-text.",
        "write('a') gave None, expected a page",
        "write('b')\nwrite",
    ):
        assert sentence in text
    assert "The requirement of recall/x." in text
    assert "gave 7" in text
    assert "6 of 12 points lost" in text
    assert "14 of 14 points lost" in text


def test_checks_with_the_same_answer_are_grouped() -> None:
    same = [reason(f"write/{name}", "write is not written yet") for name in "abc"]
    text = page_of(grade("anna", mark("write", 0, *same))).text
    assert text.count("write is not written yet") == 1
    assert all(f"The requirement of write/{name}." in text for name in "abc")


def test_a_points_rule_is_a_sentence_about_the_task() -> None:
    rule = Reason("", "One fact, one file, one row", "earns all of its points or none, and 3 of 5 checks passed")
    text = page_of(grade("anna", mark("write", 0, reason(), rule))).text
    assert "This task earns all of its points or none, and 3 of 5 checks passed." in text


def test_only_the_title_and_points_of_a_hidden_task_are_shown() -> None:
    text = page_of(hide_tasks(grade("anna", mark("write", 6, reason())))).text
    assert "6 of 12" in text
    assert HIDDEN in text
    for secret in ("keeps-any-text", "gave None", "write('b')", "4 of 5"):
        assert secret not in text
    assert "memlab lab check" not in text  # it would reveal the checks


def test_the_next_step_is_the_first_of_the_lab_that_lost_points() -> None:
    one = grade("anna", mark("stale", 0, reason()), mark("recall", 7, reason()), mark("write", 12))
    assert "memlab lab check recall\nmemlab lab hint recall" in page_of(one).text
    assert "Every task earned all of its points" in page_of(grade("anna", mark("write", 12))).text


@pytest.mark.parametrize("status", ["timeout", "crashed", "syntax error", "missing"])
def test_one_sentence_says_why_nothing_could_be_checked(status: Status) -> None:
    message = "memory_store.py does not load, line 3"
    unasked = make_empty_marks([lab().step("write"), lab().step("recall")], f"was not checked: {message}")
    page = page_of(Grade("a.py", "a", "ab" * 32, status, message, unasked))
    assert page.text.count(message) == 1
    assert "table" not in page.names


def test_the_page_says_that_the_only_task_needs_one_that_crashed() -> None:
    why = "was not checked: it needs the task 'write', which earned nothing"
    crashed = Grade("a.py", "a", "ab" * 32, "crashed", "in the task 'write': it ended")
    for one in (crashed, replace(crashed, status="ok", message="")):
        text = page_of(replace(one, marks=make_empty_marks([lab().step("recall")], why))).text
        assert f"This {why.replace('was', 'task was', 1)}." in text
        assert "not checked" in text
        assert "has to load" not in text


def test_a_failure_of_the_grader_is_not_a_zero_and_reveals_nothing_about_the_machine() -> None:
    fault = Grade("a.py", "a", "ab" * 32, "internal", "boom in /secret", (mark("write", 0),), fault="at /secret/x.py")
    text = page_of(fault).text
    assert "not graded yet" in text
    assert "secret" not in text
    assert "0 of" not in text


def test_a_page_is_accessible() -> None:
    assert PLAIN.tags[0] == ("html", {"lang": "en"})
    for landmark in ("header", "main", "footer", "h1"):
        assert PLAIN.names.count(landmark) == 1
    levels = [int(name[1]) for name in PLAIN.names if re.fullmatch("h[1-6]", name)]
    assert all(deeper - before <= 1 for before, deeper in pairwise(levels))
    assert all(names.get("scope") in {"row", "col"} for tag, names in PLAIN.tags if tag == "th")
    assert "caption" in PLAIN.names


def test_text_has_enough_contrast_in_light_dark_and_print() -> None:
    css = files("memlab.grading.reports").joinpath("page.css").read_text(encoding="utf-8")
    schemes = re.findall(r":root \{(.*?)\}", css, re.DOTALL)
    assert len(schemes) == 3
    for scheme in schemes:
        colours = dict(re.findall(r"--(\w+): (#[0-9a-f]{6})", scheme))
        for ground in ("ground", "raised"):
            for ink in ("ink", "soft", "bad", "good", "link"):
                assert contrast(colours[ink], colours[ground]) >= 4.5, (ink, ground, colours)


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours by WCAG 2.2."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_the_same_grade_gives_the_same_page_under_a_unique_name(tmp_path: Path) -> None:
    first = write_feedback(grade_with_lost_points("anna"), lab(), tmp_path)
    text = first.read_bytes()
    assert write_feedback(replace(grade_with_lost_points("anna"), seconds=99.0), lab(), tmp_path) == first
    assert first.read_bytes() == text
    assert write_feedback(grade_with_lost_points("Anna"), lab(), tmp_path) != first
    assert len(list((tmp_path / "feedback").iterdir())) == 2


def test_the_original_of_a_made_up_word_is_beside_its_first_occurrence_in_the_result_and_in_the_calls() -> None:
    calls = ("f('bovak')", "g('bovak', 'x')")
    why = Reason("write/keeps-any-text", "A rule.", "gave 'Bovak'", calls, (("bovak", "crane"),))
    text = PageReader(render_feedback(grade("anna", mark("write", 6, why)), lab())).text
    assert "gave 'Bovak (crane)'" in text
    assert "f('bovak (crane)')\ng('bovak', 'x')" in text
    assert "Made-up words: bovak (crane)" in str(render_results(grade("anna", mark("write", 6, why)), lab()))


def test_no_markup_of_a_student_passes_beside_a_made_up_word() -> None:
    why = Reason("write/keeps-any-text", "A rule.", "<b>bovak</b>", (), (("bovak", "crane"),))
    page = render_feedback(grade("anna", mark("write", 6, why)), lab())
    assert "&lt;b&gt;bovak<small" in page


def test_points_taken_by_hand_are_not_called_unchecked_or_a_failed_step() -> None:
    by_hand = replace(mark("write", 8), graded=12.0, comment="Not your own words")
    text = page_of(grade("anna", by_hand, mark("recall", 14))).text
    assert "No check failed. Your instructor gave these points by hand" in text
    assert "was not checked" not in text
    assert "memlab lab check write" not in text
