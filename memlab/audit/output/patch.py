"""A patch that corrects what can be corrected without a decision: exact repetitions, and paths with one new place."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Sequence
from difflib import unified_diff
from pathlib import Path

from memlab.audit.entry import Finding
from memlab.memory.environment.tree import TreeTooLargeError, ending_in, walk


def propose(findings: Sequence[Finding], folder: Path, root: Path) -> str:
    """Return a patch for `git apply`, with paths relative to the folder; "" if nothing can be corrected."""
    by_file = defaultdict[str, list[Finding]](list)
    for one in findings:
        by_file[one.file].append(one)
    return "".join(
        _patch(folder / file if folder.is_dir() else folder, file, some, root) for file, some in by_file.items()
    )


def _patch(path: Path, file: str, findings: Sequence[Finding], root: Path) -> str:
    try:
        old = path.read_text(encoding="utf-8").splitlines(keepends=True)
    except (OSError, UnicodeDecodeError):
        return ""
    new = [*old]
    for one in findings:
        at = one.line - 1
        if (
            one.kind == "duplicate"
            and at < len(old)
            and "\n" not in one.evidence
            and old[at].strip() == one.evidence.strip()
        ):
            new[at] = ""
        elif one.kind == "missing" and (place := _new_place(one.about, root)) and at < len(old):
            new[at] = new[at].replace(one.about, place)
    return "".join(unified_diff(old, [line for line in new if line], f"a/{file}", f"b/{file}"))


def _new_place(path: str, root: Path) -> str:
    """Return the only path of the repository with the same last name; "" if there are none or several."""
    if "/" not in path or path.endswith("/"):
        return ""
    try:
        found = [*ending_in(walk(str(root)), posixpath.basename(path))]
    except TreeTooLargeError:
        return ""
    return found[0] if len(found) == 1 else ""
