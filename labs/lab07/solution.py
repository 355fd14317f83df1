"""Lab 07, solution: four stores, one prompt that never exceeds its budget, and promotion from trusted sources.

Stored text may be torn, stale, forged or a lie. So it cannot open a section of the prompt, its claims are checked
against the system, and its trust rank depends on its source.
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

# The help text of each command, registered by a person. The guard never runs a command that a memory names.
HELP: dict[str, str] = {}

# The trust rank of each source. Any other source, such as a web page or another agent, has rank 0: untrusted.
RANKS = {"user": 3, "tool": 2, "agent": 1}

# Instructions: a verb that begins a sentence or follows "must", "should" or "please".
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

# Patterns of the guard: chunks of text, and the paths, flags and variables in them.
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
    """One item of a prompt: its section and its text."""

    section: str
    text: str


class MemoryMix:
    """Four kinds of memory: working memory in this object, the other three on disk."""

    def __init__(self) -> None:
        self.working: dict[str, Any] = {}
        ROOT.mkdir(exist_ok=True)
        if not RULES.exists():
            RULES.write_text(FIRST_RULES, encoding="utf-8")

    def set_task(self, task: str, todo: list[str], *, source: str = "user", session: str | None = None) -> None:
        """Working memory: start a task. Raises ValueError if the source is untrusted."""
        if not rank(source):
            raise ValueError(f"set_task({task!r}): a task cannot come from {source!r}, only from {', '.join(RANKS)}")
        self.working = {"task": task, "todo": list(todo), "session": session}

    def check_off(self, item: str, *, source: str = "user", session: str | None = None) -> None:
        """Working memory: remove a finished to-do. Raises ValueError if the source is untrusted."""
        del session  # a to-do may be finished in a later session
        if not rank(source):
            raise ValueError(f"check_off({item!r}): {source!r} cannot check off a to-do, only {', '.join(RANKS)}")
        self.working["todo"] = [entry for entry in self.working.get("todo", []) if entry != item]

    def log_episode(self, kind: str, detail: str, *, source: str = "user", session: str | None = None) -> None:
        """Episodic memory: append an event, on a new line even if the last line is torn."""
        record = validate({"kind": kind, "detail": detail, "source": source, "session": session}, "kind", "detail")
        begin = "\n" if self._is_torn() else ""
        with EPISODIC.open("a", encoding="utf-8") as log:
            log.write(begin + json.dumps(record) + "\n")

    def _is_torn(self) -> bool:
        """Return whether the log ends without a line break."""
        if not EPISODIC.is_file() or EPISODIC.stat().st_size == 0:
            return False
        with EPISODIC.open("rb") as log:
            log.seek(-1, os.SEEK_END)
            return log.read() != b"\n"

    def episodes(self) -> list[dict[str, Any]]:
        """Episodic memory: return all events, oldest first, without torn or damaged lines."""
        if not EPISODIC.is_file():
            return []
        records = [parse_json(line) for line in EPISODIC.read_bytes().splitlines()]
        return [record for record in records if is_record(record, "kind", "detail")]

    def write_fact(
        self, name: str, description: str, body: str, *, source: str = "user", session: str | None = None
    ) -> None:
        """Semantic memory: store a fact under its name. Raises ValueError if a higher rank wrote the old one."""
        new = {"description": description, "body": body, "source": source, "session": session}
        validate(new, "description", "body")
        facts = self._facts()
        if name in facts:
            self._check_rank(name, facts[name], new)
            new = self._next_version(facts[name], new)
        self._save({**facts, name: new})

    def _facts(self) -> dict[str, dict[str, Any]]:
        """Return every fact by its name; a damaged file is renamed, so that a person can inspect it."""
        if not SEMANTIC.exists():
            return {}
        stored = SEMANTIC.read_bytes() if SEMANTIC.is_file() else b""
        facts = parse_json(stored)
        if isinstance(facts, dict) and all(is_record(fact, "description", "body") for fact in facts.values()):
            return facts
        aside = SEMANTIC.with_name(f"facts.spoiled-{hashlib.sha256(stored).hexdigest()[:12]}.json")
        SEMANTIC.replace(aside)
        print(f"DAMAGED: {SEMANTIC} cannot be read. It was renamed to {aside}")
        return {}

    def _save(self, facts: dict[str, dict[str, Any]]) -> None:
        """Write all facts to a draft that then replaces the file: no reader sees half of it."""
        draft = SEMANTIC.with_suffix(".draft")
        draft.write_text(json.dumps(facts, indent=2), encoding="utf-8")
        draft.replace(SEMANTIC)

    def _check_rank(self, name: str, old: dict[str, Any], new: dict[str, Any]) -> None:
        """Raise ValueError if the old fact has a higher rank than the new one."""
        if rank(source_of(new)) < rank(source_of(old)):
            raise ValueError(f"write_fact({name!r}): {source_of(new)!r} may not change what {source_of(old)!r} wrote")

    def _next_version(self, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
        """Return the new fact with its earlier versions in "before", oldest first."""
        if all(new[key] == old.get(key) for key in ("description", "body", "source")):
            return old
        replaced = {key: value for key, value in old.items() if key != "before"}
        return {**new, "before": [*old.get("before", []), replaced]}

    def rules(self) -> str:
        """Procedural memory: return the rules, read from their file."""
        return RULES.read_text(encoding="utf-8", errors="replace").strip()

    def assemble(self, task: str, budget_chars: int = 1200) -> str:
        """Compose the prompt of a turn: rules, facts, recent episodes, scratchpad, and the recited to-do list.

        It has at most `budget_chars` characters: whole items are left out, the least important first, and one line
        says how many. Raises ValueError if rules, task and next to-do alone do not fit.
        """
        pinned, items = self._pinned_items(), self._optional_items(task)
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

    def _pinned_items(self) -> list[Item]:
        """List the items that are never left out: the rules, the task, the next to-do."""
        task, todo = self.working.get("task", ""), self.working.get("todo", [])
        pinned = [Item("RULES", self.rules())]
        if task or todo:
            pinned.append(Item("WORKING", task))
        return pinned + [Item("TODO", entry) for entry in todo[:1]]

    def _optional_items(self, task: str) -> list[Item]:
        """List the optional items, most important first: facts, later to-dos, episodes from the newest back."""
        facts = [Item("FACTS", fact) for fact in self._relevant_facts(task)]
        later = [Item("TODO", entry) for entry in self.working.get("todo", [])[1:]]
        recent = [Item("RECENT", line) for line in reversed(self._recent_lines())]
        return facts + later + recent

    def _layout(self, items: list[Item], left_out: int) -> str:
        """Return the prompt with these items in their sections, and the recited to-do list at the end."""
        rules, facts, recent, task, todo = (
            [item.text for item in items if item.section == section]
            for section in ("RULES", "FACTS", "RECENT", "WORKING", "TODO")
        )
        parts = ["[RULES]\n" + "\n".join(rules)]
        if facts:
            parts.append("[FACTS]\n" + "\n".join(self._safe_line(fact) for fact in facts))
        if recent:
            parts.append("[RECENT]\n" + "\n".join(self._safe_line(line) for line in reversed(recent)))
        if left_out:
            parts.append(f"...[trimmed: {left_out} left out]...")
        if task:
            parts.append("[WORKING] " + self._safe_line(f"task={task[0]}"))
        if todo:
            listed = ", ".join(todo)
            parts[-1] += "\n" + self._safe_line(f"todo: {listed}")
            parts.append("[RECITE -> do next] " + self._safe_line(listed))
        return "\n\n".join(parts)

    def _safe_line(self, text: str) -> str:
        """Return a stored text on one line that cannot be read as a section heading."""
        line = " ".join(text.splitlines())
        return f"> {line}" if re.match(r"\W*\[", line) else line

    def _recent_lines(self) -> list[str]:
        """List the latest three servable episodes as lines, newest last."""
        lines = [(episode, f"{episode['kind']}: {episode['detail']}") for episode in self.episodes()]
        return [self._with_source(episode, line) for episode, line in lines if self._is_servable(episode, line)][-3:]

    def _relevant_facts(self, task: str) -> list[str]:
        """List the bodies of the relevant facts that pass the guard, best first."""
        task_words = self._words(task)
        ranking = [(self._priority(fact, task_words), fact) for fact in self._facts().values()]
        ranking.sort(key=lambda pair: pair[0], reverse=True)
        return [
            self._with_source(fact, fact["body"])
            for priority, fact in ranking
            if priority and not self._is_stale(fact["body"], "STALE (not shown)")
        ]

    def _priority(self, fact: dict[str, Any], task_words: set[str]) -> float:
        """Return the number of shared words: a thousandth of it if untrusted, 0 for an untrusted instruction."""
        shared = len(task_words & self._words(fact["description"]))
        if not self._is_servable(fact, fact["body"]):
            return 0
        return shared if rank(source_of(fact)) else shared / 1000

    def _is_servable(self, record: dict[str, Any], text: str) -> bool:
        """Return whether a text may be in a prompt: it is trusted, or contains no instruction."""
        return rank(source_of(record)) > 0 or not ORDER_RE.search(text)

    def _with_source(self, record: dict[str, Any], text: str) -> str:
        """Return the text, with its source if that is untrusted."""
        return text if rank(source_of(record)) else f"{text} (says {source_of(record)}, not confirmed)"

    def _words(self, text: str) -> set[str]:
        """Return the words of a text without stop words; "ships" and "ship" are the same."""
        words = set(re.findall(r"\w+", text.lower())) - set(SMALL_WORDS.split())
        return {word.removesuffix("s") for word in words}

    def promote_recurring(self, min_count: int = 2) -> list[tuple[str, str, int]]:
        """Copy each recurring detail from the log to the facts, unless the guard refutes it."""
        promoted = []
        for detail, count in self._recurring_details(min_count):
            if self._is_stale(detail, "SKIP (stale, not promoted)"):
                continue
            name = self._learned_name(detail)
            if name not in self._facts():  # else a person may have corrected it since
                self.write_fact(name, f"learned from repeated episodes: {detail}", detail, source="agent")
                promoted.append((name, detail, count))
        return promoted

    def _learned_name(self, detail: str) -> str:
        """Return a name from a digest of the detail, as long as needed to differ from other facts."""
        digest = hashlib.sha256(detail.encode(errors="backslashreplace")).hexdigest()
        facts = self._facts()
        names = [f"learned-{digest[:length]}" for length in range(8, len(digest) + 1)]
        return next(name for name in names if name not in facts or first_body(facts[name]) == detail)

    def _recurring_details(self, min_count: int) -> list[tuple[str, int]]:
        """List (detail, count) for details logged `min_count` times by trusted sources, not in one session only.

        If an untrusted source has logged a detail too, only the user's own episodes count.
        """
        episodes = self.episodes()
        untrusted = {episode["detail"] for episode in episodes if not rank(source_of(episode))}
        sessions_of: dict[str, list[str | None]] = {}
        for episode in episodes:
            if episode["detail"] not in untrusted or source_of(episode) == "user":
                sessions_of.setdefault(episode["detail"], []).append(episode.get("session"))
        return [
            (detail, len(sessions))
            for detail, sessions in sessions_of.items()
            if len(sessions) >= min_count and len(set(sessions) - {None}) != 1
        ]

    def _is_stale(self, text: str, verdict: str) -> bool:
        """Return whether the guard refutes a text. Prints the problems, and what cannot be checked here."""
        ok, problems = self._verify_fresh(text)
        if not ok:
            print(f"{verdict}: {text}")
        for problem in problems:
            print(f"  - {problem}")
        for name in unverifiable_in(text):
            print(f"NOTE (cannot be checked here, check it yourself): {name}")
        return not ok

    def _verify_fresh(self, body: str) -> tuple[bool, list[str]]:
        """Check every path, flag and variable that a text names. Returns (ok, problems)."""
        problems = [f"path does not exist: {path}" for path in paths_in(body) if not path_exists(path)]
        problems += [f"env var is not set: {name}" for name in variables_in(body) if not os.environ.get(name)]
        problems += [f"flag is not in the help: {flag}" for flag in unknown_flags(body)]
        return not problems, problems


def parse_json(line: bytes) -> Any:  # noqa: ANN401 - any JSON value
    """Return the JSON value of a line, None if it is torn or damaged."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def is_record(value: object, *keys: str) -> bool:
    """Return whether a value is a valid record with a text under each of these keys."""
    if not isinstance(value, dict):
        return False
    if not all(isinstance(text, str) for text in [source_of(value), *map(value.get, keys)]):
        return False
    return isinstance(value.get("session"), str | int | None) and isinstance(value.get("before", []), list)


