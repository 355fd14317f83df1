"""Lab 06 by somebody who likes small pure functions: texts in, texts out, the disk only at the edges.

Makes an unsafe name safe; the guard gives the list of problems; old texts stand in the header of the page itself;
words are weighed by how rare they are; the index is in the order of the pages' names.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from collections.abc import Iterable, Iterator
from functools import reduce
from itertools import chain
from pathlib import Path

MEM_DIR = Path("memory")
INDEX = MEM_DIR / "MEMORY.md"
HELP: dict[str, str] = {}

SMALL = frozenset(
    """a about after all also am an and any are as at be because been before but by can could did do does for from had
    has have he her here his how i if in into is it its just may me might more most must my no not now of off on only or
    our out over own please she should so some such tell than that the their them then there these they this those to
    too up us very was we were what when where which while who whom whose why will with would you your""".split()
)
FILE = re.compile(
    r"(?:^|/)(?:Makefile|Dockerfile|Procfile|Justfile|Jenkinsfile|\.env)$"
    r"|[\w-]\.(?:sh|py|js|ts|json|ya?ml|toml|md|txt|html|css|csv|sql|ini|cfg|conf|lock|xml)$"
)
NO_PATH = re.compile(r"://|@|[*{}$%=?]|^-|^[A-Z]\w*\.js$|^(?:[\w-]+\.)+[a-z]{2,}/")
OUTSIDE = re.compile(r"^[/~]|[:\\]|(?:^|/)\.\.(?:/|$)")
MARKED = re.compile(r"\$\{?([A-Z_][A-Z0-9_]*)|\b([A-Z][A-Z0-9_]*)=|\benv(?:ironment)? var(?:iable)?s? `?([A-Z]\w*)")
ORDER = re.compile(
    r"(?:^[\s>*#\d.)-]*|[.!?:;,]\s+)(?:please |now |then |first |and )*(?:always|never|do not|don't|ignore|disregard"
    r"|forget|run|execute|use|send|mail|copy|delete|remove|install|deploy|push|download|upload|tell|approve|pay)\b"
    r"|\b(?:you|agents?) (?:must|should|have to|need to)\b|\bmust (?:first|now|always|never)\b|\bfrom now on\b",
    re.IGNORECASE | re.MULTILINE,
)


# texts


def one_line(text: str) -> str:
    return " ".join(text.split())


def words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[^\W_]+", text.casefold())) - SMALL


def safe(name: str) -> str:
    """A name that was a slug stays; any other becomes one, with a digest so that no two become the same."""
    slug = re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-")[:60].strip("-")
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return name if name == slug and slug not in ("", "memory") else f"{slug or 'memory'}-{digest}"


def parsed(text: str) -> tuple[list[tuple[str, str]], str]:
    header, line, body = text.partition("\n---\n")
    if not (line and header.startswith("---\n")):
        return [], text.strip()
    pairs = [row.partition(": ") for row in header.split("\n")[1:]]
    return [(key, value) for key, colon, value in pairs if colon], body.strip()


def composed(labels: Iterable[tuple[str, str]], body: str) -> str:
    return "\n".join(["---", *(f"{key}: {value}" for key, value in labels), "---", "", body.strip(), ""])


def history(text: str) -> list[tuple[str, str]]:
    """The labels by which the next page remembers this one: what it remembered, and its own text as JSON."""
    labels, body = parsed(text)
    older = [pair for pair in labels if pair[0] == "was"]
    own = {key: value for key, value in labels if key != "was"}
    return [*older, ("was", json.dumps({**own, "body": body}, ensure_ascii=False))] if text else []


def source_of(text: str) -> str:
    labels, _ = parsed(text)
    return dict(labels).get("source", "user") if labels else "unknown"


def rank(source: str) -> int:
    return {"user": 3, "tool": 2, "agent": 1}.get(source, 0)


# the disk


def read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8", "replace").replace("\r\n", "\n")
    except OSError:
        return ""


def page(name: str) -> Path:
    return MEM_DIR / f"{name}.md"


def rows() -> dict[str, str]:
    listed = dict(re.findall(r"^- \[(.+?)\]\(.+?\) -- (.+)$", read(INDEX), re.MULTILINE))
    names = sorted(path.stem for path in MEM_DIR.glob("*.md") if path != INDEX)
    return {name: listed.get(name) or dict(parsed(read(page(name)))[0]).get("description", name) for name in names}


# find


def rarity(word: str, descriptions: list[frozenset[str]]) -> float:
    holding = sum(word in description for description in descriptions)
    return math.log(1 + (1 + len(descriptions)) / (1 + holding))


def relevance(query: str, name: str, found: dict[str, str]) -> float:
    """The weight of the words that both share, out of the weight of the words that one of them has."""
    every = [words(text) for text in found.values()]
    query_words, own_words = words(query), words(found[name])

    def total(of: frozenset[str]) -> float:
        return sum(rarity(word, every) for word in of)

    return total(query_words & own_words) / (total(query_words | own_words) or 1)


def withheld(name: str) -> bool:
    text = read(page(name))
    ordering = rank(source_of(text)) == 0 and bool(ORDER.search(parsed(text)[1]))
    if ordering:
        print(f"not served: {name} tells the reader what to do, and only {source_of(text)} says so")
    return ordering


def ranked(query: str) -> Iterator[str]:
    found = rows()
    scores = {name: relevance(query, name, found) * (1 + rank(source_of(read(page(name))))) for name in found}
    best_first = sorted((name for name in scores if scores[name] > 0), key=lambda name: -scores[name])
    return (name for name in best_first if not withheld(name))


def served(name: str) -> str:
    text = read(page(name))
    if rank(source_of(text)) == 0:
        print(f"unconfirmed: {name} comes from {source_of(text)}")
    return parsed(text)[1]


# look


def paths(memory: str) -> list[str]:
    chunks = (chunk.rstrip(".:!?*_") for chunk in re.findall(r"[^\s\0\"'`()\[\]<>,;|]+", memory))
    return [chunk for chunk in dict.fromkeys(chunks) if is_path(chunk)]


def is_path(chunk: str) -> bool:
    first, slash, _ = chunk.partition("/")
    known = {"", "~", ".", "..", "bin", "config", "docs", "scripts", "src", "tools"}
    return not NO_PATH.search(chunk) and bool(
        FILE.search(chunk) or (slash and (first in known or Path(first).exists()))
    )


def outside(path: str) -> bool:
    return bool(OUTSIDE.search(path)) or not Path(path).resolve().is_relative_to(Path.cwd().resolve())


def variables(memory: str) -> list[str]:
    about = [part for part in re.split(r"(?<=[.!?;])\s|\n", memory) if re.search(r"(?i)\benv(ironment)?\b", part)]
    marked = ("".join(groups) for groups in MARKED.findall(memory))
    spoken = chain.from_iterable(re.findall(r"\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b", part) for part in about)
    return list(dict.fromkeys(chain(marked, spoken)))


def flags(text: str) -> list[str]:
    return list(dict.fromkeys(re.findall(r"(?<![\w-])--[a-z][\w-]*", text)))


def helps(memory: str) -> list[str]:
    return [text for command, text in HELP.items() if re.search(rf"(?<![\w-]){re.escape(command)}(?![\w-])", memory)]


# the five


def write_memory(
    name: str, description: str, mtype: str, body: str, *, source: str = "user", session: str | None = None
) -> None:
    """Write one fact; a name that is no slug is made one. Raises ValueError for a source of too low a rank."""
    slug, about = safe(name), one_line(description)
    before = read(page(slug))
    if before and rank(source_of(before)) > rank(source):
        raise ValueError(f"{slug} stays as {source_of(before)} told it: {source} ranks lower.")
    labels = [("name", slug), ("description", about), ("type", one_line(mtype))]
    teller = source if source == one_line(source) else "unknown"
    labels += [("source", teller)] * (source != "user") + [("session", one_line(session or ""))] * bool(session)
    MEM_DIR.mkdir(exist_ok=True)
    page(slug).write_text(composed([*labels, *history(before)], body), encoding="utf-8")
    pointers = (f"- [{each}]({each}.md) -- {text}\n" for each, text in sorted({**rows(), slug: about}.items()))
    INDEX.write_text("".join(pointers), encoding="utf-8")
    print(f"wrote {page(slug)}")


def recall(query: str) -> str | None:
    """Give the body of the memory that fits best, or None."""
    name = next(ranked(query), None)
    return None if name is None else served(name)


def plant_stale() -> None:
    """Write a fact that was true until the script moved."""
    write_memory(
        "deploy-script-old",
        "where the deploy script lives",
        "reference",
        "To ship, run scripts/old_deploy.sh from the repo root.",
    )


def verify_before_trust(memory: str) -> tuple[bool, list[str]]:
    """Give whether nothing is wrong with a memory, and what is."""
    known = reduce(lambda found, text: found | set(flags(text)), helps(memory), set[str]())
    named = bool(helps(memory))
    problems = [
        *(f"path does not exist: {path}" for path in paths(memory) if not outside(path) and not Path(path).exists()),
        *(f"env var is not set: {name}" for name in variables(memory) if not os.environ.get(name)),
        *(f"flag is not in the help: {flag}" for flag in flags(memory) if named and flag not in known),
    ]
    unknown = [*filter(outside, paths(memory)), *(flag for flag in flags(memory) if not named)]
    if unknown and not problems:
        print("unchecked: " + ", ".join(unknown))
    return not problems, problems


def recall_and_trust(query: str) -> str | None:
    """Give the best memory with which nothing is wrong, or None."""
    for name in ranked(query):
        ok, problems = verify_before_trust(parsed(read(page(name)))[1])
        if ok:
            return served(name)
        print("\n  - ".join(["STALE -- not serving as fact. flag for refresh:", *problems]))
    return None
