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

from memlab.grading.intake.archive import in_zip
from memlab.grading.intake.files import File, Folder, Node, Odd, walk
from memlab.labs.lab import Lab, load, numbers
from memlab.labs.learner.submission import NotHandedIn, largest, text_of

MOST_FILES = 2_000
LARGEST_ZIP = 20_000_000
"""Files of one student, and bytes of them as a zip."""
TOLD = 5
"""Files that a sentence names, and that are read to see if they are the same."""
LEFT_BEHIND = re.compile(r"\..*|__MACOSX|__pycache__|node_modules|env|venv|site-packages|Thumbs\.db|desktop\.ini")
"""What systems and tools leave in a folder."""
NEVER = re.compile(r"conftest|sitecustomize|usercustomize|setup|__init__|test_.*|.*_test")
"""Python files that steer Python or pytest, and tests: never a lab's file."""
WORKED_IN = re.compile(r"lab[0-9]{2}-work")
"""Where a notebook keeps the file that was made of its cells."""
NUMBER = re.compile(r"[ _-]?\(?([0-9]{1,3})\)?$")
"""What is put behind a name that was there: by Canvas (memory_mix-1.py), by a browser (memory_mix (1).py)."""


@dataclass
class Handed:
    """The files of one student, and what is odd among them.

    `counted`: a number behind a name counts the attempts; `by_itself`: it is one file, called as its student is.
    """

    files: list[File] = field(default_factory=list)
    odd: list[Odd] = field(default_factory=list)
    counted: bool = False
    by_itself: bool = False

    def add(self, node: Node) -> None:
        """Add a file, or all that lies in a folder. Raises NotHandedIn where that is too much."""
        for one in plain(node) if isinstance(node, Folder) else [node]:
            if isinstance(one, File):
                self.files.append(one)
            elif isinstance(one, Odd):
                self.odd.append(one)


def plain(folder: Folder) -> Iterator[File | Odd]:
    """Give what lies in a folder, without what systems and tools leave there. Raises NotHandedIn."""
    inside = walk(folder, lambda one: not LEFT_BEHIND.fullmatch(one.name), MOST_FILES)
    return (node for node in inside if not LEFT_BEHIND.fullmatch(node.name))


def chosen(handed: Handed, lab: Lab) -> tuple[File, str, str]:
    """Give the lab's file of what a student handed in, its text, and what a person should know.

    Raises NotHandedIn where there is none, or where more than one could be meant.
    """
    if not own(handed.files, lab):
        _open_archives(handed)
    files, note = _meant(handed, lab)
    if len(files) > TOLD:
        raise _which(files)
    read = [(source(file, lab), file) for file in files]
    if len({text for text, _ in read}) > 1:
        raise _which(files)
    text, file = read[0]
    beside = [one for one in handed.files if one.name.lower().endswith(".py") and one not in files]
    alone = f"Not brought along: {_names(beside)}." if beside else ""
    odd = " ".join(f"{one.path} {one.why}." for one in handed.odd[:1])
    return file, text, " ".join(filter(None, (note, alone, odd)))


def own(files: Iterable[File], lab: Lab) -> list[File]:
    """Choose the files that have the lab's own name."""
    return [file for file in files if number(file.name, lab) is not None]


def number(name: str, lab: Lab) -> int | None:
    """Tell by a number whether a file has the lab's own name: the one behind it, 0 where none is, else None."""
    stem, _, ending = name.lower().rpartition(".")
    behind = NUMBER.search(stem)
    for bare, count in ((stem, 0), (stem[: behind.start()], int(behind[1])) if behind else ("", 0)):
        if f"{bare}.{ending}" in {lab.file.lower(), f"{lab.name}.ipynb"}:
            return count
    return None


def could_be(name: str) -> bool:
    """Tell if a file of this name could be a lab's."""
    stem, _, ending = name.lower().rpartition(".")
    return ending in {"py", "ipynb"} and not NEVER.fullmatch(stem)


def source(file: File, lab: Lab) -> str:
    """Read a lab's file as Python reads it: no byte order mark, and every line ends in a line feed.

    Raises NotHandedIn.
    """
    text = text_of(file.name, file.read(largest(file.name)), lab.number).removeprefix("\ufeff")
    if "\0" in text:
        raise NotHandedIn(f"{file.name} holds a byte 0, which no Python file does. Save the file as UTF-8.")
    if not text.strip():
        raise NotHandedIn(f"{file.name} is empty. Hand in the file that you worked in.")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _meant(handed: Handed, lab: Lab) -> tuple[list[File], str]:
    """Choose the files that could be the lab's, and say why where it is not by their name."""
    rest: list[File] = []
    aside: list[File] = []
    for file in handed.files:
        (aside if any(WORKED_IN.fullmatch(part) for part in file.path.split("/")) else rest).append(file)
    if named := own(rest, lab) or own(aside, lab):
        return _latest(named, lab) if handed.counted else (named, "")
    for one in handed.odd:
        if number(one.name, lab) is not None or not rest:
            raise NotHandedIn(f"{one.path} {one.why}.")
    others = [file for file in rest if could_be(file.name) and file.name not in _of_other_labs(lab)]
    usual = [file for file in others if file.name.rpartition(".")[0] not in sys.stdlib_module_names]
    meant = usual or others
    if not meant:
        there = f" There is {_names(handed.files)}." if handed.files else ""
        raise NotHandedIn(f"No {_wanted(lab)} was handed in, nor another .py or .ipynb that could be meant.{there}")
    if len(meant) > 1:
        raise NotHandedIn(f"No {_wanted(lab)} was handed in, but {_names(meant)}. Rename the one that is meant.")
    note = "" if handed.by_itself else f"{meant[0].path} was taken for {lab.file}: nothing else could be meant."
    return meant, note


def _latest(files: list[File], lab: Lab) -> tuple[list[File], str]:
    """Choose the last attempt, where numbers tell it."""
    counts = [number(file.name, lab) or 0 for file in files]
    if len(files) == 1 or counts.count(max(counts)) > 1:
        return files, ""
    last = files[counts.index(max(counts))]
    return [last], f"{last.path} is the last of {len(files)} attempts, by the number behind its name."


def _open_archives(handed: Handed) -> None:
    """Look into the zips of a student; a zip in a zip stays shut."""
    zips = [file for file in handed.files if file.name.lower().endswith(".zip")]
    for file in zips[:TOLD]:
        handed.files.remove(file)
        handed.add(in_zip(io.BytesIO(file.read(LARGEST_ZIP)), file.path, file.name))


def _of_other_labs(lab: Lab) -> set[str]:
    others = [load(one) for one in numbers() if one != lab.number]
    return {name for one in others for name in (one.file, f"{one.name}.ipynb")}


def _wanted(lab: Lab) -> str:
    return f"{lab.file} or {lab.name}.ipynb"


def _which(files: Sequence[File]) -> NotHandedIn:
    return NotHandedIn(f"{_names(files)}: which one is meant? Hand in one of them.")


def _names(files: Sequence[File]) -> str:
    more = f" and {len(files) - TOLD} more" if len(files) > TOLD else ""
    return ", ".join(file.path for file in files[:TOLD]) + more
