"""What was handed in, out of a file, a notebook, a zip, or a folder of any of these: one lab's file of each student.

It is only ever read, in memory and within bounds: no archive is unpacked, no link followed, and nothing compiled.
Python's parser can be brought down by what it reads, so a syntax error is found where the file runs, in its sandbox.
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path

from memlab.grading.archive import in_zip
from memlab.grading.exports import LARGEST_METADATA, METADATA, Sender, sender, slug_of, submitters
from memlab.grading.tree import File, Folder, Node, Odd, below, file_on_disk, on_disk, shown, walk
from memlab.labs.lab import Lab, load, numbers
from memlab.labs.learner.handed_in import NotHandedIn, largest, text_of

MOST_FILES = 2_000
LARGEST_ZIP = 20_000_000
"""Files in what one student handed in, and bytes of it as a zip."""
TOLD = 5
"""Names that a sentence tells."""
NUMBER = re.compile(r"[ _-]?\(?([0-9]{1,3})\)?$")
"""What Canvas (memory_mix-1.py) and browsers (memory_mix (1).py) put behind a name."""
NEVER = re.compile(r"conftest|sitecustomize|usercustomize|setup|__init__|test_.*|.*_test")
"""Files that steer Python or pytest, and tests: no lab's file, whatever stands in them."""
UNASKED = re.compile(r"\..*|__MACOSX|__pycache__|node_modules|s?env|venv|site-packages|Thumbs\.db|desktop\.ini")
"""What systems and tools leave behind."""
WORKED_IN = re.compile(r"lab[0-9]{2}-work")
"""Where a notebook keeps the file that it made of its own cells."""
INSTRUCTORS = (".csv", ".yml", ".yaml", ".toml", ".json", ".md", ".log")
"""Endings of what lies among the submissions of a class, and is none."""
WRAPPERS = frozenset({"submitted", "submissions", "submission"})


class NoSubmissions(ValueError):
    """There is nothing to grade at a place: the message says what is there, and what to name instead."""


@dataclass(frozen=True)
class Submission:
    """What one student handed in, or one group.

    `name` is the path of the lab's file as it was handed in, or of the folder where none was found. `source` is its
    text as it is graded: without a byte order mark, and every line ends in a line feed, as Python itself reads it.
    `problem` is "", or says in a sentence why there is no source; `note` says what a person should know all the same.
    `student` is who handed it in as far as names tell, `ids` is what else tells who it is. `digest` changes when what
    is graded does.
    """

    name: str
    source: str
    problem: str
    digest: str
    note: str = ""
    student: str = ""
    ids: tuple[str, ...] = ()
    late: bool = False


@dataclass
class Handed:
    """All that one student handed in."""

    sender: Sender
    name: str
    nodes: list[Node] = field(default_factory=list)


@dataclass(frozen=True)
class Choice:
    """The files that could be the lab's: of these one, or files of one and the same text, make a submission."""

    files: Sequence[File]
    says: str = ""


def submissions(place: Path, lab: Lab) -> list[Submission]:
    """Read what was handed in at a place, sorted by name, each under a name of its own.

    What cannot be read is a submission with a problem. Raises NoSubmissions where there is none at all.
    """
    with _opened(place) as what:
        found = [_read(handed, lab) for handed in _handed(what, place, lab)]
    if not found:
        raise NoSubmissions(f"{place} holds no .py, .ipynb or .zip, and no folder with one. Name another place.")
    return _distinct(sorted(found, key=lambda one: one.name))


@contextmanager
def _opened(place: Path) -> Iterator[Node]:
    """Look at a place, and at an archive as long as it lasts."""
    name = shown(place.absolute().name)
    if place.is_dir():
        yield on_disk(place)
    elif not place.is_file():
        raise NoSubmissions(f"there is no file and no folder {place}. Name a .py, an .ipynb, a .zip or a folder.")
    elif place.suffix.lower() != ".zip":
        yield file_on_disk(place, name)
    else:
        with place.open("rb") as file:
            try:
                archive: Node = in_zip(file, "", name)
            except NotHandedIn as none:
                archive = Odd(name, name, str(none))
            yield archive


