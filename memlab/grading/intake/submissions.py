"""Reads submissions from a file, a notebook, a zip, or a folder of these: the lab's file of each student.

Everything is read in memory and within limits: no archive is unpacked to disk, no link followed, nothing compiled.
Hostile input can crash Python's parser, so a syntax error is found in the sandbox, where the file runs.
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
"""Endings of files in a class folder that are not submissions."""
WRAPPERS = frozenset({"submitted", "submissions", "submission"})
"""Names of folders that are not a student's name."""


class NoSubmissions(ValueError):
    """There is nothing to grade: the message says what was found, and what to name instead."""


@dataclass(frozen=True)
class Submission:
    """The submission of one student or one group.

    `name` is the path of the lab's file as it was submitted, or of the folder if none was found. `source` is the text
    that is graded: without a byte order mark, with line feeds. `problem` says why there is no source, or is ""; `note`
    is for the instructor. `student` is the sender's name, `ids` are other identifiers. `digest` (SHA-256) identifies
    what is graded.
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
    """All files of one student, not read yet."""

    sender: Sender
    name: str
    nodes: list[Node] = field(default_factory=list)


def read_submissions(place: Path, lab: Lab) -> list[Submission]:
    """Read all submissions, sorted by unique name.

    One that cannot be read gets a `problem`. Raises NoSubmissions if there are none.
    """
    label = printable_name(place.absolute().name)
    try:
        with _open(place, label) as what:
            found = [_read_bundle(bundle, lab) for bundle in _split_by_student(what, label, lab)]
    except NotHandedIn as error:
        found = [_without_source(Bundle(find_sender(label, {}), label), str(error))]
    if not found:
        raise NoSubmissions(f"{place} contains no .py, .ipynb or .zip file. Name another folder.")
    return _rename_duplicates(sorted(found, key=lambda one: one.name))


@contextmanager
def _open(place: Path, label: str) -> Iterator[Node]:
    """Open a file, a folder or an archive; an archive stays open within the `with` block."""
    if place.is_dir():
        yield open_folder(place.resolve())
    elif not place.is_file():
        problem = "is neither a file nor a folder" if place.exists() else "does not exist"
        raise NoSubmissions(f"{place} {problem}. Name a .py, an .ipynb, a .zip or a folder.")
    elif place.suffix.lower() != ".zip":
        yield open_file(place.resolve(), label)
    else:
        with place.open("rb") as file:
            yield open_zip(file, "", label)


def _split_by_student(what: Node, label: str, lab: Lab) -> list[Bundle]:
    """Split the files among the students. Raises NotHandedIn if they cannot be listed."""
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
    """Enter folders as long as there is nothing but one folder."""
    while True:
        nodes = [node for node in folder.list_entries() if not file_choice.LEFT_BY_TOOLS.fullmatch(node.name)]
        if len(nodes) != 1 or not isinstance(nodes[0], Folder):
            return folder, nodes
        folder = nodes[0]


def _is_one_student(nodes: Iterable[Node], lab: Lab) -> bool:
    """Return whether a folder is one student's: the lab's file is at the top, and no other file could be a lab's."""
    nodes = list(nodes)
    files = [node for node in nodes if isinstance(node, File)]
    if not file_choice.with_lab_name(files, lab) or any(file.name.lower().endswith(".zip") for file in files):
        return False
    folders = [node for node in nodes if isinstance(node, Folder) and not file_choice.WORK_FOLDER.fullmatch(node.name)]
    return not any(file_choice.is_candidate(one.name) for folder in folders for one in file_choice.list_files(folder))


def _group_by_sender(nodes: Sequence[Node], slug: str) -> list[Bundle]:
    """Group the files by sender, by the names that exports give."""
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
    """Read Gradescope's metadata; if that fails, its numbers are used as names."""
    metadata = next((node for node in nodes if isinstance(node, File) and node.name == METADATA), None)
    try:
        return read_submitters(metadata.read(MAX_METADATA_BYTES)) if metadata else {}
    except NotHandedIn:
        return {}


def _read_bundle(bundle: Bundle, lab: Lab) -> Submission:
    """Read the lab's file of one student."""
    by_itself = len(bundle.nodes) == 1 and file_choice.is_candidate(bundle.nodes[0].name) and not bundle.sender.file
    handed = file_choice.StudentFiles(counted=bundle.sender.counted, by_itself=by_itself)
    try:
        for node in bundle.nodes:
            handed.add(node)
        file, text, note = file_choice.choose_file(handed, lab)
    except NotHandedIn as error:
        return _without_source(bundle, str(error))
    digest = sha256(text.encode()).hexdigest()
    return Submission(file.path, text, "", digest, note, bundle.sender.name, bundle.sender.ids, bundle.sender.late)


def _without_source(bundle: Bundle, problem: str) -> Submission:
    digest = sha256(problem.encode()).hexdigest()
    return Submission(bundle.name, "", problem, digest, "", bundle.sender.name, bundle.sender.ids, bundle.sender.late)


def _rename_duplicates(found: Sequence[Submission]) -> list[Submission]:
    """Return the submissions with unique names; a number is added where two look the same."""
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
