"""What was handed in, out of a file, a notebook, a zip, or a folder of any of these: one lab's file of each student.

It is only ever read, in memory and within bounds: no archive is unpacked, no link followed, and nothing compiled.
Python's parser can be brought down by what it reads, so a syntax error is found where the file runs, in its sandbox.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from itertools import count
from pathlib import Path

from memlab.grading.intake import file_choice
from memlab.grading.intake.archive import open_zip
from memlab.grading.intake.files import File, Folder, Node, join_path, open_file, open_folder, printable_name
from memlab.grading.intake.lms_exports import (
    MAX_METADATA_BYTES,
    METADATA,
    Sender,
    classroom_slug,
    find_sender,
    read_submitters,
)
from memlab.labs.lab import Lab
from memlab.labs.learner.submission import NotHandedIn

IGNORED_ENDINGS = (".csv", ".yml", ".yaml", ".toml", ".json", ".md", ".log")
"""Endings of what lies among the submissions of a class, and is none."""
WRAPPERS = frozenset({"submitted", "submissions", "submission"})
"""Folders that are nobody's name."""


class NoSubmissions(ValueError):
    """There is nothing to grade at a place: the message says what is there, and what to name instead."""


@dataclass(frozen=True)
class Submission:
    """What one student handed in, or one group.

    `name` is the path of the lab's file as it was handed in, or of the folder where none was found. `source` is its
    text as it is graded: without a byte order mark, and every line ends in a line feed, as Python itself reads it.
    `problem` is "", or says in a sentence why there is no source; `note` says what a person should know all the same.
    `student` is who handed it in as far as names tell, `ids` is what else tells who it is. `digest` (SHA-256) changes
    with what is graded, and with nothing else.
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
class Bundle:
    """What one student handed in, not looked into yet."""

    sender: Sender
    name: str
    nodes: list[Node] = field(default_factory=list)


def read_submissions(place: Path, lab: Lab) -> list[Submission]:
    """Read what was handed in at a place, sorted by name, each under a name of its own.

    What cannot be read is a submission with a problem. Raises NoSubmissions where there is none at all.
    """
    label = printable_name(place.absolute().name)
    try:
        with _open(place, label) as what:
            found = [_read_bundle(bundle, lab) for bundle in _split_by_student(what, label, lab)]
    except NotHandedIn as none:
        found = [_without_source(Bundle(find_sender(label, {}), label), str(none))]
    if not found:
        raise NoSubmissions(f"{place} holds no .py, .ipynb or .zip, and no folder with one. Name another place.")
    return _rename_duplicates(sorted(found, key=lambda one: one.name))


@contextmanager
def _open(place: Path, label: str) -> Iterator[Node]:
    """Look at a place, and at an archive as long as it lasts."""
    if place.is_dir():
        yield open_folder(place.resolve())
    elif not place.is_file():
        raise NoSubmissions(f"there is no file and no folder {place}. Name a .py, an .ipynb, a .zip or a folder.")
    elif place.suffix.lower() != ".zip":
        yield open_file(place.resolve(), label)
    else:
        with place.open("rb") as file:
            yield open_zip(file, "", label)


def _split_by_student(what: Node, label: str, lab: Lab) -> list[Bundle]:
    """Divide what lies at a place among the students. Raises NotHandedIn where it cannot be listed."""
    if not isinstance(what, Folder):
        return [Bundle(find_sender(label, {}), label, [replace(what, name=label)])]
    top, nodes = _enter_wrappers(what)
    if not _is_one_student(nodes, lab):
        return _group_by_sender(nodes, classroom_slug(top.name))
    parts = [label, *filter(None, top.path.split("/"))]
    who = next((part for part in reversed(parts) if part.lower() not in {*WRAPPERS, lab.name}), label)
    mine = find_sender(who, {})
    if not top.path:
        nodes = [replace(node, path=join_path(label, node.path)) for node in nodes]
    return [Bundle(replace(mine, ids=(*mine.ids, *parts)), top.path or label, nodes)]


def _enter_wrappers(folder: Folder) -> tuple[Folder, list[Node]]:
    """Go down as long as there is nothing but one folder."""
    while True:
        nodes = [node for node in folder.list_entries() if not file_choice.LEFT_BY_TOOLS.fullmatch(node.name)]
        if len(nodes) != 1 or not isinstance(nodes[0], Folder):
            return folder, nodes
        folder = nodes[0]


def _is_one_student(nodes: Iterable[Node], lab: Lab) -> bool:
    """Tell one student's folder from a class: the lab's file lies on top, and nothing beside it could be another's."""
    nodes = list(nodes)
    files = [node for node in nodes if isinstance(node, File)]
    if not file_choice.with_lab_name(files, lab) or any(file.name.lower().endswith(".zip") for file in files):
        return False
    folders = [node for node in nodes if isinstance(node, Folder) and not file_choice.WORK_FOLDER.fullmatch(node.name)]
    return not any(file_choice.is_candidate(one.name) for folder in folders for one in file_choice.list_files(folder))


def _group_by_sender(nodes: Sequence[Node], slug: str) -> list[Bundle]:
    """Put together what one student handed in, by the names that exports give."""
    known = _read_gradescope(nodes)
    bundles: dict[object, Bundle] = {}
    for number, node in enumerate(nodes):
        who = find_sender(node.name, known, slug)
        if not who.file and not isinstance(node, Folder) and node.name.lower().endswith(IGNORED_ENDINGS):
            continue
        bundle = bundles.setdefault((who.name, *who.ids) if who.file else number, Bundle(who, node.path))
        bundle.sender = replace(bundle.sender, late=bundle.sender.late or who.late)
        bundle.nodes.append(replace(node, name=who.file or node.name))
    return list(bundles.values())


def _read_gradescope(nodes: Iterable[Node]) -> Mapping[str, Sender]:
    """Read whom Gradescope tells of; where that cannot be read, its numbers stand for the students."""
    told = next((node for node in nodes if isinstance(node, File) and node.name == METADATA), None)
    try:
        return read_submitters(told.read(MAX_METADATA_BYTES)) if told else {}
    except NotHandedIn:
        return {}


def _read_bundle(bundle: Bundle, lab: Lab) -> Submission:
    """Read the lab's file of what a student handed in."""
    by_itself = len(bundle.nodes) == 1 and file_choice.is_candidate(bundle.nodes[0].name) and not bundle.sender.file
    handed = file_choice.StudentFiles(counted=bundle.sender.counted, by_itself=by_itself)
    try:
        for node in bundle.nodes:
            handed.add(node)
        file, text, note = file_choice.choose_file(handed, lab)
    except NotHandedIn as none:
        return _without_source(bundle, str(none))
    digest = sha256(text.encode()).hexdigest()
    return Submission(file.path, text, "", digest, note, bundle.sender.name, bundle.sender.ids, bundle.sender.late)


def _without_source(bundle: Bundle, problem: str) -> Submission:
    digest = sha256(problem.encode()).hexdigest()
    return Submission(bundle.name, "", problem, digest, "", bundle.sender.name, bundle.sender.ids, bundle.sender.late)


def _rename_duplicates(found: Sequence[Submission]) -> list[Submission]:
    """Give each submission a name of its own, also where two only looked different in what cannot be seen."""
    names, numbers = {one.name for one in found}, defaultdict[str, Iterator[int]](partial(count, 2))
    seen: set[str] = set()
    distinct = []
    for one in found:
        name = one.name
        if name in seen:
            name = next(free for number in numbers[name] if (free := f"{one.name} ({number})") not in names)
            names.add(name)
        seen.add(name)
        distinct.append(replace(one, name=name))
    return distinct
