"""Writes the files of a run atomically, under names that no student can choose."""

from __future__ import annotations

import json
import os
import re
import unicodedata
from hashlib import sha256
from pathlib import Path

from memlab.grading.grade import Grade

LONGEST_NAME = 40
_ODD = re.compile(r"[^a-z0-9]+")


def safe_name(grade: Grade) -> str:
    """Return a file name for a submission: letters of the student's name, and a digest.

    The name is the same in every run, valid on every file system, and unique to the submission.
    """
    plain = unicodedata.normalize("NFKD", grade.student[:LONGEST_NAME]).encode("ascii", "ignore").decode().lower()
    word = _ODD.sub("-", plain).strip("-") or "student"
    parts = json.dumps([grade.student, grade.submission]).encode()
    return f"{word[:LONGEST_NAME]}-{sha256(parts).hexdigest()[:20]}"


def write_atomically(path: Path, text: str) -> None:
    """Write a file so that it is never seen half written; create its folder. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f".{path.name}.new")
    new.unlink(missing_ok=True)  # left by an interrupted run; a link is removed, not followed
    with new.open("x", encoding="utf-8", newline="") as file:
        file.write(text)
    os.replace(new, path)  # noqa: PTH105 - atomic on every system
