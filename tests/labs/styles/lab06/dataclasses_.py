"""Lab 06 by somebody who gives every thing a type: frozen dataclasses, an enum of ranks, a verdict.

Refuses an unsafe name with an error of its own; the guard gives a named (ok, problems); old pages are kept under the
digest of their text; words are compared by the cosine of their sets; the index is sorted.
"""

from __future__ import annotations

import enum
import hashlib
import math
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

MEM_DIR = Path("memory")
INDEX = MEM_DIR / "MEMORY.md"
HELP: dict[str, str] = {}


class BadName(ValueError):
    """A name that is no slug."""


class TooLow(ValueError):
    """A source that may not rewrite what a higher one wrote."""


class Rank(enum.IntEnum):
    UNTRUSTED = 1
    AGENT = 2
    TOOL = 3
    USER = 4

    @classmethod
    def of(cls, source: str) -> Rank:
        return {"user": cls.USER, "tool": cls.TOOL, "agent": cls.AGENT}.get(source, cls.UNTRUSTED)


@dataclass(frozen=True)
class Page:
    name: str
    description: str
    mtype: str
    body: str
    source: str = "user"
    session: str | None = None

    @property
    def rank(self) -> Rank:
        return Rank.of(self.source)

    def text(self) -> str:
        labels = {"name": self.name, "description": self.description, "type": self.mtype, "source": self.source}
        if self.session is not None:
            labels["session"] = self.session
        head = "".join(f"{key}: {' '.join(value.split())}\n" for key, value in labels.items())
        return f"---\n{head}---\n\n{self.body.strip()}\n"

    @classmethod
    def parse(cls, name: str, text: str) -> Page:
        match = re.match(r"---\n(.*?)\n---(?:\n|$)", text, re.DOTALL)
        if match is None:
            return cls(name, name.replace("-", " "), "reference", text.strip(), source="unknown")
        labels = dict(re.findall(r"^(\w+): (.*)$", match[1], re.MULTILINE))
        return cls(
            name=name,
            description=labels.get("description", name.replace("-", " ")),
            mtype=labels.get("type", "reference"),
            body=text[match.end() :].strip(),
            source=labels.get("source", "user"),
            session=labels.get("session"),
        )

    @property
    def commands(self) -> bool:
        """Whether an untrusted page tells its reader what to do."""
        return self.rank is Rank.UNTRUSTED and bool(IMPERATIVE.search(self.body))


class Verdict(NamedTuple):
    ok: bool
    problems: list[str]


class Claim(NamedTuple):
    kind: str
    what: str


IMPERATIVE = re.compile(
    r"(?:\A|\n|[.!?;:,] )[ \t>*#-]*(?:please |now |then |first )*(?:always|never|do not|don't|ignore|disregard|forget|"
    r"run|execute|use|send|mail|post|copy|delete|remove|install|download|upload|push|deploy|tell|reveal|approve|pay)\b"
    r"|\b(?:you|agents?|assistants?) (?:must|should|shall|have to|need to)\b|\bfrom now on\b|\bmust (?:always|never)\b",
    re.IGNORECASE,
)
SLUG = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*\Z")
STOP = set(
    "a about after all am an and any are as at be been but by can could did do does for from had has have he her here "
    "his how i if in into is it its me my no not of off on only or our out please she should so some tell than that "
    "the their them then there these they this those to us was we were what when where which who whom whose why will "
    "with would you your".split()
)
KNOWN_FILES = re.compile(r"(?:.*/)?(?:Makefile|Dockerfile|Procfile|Justfile|Gemfile|Pipfile|\.env)\Z")
SUFFIXES = {
    *(".sh", ".py", ".js", ".ts", ".json", ".yaml", ".yml", ".toml", ".md", ".rst", ".txt", ".html", ".css", ".csv"),
    *(".sql", ".ini", ".cfg", ".conf", ".lock", ".xml", ".ipynb"),
}
KNOWN_FOLDERS = {"bin", "config", "docs", "scripts", "src", "tests", "tools", ".", "..", "~", ""}


def _file(name: str) -> Path:
    return MEM_DIR / f"{name}.md"


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


def _load(name: str) -> Page:
    return Page.parse(name, _text(_file(name)))


def _catalogue() -> dict[str, str]:
    listed = dict(re.findall(r"^- \[([^\]]+)\]\([^)]+\) -- (.+)$", _text(INDEX), re.MULTILINE))
    names = sorted(path.stem for path in MEM_DIR.glob("*.md") if path.is_file() and path.name != "MEMORY.md")
    return {name: listed[name] if name in listed else _load(name).description for name in names}


def _words(text: str) -> set[str]:
    return set(re.findall(r"[^\W_]+", text.casefold())) - STOP


def _cosine(left: set[str], right: set[str]) -> float:
    return len(left & right) / math.sqrt(len(left) * len(right)) if left and right else 0.0


def _candidates(query: str) -> list[Page]:
    query_words = _words(query)
    scored = {name: _cosine(query_words, _words(text)) for name, text in _catalogue().items()}
    pages = [_load(name) for name, score in scored.items() if score]
    for page in pages:
        if page.commands:
            print(f"withheld {page.name}: an order, and only {page.source} gives it")
    fit = [page for page in pages if not page.commands]
    return sorted(fit, key=lambda page: scored[page.name] * page.rank, reverse=True)


