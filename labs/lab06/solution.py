"""Lab 06, solution: the published store with its seven flaws fixed.

Names are validated, stop words match nothing, a lower trust rank never replaces a higher one, old versions are kept,
the guard avoids false alarms, the next best memory is served if the best is stale, and damaged files raise no error.
"""

from __future__ import annotations

import os
import re
from itertools import count
from pathlib import Path

MEM_DIR = Path("memory")
INDEX = MEM_DIR / "MEMORY.md"

# The help text of each command, registered by a person. The guard never runs a command that a memory names.
HELP: dict[str, str] = {}

LONGEST_NAME = 100
SLUG = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")
ROW = re.compile(r"^- \[(.+?)\]\(.+?\) -- (.*)$", re.MULTILINE)


def slug(name: str) -> str:
    """Return the name if it is safe as a file name and in a row of the index. Raises ValueError otherwise."""
    if len(name) > LONGEST_NAME or not SLUG.fullmatch(name):
        raise ValueError(f"name {name[:LONGEST_NAME]!r}: use lowercase words joined by dashes, such as 'deploy-script'")
    if name == INDEX.stem.lower():
        raise ValueError(f"name {name!r}: this is the name of the index; choose another")
    return name


def one_line(text: str) -> str:
    """Return the text on one line, so that it adds no line to a header or to the index."""
    return " ".join(text.split())


def page_of(name: str) -> Path:
    """Return the path of the page with this name."""
    return MEM_DIR / f"{name}.md"


def write_memory(  # noqa: PLR0913 - four published parameters, and the provenance
    name: str, description: str, mtype: str, body: str, *, source: str = "user", session: str | None = None
) -> None:
    """Write one fact to memory/<name>.md and its row to the index.

    `name` is a slug, `description` the line that recall compares, `mtype` is "user", "project" or "reference".
    `source` is compared exactly: " user" is not "user". Raises ValueError for an unsafe name, or if a source of higher
    rank wrote the fact.
    """
    page = page_of(slug(name))
    check_rank(name, source)
    labels = {"name": name, "description": description, "type": mtype}
    labels |= {} if source == "user" else {"source": source if source == one_line(source) != "" else "unknown"}
    labels |= {"session": session} if session else {}
    header = "".join(f"{label}: {one_line(value)}\n" for label, value in labels.items())
    text = f"---\n{header}---\n\n{body.strip()}\n".encode()  # raises for invalid text before anything changes
    MEM_DIR.mkdir(exist_ok=True)
    keep_old(name)
    page.write_bytes(text)
    write_index({**rows(), name: one_line(description)})
    print(f"wrote {page}")


def write_index(memories: dict[str, str]) -> None:
    """Write one row for each memory; other lines, written by a person, stay above them."""
    if INDEX.is_dir():
        keep_old(INDEX.stem)
    others = [line for line in read(INDEX).splitlines() if not ROW.match(line)]
    pointers = [f"- [{name}]({name}.md) -- {description}" for name, description in memories.items()]
    INDEX.write_text("\n".join([*others, *pointers]) + "\n", encoding="utf-8")


def split_page(name: str) -> tuple[str, str]:
    """Return the header and the body of a page. If the header is damaged, all of the page is body."""
    text = read(page_of(name))
    header, line, body = text.partition("\n---\n")
    return (header, body.strip()) if line and header.startswith("---\n") else ("", text.strip())


def label(name: str, key: str) -> str | None:
    """Return the value of a label in the header of a page, or None."""
    match = re.search(rf"^{key}: ?(.*)$", split_page(name)[0], re.MULTILINE)
    return match[1] if match else None


def recall(query: str) -> str | None:
    """Return the body of the memory that is most relevant to the query, or None."""
    names = ranking(query)
    if not names:
        return None
    announce(names[0])
    return split_page(names[0])[1]


def plant_stale() -> None:
    """Write a stale fact: it was true until the script moved."""
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
    """Return the set of words of a text, without stop words."""
    return set(re.findall(r"[^\W_]+", text.casefold())) - SMALL_WORDS


def relevance(query: str, description: str) -> float:
    """Return the Jaccard index of the two sets of words, 0 to 1: each extra word in the description lowers it."""
    query_words, description_words = words(query), words(description)
    shared = query_words & description_words
    return len(shared) / len(query_words | description_words) if shared else 0.0


def ranking(query: str) -> list[str]:
    """List the names of the memories that are relevant to the query, best first."""
    relevances = {name: relevance(query, description) for name, description in rows().items()}
    relevant = [name for name in relevances if relevances[name] and not is_withheld(name)]
    return sorted(relevant, key=lambda name: relevances[name] * weight(name), reverse=True)


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
    """Return the source of a memory: "user" if its header names none, "unknown" if it has no header."""
    if label(name, "name") is None:
        return "unknown"
    source = label(name, "source")
    return "user" if source is None else source


def weight(name: str) -> float:
    """Return the factor of a memory in the ranking, 0 to 1, by its source."""
    return TRUST.get(source_of(name), UNTRUSTED)


