"""The files of a run: written whole or not at all, under names that no student chose."""

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
    """Name what is written for a submission: a few plain letters of the student's name, and a digest that is its own.

    The name is the same in every run, on every file system, and differs for any two submissions.
    """
    plain = unicodedata.normalize("NFKD", grade.student[:LONGEST_NAME]).encode("ascii", "ignore").decode().lower()
    word = _ODD.sub("-", plain).strip("-") or "student"
    told = json.dumps([grade.student, grade.submission]).encode()
    return f"{word[:LONGEST_NAME]}-{sha256(told).hexdigest()[:20]}"


def write_atomically(path: Path, text: str) -> None:
    """Write a file so that it is never seen half written; its folder is made. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f".{path.name}.new")
    new.unlink(missing_ok=True)  # what an interrupted run left, and a link that lies there is not followed
    with new.open("x", encoding="utf-8", newline="") as file:
        file.write(text)
    os.replace(new, path)  # noqa: PTH105 - atomic on every system
