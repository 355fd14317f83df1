"""A store written from the lab's text alone: a page is a named tuple, and each chunk of a text is one kind of claim."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import NamedTuple

MEM_DIR = Path("memory")
INDEX = MEM_DIR / "MEMORY.md"
HELP: dict[str, str] = {}

BELIEF = {"user": 1.0, "tool": 0.8, "agent": 0.6}
STRANGER = 0.3
SMALL = frozenset(
    "a about all am an and any are as at be been but by can could did do does for from had has have he her him"
    " his how i if in into is it its me my no not of on or our she should so some than that the their them"
    " there these they this those to us was we were what when where which who whom whose why will with would"
    " you your".split()
)
ENDINGS = "cfg conf css csv html ini ipynb js json lock md py rst sh sql toml ts txt xml yaml yml"
WITHOUT_ENDING = {"Makefile", "Dockerfile", "Procfile", "Gemfile", "Rakefile", "Jenkinsfile", "LICENSE", "README"}
HOME_GROUND = {"bin", "src", "lib", "docs", "scripts", "tools", "config", "tests", ".", ".github"}
TOP_LEVEL = re.compile(r"[\w-]+(\.[\w-]+)*\.(com|org|net|io|dev|app|example|edu|gov|co|de|uk|test)$", re.IGNORECASE)
ORDER = re.compile(
    r"(?:^|[.!?:;\n]\s*|\W-\s*)(?:please\s+)?(?:ignore|forget|disregard|run|send|use|delete|remove|install|execute|call|click"
    r"|open|visit|download|follow|always|never|do not|don't|make sure|tell|post|upload|copy|replace|move|deploy)\b"
    r"|\byou (?:must|should|have to)\b|\bfrom now on\b",
    re.IGNORECASE,
)


class Page(NamedTuple):
    """What is in a file: its labels (None if there is no header) and the text below them."""

    labels: dict[str, str] | None
    body: str


def load(name: str) -> Page:
    path = MEM_DIR / f"{name}.md"
    text = path.read_bytes().decode("utf-8", "replace") if path.is_file() else ""
    first, *others = text.split("\n")
    bare = [one.rstrip() for one in others]
    if first.rstrip() != "---" or "---" not in bare:
        return Page(None, text.strip())
    end = bare.index("---")
    pairs = (line.split(":", 1) for line in others[:end] if ":" in line)
    return Page({key.strip(): value.strip() for key, value in pairs}, "\n".join(others[end + 1 :]).strip())


def source_of(name: str) -> str:
    labels = load(name).labels
    return "unknown" if labels is None else labels.get("source", "user")


def table() -> dict[str, str]:
    """The names and descriptions: those of the index that have a page, then the pages that it does not list."""
    there = sorted(path.stem for path in MEM_DIR.glob("*.md") if path != INDEX and path.is_file())
    text = INDEX.read_bytes().decode("utf-8", "replace") if INDEX.is_file() else ""
    listed = dict(re.findall(r"^- \[([^\]\n]+)\]\([^)\n]*\) -- (.*?)\r?$", text, re.MULTILINE))
    found = {name: listed[name] for name in listed if name in there}
    for name in there:
        if name not in found:
            found[name] = (load(name).labels or {}).get("description", "")
    return found


def write_memory(
    name: str, description: str, mtype: str, body: str, *, source: str = "user", session: str | None = None
) -> None:
    if not re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", name) or len(name) > 100 or name == "memory":
        raise ValueError(
            f"{name!r} is no name: use at most 100 lowercase letters and digits, in words joined by dashes"
        )
    if not source or source != " ".join(source.split()):
        source = "unknown"
    path = MEM_DIR / f"{name}.md"
    if path.is_file():
        if BELIEF.get(source_of(name), STRANGER) > BELIEF.get(source, STRANGER):
            raise ValueError(f"{name!r} was written by {source_of(name)}; {source} may not replace it")
        shelf = MEM_DIR / "old" / name
        shelf.mkdir(parents=True, exist_ok=True)
        path.rename(next(shelf / f"{n}.md" for n in count(1) if not (shelf / f"{n}.md").exists()))
    MEM_DIR.mkdir(exist_ok=True)
    line, kind = " ".join(description.split()), " ".join(mtype.split())
    run = f"session: {' '.join(session.split())}\n" if session else ""
    header = f"---\nname: {name}\ndescription: {line}\ntype: {kind}\nsource: {source}\n{run}---\n\n"
    path.write_bytes((header + body + "\n").encode("utf-8", "replace"))
    entries = table() | {name: line}
    INDEX.write_bytes("".join(f"- [{one}]({one}.md) -- {entries[one]}\n" for one in entries).encode("utf-8", "replace"))
    print(f"wrote {path.as_posix()}")


def telling(text: str) -> set[str]:
    return set(re.findall(r"[^\W_]+", text.casefold())) - SMALL


def ranked(query: str) -> list[str]:
    asked, points = telling(query), {}
    for name, description in table().items():
        said = telling(description)
        if asked & said:
            points[name] = len(asked & said) / len(asked | said) * BELIEF.get(source_of(name), STRANGER)
    return sorted(points, key=lambda one: -points[one])


def served(query: str) -> Iterator[str]:
    """The names that match and may be served, best first."""
    for name in ranked(query):
        if source_of(name) not in BELIEF and ORDER.search(load(name).body):
            print(f"withheld: {name} is an instruction from {source_of(name)}")
        else:
            yield name


def show(name: str) -> str:
    if source_of(name) not in BELIEF:
        print(f"note: {name} is from {source_of(name)}, which nobody has confirmed")
    return load(name).body


def recall(query: str) -> str | None:
    return next(map(show, served(query)), None)


def plant_stale() -> None:
    body = "To ship, run scripts/old_deploy.sh from the repo root."
    write_memory("deploy-script-old", "where the deploy script lives", "reference", body)


def kind_of(chunk: str) -> str:
    """Say what a chunk is: "here" and "elsewhere" are paths, "" is none."""
    first, slash, _ = chunk.partition("/")
    if "://" in chunk or "@" in chunk or set(chunk) & set("*?$=<>|&%#") or TOP_LEVEL.match(first):
        return ""
    if slash and (chunk.startswith(("/", "~", "../")) or ":" in first):
        return "elsewhere"
    ends = re.search(rf"\w\.(?:{ENDINGS.replace(' ', '|')})$", chunk)
    is_product = not slash and re.fullmatch(r"[A-Z]\w*\.(?:js|ts|io)", chunk)
    is_file = (ends and not is_product) or chunk.rpartition("/")[2] in WITHOUT_ENDING
    if not is_file and not (slash and (first in HOME_GROUND or Path(first).is_dir())):
        return ""
    inside = Path(chunk).resolve().is_relative_to(Path.cwd().resolve())
    return "here" if inside else "elsewhere"


def chunks(memory: str) -> list[str]:
    return [one.rstrip(".:!?*_") for one in re.split(r"""[\s"'`()\[\],;\0]+""", memory)]


