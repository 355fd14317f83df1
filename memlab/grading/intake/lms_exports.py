"""Who submitted what, by the names in exports of Canvas, Moodle, Gradescope and GitHub Classroom.

Canvas (lib/content_zipper.rb of its source): `doejane_LATE_12345_678910_memory_mix-1.py`, where 12345 is the student
and `-1` counts the attempts; `anon_Ab1Cd_678910_memory_mix.py` where students are hidden. Moodle (its
"Download all submissions"): a folder `Jane Doe_12345_assignsubmission_file_`, or that in front of the file's name.
Gradescope: `submission_123456/`, with the students in submission_metadata.yml beside it. GitHub Classroom:
`lab07-submissions/lab07-janedoe/`. Everything else, such as nbgrader's `submitted/janedoe/lab07/lab07.ipynb`: the first
name.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from memlab.grading.intake.files import printable_name

METADATA = "submission_metadata.yml"
MAX_METADATA_BYTES = 30_000_000
"""Bytes; it holds what an earlier autograder printed, too."""
CANVAS = re.compile(
    r"(?:(?P<name>[^A-Z\s]+?)_)?(?P<late>LATE_)?(?P<id>[0-9]+|anon_[0-9A-Za-z]{5})_(?P<upload>[0-9]+)_(?P<file>.+)"
)
MOODLE = re.compile(r"(?P<name>.+?)_(?P<id>[0-9]+)_assignsubmission_(?:file|onlinetext)_?(?P<file>.*)")
SUBMISSION = re.compile(r"(?P<key>submission_[0-9]+):")
SUBMITTERS = "  :submitters:"
FIELD = re.compile(r"  (?:- |  ):(?P<what>name|sid|email): (?P<value>.+)")
MAX_LINE = 400
ENDING = re.compile(r"\.(?:py|ipynb|zip)$", re.IGNORECASE)
PARTICIPANT = "Participant"
"""How Moodle calls everyone: with a number in its grading worksheet, without one where names are hidden."""


@dataclass(frozen=True)
class Sender:
    """Who submitted: the name, other identifiers (ids, addresses), and the original file name.

    `counted`: a number after the file's name counts the attempts.
    """

    name: str
    ids: tuple[str, ...] = ()
    late: bool = False
    file: str = ""
    counted: bool = False


def find_sender(name: str, known: Mapping[str, Sender], slug: str = "") -> Sender:
    """Return who submitted a file or a folder, by its name.

    `known` are the senders from Gradescope's metadata, `slug` is the assignment of GitHub Classroom.
    """
    if name in known:
        return known[name]
    if moodle := MOODLE.fullmatch(name):
        number = f"{PARTICIPANT} {moodle['id']}"
        return Sender(number if moodle["name"] == PARTICIPANT else moodle["name"], (number,), file=moodle["file"])
    if canvas := CANVAS.fullmatch(name):
        return Sender(
            canvas["name"] or canvas["id"], (canvas["id"],), bool(canvas["late"]), canvas["file"], counted=True
        )
    bare = ENDING.sub("", name)
    who = bare.removeprefix(f"{slug}-") if slug else bare
    return Sender(who, tuple(dict.fromkeys((who, bare))))


def classroom_slug(folder: str) -> str:
    """Return the assignment that GitHub Classroom cloned into a folder of this name; "" if none."""
    return folder.removesuffix("-submissions") if folder.endswith("-submissions") else ""


def read_submitters(metadata: bytes) -> dict[str, Sender]:
    """Read from Gradescope's metadata who made each submission; of a group, all members.

    Only the lines at the depth at which Gradescope writes them are read: the file also contains, deeper, what students'
    programs printed.
    """
    fields: dict[str, list[tuple[str, str]]] = {}
    key, within = "", False
    for raw in io.BytesIO(metadata):
        line = raw[:MAX_LINE].decode("utf-8", "replace").rstrip()
        if found := SUBMISSION.fullmatch(line):
            key, within = found["key"], False
        elif line.startswith("  :"):
            within = bool(key) and line == SUBMITTERS
        elif within and (found := FIELD.fullmatch(line)):
            fields.setdefault(key, []).append((found["what"], printable_name(_scalar(found["value"]))))
    return {key: _group(key, list(values)) for key, values in fields.items()}


def _group(key: str, values: list[tuple[str, str]]) -> Sender:
    names = [value for what, value in values if what == "name"]
    ids = [value for what, value in values if what != "name" and value]
    return Sender(" & ".join(names) or key, (*ids, key))


def _scalar(value: str) -> str:
    """Return the value of a line, quoted or not."""
    value = value.strip()
    if len(value) > 1 and value[0] == value[-1] == "'":
        return value[1:-1].replace("''", "'")
    if value.startswith('"'):
        try:
            return str(json.loads(value))
        except (ValueError, RecursionError):
            return value.strip('"')
    return value
