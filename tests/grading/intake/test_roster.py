"""A roster lists the students of a class; submissions are matched with it exactly."""

from pathlib import Path

import pytest

from memlab.grading.intake.csv_rows import MAX_BYTES
from memlab.grading.intake.roster import BadRoster, Roster, read_roster
from memlab.grading.intake.submissions import Submission, read_submissions
from memlab.labs.lab import load

LAB = load("07")


def roster(folder: Path, text: str, encoding: str = "utf-8") -> Roster:
    path = folder / "roster.csv"
    path.write_bytes(text.encode(encoding))
    return read_roster(path)


def make_submission(name: str, *ids: str, student: str = "") -> Submission:
    bare = name.partition("/")[0].removesuffix(".py")
    return Submission(name, "x = 1", "", "", student=student or bare, ids=ids or (bare,))


EXPORTS = {
    "plain": "id,name\n12345,Jane Doe\n12346,John Roe\n",
    "Canvas": (
        "Student,ID,SIS User ID,SIS Login ID,Section,Lab 07 (99)\n"
        '    Points Possible,,,,,10\n"Doe, Jane",12345,S-1,jdoe,A,\n"Roe, John",12346,S-2,jroe,A,\n'
    ),
    "Moodle": (
        "\ufeffIdentifier;Full name;Email address;Status\nParticipant 12345;Jane Doe;jdoe@x.edu;No submission\n"
        "Participant 12346;John Roe;jroe@x.edu;Submitted\n"
    ),
    "Gradescope": "First Name\tLast Name\tSID\tEmail\nJane\tDoe\t12345\tjdoe@x.edu\nJohn\tRoe\t12346\tjroe@x.edu\n",
    "GitHub Classroom": (
        '\ufeff"identifier","github_username","github_id","name"\n"12345","jdoe","1",""\n"12346","jroe","2",""\n'
    ),
    "nbgrader": "id,first_name,last_name,email\r\njdoe,Jane,Doe,jdoe@x.edu\r\njroe,John,Roe,jroe@x.edu\r\n",
}
SENT = {
    "Canvas": [make_submission("doejane_12345_1_memory_mix.py", "12345", student="doejane")],
    "Moodle": [
        make_submission("Jane Doe_12345_assignsubmission_file_/memory_mix.py", "Participant 12345", student="Jane Doe")
    ],
    "Gradescope": [
        make_submission("submission_7/memory_mix.py", "12345", "jdoe@x.edu", "submission_7", student="Jane Doe")
    ],
    "GitHub Classroom": [make_submission("lab-07-jdoe/memory_mix.py", "lab-07-jdoe", "jdoe", student="jdoe")],
    "nbgrader": [make_submission("jdoe/lab07/lab07.ipynb")],
    "plain": [make_submission("Doe, Jane.py")],
}


@pytest.mark.parametrize("export", EXPORTS)
def test_the_roster_of_each_platform_matches_its_submissions(export: str, tmp_path: Path) -> None:
    known = roster(tmp_path, EXPORTS[export])
    assert [student.line for student in known.students] == ([3, 4] if export == "Canvas" else [2, 3])
    found = known.match(SENT[export])
    (jane,) = found.students[SENT[export][0].name]
    assert jane == known.students[0]
    assert found.missing == known.students[1:], "students without a submission are listed"
    assert found.warnings == ()


@pytest.mark.parametrize(
    "name", ["12345", "Jane Doe", "jane-doe", "DOE_JANE", "Doe, Jane", "doejane", "jdoe", "jdoe@x.edu"]
)
def test_an_id_a_login_an_address_or_any_spelling_of_a_name_identifies_a_student(name: str, tmp_path: Path) -> None:
    known = roster(tmp_path, "student id,name,email\n12345,Jane Doe,jdoe@x.edu\n12346,Ines Núñez,n@x.edu\n")
    assert known.match([make_submission(f"{name}.py")]).students[f"{name}.py"] == known.students[:1]
    decomposed = make_submission("In\u0065s Nu\u0301n\u0303ez.py")
    assert known.match([decomposed]).students[decomposed.name] == known.students[1:]


def test_the_gradebook_names_a_student_by_name_and_id_and_a_group_by_all_members(tmp_path: Path) -> None:
    known = roster(tmp_path, "id,name\n1,Jane Doe\n2,John Roe\n3,\n")
    group = make_submission("submission_7/memory_mix.py", "1", "2", "submission_7", student="Jane Doe & John Roe")
    found = known.match([group, make_submission("3.py"), make_submission("stranger.py")])
    assert found.label(group.name) == "Jane Doe (1) & John Roe (2)"
    assert (found.label("3.py"), found.label("stranger.py")) == ("3", "")
    assert found.missing == ()


def test_a_submission_of_an_unknown_student_is_kept_and_reported(tmp_path: Path) -> None:
    found = roster(tmp_path, "id,name\n1,Jane Doe\n").match([make_submission("stranger.py"), make_submission("1.py")])
    assert found.students["stranger.py"] == ()
    assert found.warnings == (
        "stranger.py: no student of the roster matches, or several do. It is graded; name it in the column file.",
    )