def variables(memory: str) -> list[str]:
    found = re.findall(r"\$\{?([A-Za-z_]\w*)", memory) + re.findall(r"(?<![\w$-])([A-Z][A-Z0-9_]+)=", memory)
    for sentence in re.split(r"(?<=[.!?])\s", memory):
        if re.search(r"\benv\b|\benvironment\b|\bvariables?\b|\bset\b|\bexport", sentence, re.IGNORECASE):
            found += re.findall(r"(?<![\w$-])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b", sentence)
    return list(dict.fromkeys(found))


def undefined(memory: str) -> list[str]:
    files = [Path(one) for one in chunks(memory) if one.endswith(".py") and kind_of(one) == "here"]
    code = "\n".join(path.read_text("utf-8", "replace") for path in files if path.is_file())
    calls = re.findall(r"\b([A-Za-z_]\w*)\(\)", memory) if code else []
    return [one for one in calls if not re.search(rf"\b(?:def|class)\s+{one}\b", code)]


def verify_before_trust(memory: str) -> tuple[bool, list[str]]:
    kinds = {one: kind_of(one) for one in chunks(memory)}
    problems = [f"path does not exist: {one}" for one in kinds if kinds[one] == "here" and not Path(one).exists()]
    problems += [f"env var is not set: {one}" for one in variables(memory) if not os.environ.get(one)]
    doubts = [one for one in kinds if kinds[one] == "elsewhere"]
    named = [text for command, text in HELP.items() if re.search(rf"(?<![\w-]){re.escape(command)}(?![\w-])", memory)]
    known = {flag for text in named for flag in re.findall(r"(?<![\w-])--[a-z][\w-]*", text)}
    for flag in dict.fromkeys(re.findall(r"(?<![\w-])--[a-z][\w-]*", memory)):
        if not named:
            doubts.append(flag)
        elif flag not in known:
            problems.append(f"flag is not in the help: {flag}")
    problems += [f"function is not defined: {one}" for one in undefined(memory)]
    if not problems:
        for one in doubts:
            print(f"note: could not be checked here: {one}")
    return not problems, problems


def recall_and_trust(query: str) -> str | None:
    for name in served(query):
        fine, problems = verify_before_trust(load(name).body)
        if fine:
            return show(name)
        print("STALE -- not serving as fact. flag for refresh:", *(f"  - {one}" for one in problems), sep="\n")
    return None


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