def validate(record: dict[str, Any], *keys: str) -> dict[str, Any]:
    """Return the record. Raises ValueError if it could not be read back from its file."""
    if not is_record(record, *keys):
        raise ValueError(f"{', '.join(keys)} and source must be texts, session a text, a number or None: {record}")
    return record


def source_of(record: dict[str, Any]) -> str:
    """Return the source of a record: the user if it has none."""
    source: str = record.get("source", "user")
    return source


def rank(source: str) -> int:
    """Return the trust rank of a source; 0 is untrusted."""
    return RANKS.get(source, 0)


def first_body(fact: dict[str, Any]) -> str:
    """Return the body of the first version of a fact."""
    versions = [*fact.get("before", []), fact]
    first: str = next(version["body"] for version in versions if is_record(version, "body"))
    return first


def paths_in(text: str) -> list[str]:
    """List the paths in this folder that a text names, each once."""
    chunks = [chunk.strip("*").rstrip(".:!?") for chunk in CHUNK_RE.findall(URL_RE.sub(" ", text))]
    return [chunk for chunk in dict.fromkeys(chunks) if is_path(chunk)]


def is_path(chunk: str) -> bool:
    """Return whether a word names a file in this folder: src/app.py, Makefile, scripts/deploy, not and/or."""
    folder, slash, _ = chunk.partition("/")
    last = chunk.rpartition("/")[2]
    named = last in WHOLE_NAMES or FILE_RE.fullmatch(last) is not None
    if not PATH_RE.fullmatch(chunk) or chunk.lower() in PRODUCTS:
        return False
    if not slash:
        return named
    if not folder or HOST_RE.fullmatch(folder):
        return False
    return named or folder in FOLDERS or path_exists(folder)