def _handed(what: Node, place: Path, lab: Lab) -> list[Handed]:
    """Divide what lies at a place among the students."""
    called = shown(place.absolute().name)
    if not isinstance(what, Folder):
        return [Handed(sender(called, {}), called, [what])]
    try:
        top, nodes = _below_wrappers(what)
    except NotHandedIn as none:
        raise NoSubmissions(str(none)) from None
    if _is_ones_work(nodes, lab):
        parts = [called, *filter(None, top.path.split("/"))]
        who = next((part for part in reversed(parts) if part.lower() not in {*WRAPPERS, lab.name}), called)
        mine = sender(who, {})
        inside = nodes if top.path else [replace(node, path=below(called, node.path)) for node in nodes]
        return [Handed(replace(mine, ids=(*mine.ids, *parts)), top.path or called, inside)]
    return _divided(nodes, slug_of(top.name))


def _below_wrappers(folder: Folder) -> tuple[Folder, list[Node]]:
    """Go down as long as there is nothing but one folder."""
    while True:
        nodes = [node for node in folder.inside() if not UNASKED.fullmatch(node.name)]
        if len(nodes) != 1 or not isinstance(nodes[0], Folder):
            return folder, nodes
        folder = nodes[0]


def _is_ones_work(nodes: Iterable[Node], lab: Lab) -> bool:
    """Tell one student's folder from a class: the lab's file lies on top, and nothing below could be another's."""
    files = [node for node in nodes if isinstance(node, File)]
    if not any(_number(node.name, lab) is not None for node in files):
        return False
    folders = [node for node in nodes if isinstance(node, Folder) and not WORKED_IN.fullmatch(node.name)]
    return not any(_could_be(node.name) for folder in folders for node in _plain(folder))


def _divided(nodes: Iterable[Node], slug: str) -> list[Handed]:
    """Put together what one student handed in, by the names that exports give."""
    nodes = list(nodes)
    told = next((node for node in nodes if isinstance(node, File) and node.name == METADATA), None)
    known = _known(told)
    groups: dict[tuple[str, ...], Handed] = {}
    for node in nodes:
        if not isinstance(node, Folder) and node.name.lower().endswith(INSTRUCTORS):
            continue
        who = sender(node.name, known, slug)
        key = (who.name, *who.ids) if who.file else (node.path,)
        handed = groups.setdefault(key, Handed(who, node.path))
        handed.sender = replace(handed.sender, late=handed.sender.late or who.late)
        handed.nodes.append(replace(node, name=who.file) if who.file and not isinstance(node, Folder) else node)
    return list(groups.values())


def _known(told: File | None) -> Mapping[str, Sender]:
    try:
        return submitters(told.read(LARGEST_METADATA)) if told else {}
    except NotHandedIn:  # its students are named by the number of their submission then
        return {}


def _read(handed: Handed, lab: Lab) -> Submission:
    """Read the lab's file of what a student handed in."""
    name, source, problem, says = handed.name, "", "", [""]
    try:
        found = list(_files(handed, says))
        choice = _choice(found, lab, says)
        read = {file.path: _source(file, lab) for file in choice.files}
        if len(set(read.values())) > 1:
            raise NotHandedIn(f"{handed.name} holds {_names(choice.files)}: which one is meant? Leave one of them.")
        name, source = next(iter(read.items()))
        says.append(choice.says)
    except NotHandedIn as none:
        problem, says = str(none), []
    return Submission(
        name,
        source,
        problem,
        sha256((source or problem).encode()).hexdigest(),
        " ".join(filter(None, says)),
        handed.sender.name,
        handed.sender.ids,
        handed.sender.late,
    )


