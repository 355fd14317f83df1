"""Reads the roster of a class from a CSV file, and matches its students to submissions."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memlab.grading.intake.csv_rows import BadTable, read_rows, refuse_extra_cells
from memlab.grading.intake.files import printable_name
from memlab.grading.intake.submissions import Submission

MAX_SHOWN = 60
"""Characters of a first line without a known column, in an error."""
EMAIL = ("email", "email address")
ID = ("id", "student id", "sid", "id number", "sis user id", "user id", "identifier", "number")
LOGIN = ("username", "user name", "login", "login id", "sis login id", "github username", *EMAIL)
NAME = ("name", "full name", "student name", "student")
FIRST, LAST = ("first name", "firstname", "given name"), ("last name", "lastname", "surname", "family name")
FILE = ("file", "filename", "submission")
NO_STUDENT = "Points Possible"
"""What the second line of a gradebook exported by Canvas begins with."""
KNOWN = "id, name (or first name and last name), and optionally email, username, file"


class BadRoster(BadTable):
    """A roster is invalid: the message names the file, the line, what is there, and what is valid."""


@dataclass(frozen=True)
class Student:
    """One student: `id` in the roster, or else the name; `keys` are all identifiers.

    `file` is the submission that counts, if the roster names one.
    """

    id: str
    name: str
    keys: tuple[str, ...] = ()
    file: str = ""
    line: int = 0
    email: str = ""
    first: str = ""
    last: str = ""

    @property
    def label(self) -> str:
        """The student in the gradebook: name and id."""
        return self.name if self.id in {"", self.name} else f"{self.name} ({self.id})" if self.name else self.id


@dataclass(frozen=True)
class Matched:
    """A class and its submissions.

    `students` maps each submission to who made it: no student of the roster, one, or a group. `missing` lists the
    students without a submission, `warnings` are sentences for the instructor.
    """

    students: Mapping[str, tuple[Student, ...]]
    missing: tuple[Student, ...]
    warnings: tuple[str, ...]

    def label(self, name: str) -> str:
        """Return the students of a submission as in the gradebook; "" if the roster does not know them."""
        return " & ".join(student.label for student in self.students.get(name, ()))


@dataclass(frozen=True)
class Roster:
    """The students of a class, in the order of the file."""

    students: tuple[Student, ...]

    def match(self, submissions: Sequence[Submission]) -> Matched:
        """Match students to submissions: by the file that the roster names, by an id or address, by the name.

        What matches two students is assigned to neither. All submissions of a student are kept, with a warning: the
        column `file` decides which one counts.
        """
        keys = _build_index((key, student) for student in self.students for key in _logins(student.keys))
        names = _build_index((form, student) for student in self.students for form in _name_forms(student.name))
        files = _build_index((student.file, student) for student in self.students)
        found: dict[str, tuple[Student, ...]] = {}
        warnings: list[str] = []
        for one in submissions:
            named = _find_unique(files, _paths_of(one.name))
            who = named or _find_unique(keys, one.ids) or _find_unique(names, one.student.split(" & "))
            found[one.name] = tuple(student for student in who if not student.file or student in named)
            warnings += _match_warnings(one, who, found[one.name])
        theirs: dict[Student, list[str]] = {student: [] for student in self.students}
        for name, students in found.items():
            for student in students:
                theirs[student].append(name)
        missing = tuple(student for student, names in theirs.items() if not names)
        warnings += [_several_warning(student, names) for student, names in theirs.items() if len(names) > 1]
        warnings += [_missing_file_warning(student) for student in missing if student.file]
        return Matched(found, missing, tuple(warnings))


def read_roster(path: Path) -> Roster:
    """Read a roster: CSV with a comma, a semicolon or a tab; the first line names the columns. Raises BadRoster."""
    rows = read_rows(path, BadRoster, "the class")
    line, head = next(rows, (1, []))
    columns = [" ".join(re.findall(r"\w+", cell.casefold().replace("_", " "))) for cell in head]
    if not set(columns) & {*ID, *LOGIN, *NAME, *FIRST, *LAST}:
        there = ", ".join(map(repr, map(printable_name, head))) or "nothing"
        there = there if len(there) <= MAX_SHOWN else f"{there[:MAX_SHOWN]}..."
        raise BadRoster(
            f"{path}, line {line}: no column identifies the students; found {there}. Expected columns: {KNOWN}."
        )
    students: list[Student] = []
    for number, cells in rows:
        refuse_extra_cells(path, BadRoster, (number, cells), (line, columns))
        student = _read_student(columns, cells, number)
        if not student.id:
            raise BadRoster(f"{path}, line {number}: neither an id nor a name. Add one, or remove the line.")
        if student.name != NO_STUDENT:
            students.append(student)
    _refuse_duplicates(path, students)
    return Roster(tuple(students))


def _read_student(columns: Sequence[str], cells: Sequence[str], line: int) -> Student:
    row = dict(zip(columns, map(printable_name, cells), strict=False))

    def first(names: Iterable[str]) -> str:
        return next((row[name] for name in names if row.get(name)), "")

    name = first(NAME) or " ".join(filter(None, (first(FIRST), first(LAST))))
    keys = tuple(dict.fromkeys(row[column] for column in (*ID, *LOGIN) if row.get(column)))
    key = first(ID) or first(LOGIN) or name
    return Student(key, name or key, keys, first(FILE), line, first(EMAIL), first(FIRST), first(LAST))


def _refuse_duplicates(path: Path, students: Iterable[Student]) -> None:
    seen: dict[str, Student] = {}
    for student in students:
        if before := seen.get(normalise(student.id)):
            raise BadRoster(
                f"{path}, line {student.line}: {student.id!r} is also in line {before.line}. "
                "Give each student one line and a unique id."
            )
        seen[normalise(student.id)] = student


def _find_unique(index: Mapping[str, list[Student]], keys: Iterable[str]) -> list[Student]:
    """Return the students that these keys identify; keys that match several students are ignored."""
    fits = (index.get(normalise(one), []) for one in keys)
    return list(dict.fromkeys(students[0] for students in fits if len(students) == 1))


def _match_warnings(one: Submission, who: Sequence[Student], counted: Sequence[Student]) -> Iterator[str]:
    if not who:
        yield f"{one.name}: no student of the roster matches, or several do. It is graded; name it in the column file."
    for student in who:
        if student not in counted:
            yield f"{one.name}: for {student.label} the roster names {student.file!r}, so it does not count."


def _several_warning(student: Student, names: Sequence[str]) -> str:
    return f"{student.label} has {len(names)} submissions: {', '.join(names)}. Name the right one in the column file."


def _missing_file_warning(student: Student) -> str:
    return f"{student.label}: no submission is called {student.file!r}, as the roster says. Correct the column file."


def _build_index(keys: Iterable[tuple[str, Student]]) -> dict[str, list[Student]]:
    """Return the students by normalised key."""
    index: dict[str, list[Student]] = defaultdict(list)
    for key, student in keys:
        plain = normalise(key)
        if plain and student not in index[plain]:
            index[plain].append(student)
    return index


def _name_forms(name: str) -> Iterator[str]:
    """Yield a name as exports write it: Jane Doe is doejane in Canvas, and Doe, Jane elsewhere."""
    yield name
    last, comma, first = name.partition(",")
    if comma:
        yield f"{first} {last}"
    else:
        for at in range(1, len(words := name.split())):
            yield " ".join([*words[at:], *words[:at]])


def _logins(keys: Iterable[str]) -> Iterator[str]:
    """Yield the keys, and the part of an address before the @, which is often the login."""
    for key in keys:
        yield key
        login, sign, _ = key.partition("@")
        if sign:
            yield login


def _paths_of(name: str) -> list[str]:
    """Return what a roster may call a submission: its path, or a folder of it."""
    return [name, *name.split("/")[:-1]]


def normalise(text: str) -> str:
    """Return a text without differences in case, accent encoding, spaces and most punctuation."""
    return "".join(re.findall(r"[^\W_]+|[.@]", unicodedata.normalize("NFKC", text).casefold()))
