"""Lab 06: a memory store with a freshness guard. Your file, to fill in from top to bottom.

`memlab lab check` in this folder says which step is open, what it asks for, and what your code gave instead.
`memlab lab hint` opens a hint for that step. Run the file itself to see what the lab prints.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

MEM_DIR = Path("memory")
INDEX = MEM_DIR / "MEMORY.md"
PATH_RE = re.compile(r"\b[\w./-]+\.(?:sh|py|ya?ml|json|toml|md|txt|js|ts)\b")
FLAG_RE = re.compile(r"(?<![\w-])--[a-z][\w-]*")
ENV_RE = re.compile(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b")

# The help text of each command, registered by a person. The guard never runs a command that a memory names.
HELP: dict[str, str] = {}


def write_memory(name: str, description: str, mtype: str, body: str) -> None:
    """Write one fact to memory/<name>.md and its row to the index.

    `name` is a slug, `description` the line that recall compares, `mtype` is "user", "project" or "reference".
    """
    raise NotImplementedError("step 'write'")


def recall(query: str) -> str | None:
    """Return the body of the memory whose description shares the most words with the query, or None."""
    raise NotImplementedError("step 'recall'")


def plant_stale() -> None:
    """Write a stale fact: it was true until the script moved."""
    raise NotImplementedError("step 'stale'")


def verify_before_trust(memory: str) -> tuple[bool, list[str]]:
    """Check every path, flag and variable that a memory names. Returns (ok, problems)."""
    raise NotImplementedError("step 'verify'")


def recall_and_trust(query: str) -> str | None:
    """Return the recalled body if its check passes; otherwise print the problems and return None."""
    raise NotImplementedError("step 'gate'")


def _index_rows() -> list[tuple[str, str]]:
    if not INDEX.exists():
        return []
    rows = INDEX.read_text(encoding="utf-8").splitlines()
    found = [re.match(r"- \[(.+?)\]\(.+?\) -- (.+)", row) for row in rows]
    return [(row[1], row[2]) for row in found if row]


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z0-9]+", text.lower()))


def _help_lacks(flag: str, memory: str) -> bool:
    help_texts = [text for command, text in HELP.items() if command in memory.split()]
    return bool(help_texts) and all(flag not in text.split() for text in help_texts)


if __name__ == "__main__":
    write_memory(
        "package-manager",
        "which package manager this repo uses",
        "project",
        "This repo prefers pnpm. Do not use npm or yarn; the lockfile is "
        "pnpm-lock.yaml and mixing managers corrupts the store.",
    )
    write_memory(
        "deploy-script",
        "how this project ships to production",
        "reference",
        "Production deploys run scripts/deploy.sh: build first, then push to prod. A person starts it; CI does not.",
    )