def check_rank(name: str, source: str) -> None:
    """Raise ValueError if a source of higher rank wrote the fact of this name."""
    if page_of(name).exists() and weight(name) > TRUST.get(source, UNTRUSTED):
        raise ValueError(f"{name}: {source_of(name)} wrote this fact, and {source} ranks lower; choose another name")


def is_withheld(name: str) -> bool:
    """Return whether a memory is untrusted and gives instructions; if so, print that it is not served."""
    source = source_of(name)
    if source in TRUST or not ORDER.search(split_page(name)[1]):
        return False
    print(f"NOT SERVED -- {name} gives instructions, and its source ({source}) is untrusted")
    return True


def announce(name: str) -> None:
    """Print a note if the source of a served memory is untrusted."""
    if (source := source_of(name)) not in TRUST:
        print(f"note: only {source} says so ({name}); check it before you act on it")


def keep_old(name: str) -> None:
    """Move the existing page, if any, to memory/old/<name>/, which recall does not read."""
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
    """List the paths that a text names, each once."""
    chunks = [BESIDE.sub("", chunk.rstrip(".:!?*_")) for chunk in re.findall(r"""[^\s\0"'`()\[\]<>,;|]+""", memory)]
    return [chunk for chunk in dict.fromkeys(chunks) if is_path(chunk)]


def is_path(chunk: str) -> bool:
    """Return whether a word is a path, by its name, its ending or its first folder."""
    if NO_PATH.search(chunk) or DOMAIN.match(chunk):
        return False
    first, slash, _ = chunk.partition("/")
    return bool(FILE.search(chunk) or (slash and (first in FOLDERS or resolve(first))))


def resolve(path: str) -> Path | None:
    """Return the resolved path, with links followed, or None if nothing is there."""
    try:
        return Path(path).resolve(strict=True)
    except (OSError, RuntimeError):  # missing, name too long, circular links
        return None


def is_outside(path: str) -> bool:
    """Return whether a path leads out of this folder. An absolute path may belong to another machine."""
    place = resolve(path)
    return bool(ELSEWHERE.search(path) or (place and not place.is_relative_to(Path.cwd().resolve())))


MARKED = re.compile(r"\$\{?([A-Z_][A-Z0-9_]*)|\b([A-Z][A-Z0-9_]*)=|\benv(?:ironment)? var\w* `?([A-Z][A-Z0-9_]*)\b")
FLAG = re.compile(r"(?<![\w-])--[a-z][\w-]*")


def variables(memory: str) -> list[str]:
    """List the environment variables that a text marks: $X, ${X}, X=, the env var X, X in the environment."""
    found = ["".join(groups) for groups in MARKED.findall(memory)]
    for sentence in re.split(r"(?<=[.!?;])\s|\n", memory):
        if re.search(r"\benv(?:ironment)? var|\benvironment\b", sentence, re.IGNORECASE):
            found += re.findall(r"\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b", sentence)
    return list(dict.fromkeys(found))


def help_for(memory: str) -> str:
    """Return the help of the registered commands that a text names, "" if there is none."""
    return "\n".join(HELP[name] for name in HELP if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", memory))


CALL = re.compile(r"\b([a-z_]\w*)\(\)")


def missing_functions(memory: str) -> list[str]:
    """List the functions that a text names, as `ship()`, and that no Python file in the same text defines."""
    files = [path for path in paths(memory) if path.endswith(".py") and resolve(path) and not is_outside(path)]
    defined = re.findall(r"^\s*(?:def|class) (\w+)", "\n".join(read(Path(path)) for path in files), re.MULTILINE)
    return [name for name in CALL.findall(memory) if files and name not in defined]


def verify_before_trust(memory: str) -> tuple[bool, list[str]]:
    """Check every path, variable, flag and function that a memory names. Returns (ok, problems).

    If there are no problems, it prints a note for everything that cannot be checked here.
    """
    named, flags, listed = paths(memory), FLAG.findall(memory), help_for(memory)
    problems = [f"path does not exist: {path}" for path in named if not is_outside(path) and not resolve(path)]
    problems += [f"env var is not set: {name}" for name in variables(memory) if not os.environ.get(name)]
    problems += [f"flag is not in the help: {flag}" for flag in flags if listed and flag not in FLAG.findall(listed)]
    problems += [f"function is not defined: {name}" for name in missing_functions(memory)]
    unknown = [path for path in named if is_outside(path)] + [flag for flag in flags if not listed]
    for thing in [] if problems else unknown:
        print(f"note: {thing} cannot be checked here")
    return not problems, problems


def recall_and_trust(query: str) -> str | None:
    """Return the best memory whose check passes, or None; print the problems of each stale one."""
    for name in ranking(query):
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
    """Return the text of a file, "" if it does not exist, with a mark in place of invalid bytes."""
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


def rows() -> dict[str, str]:
    """Return {name: description}, from the index, or from the page if the index does not list it."""
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
