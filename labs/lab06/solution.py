"""Lab 06 mended: the published store, and what seven mends promise.

Names are safe, small words match nothing, no lower rank speaks over a higher one, nothing written is lost, the guard
raises no false alarm, the next best is served where the best is stale, and what a hand has spoiled stops nobody.
"""

from __future__ import annotations

import os
import re
from itertools import count
from pathlib import Path

MEM_DIR = Path("memory")
INDEX = MEM_DIR / "MEMORY.md"

# A command's help text, put here by a person: the guard never runs what a memory names.
HELP: dict[str, str] = {}

LONGEST_NAME = 100
SLUG = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")
ROW = re.compile(r"^- \[(.+?)\]\(.+?\) -- (.*)$", re.MULTILINE)


def slug(name: str) -> str:
    """Give a name that is safe as a file name and in a row of the index; raise ValueError for any other."""
    if len(name) > LONGEST_NAME or not SLUG.fullmatch(name):
        raise ValueError(f"name {name[:LONGEST_NAME]!r}: use lowercase words joined by dashes, such as 'deploy-script'")
    if name == INDEX.stem.lower():
        raise ValueError(f"name {name!r}: the index is called so; choose another")
    return name


def one_line(text: str) -> str:
    """Put a text on one line, so that it adds no line of its own to a header or to the index."""
    return " ".join(text.split())


def page_of(name: str) -> Path:
    """Give the file in which the fact of this name lies."""
    return MEM_DIR / f"{name}.md"


def write_memory(  # noqa: PLR0913 - the published four, who says so, and when
    name: str, description: str, mtype: str, body: str, *, source: str = "user", session: str | None = None
) -> None:
    """Write one fact to memory/<name>.md and point to it from the index.

    `name` is a slug, `description` the one line that recall reads, `mtype` user, project or reference, `source` who
    says so: " user" is not the user. Raises ValueError for an unsafe name, and where a higher rank wrote the fact.
    """
    page = page_of(slug(name))
    check_rank(name, source)
    labels = {"name": name, "description": description, "type": mtype}
    labels |= {} if source == "user" else {"source": source if source == one_line(source) != "" else "unknown"}
    labels |= {"session": session} if session else {}
    header = "".join(f"{label}: {one_line(value)}\n" for label, value in labels.items())
    text = f"---\n{header}---\n\n{body.strip()}\n".encode()  # what is no text is refused before anything changes
    MEM_DIR.mkdir(exist_ok=True)
    keep_old(name)
    page.write_bytes(text)
    write_index({**rows(), name: one_line(description)})
    print(f"wrote {page}")


def write_index(memories: dict[str, str]) -> None:
    """Write one row for each memory; whatever else a person wrote into the index stays above them."""
    if INDEX.is_dir():
        keep_old(INDEX.stem)
    others = [line for line in read(INDEX).splitlines() if not ROW.match(line)]
    pointers = [f"- [{name}]({name}.md) -- {description}" for name, description in memories.items()]
    INDEX.write_text("\n".join([*others, *pointers]) + "\n", encoding="utf-8")


def split_page(name: str) -> tuple[str, str]:
    """Give the header and the body of a page; where the header is spoiled, all of it is body."""
    text = read(page_of(name))
    header, line, body = text.partition("\n---\n")
    return (header, body.strip()) if line and header.startswith("---\n") else ("", text.strip())


def label(name: str, which: str) -> str | None:
    """Give what the header of a page says under a label, or None."""
    found = re.search(rf"^{which}: ?(.*)$", split_page(name)[0], re.MULTILINE)
    return found[1] if found else None


def recall(query: str) -> str | None:
    """Give the body of the memory that is most about the query, or None."""
    names = ranked(query)
    if not names:
        return None
    announce(names[0])
    return split_page(names[0])[1]


def plant_stale() -> None:
    """Write a fact that was true until the script moved."""
    body = "To ship, run scripts/old_deploy.sh from the repo root."
    write_memory("deploy-script-old", "where the deploy script lives", "reference", body)


COMMON = """
a about after all also am an and any are as at be because been before but by can could did do does for from had has
have he her here his how i if in into is it its just may me might more most must my no not now of off on only or our
out over own please she should so some such tell than that the their them then there these they this those to too up
us very was we were what when where which while who whom whose why will with would you your
"""
SMALL_WORDS = frozenset(COMMON.split())


