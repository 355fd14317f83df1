"""Writes submissions to folders and zips, for the tests that read them."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path

from memlab.grading.intake.submissions import Submission, read_submissions
from memlab.labs.lab import load

LAB = load("07")


MIX = "class MemoryMix:\n    pass\n"


NOTEBOOK = json.dumps({"nbformat": 4, "cells": [{"cell_type": "code", "source": "# lab07: rules\nx = 1"}]})


Files = Mapping[str, str | bytes]


def write_files(folder: Path, files: Files) -> Path:
    """Write files under a folder; a name that ends in a slash is a folder."""
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith("/"):
            path.mkdir()
        else:
            path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def zip_files(files: Files) -> bytes:
    """Return a zip of files."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return made.getvalue()


def write_and_read(folder: Path, files: Files) -> list[Submission]:
    return read_submissions(write_files(folder, files), LAB)
