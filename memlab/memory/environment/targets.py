"""The targets of make, just and task, and the scripts of package.json, read from the text that declares them."""

from __future__ import annotations

import json
import re

from memlab.memory.world import Lookup

PACKAGE = "package.json"
FILES = {
    "make": ("GNUmakefile", "makefile", "Makefile"),
    "just": ("justfile", "Justfile", ".justfile"),
    "task": ("Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml"),
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun"), (PACKAGE,)),
}
"""The possible names of the file at the root that declares the targets of a runner."""
_DECLARED = {
    "make": re.compile(r"^\.PHONY:(.*)|^([^\s#:=][^#:=\n]*):(?!=)", re.MULTILINE),
    "just": re.compile(r"^@?([\w-]+)(?: [^:\n]*)?:(?!=)|^alias ([\w-]+)", re.MULTILINE),
    "task": re.compile(r"^\s+[\"']?([\w:.-]+)[\"']?:", re.MULTILINE),
}
_MORE = re.compile(r"^(?:[s-]?include\b|includes:|import\b|mod\b|[^\s#]*[%$][^=\n]*:)", re.MULTILINE)
"""Lines that include other files, or declare targets by patterns or variables: the list of names is incomplete."""


def find_target(runner: str, name: str, text: str) -> Lookup:
    """Look up a target in the text of the file that declares it; unknown if other files may declare it."""
    if runner in _DECLARED:
        found = (match.groups("") for match in _DECLARED[runner].finditer(text))
        names = {one for groups in found for part in groups for one in part.split()}
    else:
        try:
            names = set(json.loads(text).get("scripts", {}))
        except (ValueError, TypeError, AttributeError, RecursionError):
            return Lookup("unknown", reason=f"{PACKAGE} cannot be read")
    if name in names:
        return Lookup("present")
    if runner in _DECLARED and _MORE.search(text):
        return Lookup("unknown", reason=f"{name} may be declared in another file")
    return Lookup("absent")