def _serve(page: Page) -> str:
    if page.rank is Rank.UNTRUSTED:
        print(f"careful: {page.name} is known from {page.source} only")
    return page.body


def _archive(name: str) -> None:
    if _file(name).is_file():
        raw = _file(name).read_bytes()
        folder = MEM_DIR / "versions" / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{hashlib.sha256(raw).hexdigest()[:16]}.md").write_bytes(raw)


def write_memory(
    name: str, description: str, mtype: str, body: str, *, source: str = "user", session: str | None = None
) -> None:
    """Write one fact. Raises BadName, TooLow (both are ValueErrors)."""
    if not SLUG.match(name) or len(name) > 100 or name == "memory":
        raise BadName(f"not a slug: {name[:60]!r}. Lowercase words joined by dashes, please.")
    teller = source if source and source == " ".join(source.split()) else "unknown"
    page = Page(name, " ".join(description.split()), mtype, body, teller, session)
    if _file(name).is_file() and _load(name).rank > page.rank:
        raise TooLow(f"{name} was written by {_load(name).source}; {source} cannot replace it.")
    MEM_DIR.mkdir(exist_ok=True)
    _archive(name)
    _file(name).write_text(page.text(), encoding="utf-8")
    catalogue = _catalogue() | {name: page.description}
    pointers = [f"- [{key}]({key}.md) -- {text}\n" for key, text in sorted(catalogue.items())]
    INDEX.write_text("".join(pointers), encoding="utf-8")
    print(f"wrote {_file(name)}")


def recall(query: str) -> str | None:
    """Give the body of the best memory, or None."""
    pages = _candidates(query)
    return _serve(pages[0]) if pages else None


def plant_stale() -> None:
    """Write a fact that was true until the script moved."""
    write_memory(
        name="deploy-script-old",
        description="where the deploy script lives",
        mtype="reference",
        body="To ship, run scripts/old_deploy.sh from the repo root.",
    )


def _claims(text: str) -> Iterator[Claim]:
    for chunk in re.findall(r"[^\s\"'`()\[\]<>,;|]+", text):
        word = chunk.rstrip(".:!?*_")
        if _is_path(word):
            yield Claim("elsewhere" if _is_elsewhere(word) else "path", word)
    for name in re.findall(r"\$\{?([A-Z_][A-Z0-9_]*)", text) + re.findall(r"\b([A-Z][A-Z0-9_]*)=", text):
        yield Claim("variable", name)
    for name in re.findall(r"env(?:ironment)? var(?:iable)?s? `?([A-Z][A-Z0-9_]*)\b", text):
        yield Claim("variable", name)
    for sentence in re.split(r"(?<=[.!?;])\s|\n", text):
        if re.search(r"\benv(ironment)?\b", sentence, re.IGNORECASE):
            for name in re.findall(r"\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b", sentence):
                yield Claim("variable", name)
    for flag in re.findall(r"(?<![\w-])--[a-z][\w-]*", text):
        yield Claim("flag", flag)


def _is_path(word: str) -> bool:
    if re.search(r"://|[@*{}$%=?\0]|^-|^[A-Z]\w*\.js\Z|^(?:[\w-]+\.)+[a-z]{2,}/", word):
        return False
    if KNOWN_FILES.match(word) or Path(word).suffix in SUFFIXES:
        return True
    first, slash, _ = word.partition("/")
    return bool(slash) and (first in KNOWN_FOLDERS or Path(first).exists())


def _is_elsewhere(path: str) -> bool:
    if re.search(r"^[/~]|[:\\]|(?:^|/)\.\.(?:/|\Z)", path):
        return True
    return not Path(path).resolve().is_relative_to(Path.cwd().resolve())


def _problem(claim: Claim, flags: set[str] | None) -> str | None:
    if claim.kind == "path" and not Path(claim.what).exists():
        return f"path does not exist: {claim.what}"
    if claim.kind == "variable" and not os.environ.get(claim.what):
        return f"env var is not set: {claim.what}"
    if claim.kind == "flag" and flags is not None and claim.what not in flags:
        return f"flag is not in the help: {claim.what}"
    return None


def verify_before_trust(memory: str) -> Verdict:
    """Check every claim that a memory makes of this machine."""
    claims = list(dict.fromkeys(_claims(memory)))
    helps = [text for command, text in HELP.items() if re.search(rf"\b{re.escape(command)}\b", memory)]
    flags = set(re.findall(r"--[a-z][\w-]*", " ".join(helps))) if helps else None
    problems = [problem for claim in claims if (problem := _problem(claim, flags))]
    if not problems:
        for claim in claims:
            if claim.kind == "elsewhere" or (claim.kind == "flag" and flags is None):
                print(f"not checked: {claim.what}")
    return Verdict(not problems, problems)


def recall_and_trust(query: str) -> str | None:
    """Give the best memory that stands the test, or None."""
    for page in _candidates(query):
        verdict = verify_before_trust(page.body)
        if verdict.ok:
            return _serve(page)
        print("STALE -- not serving as fact. flag for refresh:")
        print("\n".join(f"  - {problem}" for problem in verdict.problems))
    return None
