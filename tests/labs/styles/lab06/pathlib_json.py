"""Lab 06 by somebody who keeps pages as published, and what Mend adds in a JSON file beside each: who, when, before.

Makes an unsafe name safe; the guard gives the list of problems; provenance and old texts lie in memory/.about/*.json;
rare words count more; the index keeps its order, and a new row goes to the end.
"""

from __future__ import annotations

import json
import math
import os
import re
import zlib
from pathlib import Path
from typing import Any

MEM_DIR = Path("memory")
INDEX = MEM_DIR / "MEMORY.md"
ABOUT = MEM_DIR / ".about"
HELP: dict[str, str] = {}

TRUSTED = ["agent", "tool", "user"]  # the later, the higher
SMALL_WORDS = set(
    "a about an and any are as at be been by can could did do does for from had has have he her his how i if in into "
    "is it its me my no not of on or our please she should so some tell than that the their them then there these they "
    "this those to us was we were what when where which who whom whose why will with would you your".split()
)
ENDINGS = (
    ".sh .py .js .ts .json .yaml .yml .toml .md .txt .html .css .csv .sql .ini .cfg .conf .lock .xml .ipynb .rst"
).split()
ORDERS = (
    "always never ignore disregard forget run execute use send mail post copy delete remove install download upload "
    "push deploy tell reveal approve pay"
).split()


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


def safe_name(name: str) -> str:
    if re.fullmatch(r"[a-z0-9]+([-_][a-z0-9]+)*", name) and len(name) <= 100 and name != "memory":
        return name
    letters = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40]
    return f"{letters}-{zlib.crc32(name.encode('utf-8', 'replace')):08x}".strip("-")


def write_atomically(path: Path, text: str) -> None:
    """Write a file beside its place and move it there: who reads sees the old text or the new one."""
    beside = path.with_suffix(".tmp")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)


def about(name: str) -> dict[str, Any]:
    """What is known about a page beside its text: {"source": ..., "session": ..., "before": [...]}."""
    try:
        known = json.loads(read(ABOUT / f"{name}.json"))
    except ValueError:
        known = None
    return known if isinstance(known, dict) else {}


def page(name: str) -> tuple[dict[str, str], str]:
    text = read(MEM_DIR / f"{name}.md")
    if not text.startswith("---\n") or "\n---\n" not in text:
        return {}, text.strip()
    header, body = text.split("\n---\n", 1)
    pairs = [line.split(": ", 1) for line in header.splitlines()[1:] if ": " in line]
    return dict(pairs), body.strip()


def source_of(name: str) -> str:
    labels, _ = page(name)
    if not labels:
        return "unknown"
    return str(about(name).get("source", "user"))


def rank(source: str) -> int:
    return TRUSTED.index(source) + 1 if source in TRUSTED else 0


def descriptions() -> dict[str, str]:
    pages = {path.stem: path for path in sorted(MEM_DIR.glob("*.md")) if path != INDEX and path.is_file()}
    found = {}
    for line in read(INDEX).splitlines():
        row = re.match(r"- \[(.+?)\]\(.+?\) -- (.+)", line)
        if row and row[1] in pages:
            found[row[1]] = row[2]
    for name in pages:
        if name not in found:
            found[name] = page(name)[0].get("description", name)
    return found


def write_memory(
    name: str, description: str, mtype: str, body: str, *, source: str = "user", session: str | None = None
) -> None:
    """Write the page as ever, and beside it a JSON file with who said so and what stood there before."""
    name = safe_name(name)
    path = MEM_DIR / f"{name}.md"
    before = about(name).get("before", [])
    if path.exists():
        if rank(source) < rank(source_of(name)):
            raise ValueError(f"{name!r} is from {source_of(name)} and stays: {source} may not change it.")
        before = [*before, {"source": source_of(name), "text": read(path)}]
    ABOUT.mkdir(parents=True, exist_ok=True)
    known = {"source": source, "session": session, "before": before}
    write_atomically(ABOUT / f"{name}.json", json.dumps(known, indent=1))
    description, mtype = " ".join(description.split()), " ".join(mtype.split())
    header = f"---\nname: {name}\ndescription: {description}\ntype: {mtype}\n---\n\n"
    write_atomically(path, header + body.strip() + "\n")
    every = descriptions()
    every.pop(name, None)
    every[name] = description
    write_atomically(INDEX, "".join(f"- [{key}]({key}.md) -- {text}\n" for key, text in every.items()))
    print(f"wrote {path.as_posix()}")


def words(text: str) -> set[str]:
    return set(re.findall(r"[^\W_]+", text.casefold())) - SMALL_WORDS