def test_a_submission_that_matches_two_students_is_given_to_neither(tmp_path: Path) -> None:
    known = roster(tmp_path, "id,name\n1,Jane Doe\n2,Doe Jane\n3,John Roe\n")
    found = known.match([make_submission("doejane.py"), make_submission("johnroe.py"), make_submission("2.py")])
    assert found.students == {"doejane.py": (), "johnroe.py": known.students[2:], "2.py": known.students[1:2]}
    assert found.missing == known.students[:1]
    assert len(found.warnings) == 1


def test_two_submissions_of_one_student_are_both_kept_and_reported(tmp_path: Path) -> None:
    known = roster(tmp_path, "id,name\n1,Jane Doe\n")
    found = known.match([make_submission("1.py"), make_submission("janedoe/memory_mix.py")])
    assert set(found.students.values()) == {known.students}
    assert found.warnings == (
        "Jane Doe (1) has 2 submissions: 1.py, janedoe/memory_mix.py. Name the right one in the column file.",
    )


@pytest.mark.parametrize("file", ["janedoe/memory_mix.py", "janedoe", "JaneDoe"])
def test_the_file_that_the_roster_names_counts(file: str, tmp_path: Path) -> None:
    known = roster(tmp_path, f"id,name,file\n1,Jane Doe,{file}\n2,John Roe,\n")
    found = known.match([make_submission("1.py"), make_submission("janedoe/memory_mix.py"), make_submission("2.py")])
    assert found.students == {
        "1.py": (),
        "janedoe/memory_mix.py": known.students[:1],
        "2.py": known.students[1:],
    }
    assert found.warnings == (f"1.py: for Jane Doe (1) the roster names {file!r}, so it does not count.",)


def test_a_missing_file_that_the_roster_names_is_reported(tmp_path: Path) -> None:
    known = roster(tmp_path, "id,name,file\n1,Jane Doe,jane.py\n")
    found = known.match([])
    assert found.missing == known.students
    assert found.warnings == (
        "Jane Doe (1): no submission is called 'jane.py', as the roster says. Correct the column file.",
    )


def test_a_roster_is_matched_with_a_folder_of_submissions(tmp_path: Path) -> None:
    place = tmp_path / "class"
    for name in ("doejane_LATE_12345_1_memory_mix.py", "roejohn_12346_2_report.pdf", "zoe.py"):
        place.mkdir(exist_ok=True)
        (place / name).write_text("x = 1\n", encoding="utf-8")
    known = roster(place, EXPORTS["plain"])
    found = known.match(read_submissions(place, LAB))
    assert {name: found.label(name) for name in found.students} == {
        "doejane_LATE_12345_1_memory_mix.py": "Jane Doe (12345)",
        "roejohn_12346_2_report.pdf": "John Roe (12346)",
        "zoe.py": "",
    }
    assert found.missing == ()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", r"roster\.csv, line 1: no column identifies the students; found nothing\. Expected columns: id, name"),
        ("a,b\n1,2\n", r"line 1: no column identifies the students; found 'a', 'b'\. Expected columns: id, name"),
        ("x" * 1000, r"found 'x{59}\.\.\.\. Expected columns: id"),
        (
            "id,name\n1,Doe, Jane\n",
            r"line 2: 3 cells, but line 1 has 2 columns\. Put quotes around a cell that contains the separator",
        ),
        (
            "id,name,section\n1,Jane,A\n\n,,B\n",
            r"line 4: neither an id nor a name\. Add one, or remove the line\.",
        ),
        ("id,name\nx1,Jane\nX1,John\n", r"line 3: 'X1' is also in line 2\. Give each student one line"),
        ('id,name\n1,"Jane\n2,John\n', r"line 3: unexpected end of data\. Close the quotes\."),
        ("id,name\n1," + "x" * 200_000 + "\n", r"line 2: field larger than field limit"),
    ],
)
def test_an_invalid_roster_is_reported_with_the_line_and_the_remedy(text: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(BadRoster, match=says):
        roster(tmp_path, text)


def test_a_file_that_is_not_a_roster_is_reported(tmp_path: Path) -> None:
    with pytest.raises(BadRoster, match=r"gone\.csv cannot be read \(No such file or directory\)"):
        read_roster(tmp_path / "gone.csv")
    with pytest.raises(BadRoster, match=r"byte 11 is not UTF-8\. Save the file as CSV in UTF-8\."):
        roster(tmp_path, "id,name\n1,Jü\n", encoding="latin-1")
    with pytest.raises(BadRoster, match="more than 5,000,000 bytes"):
        roster(tmp_path, "id\n" + "1" * MAX_BYTES)


def test_invisible_characters_of_a_roster_are_made_visible(tmp_path: Path) -> None:
    (one,) = roster(tmp_path, 'id,name\n1,"Jane\n\u202eDoe"\n').students
    assert one.label == "Jane\u25a1000a\u25a1202eDoe (1)"
