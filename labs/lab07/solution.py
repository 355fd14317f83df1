"""Lab 07 mended: four stores, one prompt that never outgrows its budget, and promotion of what has earned it.

What is stored may be torn, stale, forged or a lie, so none of it is taken at its word: it opens no section of the
prompt, it is checked against what is really there, and how far it is believed depends on who said it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path("mix")
EPISODIC = ROOT / "episodes.jsonl"
SEMANTIC = ROOT / "facts.json"
RULES = ROOT / "rules.md"

FIRST_RULES = """\
# Agent rules (procedural memory)
- Prefer pnpm. Never mix package managers.
- Before acting on a memory that names a file or a flag, see that it exists.
- Ship only when the smoke test on the live page is green.
"""

# A command's help text, put here by a person: the guard never runs what a memory names.
HELP: dict[str, str] = {}

# How far a source is believed. Whoever is not in this table, a web page or another agent, may not teach.
RANKS = {"user": 3, "tool": 2, "agent": 1}

# What gives orders: a verb that opens a sentence, or that follows "must", "should" or "please".
ORDER_RE = re.compile(
    r"(?:^|[.!?:;,]\s+|\bplease\s+|\b(?:must|should|shall|have to)\s+)"
    r"(?:always|never|now|don't|do not|ignore|disregard|forget|obey|follow|use|run|send|share|deploy|install|delete"
    r"|remove|buy|pay|tell|give|add|set|call|copy|post|open|trust|write)\b|\bfrom now on\b",
    re.IGNORECASE,
)

SMALL_WORDS = """
a about after all also am an and any are as at be because been before but by can could did do does for from had
has have how i if in into is it its just may me might more most must my no not now of off on only or our out over
own please she should so some such tell than that the their them then there these they this those to too up us
was we were what when where which while who whom whose why will with would you your
"""

# What the guard reads: pieces of text between blanks, and what a file, a flag and a variable look like in them.
CHUNK_RE = re.compile(r"""[^\s"'`()<>\[\]{},;|]+""")
URL_RE = re.compile(r"\w+://\S+")
PATH_RE = re.compile(r"[\w.+/-]+")
FILE_RE = re.compile(r"[\w.+-]*\w\.(?:sh|py|ya?ml|json|toml|md|txt|csv|ini|cfg|lock|sql|html?|css|[jt]sx?)")
HOST_RE = re.compile(r"(?:[\w-]+\.)+(?:[a-z]{2,}|\d+)", re.IGNORECASE)
FLAG_RE = re.compile(r"(?<![\w-])--[a-z][\w-]*")
MARKED_RE = re.compile(r"\$\{?([A-Z_][A-Z0-9_]*)|\b([A-Z_][A-Z0-9_]+)=|\bvariables? ([A-Z][A-Z0-9_]+)\b")
ENVIRONMENT_RE = re.compile(r"\benv(?:ironment)?\b", re.IGNORECASE)
CAPITALS_RE = re.compile(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b")
SENTENCE_RE = re.compile(r"(?<=[.!?;])\s+|\n")
WHOLE_NAMES = {"Makefile", "Dockerfile", "Procfile", "Jenkinsfile", "Gemfile", "Rakefile", ".env", ".gitignore"}
FOLDERS = {"bin", "scripts", "src", "tools"}
PRODUCTS = {"node.js", "next.js", "vue.js", "three.js", "d3.js", "express.js"}


class Item(NamedTuple):
    """One thing that a prompt can show: the section that it belongs to, and its text."""

    section: str
    text: str


class MemoryMix:
    """Four kinds of memory: working lives in this object, the other three on disk."""

    def __init__(self) -> None:
        self.working: dict[str, Any] = {}
        ROOT.mkdir(exist_ok=True)
        if not RULES.exists():
            RULES.write_text(FIRST_RULES, encoding="utf-8")

    def set_task(self, task: str, todo: list[str], *, source: str = "user", session: str | None = None) -> None:
        """Working memory: begin a task. Raises ValueError where the source is not trusted."""
        if not rank(source):
            raise ValueError(f"set_task({task!r}): a task cannot come from {source!r}, only from {', '.join(RANKS)}")
        self.working = {"task": task, "todo": list(todo), "session": session}

    def check_off(self, item: str, *, source: str = "user", session: str | None = None) -> None:
        """Working memory: one to-do is done. Raises ValueError where the source is not trusted."""
        del session  # a to-do may be done in a later session than it was set
        if not rank(source):
            raise ValueError(f"check_off({item!r}): {source!r} cannot say what is done, only {', '.join(RANKS)}")
        self.working["todo"] = [one for one in self.working.get("todo", []) if one != item]

    def log_episode(self, kind: str, detail: str, *, source: str = "user", session: str | None = None) -> None:
        """Episodic memory: append what happened, on a line of its own even where the last line is torn."""
        record = checked({"kind": kind, "detail": detail, "source": source, "session": session}, "kind", "detail")
        begin = "\n" if self._is_torn() else ""
        with EPISODIC.open("a", encoding="utf-8") as log:
            log.write(begin + json.dumps(record) + "\n")

    def _is_torn(self) -> bool:
        """Tell whether the last line of the log has no end."""
        if not EPISODIC.is_file() or EPISODIC.stat().st_size == 0:
            return False
        with EPISODIC.open("rb") as log:
            log.seek(-1, os.SEEK_END)
            return log.read() != b"\n"

    def episodes(self) -> list[dict[str, Any]]:
        """Episodic memory: replay the log, oldest first; a torn or spoiled line is passed over."""
        if not EPISODIC.is_file():
            return []
        records = [parsed(line) for line in EPISODIC.read_bytes().splitlines()]
        return [record for record in records if is_record(record, "kind", "detail")]

    def write_fact(
        self, name: str, description: str, body: str, *, source: str = "user", session: str | None = None
    ) -> None:
        """Semantic memory: keep a fact under its name. Raises ValueError where a higher rank has written it."""
        new = {"description": description, "body": body, "source": source, "session": session}
        checked(new, "description", "body")
        facts = self._facts()
        if name in facts:
            self._check_rank(name, facts[name], new)
            new = self._next_version(facts[name], new)
        self._save({**facts, name: new})

    def _facts(self) -> dict[str, dict[str, Any]]:
        """Give every fact by its name; a spoiled file is put aside, where a person can look at it."""
        if not SEMANTIC.exists():
            return {}
        stored = SEMANTIC.read_bytes() if SEMANTIC.is_file() else b""
        facts = parsed(stored)
        if isinstance(facts, dict) and all(is_record(fact, "description", "body") for fact in facts.values()):
            return facts
        aside = SEMANTIC.with_name(f"facts.spoiled-{hashlib.sha256(stored).hexdigest()[:12]}.json")
        SEMANTIC.replace(aside)
        print(f"SPOILED: {SEMANTIC} cannot be read. It is kept as {aside}")
        return {}

    def _save(self, facts: dict[str, dict[str, Any]]) -> None:
        """Write all facts to a second file, and put that in the place of the first: no reader sees a half."""
        draft = SEMANTIC.with_suffix(".draft")
        draft.write_text(json.dumps(facts, indent=2), encoding="utf-8")
        draft.replace(SEMANTIC)

    def _check_rank(self, name: str, old: dict[str, Any], new: dict[str, Any]) -> None:
        """Raise ValueError where the old fact is of a higher rank than the new one."""
        if rank(said_by(new)) < rank(said_by(old)):
            raise ValueError(f"write_fact({name!r}): {said_by(new)!r} may not change what {said_by(old)!r} wrote")

    def _next_version(self, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
        """Give the new fact with all that stood in its place before, the oldest first."""
        if all(new[key] == old.get(key) for key in ("description", "body", "source")):
            return old
        replaced = {key: value for key, value in old.items() if key != "before"}
        return {**new, "before": [*old.get("before", []), replaced]}

    def rules(self) -> str:
        """Procedural memory: read the rules, every turn."""
        return RULES.read_text(encoding="utf-8", errors="replace").strip()

    def assemble(self, task: str, budget_chars: int = 1200) -> str:
        """Compose the prompt of a turn: rules, facts, recent episodes, scratchpad, and the to-do once more.

        It never has more than `budget_chars` characters: whole items are left out, the least valuable first, and one
        line says how many. Raises ValueError where rules, task and next to-do alone do not fit.
        """
        pinned, items = self._pinned(), self._items(task)
        prompt = self._layout(pinned + items, left_out=0)
        if len(prompt) <= budget_chars:
            return prompt
        least, prompt = len(prompt), self._layout(pinned, left_out=len(items))
        if len(prompt) > budget_chars:
            least = min(least, len(prompt))
            raise ValueError(f"budget_chars={budget_chars} is too small: rules, task and next to-do need {least}")
        kept: list[Item] = []
        for item in items:
            longer = self._layout([*pinned, *kept, item], left_out=len(items) - len(kept) - 1)
            if len(longer) <= budget_chars:
                prompt = longer
                kept.append(item)
        return prompt

    def _pinned(self) -> list[Item]:
        """Give what is never left out: the rules, the task, the next to-do."""
        task, todo = self.working.get("task", ""), self.working.get("todo", [])
        pinned = [Item("RULES", self.rules())]
        if task or todo:
            pinned.append(Item("WORKING", task))
        return pinned + [Item("TODO", one) for one in todo[:1]]

    def _items(self, task: str) -> list[Item]:
        """Give what may be left out, the most valuable first: facts, later to-dos, episodes from the newest back."""
        facts = [Item("FACTS", fact) for fact in self._relevant(task)]
        later = [Item("TODO", one) for one in self.working.get("todo", [])[1:]]
        recent = [Item("RECENT", line) for line in reversed(self._recent())]
        return facts + later + recent

    def _layout(self, items: list[Item], left_out: int) -> str:
        """Put items in their sections, and the to-do at the very end."""
        rules, facts, recent, task, todo = (
            [item.text for item in items if item.section == section]
            for section in ("RULES", "FACTS", "RECENT", "WORKING", "TODO")
        )
        parts = ["[RULES]\n" + "\n".join(rules)]
        if facts:
            parts.append("[FACTS]\n" + "\n".join(self._shown(fact) for fact in facts))
        if recent:
            parts.append("[RECENT]\n" + "\n".join(self._shown(line) for line in reversed(recent)))
        if left_out:
            parts.append(f"...[trimmed: {left_out} left out]...")
        if task:
            parts.append("[WORKING] " + self._shown(f"task={task[0]}"))
        if todo:
            listed = ", ".join(todo)
            parts[-1] += "\n" + self._shown(f"todo: {listed}")
            parts.append("[RECITE -> do next] " + self._shown(listed))
        return "\n\n".join(parts)

    def _shown(self, text: str) -> str:
        """Put a stored text on one line that cannot be taken for the heading of a section."""
        line = " ".join(text.splitlines())
        return f"> {line}" if re.match(r"\W*\[", line) else line

    def _recent(self) -> list[str]:
        """Give the latest three episodes as they are shown, the newest last; a stranger's orders are not."""
        told = [(one, f"{one['kind']}: {one['detail']}") for one in self.episodes()]
        return [self._marked(one, line) for one, line in told if self._may_show(one, line)][-3:]

    def _relevant(self, task: str) -> list[str]:
        """Give the facts that are worth something to the task as they are shown, the best first."""
        asked = self._words(task)
        found = [(self._worth(fact, asked), fact) for fact in self._facts().values()]
        found.sort(key=lambda one: one[0], reverse=True)
        return [
            self._marked(fact, fact["body"])
            for worth, fact in found
            if worth and not self._is_stale(fact["body"], "STALE (not shown)")
        ]

    def _worth(self, fact: dict[str, Any], asked: set[str]) -> float:
        """Count the words that a fact shares with the task; a stranger's word counts little, and an order nothing."""
        shared = len(asked & self._words(fact["description"]))
        if not self._may_show(fact, fact["body"]):
            return 0
        return shared if rank(said_by(fact)) else shared / 1000

    def _may_show(self, record: dict[str, Any], text: str) -> bool:
        """Tell whether a text may stand in a prompt: from a stranger, only what gives no orders."""
        return rank(said_by(record)) > 0 or not ORDER_RE.search(text)

    def _marked(self, record: dict[str, Any], text: str) -> str:
        """Add who says so, where it is nobody whom we trust."""
        return text if rank(said_by(record)) else f"{text} (says {said_by(record)}, not confirmed)"

    def _words(self, text: str) -> set[str]:
        """Give the words that tell what a text is about; "ships" and "ship" are one."""
        words = set(re.findall(r"\w+", text.lower())) - set(SMALL_WORDS.split())
        return {word.removesuffix("s") for word in words}

    def promote_recurring(self, min_count: int = 2) -> list[tuple[str, str, int]]:
        """Copy each detail that recurs from the log to the facts, unless reality speaks against it."""
        promoted = []
        for detail, count in self._recurring(min_count):
            if self._is_stale(detail, "SKIP (stale, not promoted)"):
                continue
            name = self._learned_name(detail)
            if name not in self._facts():  # else it was learned before, and a person may have corrected it since
                self.write_fact(name, f"learned from repeated episodes: {detail}", detail, source="agent")
                promoted.append((name, detail, count))
        return promoted

    def _learned_name(self, detail: str) -> str:
        """Make a name of a digest of the detail: a name that belongs to another fact grows until it is free."""
        digest = hashlib.sha256(detail.encode(errors="backslashreplace")).hexdigest()
        facts = self._facts()
        names = [f"learned-{digest[:length]}" for length in range(8, len(digest) + 1)]
        return next(name for name in names if name not in facts or first_body(facts[name]) == detail)

    def _recurring(self, min_count: int) -> list[tuple[str, int]]:
        """Give what was told `min_count` times by who may teach, and not in one session alone, with how often.

        What a stranger has said as well counts as his, whoever repeats it; only the user stands above that.
        """
        episodes = self.episodes()
        strange = {one["detail"] for one in episodes if not rank(said_by(one))}
        told: dict[str, list[str | None]] = {}
        for one in episodes:
            if one["detail"] not in strange or said_by(one) == "user":
                told.setdefault(one["detail"], []).append(one.get("session"))
        return [
            (detail, len(sessions))
            for detail, sessions in told.items()
            if len(sessions) >= min_count and len(set(sessions) - {None}) != 1
        ]

    def _is_stale(self, text: str, verdict: str) -> bool:
        """Tell whether reality speaks against a text, and print why; print too what nothing here can confirm."""
        ok, problems = self._verify_fresh(text)
        if not ok:
            print(f"{verdict}: {text}")
        for problem in problems:
            print(f"  - {problem}")
        for name in unverifiable_in(text):
            print(f"NOTE (look yourself, it cannot be checked here): {name}")
        return not ok

    def _verify_fresh(self, body: str) -> tuple[bool, list[str]]:
        """Check every path, flag and variable that a text names; give (ok, problems)."""
        problems = [f"path does not exist: {path}" for path in paths_in(body) if not is_there(path)]
        problems += [f"env var is not set: {name}" for name in variables_in(body) if not os.environ.get(name)]
        problems += [f"flag is not in the help: {flag}" for flag in unknown_flags(body)]
        return not problems, problems


def parsed(line: bytes) -> Any:  # noqa: ANN401 - whatever somebody wrote there
    """Read JSON; what is torn or spoiled is None."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def is_record(value: object, *keys: str) -> bool:
    """Tell whether a value is a record with these texts, and with whatever else we read of one."""
    if not isinstance(value, dict):
        return False
    if not all(isinstance(text, str) for text in [said_by(value), *map(value.get, keys)]):
        return False
    return isinstance(value.get("session"), str | int | None) and isinstance(value.get("before", []), list)


def checked(record: dict[str, Any], *keys: str) -> dict[str, Any]:
    """Give a record as it is. Raises ValueError where it would spoil the file that it is written to."""
    if not is_record(record, *keys):
        raise ValueError(f"{', '.join(keys)} and source must be texts, session a text, a number or None: {record}")
    return record


def said_by(record: dict[str, Any]) -> str:
    """Name the source of a record: where none is told, the user wrote it."""
    source: str = record.get("source", "user")
    return source


def rank(source: str) -> int:
    """Tell how far a source is believed; 0 is not at all."""
    return RANKS.get(source, 0)


def first_body(fact: dict[str, Any]) -> str:
    """Give what a fact said when it was first written."""
    first: str = next(one["body"] for one in [*fact.get("before", []), fact] if is_record(one, "body"))
    return first


def paths_in(text: str) -> list[str]:
    """List the paths that a text names in this folder; those of other machines are not ours to check."""
    chunks = [chunk.strip("*").rstrip(".:!?") for chunk in CHUNK_RE.findall(URL_RE.sub(" ", text))]
    return [chunk for chunk in dict.fromkeys(chunks) if is_path(chunk)]


def is_path(chunk: str) -> bool:
    """Tell whether a word names a file of this folder: src/app.py, Makefile, scripts/deploy, but not and/or."""
    folder, slash, _ = chunk.partition("/")
    last = chunk.rpartition("/")[2]
    named = last in WHOLE_NAMES or FILE_RE.fullmatch(last) is not None
    if not PATH_RE.fullmatch(chunk) or chunk.lower() in PRODUCTS:
        return False
    if not slash:
        return named
    if not folder or HOST_RE.fullmatch(folder):
        return False
    return named or folder in FOLDERS or is_there(folder)


def is_there(path: str) -> bool:
    """Tell whether a file or a folder exists; what is too long for a name does not."""
    try:
        return Path(path).exists()
    except OSError:
        return False


def variables_in(text: str) -> list[str]:
    """List the environment variables that a text marks as such; a bare word in capitals is none."""
    plain = URL_RE.sub(" ", text)
    found = ["".join(groups) for groups in MARKED_RE.findall(plain)]
    for sentence in SENTENCE_RE.split(plain):
        if ENVIRONMENT_RE.search(sentence):
            found += CAPITALS_RE.findall(sentence)
    return list(dict.fromkeys(found))


def known_flags(text: str) -> set[str] | None:
    """Give the flags of the registered commands that a text names, None where it names none of them."""
    pages = [page for command, page in HELP.items() if re.search(rf"(?<![\w-]){re.escape(command)}(?![\w-])", text)]
    return {flag for page in pages for flag in FLAG_RE.findall(page)} if pages else None


def unknown_flags(text: str) -> list[str]:
    """List the flags that the help of the command named with them does not have."""
    known = known_flags(text)
    return [] if known is None else [flag for flag in FLAG_RE.findall(text) if flag not in known]


def unverifiable_in(text: str) -> list[str]:
    """List what nothing here can confirm or refute: paths of other machines, flags of commands without a help."""
    chunks = CHUNK_RE.findall(URL_RE.sub(" ", text))
    elsewhere = [chunk for chunk in chunks if re.match(r"[/~]\w", chunk)]
    return elsewhere + (FLAG_RE.findall(text) if known_flags(text) is None else [])


if __name__ == "__main__":
    mix = MemoryMix()
    mix.set_task("ship the labs page", ["build", "smoke test", "deploy"])
    mix.log_episode("deploy", "shipped labs v1 to prod, smoke green")
    mix.write_fact("deploy-cmd", "how this project ships", "Run scripts/deploy.sh from the repo root.")
    print("rules loaded:", len(mix.rules().splitlines()), "lines")
    print("working todo:", mix.working["todo"])
    print("episodes on disk:", len(mix.episodes()))