def words(text: str) -> set[str]:
    """Give the words of a text that tell something, each once."""
    return set(re.findall(r"[^\W_]+", text.casefold())) - SMALL_WORDS


def relevance(query: str, description: str) -> float:
    """Give the share, 0 to 1, of the words of both that both hold (Jaccard): a word that nobody asked for costs."""
    asked, told = words(query), words(description)
    return len(asked & told) / len(asked | told) if asked & told else 0.0


def ranked(query: str) -> list[str]:
    """Give the names of the memories that are about the query, best first."""
    about = {name: relevance(query, description) for name, description in rows().items()}
    worth = {name: about[name] * weight(name) for name in about if about[name] and not withheld(name)}
    return sorted(worth, key=lambda name: worth[name], reverse=True)


TRUST = {"user": 1.0, "tool": 0.8, "agent": 0.6}
UNTRUSTED = 0.3

ORDER = re.compile(
    r"(?:^[\s>*#\d.)-]*|[.!?:;,]\s+)(?:please |now |then |first |and )*"
    r"(?:always|never|do not|don't|ignore|disregard|forget|run|execute|use|send|post|mail|copy|delete|remove|install"
    r"|deploy|push|download|upload|set|add|tell|reveal|approve|pay|make sure)\b"
    r"|\b(?:you|agents?|assistants?) (?:must|should|shall|have to|has to|need to|needs to|are now)\b"
    r"|\bmust (?:first|now|always|never)\b|\bfrom now on\b|\bignore (?:all|any|previous)\b",
    re.IGNORECASE | re.MULTILINE,
)


def source_of(name: str) -> str:
    """Tell who wrote a memory: the user where its header names nobody; without a header nobody can say."""
    if label(name, "name") is None:
        return "unknown"
    said = label(name, "source")
    return "user" if said is None else said


def weight(name: str) -> float:
    """Give what a memory counts for by who wrote it, 0 to 1."""
    return TRUST.get(source_of(name), UNTRUSTED)


def check_rank(name: str, source: str) -> None:
    """Raise ValueError where the fact of this name was written by somebody of a higher rank."""
    if page_of(name).exists() and weight(name) > TRUST.get(source, UNTRUSTED):
        raise ValueError(f"{name}: {source_of(name)} wrote this fact, and {source} ranks lower; choose another name")


def withheld(name: str) -> bool:
    """Tell whether an untrusted memory gives orders; if it does, print that it is not served."""
    source = source_of(name)
    if source in TRUST or not ORDER.search(split_page(name)[1]):
        return False
    print(f"NOT SERVED -- {name} gives orders, and its source ({source}) may give none")
    return True


def announce(name: str) -> None:
    """Print a note where only an untrusted source says what is served."""
    if (source := source_of(name)) not in TRUST:
        print(f"note: only {source} says so ({name}); check it before you act on it")


def keep_old(name: str) -> None:
    """Move what stands in the page's place to memory/old/<name>/, where recall does not look."""
    if not page_of(name).exists():
        return
    folder = MEM_DIR / "old" / name
    folder.mkdir(parents=True, exist_ok=True)
    free = next(number for number in count(1) if not (folder / f"{number}.md").exists())
    page_of(name).rename(folder / f"{free}.md")


FILE = re.compile(  # Makefile, scripts/Makefile, deploy.sh
    r"(?:^|/)(?:Makefile|Dockerfile|Procfile|Justfile|Jenkinsfile|Gemfile|Pipfile|\.env)$"
    r"|\w\.(?:sh|py|ipynb|js|ts|jsx|tsx|json|jsonl|ya?ml|toml|md|rst|txt|csv|sql|ini|cfg|conf|lock|xml|html|css|pdf)$"
)
FOLDERS = {"", "~", ".", "..", "bin", "config", "docs", "scripts", "src", "tools"}
NO_PATH = re.compile(r"://|@|[*{}$%=?]|^--|^(?:[A-Z]\w*|chart|d3|next|three)\.js$")  # an address, a flag, Node.js
BESIDE = re.compile(r"^[\w-]+=|:\d+(?::\d+)?$")  # path=gone.py, gone.sh:12
DOMAIN = re.compile(r"(?:[\w-]+\.)+[a-z]{2,}/")
ELSEWHERE = re.compile(r"^[/~]|[:\\]|(?:^|/)\.\.(?:/|$)")


