"""Which of the files that a student handed in is the lab's: never a guess.

A file with the lab's own name is meant, and several are where all have the same text. Else it is the only .py or
.ipynb that could be meant. What lies beside it is not brought along: a conftest.py, a json.py, a helper.
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
"""Files that a sentence names, and that are read to see if they are the same."""
LEFT_BY_TOOLS = re.compile(r"\..*|__MACOSX|__pycache__|node_modules|env|venv|site-packages|Thumbs\.db|desktop\.ini")
"""What systems and tools leave in a folder."""
NOT_A_LAB_FILE = re.compile(r"conftest|sitecustomize|usercustomize|setup|__init__|test_.*|.*_test")
"""Python files that steer Python or pytest, and tests: never a lab's file."""
WORK_FOLDER = re.compile(r"lab[0-9]{2}-work")
"""Where a notebook keeps the file that was made of its cells."""
ATTEMPT = re.compile(r"[ _-]?\(?([0-9]{1,3})\)?$")
"""What is put behind a name that was there: by Canvas (memory_mix-1.py), by a browser (memory_mix (1).py)."""


@dataclass
class StudentFiles:
    """The files of one student, and what is odd among them.

    `counted`: a number behind a name counts the attempts; `by_itself`: it is one file, called as its student is.
    """

    files: list[File] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    counted: bool = False
    by_itself: bool = False

    def add(self, node: Node) -> None:
        """Add a file, or all that lies in a folder. Raises NotHandedIn where that is too much."""
        for one in list_files(node) if isinstance(node, Folder) else [node]:
            if isinstance(one, File):
                self.files.append(one)
            elif isinstance(one, Rejected):
                self.rejected.append(one)


def list_files(folder: Folder) -> Iterator[File | Rejected]:
    """Give what lies in a folder, without what systems and tools leave there. Raises NotHandedIn."""
    inside = walk(folder, lambda one: not LEFT_BY_TOOLS.fullmatch(one.name), MAX_FILES)
    return (node for node in inside if not LEFT_BY_TOOLS.fullmatch(node.name))


def choose_file(handed: StudentFiles, lab: Lab) -> tuple[File, str, str]:
    """Give the lab's file of what a student handed in, its text, and what a person should know.

    Raises NotHandedIn where there is none, or where more than one could be meant.
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
    alone = f"Not brought along: {_names(beside)}." if beside else ""
    odd = " ".join(f"{one.path} {one.why}." for one in handed.rejected[:1])
    return file, text, " ".join(filter(None, (note, alone, odd)))


def with_lab_name(files: Iterable[File], lab: Lab) -> list[File]:
    """Choose the files that have the lab's own name."""
    return [file for file in files if attempt_number(file.name, lab) is not None]


def attempt_number(name: str, lab: Lab) -> int | None:
    """Tell by a number whether a file has the lab's own name: the one behind it, 0 where none is, else None."""
    stem, _, ending = name.lower().rpartition(".")
    behind = ATTEMPT.search(stem)
    for bare, count in ((stem, 0), (stem[: behind.start()], int(behind[1])) if behind else ("", 0)):
        if f"{bare}.{ending}" in {lab.file.lower(), f"{lab.name}.ipynb"}:
            return count
    return None


def is_candidate(name: str) -> bool:
    """Tell if a file of this name could be a lab's."""
    stem, _, ending = name.lower().rpartition(".")
    return ending in {"py", "ipynb"} and not NOT_A_LAB_FILE.fullmatch(stem)


def read_source(file: File, lab: Lab) -> str:
    """Read a lab's file as Python reads it: no byte order mark, and every line ends in a line feed.

    Raises NotHandedIn.
    """
    text = text_of(file.name, file.read(largest(file.name)), lab.number).removeprefix("\ufeff")
    if "\0" in text:
        raise NotHandedIn(f"{file.name} holds a byte 0, which no Python file does. Save the file as UTF-8.")
    if not text.strip():
        raise NotHandedIn(f"{file.name} is empty. Hand in the file that you worked in.")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _find_candidates(handed: StudentFiles, lab: Lab) -> tuple[list[File], str]:
    """Choose the files that could be the lab's, and say why where it is not by their name."""
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
        there = f" There is {_names(handed.files)}." if handed.files else ""
        raise NotHandedIn(
            f"No {_expected_names(lab)} was handed in, nor another .py or .ipynb that could be meant.{there}"
        )
    if len(candidates) > 1:
        raise NotHandedIn(
            f"No {_expected_names(lab)} was handed in, but {_names(candidates)}. Rename the one that is meant."
        )
    note = "" if handed.by_itself else f"{candidates[0].path} was taken for {lab.file}: nothing else could be meant."
    return candidates, note


def _keep_last_attempt(files: list[File], lab: Lab) -> tuple[list[File], str]:
    """Choose the last attempt, where numbers tell it."""
    counts = [attempt_number(file.name, lab) or 0 for file in files]
    if len(files) == 1 or counts.count(max(counts)) > 1:
        return files, ""
    last = files[counts.index(max(counts))]
    return [last], f"{last.path} is the last of {len(files)} attempts, by the number behind its name."


def _open_archives(handed: StudentFiles) -> None:
    """Look into the zips of a student; a zip in a zip stays shut."""
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
    return NotHandedIn(f"{_names(files)}: which one is meant? Hand in one of them.")


def _names(files: Sequence[File]) -> str:
    more = f" and {len(files) - MAX_NAMED} more" if len(files) > MAX_NAMED else ""
    return ", ".join(file.path for file in files[:MAX_NAMED]) + more
