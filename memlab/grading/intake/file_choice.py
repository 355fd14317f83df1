"""Chooses the lab's file among the files of a student, without guessing.

A file with the lab's own name is chosen; several must have the same text. Otherwise the only .py or .ipynb that could
be the lab's is chosen. Other files, such as a conftest.py, a json.py or a helper, are not used.
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from memlab.grading.intake.archive import open_zip
from memlab.grading.intake.files import File, Folder, Node, Rejected, walk
from memlab.labs.lab import Lab, load, numbers
from memlab.labs.learner.submission import NotHandedIn, largest, text_of

MAX_FILES = 2_000
MAX_ZIP_BYTES = 20_000_000
"""Files of one student, and bytes of them as a zip."""
MAX_NAMED = 5
"""Files named in a sentence, and files read to compare them."""
LEFT_BY_TOOLS = re.compile(r"\..*|__MACOSX|__pycache__|node_modules|env|venv|site-packages|Thumbs\.db|desktop\.ini")
"""Files and folders that systems and tools create."""
NOT_A_LAB_FILE = re.compile(r"conftest|sitecustomize|usercustomize|setup|__init__|test_.*|.*_test")
"""Python files that configure Python or pytest, and tests."""
WORK_FOLDER = re.compile(r"lab[0-9]{2}-work")
"""The folder in which a notebook keeps the file made from its cells."""
ATTEMPT = re.compile(r"[ _-]?\(?([0-9]{1,3})\)?$")
"""A number after a name: an attempt in Canvas (memory_mix-1.py), a copy in a browser (memory_mix (1).py)."""


@dataclass
class StudentFiles:
    """The files of one student, and the rejected entries among them.

    `counted`: a number after a name counts the attempts. `by_itself`: there is one file, named after the student.
    """

    files: list[File] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    counted: bool = False
    by_itself: bool = False

    def add(self, node: Node) -> None:
        """Add a file, or all files in a folder. Raises NotHandedIn if there are too many."""
        for one in list_files(node) if isinstance(node, Folder) else [node]:
            if isinstance(one, File):
                self.files.append(one)
            elif isinstance(one, Rejected):
                self.rejected.append(one)


def list_files(folder: Folder) -> Iterator[File | Rejected]:
    """Return the files in a folder, without those that tools create. Raises NotHandedIn."""
    inside = walk(folder, lambda one: not LEFT_BY_TOOLS.fullmatch(one.name), MAX_FILES)
    return (node for node in inside if not LEFT_BY_TOOLS.fullmatch(node.name))


def choose_file(handed: StudentFiles, lab: Lab) -> tuple[File, str, str]:
    """Return the lab's file, its text, and a note for the instructor.

    Raises NotHandedIn if there is none, or more than one candidate.
    """
    if not with_lab_name(handed.files, lab):
        _open_archives(handed)
    files, note = _find_candidates(handed, lab)
    if len(files) > MAX_NAMED:
        raise _ambiguous(files)
    read = [(read_source(file, lab), file) for file in files]
    if len({text for text, _ in read}) > 1:
        raise _ambiguous(files)
    text, file = read[0]
    beside = [one for one in handed.files if one.name.lower().endswith(".py") and one not in files]
    alone = f"Not used: {_names(beside)}." if beside else ""
    odd = " ".join(f"{one.path} {one.why}." for one in handed.rejected[:1])
    return file, text, " ".join(filter(None, (note, alone, odd)))


def with_lab_name(files: Iterable[File], lab: Lab) -> list[File]:
    """Return the files that have the lab's own name."""
    return [file for file in files if attempt_number(file.name, lab) is not None]


def attempt_number(name: str, lab: Lab) -> int | None:
    """Return the attempt number after the lab's own name, 0 without one; None if the name is another."""
    stem, _, ending = name.lower().rpartition(".")
    behind = ATTEMPT.search(stem)
    for bare, count in ((stem, 0), (stem[: behind.start()], int(behind[1])) if behind else ("", 0)):
        if f"{bare}.{ending}" in {lab.file.lower(), f"{lab.name}.ipynb"}:
            return count
    return None


