"""Lab 07 in plain functions over plain dicts; the class at the end only keeps the scratchpad and passes calls on.

What is refused is said and let be, nothing is raised; earlier versions of facts lie in a log of their own.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import accumulate, chain
from pathlib import Path
from typing import Any

Record = dict[str, Any]

HELP: dict[str, str] = {}
ROOT = Path("mix")
EPISODIC = ROOT / "episodes.jsonl"
SEMANTIC = ROOT / "facts.json"
HISTORY = ROOT / "facts_before.jsonl"
RULES = ROOT / "rules.md"
FIRST_RULES = """\
# Agent rules (procedural memory)
- Prefer pnpm. Never mix package managers.
- Before acting on a memory that names a file or a flag, see that it exists.
- Ship only when the smoke test on the live page is green.
"""

TRUSTED = ["agent", "tool", "user"]
STOP_WORDS = frozenset(
    """a about after all also am an and any are as at be because been before being between both but by can could did
    do does doing down during each few for from further get go had has have having he her here hers him his how i if
    in into is it its itself just let like make many may me might more most much must my need no nor not now of off
    on once only or other our out over own same shall she should so some such than that the their theirs them then
    there these they this those through to too under until up use used us very was we were what when where which
    while who whom whose why will with would you your yours""".split()
)
VERBS = """accept add allow always append approve block book buy call cancel change clear click close commit connect
    copy create delete deploy disable discard do don't download drop email enable erase execute export fetch follow
    forget forward give go grant hand ignore import insert install keep launch leave load log make merge move never
    obey open overwrite pass paste pay point post print publish pull push put read rebuild reboot release reload
    remember remove rename replace reply report reset restart revoke rotate run save say send set share ship show
    shut sign skip start stop store submit switch take tell transfer trust turn uninstall update upgrade upload use
    visit wipe write""".split()
ORDER = re.compile(
    rf"(?:^|[.!?:;\n]\W*)(?:{'|'.join(map(re.escape, VERBS))})\b|\b(?:must|should|please)\b|\bfrom now on\b",
    re.IGNORECASE,
)


# --- who says so ---


def rank(source: str) -> int:
    """How far is a source believed? A stranger: 0."""
    return 1 + TRUSTED.index(source) if source in TRUSTED else 0


def is_order(text: str) -> bool:
    """Does a text say what to do?"""
    return bool(ORDER.search(text.strip()))


def showable(record: Record) -> bool:
    """Is it from somebody we know, or at least no order?"""
    return rank(record["source"]) > 0 or not is_order(record["text"])


# --- files ---


def read_log(path: Path) -> list[Record]:
    """Give the records of a file of JSON lines; passes over what is none."""
    raw = path.read_bytes().split(b"\n") if path.exists() else []
    return list(filter(None, map(record_of, raw)))


def record_of(line: bytes) -> Record | None:
    """Read one line."""
    try:
        found = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    if isinstance(found, dict) and isinstance(found.get("kind"), str) and isinstance(found.get("detail"), str):
        return {"source": "user", "session": None} | found
    return None


def append(path: Path, record: Record) -> None:
    """Add a line to a file of JSON lines, behind whatever is there."""
    ROOT.mkdir(exist_ok=True)
    before = path.read_bytes() if path.exists() else b""
    start = "" if not before or before.endswith(b"\n") else "\n"
    with path.open("a", encoding="utf-8") as file:
        file.write(start + json.dumps(record) + "\n")


def read_facts() -> dict[str, Record]:
    """Give all facts by name; a file that is no such thing is put aside."""
    if not SEMANTIC.exists():
        return {}
    try:
        found = json.loads(SEMANTIC.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        found = None
    if isinstance(found, dict) and all(map(is_fact, found.values())):
        return {name: {"source": "user"} | fact for name, fact in found.items()}
    digest = hashlib.sha256(SEMANTIC.read_bytes()).hexdigest()[:12]
    aside = ROOT / f"facts.json.unreadable-{digest}"
    os.replace(SEMANTIC, aside)  # noqa: PTH105 - as one finds it in every answer to "write a file atomically"
    print(f"facts.json was unreadable and is now {aside}")
    return {}


def is_fact(value: object) -> bool:
    """Is this what write_fact writes?"""
    return isinstance(value, dict) and all(isinstance(value.get(key), str) for key in ("description", "body"))


def save_facts(facts: dict[str, Record]) -> None:
    """Write all facts at once or not at all."""
    ROOT.mkdir(exist_ok=True)
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=ROOT, suffix=".tmp", delete=False) as file:
        json.dump(facts, file, indent=2)
    os.replace(file.name, SEMANTIC)  # noqa: PTH105


def put_fact(name: str, fact: Record) -> bool:
    """Keep a fact, and what it replaces in the history; tells whether it was kept."""
    facts = read_facts()
    old = facts.get(name)
    if old is not None and rank(old["source"]) > rank(fact["source"]):
        print(f"not kept: {fact['source']} may not change {name!r}, which comes from {old['source']}")
        return False
    if old is not None and (old["description"], old["body"]) != (fact["description"], fact["body"]):
        append(HISTORY, {"name": name} | old)
    save_facts({**facts, name: fact})
    return True


# --- the guard ---

ENDINGS = """bash cfg cjs conf cpp css csv go h htm html ini ipynb java js jsx json jsonl lock log md mjs php pdf
    png py rb rs rst sh sql svg tf toml ts tsx txt xml yaml yml""".split()
FILE = re.compile(rf"[\w.-]*[\w-]\.(?:{'|'.join(ENDINGS)})")
PATH = re.compile(r"(?:\./)?[\w.-]+(?:/[\w.-]+)+/?|[\w.-]+/")
NAMES = set("Makefile Dockerfile Procfile Gemfile Rakefile Jenkinsfile Vagrantfile Justfile Caddyfile".split())
FRAMEWORK = re.compile(r"(?:node|next|nuxt|vue|react|three|d3|express|chart|ember|alpine|p5|moment)\.js", re.IGNORECASE)
FOLDERS = set("app bin ci config data docs etc jobs lab lib ops scripts src templates test tests tools web".split())
FLAG = re.compile(r"(?<![\w-])(--[a-zA-Z][\w-]*|-[a-zA-Z])(?![\w-])")
MARKED = re.compile(r"\$(?:\{(\w+)\}?|([A-Za-z_]\w*))|\b([A-Z][A-Z0-9_]*)=")
BARE = re.compile(r"\b[A-Z][A-Z0-9_]{2,}\b")


def chunks(text: str) -> Iterator[str]:
    """Cut a text into what might be a path, without the punctuation around it."""
    for chunk in text.split():
        yield chunk.strip("\"'`()[]{}<>,;:!?*").rstrip(".").split("#")[0]


def names_file(chunk: str) -> bool:
    """Is it a file that would lie in this folder?"""
    if "://" in chunk or "@" in chunk or chunk.startswith(("/", "~", "..", "www.")) or FRAMEWORK.fullmatch(chunk):
        return False
    if "/" not in chunk:
        return chunk in NAMES or bool(FILE.fullmatch(chunk))
    if not PATH.fullmatch(chunk) or re.fullmatch(r"[\d/.-]+", chunk):
        return False
    head, *_, tail = chunk.removeprefix("./").rstrip("/").split("/")
    if re.search(r"\w\.[a-z]{2,}$", head) and "/" in chunk.removeprefix("./").rstrip("/"):
        return False
    return bool(FILE.fullmatch(tail)) or tail in NAMES or head in FOLDERS or Path(head).is_dir()


def missing_paths(text: str) -> Iterator[str]:
    """Which files of this folder does a text name that are not there?"""
    return (f"no such path: {one}" for one in chunks(text) if names_file(one) and not Path(one).exists())


def missing_variables(text: str) -> Iterator[str]:
    """Which variables does it name that are empty or not set?"""
    named = ["".join(found) for found in MARKED.findall(text)]
    if re.search(r"\benv\b|\benvironment\b", text, re.IGNORECASE):
        named += BARE.findall(text)
    return (f"not set: {name}" for name in dict.fromkeys(named) if not os.environ.get(name))


def missing_flags(text: str) -> Iterator[str]:
    """Which flags does the help of the command before them lack?"""
    for found in FLAG.finditer(text):
        spoken = re.findall(r"[\w.-]+", text[: found.start()])
        command = next((one for one in reversed(spoken) if one in HELP), None)
        if command is not None and found[1] not in FLAG.findall(HELP[command].replace(",", " ")):
            yield f"{command} has no flag {found[1]}"


def problems_in(text: str) -> list[str]:
    """What does a text claim that is not so?"""
    return list(chain(missing_paths(text), missing_variables(text), missing_flags(text)))


def unanswerable(text: str) -> list[str]:
    """What does it claim that nobody can look up from here?"""
    far = [one for one in chunks(text) if re.match(r"(?:/|~/|\.\./)\w", one)]
    flags = [one for one in FLAG.findall(text) if not any(word in HELP for word in re.findall(r"[\w.-]+", text))]
    return far + flags


def checked(verdict: str, text: str) -> bool:
    """Does what a text claims hold? Prints why not, and what a person should look at."""
    problems = problems_in(text)
    if problems:
        print("\n".join([f"{verdict}: {text}", *(f"  - {one}" for one in problems)]))
    elif doubts := unanswerable(text):
        print(f"look for yourself: {', '.join(doubts)} (in: {text})")
    return not problems


# --- the prompt ---


def singular(word: str) -> str:
    """Make one word of "ship" and "ships"."""
    return re.sub(r"(?<=[a-z]{3})(?<!s)s$", "", word)


def terms(text: str) -> frozenset[str]:
    """Give the words that tell what a text is about."""
    return frozenset(map(singular, set(re.findall(r"[a-z0-9à-ÿ]+", text.lower())) - STOP_WORDS))


def flat(text: str) -> str:
    """Put a text on one line."""
    return " ".join(text.split())


def tame(text: str) -> str:
    """Make of a stored text one line that opens no section."""
    return re.sub(r"^(?=\W*\[)", "> ", flat(text))


def with_source(record: Record) -> str:
    """Write a text with whoever said it, where that was not the user."""
    return tame(record["text"]) if record["source"] == "user" else f"{flat(record['source'])}> {tame(record['text'])}"


def relevant(task: str) -> list[str]:
    """Give the facts for a task, the best first."""
    task_terms = terms(task)
    facts = read_facts().values()
    rated = [{"text": one["body"], **one, "shared": len(task_terms & terms(one["description"]))} for one in facts]
    found = [one for one in rated if one["shared"] and showable(one) and checked("WITHHELD (stale)", one["body"])]
    return [with_source(one) for one in sorted(found, key=lambda one: (not rank(one["source"]), -one["shared"]))]


def recent() -> list[str]:
    """Give the last three episodes that may be shown."""
    entries = ({"text": f"{one['kind']}: {one['detail']}", "source": one["source"]} for one in read_log(EPISODIC))
    return [with_source(one) for one in entries if showable(one)][-3:]


def section(heading: str, lines: Iterable[str]) -> list[str]:
    """Give a section, or nothing where it would be empty."""
    body = list(lines)
    return ["\n".join([heading, *body])] if body else []


def layout(rules: str, task: str, todo: list[str], items: list[tuple[str, str]], left_out: int) -> str:
    """Write a prompt of the pins and of these items."""
    of = {name: [text for kind, text in items if kind == name] for name in ("fact", "todo", "recent")}
    steps = ", ".join(todo[:1] + of["todo"])
    parts = section("[RULES]", [rules]) + section("[FACTS]", of["fact"]) + section("[RECENT]", reversed(of["recent"]))
    parts += [f"...[trimmed: {left_out} left out]..."] if left_out else []
    parts += [f"[WORKING] task={task}\ntodo: {steps}", f"[RECITE -> do next] {steps}"] if steps else []
    return "\n\n".join(parts)


def compose(write: Callable[[list[tuple[str, str]], int], str], items: list[tuple[str, str]], budget: int) -> str:
    """Take items from the front, as many as fit. Raises ValueError where the pins alone do not."""
    shorter = (items[: len(items) - out] for out in range(len(items) + 1))
    drafts = [write(some, len(items) - len(some)) for some in shorter]
    fitting = next((one for one in drafts if len(one) <= budget), None)
    if fitting is None:
        least = list(accumulate(map(len, drafts), min))[-1]
        raise ValueError(f"rules, task and next to-do do not fit into {budget} characters; the least budget is {least}")
    return fitting


# --- promotion ---


def taught(episodes: list[Record], min_count: int) -> bool:
    """Was it logged often enough, in two sessions, by those who may teach?"""
    believed = [one for one in episodes if rank(one["source"])]
    strangers = len(believed) < len(episodes)
    sessions = {str(one["session"]) for one in believed if one["session"] is not None}
    return (
        len(believed) >= min_count
        and (not sessions or len(sessions) >= 2)
        and (not strangers or any(one["source"] == "user" for one in believed))
    )


def name_for(detail: str, facts: dict[str, Record]) -> str:
    """Give a name that is made of the detail alone, and that is free."""
    number = int(hashlib.sha256(detail.encode("utf-8")).hexdigest(), 16)
    digits = 6
    while f"learned-{number % 10**digits}" in facts:
        digits += 1
    return f"learned-{number % 10**digits}"


def promote(min_count: int) -> Iterator[tuple[str, str, int]]:
    """Copy what recurs to the facts, each detail once."""
    log = read_log(EPISODIC)
    for detail in dict.fromkeys(one["detail"] for one in log):
        repeated = [one for one in log if one["detail"] == detail]
        facts = read_facts()
        known = any(one["body"] == detail for one in facts.values())
        if not taught(repeated, min_count) or known or not checked("SKIP (stale, not promoted)", detail):
            continue
        name = name_for(detail, facts)
        fact = {"description": "learned from repeated episodes", "body": detail, "source": "agent", "session": None}
        if put_fact(name, fact):
            yield name, detail, len(repeated)


class MemoryMix:
    """Four kinds of memory: working lives in this object, the other three on disk."""

    def __init__(self) -> None:
        self.working: dict[str, Any] = {}

    def set_task(self, task: str, todo: list[str], *, source: str = "user", session: str | None = None) -> None:
        """Working memory: begin a task."""
        if rank(source):
            self.working = {"task": task, "todo": [*todo], "session": session}
        else:
            print(f"not taken: {source} gives no tasks")

    def check_off(self, item: str, *, source: str = "user", session: str | None = None) -> None:
        """Working memory: one to-do is done."""
        if rank(source):
            self.working |= {"todo": [one for one in self.working.get("todo", []) if one != item]}
        else:
            print(f"not taken: {source} checks nothing off")

    def log_episode(self, kind: str, detail: str, *, source: str = "user", session: str | None = None) -> None:
        """Episodic memory: append what happened."""
        append(EPISODIC, {"kind": kind, "detail": detail, "source": source, "session": session})

    def episodes(self) -> list[Record]:
        """Episodic memory: replay the log, oldest first."""
        return read_log(EPISODIC)

    def write_fact(
        self, name: str, description: str, body: str, *, source: str = "user", session: str | None = None
    ) -> None:
        """Semantic memory: keep a fact under its name."""
        put_fact(name, {"description": description, "body": body, "source": source, "session": session})

    def rules(self) -> str:
        """Procedural memory: read the rules, every turn; there are always some."""
        if not RULES.exists():
            ROOT.mkdir(exist_ok=True)
            RULES.write_text(FIRST_RULES, encoding="utf-8")
        return RULES.read_text(encoding="utf-8").strip()

    def assemble(self, task: str, budget_chars: int = 1200) -> str:
        """Compose the prompt of a turn."""
        todo = list(map(flat, self.working.get("todo", [])))
        write = partial(layout, self.rules(), flat(self.working.get("task", "")), todo)
        items = [("fact", one) for one in relevant(task)]
        items += [("todo", one) for one in todo[1:]] + [("recent", one) for one in reversed(recent())]
        return compose(write, items, budget_chars)

    def promote_recurring(self, min_count: int = 2) -> list[tuple[str, str, int]]:
        """Copy each detail that recurs from the log to the facts."""
        return list(promote(min_count))

    def _verify_fresh(self, body: str) -> list[str]:
        return problems_in(body)


if __name__ == "__main__":
    mix = MemoryMix()
    mix.set_task("ship the labs page", ["build", "smoke test", "deploy"])
    mix.log_episode("deploy", "shipped labs v1 to prod, smoke green")
    mix.write_fact("deploy-cmd", "how this project ships", "Run scripts/deploy.sh from the repo root.")
    print("rules loaded:", len(mix.rules().splitlines()), "lines")
    print("working todo:", mix.working["todo"])
    print("episodes on disk:", len(mix.episodes()))