def paths(memory: str) -> list[str]:
    """List what a text names as a path, each once."""
    chunks = [BESIDE.sub("", chunk.rstrip(".:!?*_")) for chunk in re.findall(r"""[^\s\0"'`()\[\]<>,;|]+""", memory)]
    return [chunk for chunk in dict.fromkeys(chunks) if is_path(chunk)]


def is_path(chunk: str) -> bool:
    """Tell whether a word is a path: by its name or ending, or by the folder that it begins with."""
    if NO_PATH.search(chunk) or DOMAIN.match(chunk):
        return False
    first, slash, _ = chunk.partition("/")
    return bool(FILE.search(chunk) or (slash and (first in FOLDERS or where(first))))


def where(path: str) -> Path | None:
    """Tell where a path leads, its links followed; None where nothing is."""
    try:
        return Path(path).resolve(strict=True)
    except (OSError, RuntimeError):  # nothing there, too long a name, links in a circle
        return None


def elsewhere(path: str) -> bool:
    """Tell whether a path leads out of this folder: what is absolute may be meant for any machine."""
    place = where(path)
    return bool(ELSEWHERE.search(path) or (place and not place.is_relative_to(Path.cwd().resolve())))


MARKED = re.compile(r"\$\{?([A-Z_][A-Z0-9_]*)|\b([A-Z][A-Z0-9_]*)=|\benv(?:ironment)? var\w* `?([A-Z][A-Z0-9_]*)\b")
FLAG = re.compile(r"(?<![\w-])--[a-z][\w-]*")


def variables(memory: str) -> list[str]:
    """List the variables that a text marks as such: $X, ${X}, X=, the env var X, X in the environment."""
    found = ["".join(groups) for groups in MARKED.findall(memory)]
    for sentence in re.split(r"(?<=[.!?;])\s|\n", memory):
        if re.search(r"\benv(?:ironment)? var|\benvironment\b", sentence, re.IGNORECASE):
            found += re.findall(r"\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b", sentence)
    return list(dict.fromkeys(found))


def help_for(memory: str) -> str:
    """Give the help of the commands that a text names, "" where it names none that is registered."""
    return "\n".join(HELP[name] for name in HELP if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", memory))


def verify_before_trust(memory: str) -> tuple[bool, list[str]]:
    """Check every path, variable and flag that a memory names; give (ok, problems).

    What nothing here can confirm or refute is left to the human, with a printed note.
    """
    named, flags, listed = paths(memory), FLAG.findall(memory), help_for(memory)
    problems = [f"path does not exist: {path}" for path in named if not elsewhere(path) and not where(path)]
    problems += [f"env var is not set: {name}" for name in variables(memory) if not os.environ.get(name)]
    problems += [f"flag is not in the help: {flag}" for flag in flags if listed and flag not in FLAG.findall(listed)]
    unknown = [path for path in named if elsewhere(path)] + [flag for flag in flags if not listed]
    for thing in [] if problems else unknown:
        print(f"note: {thing} cannot be checked here")
    return not problems, problems


def recall_and_trust(query: str) -> str | None:
    """Give the best memory that reality does not refute, or None; print what is stale on the way."""
    for name in ranked(query):
        memory = split_page(name)[1]
        ok, problems = verify_before_trust(memory)
        if ok:
            announce(name)
            return memory
        print("STALE -- not serving as fact. flag for refresh:")
        for problem in problems:
            print(f"  - {problem}")
    return None


def read(path: Path) -> str:
    """Give the text of a file: "" where there is none, and a mark in place of what is no text."""
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


def rows() -> dict[str, str]:
    """Give each memory's description by its name: as the index tells it, else as its page does."""
    indexed = dict(ROW.findall(read(INDEX)))
    pages = {page.stem for page in MEM_DIR.glob("*.md") if page.is_file()} - {INDEX.stem}
    listed = {name: description for name, description in indexed.items() if name in pages}
    return listed | {name: label(name, "description") or "" for name in sorted(pages - indexed.keys())}


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
