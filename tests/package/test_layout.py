"""Files and folders of the package stay small enough to be read at once."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import memlab

FILES = sorted(Path(memlab.__file__).parent.rglob("*.py"))
MOST_FILES, MOST_LINES = 20, 300


def test_no_folder_has_more_than_20_files() -> None:
    counts = Counter(path.parent for path in FILES)
    assert {str(folder): count for folder, count in counts.items() if count > MOST_FILES} == {}


def test_no_file_has_more_than_300_lines() -> None:
    lengths = {str(path): len(path.read_text(encoding="utf-8").splitlines()) for path in FILES}
    assert {path: length for path, length in lengths.items() if length > MOST_LINES} == {}