def path_exists(path: str) -> bool:
    """Return whether a file or a folder exists. A name that is too long does not."""
    try:
        return Path(path).exists()
    except OSError:
        return False


def variables_in(text: str) -> list[str]:
    """List the environment variables that a text marks, each once; a bare word in capitals is not one."""
    plain = URL_RE.sub(" ", text)
    found = ["".join(groups) for groups in MARKED_RE.findall(plain)]
    for sentence in SENTENCE_RE.split(plain):
        if ENVIRONMENT_RE.search(sentence):
            found += CAPITALS_RE.findall(sentence)
    return list(dict.fromkeys(found))


def known_flags(text: str) -> set[str] | None:
    """Return the flags of the registered commands that a text names, None if it names no such command."""
    pages = [page for command, page in HELP.items() if re.search(rf"(?<![\w-]){re.escape(command)}(?![\w-])", text)]
    return {flag for page in pages for flag in FLAG_RE.findall(page)} if pages else None


def unknown_flags(text: str) -> list[str]:
    """List the flags that are not in the help of the commands in the same text."""
    known = known_flags(text)
    return [] if known is None else [flag for flag in FLAG_RE.findall(text) if flag not in known]


def unverifiable_in(text: str) -> list[str]:
    """List what cannot be checked here: absolute paths, and flags of commands without a registered help."""
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