def _files(handed: Handed, says: list[str]) -> Iterator[File]:
    """Give the files of one student, those in a zip of theirs too; what is odd is told."""
    for node in handed.nodes:
        if isinstance(node, File) and node.name.lower().endswith(".zip"):
            node = in_zip(io.BytesIO(node.read(LARGEST_ZIP)), node.path, node.name)
        for one in _plain(node) if isinstance(node, Folder) else [node]:
            if isinstance(one, File):
                yield one
            elif not says[0]:
                says[0] = f"{one.path} {one.why}."


def _plain(folder: Folder) -> Iterator[File | Odd]:
    """Give what lies in a folder, but for what systems and tools leave behind."""
    inside = walk(folder, lambda one: UNASKED.fullmatch(one.name) is None, MOST_FILES)
    return (node for node in inside if not UNASKED.fullmatch(node.name))


def _choice(files: Sequence[File], lab: Lab, says: Sequence[str]) -> Choice:
    """Choose what could be the lab's file: by its own name, else what is the only one. Raises NotHandedIn."""
    aside = [file for file in files if any(WORKED_IN.fullmatch(part) for part in file.path.split("/"))]
    rest = [file for file in files if file not in aside]
    for some in (rest, aside):
        if own := [file for file in some if _number(file.name, lab) is not None]:
            return Choice(own)
    others = [file for file in rest if _could_be(file.name) and file.name not in _of_other_labs(lab)]
    usual = [file for file in others if file.name.rpartition(".")[0] not in sys.stdlib_module_names]
    meant = usual or others
    if len(meant) == 1:
        return Choice(meant, f"{meant[0].path} was taken for {lab.file}: it is the only one that could be meant.")
    wanted = f"{lab.file} or {lab.name}.ipynb"
    if meant:
        raise NotHandedIn(f"no {wanted} was handed in, but {_names(meant)}. Name the one that is meant {lab.file}.")
    if says[0]:
        raise NotHandedIn(says[0])
    there = f" There is {_names(files)}." if files else ""
    raise NotHandedIn(f"no {wanted} was handed in, nor another .py or .ipynb that could be meant.{there}")


def _number(name: str, lab: Lab) -> int | None:
    """Tell if a file has the lab's own name, and the number that was put behind it, 0 where none was."""
    stem, _, ending = name.lower().rpartition(".")
    number = NUMBER.search(stem)
    plain = {f"{lab.file.lower()}": 0, f"{lab.name}.ipynb": 0}
    if f"{stem}.{ending}" in plain:
        return 0
    bare = stem[: number.start()] if number else stem
    return int(number[1]) if number and f"{bare}.{ending}" in plain else None


def _could_be(name: str) -> bool:
    stem, _, ending = name.lower().rpartition(".")
    return ending in {"py", "ipynb"} and not NEVER.fullmatch(stem)


def _of_other_labs(lab: Lab) -> set[str]:
    others = [load(number) for number in numbers() if number != lab.number]
    return {name for one in others for name in (one.file, f"{one.name}.ipynb")}


def _source(file: File, lab: Lab) -> str:
    """Read a lab's file as Python reads it. Raises NotHandedIn."""
    text = text_of(file.name, file.read(largest(file.name)), lab.number).removeprefix("\ufeff")
    if "\0" in text:
        raise NotHandedIn(f"{file.name} holds a byte 0, which no Python file does. Save the file as UTF-8.")
    if not text.strip():
        raise NotHandedIn(f"{file.name} is empty. Hand in the file that you worked in.")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _names(files: Sequence[File]) -> str:
    names = [file.path for file in files]
    more = f" and {len(names) - TOLD} more" if len(names) > TOLD else ""
    return ", ".join(names[:TOLD]) + more


def _distinct(found: Sequence[Submission]) -> list[Submission]:
    """Give each submission a name of its own: names that only looked different come out the same."""
    names: dict[str, int] = {}
    distinct = []
    for one in found:
        names[one.name] = times = names.get(one.name, 0) + 1
        distinct.append(replace(one, name=f"{one.name} ({times})") if times > 1 else one)
    return distinct
