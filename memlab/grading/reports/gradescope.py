"""gradescope/<name>/results.json, in the format of Gradescope's autograder specification.

https://gradescope-autograders.readthedocs.io/en/latest/specs/
"""

from __future__ import annotations

import json
from pathlib import Path

from memlab.grading.grade import Grade, Mark, Reason
from memlab.grading.reports import messages
from memlab.grading.reports.files import safe_name, write_atomically
from memlab.labs.lab import Lab

GRADESCOPE, RESULTS = "gradescope", "results.json"


def render_results(grade: Grade, lab: Lab) -> dict[str, object]:
    """Return the results of a submission: one test for each task. A hidden task shows no output."""
    tests = [_test(number, mark) for number, mark in enumerate(grade.marks, 1)]
    note = [messages.MADE_UP_WORDS] if messages.shows_answers(grade.marks) else []
    about = [messages.late_sentence(grade), *messages.instructor_lines(grade)]
    return {
        "score": round(grade.points, 4),
        "output": "\n".join(filter(None, [messages.status_message(grade), *about, *note])),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "stdout_visibility": "hidden",  # the grader's output is for the instructor
        "tests": tests,
        "extra_data": {"lab": lab.number, "status": grade.status, "digest": grade.digest},
    }


def write_results(grade: Grade, lab: Lab, folder: Path) -> Path:
    """Write the results of one submission into a folder of its own. Returns the path."""
    path = folder / GRADESCOPE / safe_name(grade) / RESULTS
    write_atomically(path, json.dumps(render_results(grade, lab), indent=1, ensure_ascii=False) + "\n")
    return path


def _test(number: int, mark: Mark) -> dict[str, object]:
    reasons = "\n\n".join(messages.rule_sentence(reason) or _reason(reason) for reason in mark.reasons)
    output = reasons if mark.attempted else f"Not attempted. {messages.NOT_ATTEMPTED}"
    return {
        "name": messages.printable(mark.title, messages.MAX_NAME),
        "name_format": "text",
        "number": str(number),
        "score": round(mark.points, 4),
        "max_score": round(mark.max_points, 4),
        "status": "failed" if messages.has_lost_points(mark) else "passed",
        "output": output if mark.visible else "",
        "output_format": "text",
        "visibility": "visible" if mark.visible else "hidden",
    }


def _reason(reason: Reason) -> str:
    lines = [f"Requirement: {messages.printable(reason.requirement)}", f"Result: {messages.printable(reason.message)}"]
    calls = messages.call_lines(reason.calls)
    words = [f"Made-up words: {', '.join(f'{word} ({original})' for word, original in reason.words)}"]
    before = ["Calls before:", *(f"    {call}" for call in calls)] if calls else []
    return "\n".join([*lines, *(words if reason.words else []), *before])
