"""Lab 06 as published: one fact per file, an index, recall by description, and a freshness guard.

It has known flaws, which learners find and fix: names become file names unchecked, a description with a newline forges
the index, shared small words make any fact relevant, and the guard reports a URL as a missing path.
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
    MEM_DIR.mkdir(exist_ok=True)
    path = MEM_DIR / f"{name}.md"
    header = f"---\nname: {name}\ndescription: {description}\ntype: {mtype}\n---\n\n"
    path.write_text(header + body.strip() + "\n", encoding="utf-8")
    rows = INDEX.read_text(encoding="utf-8").splitlines() if INDEX.exists() else []
    others = [row for row in rows if not row.startswith(f"- [{name}](")]
    pointer = f"- [{name}]({name}.md) -- {description}"
    INDEX.write_text("\n".join([*others, pointer]) + "\n", encoding="utf-8")
    print(f"wrote {path}")


def recall(query: str) -> str | None:
    """Return the body of the memory whose description shares the most words with the query, or None."""
    best, most = None, 0
    for name, description in _index_rows():
        shared = _score(query, description)
        if shared > most:
            best, most = name, shared
    if best is None:
        return None
    text = (MEM_DIR / f"{best}.md").read_text(encoding="utf-8")
    return text.split("---", 2)[-1].strip()


def plant_stale() -> None:
    """Write a stale fact: it was true until the script moved."""
    write_memory(
        "deploy-script-old",
        "where the deploy script lives",
        "reference",
        "To ship, run scripts/old_deploy.sh from the repo root.",
    )


def verify_before_trust(memory: str) -> tuple[bool, list[str]]:
    """Check every path, flag and variable that a memory names. Returns (ok, problems)."""
    problems = [f"path does not exist: {path}" for path in PATH_RE.findall(memory) if not Path(path).exists()]
    problems += [f"env var is not set: {name}" for name in ENV_RE.findall(memory) if not os.environ.get(name)]
    problems += [f"flag is not in the help: {flag}" for flag in FLAG_RE.findall(memory) if _help_lacks(flag, memory)]
    return not problems, problems


def recall_and_trust(query: str) -> str | None:
    """Return the recalled body if its check passes; otherwise print the problems and return None."""
    memory = recall(query)
    if memory is None:
        return None
    ok, problems = verify_before_trust(memory)
    if ok:
        return memory
    print("STALE -- not serving as fact. flag for refresh:")
    for problem in problems:
        print(f"  - {problem}")
    return None


def _index_rows() -> list[tuple[str, str]]:
    if not INDEX.exists():
        return []
    rows = INDEX.read_text(encoding="utf-8").splitlines()
    found = [re.match(r"- \[(.+?)\]\(.+?\) -- (.+)", row) for row in rows]
    return [(row[1], row[2]) for row in found if row]


def _score(query: str, description: str) -> int:
    return len(_words(query) & _words(description))


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