def candidates(query: str) -> list[str]:
    """The names that fit, best first. A word that many descriptions have counts little."""
    every = {name: words(text) for name, text in descriptions().items()}
    query_words = words(query)

    def weight(some: set[str]) -> float:
        return sum(1 + math.log(len(every) / max(1, sum(word in each for each in every.values()))) for word in some)

    scores = []
    for name, own_words in every.items():
        if not query_words & own_words:
            continue
        source = source_of(name)
        if not rank(source) and gives_orders(page(name)[1]):
            print(f"held back: {name} from {source} gives orders")
            continue
        scores.append((weight(query_words & own_words) / weight(query_words | own_words) * (rank(source) + 1), name))
    return [name for _, name in sorted(scores, key=lambda pair: pair[0], reverse=True)]


def gives_orders(text: str) -> bool:
    for sentence in re.split(r"[.!?:;,]\s+|\n", text.lower()):
        start = re.sub(r"^\W*((please|now|then|first|and)\s+)*", "", sentence)
        if start.startswith(("do not ", "don't ")) or (start.split() or [""])[0].rstrip(".!") in ORDERS:
            return True
        if re.search(
            r"\b(you|agents?) (must|should|have to|need to)\b|\bfrom now on\b|\bmust (always|never)\b", sentence
        ):
            return True
    return False


def serve(name: str) -> str:
    if not rank(source_of(name)):
        print(f"told by {source_of(name)}, confirmed by nobody: {name}")
    return page(name)[1]


def recall(query: str) -> str | None:
    """The body that fits best, or None."""
    names = candidates(query)
    return serve(names[0]) if names else None


def plant_stale() -> None:
    """Write a fact that was true until the script moved."""
    body = "To ship, run scripts/old_deploy.sh from the repo root."
    write_memory("deploy-script-old", "where the deploy script lives", "reference", body)


def looks_like_path(word: str) -> bool:
    if any(sign in word for sign in ("://", "@", "*", "{", "}", "$", "%", "=", "?", "\0")) or word.startswith("-"):
        return False
    first, *more = word.split("/")
    if more and re.fullmatch(r"([\w-]+\.)+[a-z]{2,}", first):
        return False
    name = Path(word).name
    if name in ("Makefile", "Dockerfile", "Procfile", "Justfile", "Gemfile", "Pipfile", ".env"):
        return True
    if Path(word).suffix in ENDINGS:
        return bool(more) or not re.fullmatch(r"[A-Z]\w*\.js", word)
    return bool(more) and (
        first in ("", "~", ".", "..", "bin", "docs", "scripts", "src", "tools") or Path(first).exists()
    )


def is_elsewhere(word: str) -> bool:
    if word.startswith(("/", "~")) or ".." in word.split("/") or ":" in word or "\\" in word:
        return True
    return not Path(word).resolve().is_relative_to(Path.cwd().resolve())


def verify_before_trust(memory: str) -> tuple[bool, list[str]]:
    """Whether nothing is wrong with a memory, and what is."""
    problems, open_questions = [], []
    for chunk in dict.fromkeys(re.findall(r"[^\s\"'`()\[\]<>,;|]+", memory)):
        word = chunk.rstrip(".:!?*_")
        if looks_like_path(word):
            if is_elsewhere(word):
                open_questions.append(word)
            elif not Path(word).exists():
                problems.append(f"path does not exist: {word}")
    names = re.findall(r"\$\{?([A-Z_][A-Z0-9_]*)", memory) + re.findall(r"\b([A-Z][A-Z0-9_]*)=", memory)
    for sentence in re.split(r"(?<=[.!?;])\s|\n", memory):
        if re.search(r"\benv(ironment)? var|\benvironment\b", sentence, re.IGNORECASE):
            names += re.findall(r"\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b|(?<=env var )[A-Z]+\b", sentence)
    problems += [f"env var is not set: {name}" for name in dict.fromkeys(names) if not os.environ.get(name)]
    helps = [text for command, text in HELP.items() if command in re.findall(r"[\w.-]+", memory)]
    for flag in dict.fromkeys(re.findall(r"(?<![\w-])--[a-z][\w-]*", memory)):
        if not helps:
            open_questions.append(flag)
        elif not any(flag in re.findall(r"--[a-z][\w-]*", text) for text in helps):
            problems.append(f"flag is not in the help: {flag}")
    if open_questions and not problems:
        print("could not check " + ", ".join(open_questions))
    return not problems, problems


def recall_and_trust(query: str) -> str | None:
    """The best body with which nothing is wrong, or None."""
    for name in candidates(query):
        ok, problems = verify_before_trust(page(name)[1])
        if ok:
            return serve(name)
        print("STALE -- not serving as fact. flag for refresh:")
        for problem in problems:
            print(f"  - {problem}")
    return None