def is_candidate(name: str) -> bool:
    """Return whether a file of this name could be a lab's."""
    stem, _, ending = name.lower().rpartition(".")
    return ending in {"py", "ipynb"} and not NOT_A_LAB_FILE.fullmatch(stem)


def read_source(file: File, lab: Lab) -> str:
    """Return the text of a lab's file as Python reads it: no byte order mark, lines end in a line feed.

    Raises NotHandedIn.
    """
    text = text_of(file.name, file.read(largest(file.name)), lab.number).removeprefix("\ufeff")
    if "\0" in text:
        raise NotHandedIn(f"{file.name} contains a zero byte. Save the file as UTF-8.")
    if not text.strip():
        raise NotHandedIn(f"{file.name} is empty. Submit the file that you worked in.")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _find_candidates(handed: StudentFiles, lab: Lab) -> tuple[list[File], str]:
    """Return the files that could be the lab's, and a note if another name was accepted."""
    rest: list[File] = []
    aside: list[File] = []
    for file in handed.files:
        (aside if any(WORK_FOLDER.fullmatch(part) for part in file.path.split("/")) else rest).append(file)
    if named := with_lab_name(rest, lab) or with_lab_name(aside, lab):
        return _keep_last_attempt(named, lab) if handed.counted else (named, "")
    for one in handed.rejected:
        if attempt_number(one.name, lab) is not None or not rest:
            raise NotHandedIn(f"{one.path} {one.why}.")
    others = [file for file in rest if is_candidate(file.name) and file.name not in _files_of_other_labs(lab)]
    usual = [file for file in others if file.name.rpartition(".")[0] not in sys.stdlib_module_names]
    candidates = usual or others
    if not candidates:
        there = f" Found: {_names(handed.files)}." if handed.files else ""
        raise NotHandedIn(
            f"No {_expected_names(lab)} was submitted, and no other .py or .ipynb that could be the lab's.{there}"
        )
    if len(candidates) > 1:
        raise NotHandedIn(f"No {_expected_names(lab)} was submitted, but {_names(candidates)}. Rename the right one.")
    note = "" if handed.by_itself else f"{candidates[0].path} was taken as {lab.file}: there is no other candidate."
    return candidates, note


def _keep_last_attempt(files: list[File], lab: Lab) -> tuple[list[File], str]:
    """Return the last attempt, if numbers in the names tell it."""
    counts = [attempt_number(file.name, lab) or 0 for file in files]
    if len(files) == 1 or counts.count(max(counts)) > 1:
        return files, ""
    last = files[counts.index(max(counts))]
    return [last], f"{last.path} is the last of {len(files)} attempts, by the number after its name."


def _open_archives(handed: StudentFiles) -> None:
    """Open the zips of a student; a zip in a zip is not opened."""
    zips = [file for file in handed.files if file.name.lower().endswith(".zip")]
    for file in zips[:MAX_NAMED]:
        handed.files.remove(file)
        handed.add(open_zip(io.BytesIO(file.read(MAX_ZIP_BYTES)), file.path, file.name))


def _files_of_other_labs(lab: Lab) -> set[str]:
    others = [load(one) for one in numbers() if one != lab.number]
    return {name for one in others for name in (one.file, f"{one.name}.ipynb")}


def _expected_names(lab: Lab) -> str:
    return f"{lab.file} or {lab.name}.ipynb"


def _ambiguous(files: Sequence[File]) -> NotHandedIn:
    return NotHandedIn(f"{_names(files)}: which file is the right one? Submit only that one.")


def _names(files: Sequence[File]) -> str:
    more = f" and {len(files) - MAX_NAMED} more" if len(files) > MAX_NAMED else ""
    return ", ".join(file.path for file in files[:MAX_NAMED]) + more
