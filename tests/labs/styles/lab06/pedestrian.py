"""Lab 06 by a beginner: loops and ifs, one thing after the other, no pattern beyond re.findall.

Refuses an unsafe name; the guard gives True or False; old texts are appended to a history file beside the page; the
share of the description's words that were asked for decides, a higher rank goes first; a new row goes to the end.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

MEM_DIR = Path("memory")
INDEX = MEM_DIR / "MEMORY.md"
HELP: dict[str, str] = {}

ALLOWED = "abcdefghijklmnopqrstuvwxyz0123456789-_"
SMALL_WORDS = (
    "a about an and any are as at be but by can did do does for from had has have he her his how i if in is it its me "
    "my no not of on or our she should so than that the their them then there these they this those to too up us was "
    "we were what when where which who whom whose why will with would you your"
).split()
ENDINGS = [
    ".sh", ".py", ".js", ".ts", ".json", ".yaml", ".yml", ".toml", ".md", ".txt", ".html", ".css", ".csv", ".sql",
    ".ini", ".cfg", ".lock", ".xml",
]  # fmt: skip
FILES = ["Makefile", "Dockerfile", "Procfile", "Gemfile", "Pipfile", ".env"]
FOLDERS = ["scripts", "bin", "src", "docs", "tools", "config", "."]
ORDER_WORDS = (
    "always never ignore disregard forget run execute use send mail copy delete remove install download upload push "
    "deploy tell approve pay do don't"
).split()
ORDER_PHRASES = ["you must", "you should", "you have to", "from now on", "agents must", "agents should", "do not"]


def read_text(path):
    if not path.is_file():
        return ""
    return path.read_bytes().decode("utf-8", errors="replace")


def check_name(name):
    good = 0 < len(name) <= 100 and name != "memory" and name[0] != "-" and name[-1] != "-"
    for letter in name:
        if letter not in ALLOWED:
            good = False
    if not good:
        raise ValueError("This is not a good name: " + repr(name[:50]) + ". Use small letters, digits and dashes.")


def one_line(text):
    return " ".join(text.split())


def get_words(text):
    found = set()
    for word in re.findall(r"\w+", text.lower()):
        if word not in SMALL_WORDS:
            found.add(word)
    return found


def split_page(name):
    """Give the lines of the header (None where there is none) and the body."""
    text = read_text(MEM_DIR / (name + ".md"))
    lines = text.split("\n")
    if lines[0] != "---":
        return None, text.strip()
    for number in range(1, len(lines)):
        if lines[number] == "---":
            return lines[1:number], "\n".join(lines[number + 1 :]).strip()
    return None, text.strip()


def get_label(name, label):
    header, _ = split_page(name)
    if header is None:
        return None
    for line in header:
        if line.startswith(label + ": "):
            return line[len(label) + 2 :]
    return ""


def source_of(name):
    source = get_label(name, "source")
    if source is None:
        return "unknown"
    if source == "":
        return "user"
    return source


def rank_of(source):
    if source == "user":
        return 3
    if source == "tool":
        return 2
    if source == "agent":
        return 1
    return 0


def get_rows():
    """Give a list of [name, description]: first the rows of the index, then the pages that it does not list."""
    rows = []
    names = []
    for line in read_text(INDEX).split("\n"):
        parts = line.split(" -- ", 1)
        if len(parts) == 2 and line.startswith("- [") and "](" in line:
            name = line[3 : line.index("](")]
            if name not in names and "/" not in name and "\0" not in name and (MEM_DIR / (name + ".md")).is_file():
                rows.append([name, parts[1]])
                names.append(name)
    for path in sorted(MEM_DIR.glob("*.md")):
        if path.name != "MEMORY.md" and path.stem not in names and path.is_file():
            description = get_label(path.stem, "description")
            if not description:
                description = "?"
            rows.append([path.stem, description])
    return rows


def write_memory(name, description, mtype, body, *, source="user", session=None):
    check_name(name)
    path = MEM_DIR / (name + ".md")
    if path.exists() and rank_of(source_of(name)) > rank_of(source):
        raise ValueError(source + " may not overwrite " + name + ", which is from " + source_of(name))
    MEM_DIR.mkdir(exist_ok=True)

    # keep what stood there before
    if path.exists():
        with (MEM_DIR / (name + ".history")).open("a", encoding="utf-8") as history:
            history.write(read_text(path) + "\n==========\n")

    # the page
    text = "---\n"
    text += "name: " + name + "\n"
    text += "description: " + one_line(description) + "\n"
    text += "type: " + one_line(mtype) + "\n"
    if source == "" or source != one_line(source):
        source = "unknown"
    if source != "user":
        text += "source: " + one_line(source) + "\n"
    if session is not None:
        text += "session: " + one_line(session) + "\n"
    text += "---\n\n"
    text += body.strip() + "\n"
    path.write_text(text, encoding="utf-8")

    # the index
    index = ""
    for row in get_rows():
        if row[0] != name:
            index += "- [" + row[0] + "](" + row[0] + ".md) -- " + row[1] + "\n"
    index += "- [" + name + "](" + name + ".md) -- " + one_line(description) + "\n"
    INDEX.write_text(index, encoding="utf-8")
    print("wrote", path)


def gives_orders(text):
    lowered = text.lower()
    for phrase in ORDER_PHRASES:
        if phrase in lowered:
            return True
    for mark in "!?:;,\n":
        lowered = lowered.replace(mark, ". ")
    for sentence in lowered.split(". "):
        first = sentence.replace("please", "").strip(" -*>#.").split(" ")[0]
        if first in ORDER_WORDS:
            return True
    return False


def find_names(query):
    """Give the names of the memories about the query, best first."""
    query_words = get_words(query)
    found = []
    for name, description in get_rows():
        own_words = get_words(description)
        shared = 0
        for word in own_words:
            if word in query_words:
                shared += 1
        if shared == 0:
            continue
        source = source_of(name)
        rank = rank_of(source)
        if rank == 0 and gives_orders(split_page(name)[1]):
            print("Not served, an order from " + source + ": " + name)
            continue
        score = shared / len(own_words)
        found.append((rank, score, name))
    found.sort(key=lambda one: (one[0], one[1]), reverse=True)
    names = []
    for _, _, name in found:
        names.append(name)
    return names


def give(name):
    source = source_of(name)
    if rank_of(source) == 0:
        print("Careful: this comes from " + source)
    return split_page(name)[1]


def recall(query):
    names = find_names(query)
    if len(names) == 0:
        return None
    return give(names[0])


def plant_stale():
    write_memory(
        "deploy-script-old",
        "where the deploy script lives",
        "reference",
        "To ship, run scripts/old_deploy.sh from the repo root.",
    )


def is_path(word):
    for strange in ["://", "@", "*", "{", "}", "$", "%", "=", "?", "\0"]:
        if strange in word:
            return False
    if word.startswith("-"):
        return False
    parts = word.split("/")
    if len(parts) > 1 and "." in parts[0] and not parts[0].startswith("."):
        return False  # a domain, example.com/a.js
    last = parts[-1]
    if last in FILES:
        return True
    for ending in ENDINGS:
        if last.endswith(ending) and len(last) > len(ending):
            if len(parts) == 1 and ending == ".js" and last[0].isupper():
                return False  # Node.js
            return True
    if len(parts) > 1:
        return parts[0] in FOLDERS or parts[0] in ["", "~", ".."] or Path(parts[0]).is_dir()
    return False


def is_elsewhere(path):
    if path[0] == "/" or path[0] == "~" or ".." in path.split("/") or "\\" in path or ":" in path:
        return True
    here = str(Path.cwd().resolve())
    return not str(Path(path).resolve()).startswith(here)


def find_variables(text):
    names = []
    for name in re.findall(r"\$\{?([A-Z][A-Z0-9_]*)", text):
        names.append(name)
    for name in re.findall(r"\b([A-Z][A-Z0-9_]*)=", text):
        names.append(name)
    for sentence in text.replace("\n", ". ").split(". "):
        lowered = sentence.lower()
        if "env var" in lowered or "environment" in lowered:
            for name in re.findall(r"\b[A-Z][A-Z0-9_]+\b", sentence):
                names.append(name)
    return names


def find_problems(text):
    """Give what is wrong, and what nobody can check."""
    problems = []
    unknown = []
    for chunk in re.findall(r"[^\s\"'`()\[\]<>,;|]+", text):
        word = chunk.rstrip(".:!?*_")
        if is_path(word):
            if is_elsewhere(word):
                unknown.append(word)
            elif not Path(word).exists():
                problems.append("path does not exist: " + word)
    for name in find_variables(text):
        if os.environ.get(name, "") == "":
            problems.append("env var is not set: " + name)
    known = []
    named = False
    for command, help_text in HELP.items():
        if command in re.findall(r"[\w.-]+", text):
            named = True
            known += re.findall(r"--[a-z][\w-]*", help_text)
    for flag in re.findall(r"(?<![\w-])--[a-z][\w-]*", text):
        if not named:
            unknown.append(flag)
        elif flag not in known:
            problems.append("flag is not in the help: " + flag)
    return problems, unknown


def verify_before_trust(memory):
    problems, unknown = find_problems(memory)
    if len(problems) > 0:
        return False, problems
    for thing in unknown:
        print("I could not check this:", thing)
    return True, []


def recall_and_trust(query):
    for name in find_names(query):
        body = split_page(name)[1]
        answer = verify_before_trust(body)
        if answer[0]:
            return give(name)
        print("STALE -- not serving as fact. flag for refresh:")
        for problem in answer[1]:
            print("  - " + problem)
    return None
