"""Lab 07 by a beginner: one class, loops, ifs, lists; no comprehension, no regular expression but the given one."""

from __future__ import annotations

import hashlib
import json
import os
import re
from pathlib import Path
from typing import Any

# A command's help text, put here by a person: the guard never runs what a memory names.
HELP: dict[str, str] = {}
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
PATH_RE = re.compile(r"^[\w./-]+\.(?:sh|py|ya?ml|json|toml|md|txt|js|ts|html|css|csv|ini|cfg|sql|lock|xml)$")

SMALL_WORDS = [
    "a", "an", "the", "and", "or", "but", "if", "not", "no", "of", "on", "in", "into", "at", "to", "from", "for", "by",
    "with", "without", "as", "is", "are", "was", "were", "be", "been", "it", "its", "this", "that", "these", "those",
    "there", "here", "do", "does", "did", "has", "have", "had", "can", "could", "will", "would", "should", "i", "me",
    "my", "we", "us", "our", "you", "your", "he", "she", "his", "her", "they", "their", "them", "who", "what", "when",
    "where", "which", "why", "how", "so", "than", "then", "up", "out", "about", "over", "get", "all", "any",
]  # fmt: skip
ORDER_VERBS = [
    "run", "send", "use", "delete", "ignore", "always", "never", "do", "don't", "deploy", "install", "remove", "forget",
    "disable", "enable", "skip", "stop", "start", "move", "copy", "post", "push", "give", "tell", "call", "pay", "open",
    "visit", "click", "write", "read", "upload", "download", "execute", "switch", "replace", "change", "set", "add",
    "make", "put", "take", "ship", "follow", "trust", "drop", "buy", "transfer", "ask", "print", "show", "share",
]  # fmt: skip
FILES_WITHOUT_ENDING = ["Makefile", "Dockerfile", "Procfile", "Gemfile", "Rakefile", "Jenkinsfile", "Vagrantfile"]
FOLDERS = ["scripts", "src", "bin", "docs", "lib", "tests", "test", "tools", "config", "app", "lab", "data", "deploy"]
PRODUCTS = ["node.js", "next.js", "vue.js", "react.js", "three.js", "d3.js", "express.js", "nuxt.js"]


def rank(source: str) -> int:
    """How much is somebody believed?"""
    if source == "user":
        return 3
    if source == "tool":
        return 2
    if source == "agent":
        return 1
    return 0


def one_line(text: str) -> str:
    """No line breaks and no double blanks."""
    return " ".join(text.split())


def harmless(text: str) -> str:
    """One line that does not look like a heading."""
    line = one_line(text)
    start = line
    while start != "" and start[0] in " -*>":
        start = start[1:]
    if start.startswith("["):
        return "> " + line
    return line


def gives_orders(text: str) -> bool:
    """Is there a sentence that says what to do?"""
    small = one_line(text).lower()
    for sign in ["must", "should", "please", "from now on"]:
        if sign in small:
            return True
    for mark in "!?;:":
        small = small.replace(mark, ".")
    for sentence in (text.lower().replace("\n", ".") + "." + small).split("."):
        words = sentence.strip(" -*>\"'()").split()
        if len(words) > 0 and words[0].strip(",\"'") in ORDER_VERBS:
            return True
    return False


def words_of(text: str) -> list[str]:
    """The words of a text, without small ones, without an s at the end."""
    cleaned = ""
    for letter in text.lower():
        if letter.isalnum():
            cleaned = cleaned + letter
        else:
            cleaned = cleaned + " "
    words = []
    for word in cleaned.split():
        if word in SMALL_WORDS:
            continue
        if len(word) > 3 and word.endswith("s") and not word.endswith("ss"):
            word = word[:-1]  # noqa: PLW2901 - a beginner does so
        if word not in words:
            words.append(word)
    return words


def cleaned_chunks(text: str) -> list[str]:
    """The words of a text without the signs around them."""
    chunks = []
    for word in text.split():
        chunk = word.strip("\"'`()[]{}<>,;:!?*").rstrip(".")
        chunks.append(chunk.removeprefix("./"))
    return chunks


def is_path(chunk: str) -> bool:
    """Does a word name a file of this folder?"""
    if "://" in chunk or "@" in chunk or chunk.startswith(("/", "~", "..", "www.")):
        return False
    if chunk.lower() in PRODUCTS:
        return False
    if chunk in FILES_WITHOUT_ENDING:
        return True
    parts = chunk.split("/")
    if len(parts) == 1:
        return PATH_RE.match(chunk) is not None
    if "." in parts[0] and not parts[0].startswith("."):
        return False  # a domain
    if PATH_RE.match(chunk) or parts[-1] in FILES_WITHOUT_ENDING:
        return True
    return parts[0] in FOLDERS or Path(parts[0]).is_dir()


def is_far_path(chunk: str) -> bool:
    """Does a word name a file of another place?"""
    return len(chunk) > 1 and (chunk.startswith(("/", "~/", "../")))


def variables_in(text: str) -> list[str]:
    """The environment variables that a text names."""
    marked = "environment" in text.lower() or "env var" in text.lower()
    names = []
    for word in text.split():
        chunk = word.strip("\"'`()[]<>,;:!?*.")
        if chunk.startswith("${"):
            names.append(chunk[2:].split("}")[0])
        elif chunk.startswith("$") and len(chunk) > 1 and chunk[1].isalpha():
            names.append(chunk[1:])
        elif "=" in chunk and chunk.split("=")[0].isupper():
            names.append(chunk.split("=")[0])
        elif marked and len(chunk) > 2 and chunk.isupper() and chunk.replace("_", "").isalnum():
            names.append(chunk)
    return names


def flags_in(text: str) -> list[str]:
    """The flags that a text names."""
    flags = []
    for word in text.replace(",", " ").replace("[", " ").replace("]", " ").replace("|", " ").split():
        chunk = word.strip("\"'`(){}<>;:!?*.").split("=")[0]
        if chunk.startswith("-") and chunk.strip("-") != "" and chunk.strip("-")[0].isalpha():
            flags.append(chunk)
    return flags


class MemoryMix:
    """Four kinds of memory: working lives in this object, the other three on disk."""

    def __init__(self) -> None:
        self.working: dict[str, Any] = {"task": "", "todo": []}
        ROOT.mkdir(exist_ok=True)
        if not RULES.exists():
            RULES.write_text(FIRST_RULES, encoding="utf-8")

    def set_task(self, task: str, todo: list[str], *, source: str = "user", session: str | None = None) -> None:
        """Working memory: begin a task."""
        if rank(source) == 0:
            raise ValueError("strangers give no tasks: " + source)
        self.working = {"task": task, "todo": []}
        for item in todo:
            self.working["todo"].append(item)

    def check_off(self, item: str, *, source: str = "user", session: str | None = None) -> None:
        """Working memory: one to-do is done."""
        if rank(source) == 0:
            raise ValueError("strangers check nothing off: " + source)
        while item in self.working["todo"]:
            self.working["todo"].remove(item)

    def log_episode(self, kind: str, detail: str, *, source: str = "user", session: str | None = None) -> None:
        """Episodic memory: append what happened."""
        torn = False
        if EPISODIC.exists():
            before = EPISODIC.read_bytes()
            torn = len(before) > 0 and not before.endswith(b"\n")
        line = json.dumps({"kind": kind, "detail": detail, "source": source, "session": session})
        with EPISODIC.open("a", encoding="utf-8") as log:
            if torn:
                log.write("\n")
            log.write(line + "\n")

    def episodes(self) -> list[dict[str, Any]]:
        """Episodic memory: replay the log, oldest first."""
        found: list[dict[str, Any]] = []
        if not EPISODIC.exists():
            return found
        for line in EPISODIC.read_bytes().split(b"\n"):
            try:
                episode = json.loads(line)
            except ValueError:
                continue
            if not isinstance(episode, dict):
                continue
            if not isinstance(episode.get("kind"), str) or not isinstance(episode.get("detail"), str):
                continue
            found.append(episode)
        return found

    def write_fact(
        self, name: str, description: str, body: str, *, source: str = "user", session: str | None = None
    ) -> None:
        """Semantic memory: keep a fact under its name."""
        facts = self._facts()
        new = {"description": description, "body": body, "source": source, "session": session, "older": []}
        if name in facts:
            old = facts[name]
            if rank(source) < rank(old.get("source", "user")):
                raise ValueError(source + " may not overwrite " + name)
            new["older"] = old.get("older", [])
            if old["body"] != body or old["description"] != description:
                kept = dict(old)
                kept.pop("older", None)
                new["older"] = [*old.get("older", []), kept]
        facts[name] = new
        draft = ROOT / "facts-new.json"
        draft.write_text(json.dumps(facts, indent=2), encoding="utf-8")
        draft.replace(SEMANTIC)

    def _facts(self) -> dict[str, dict[str, Any]]:
        if not SEMANTIC.exists():
            return {}
        try:
            facts = json.loads(SEMANTIC.read_bytes())
        except ValueError:
            facts = None
        good = isinstance(facts, dict)
        if isinstance(facts, dict):
            for fact in facts.values():
                if not isinstance(fact, dict) or "body" not in fact or "description" not in fact:
                    good = False
        if good:
            return dict(facts)
        number = 1
        while (ROOT / f"facts-spoiled-{number}.json").exists():
            number = number + 1
        SEMANTIC.rename(ROOT / f"facts-spoiled-{number}.json")
        print(f"facts.json was spoiled, I put it aside as facts-spoiled-{number}.json")
        return {}

    def rules(self) -> str:
        """Procedural memory: read the rules, every turn."""
        return RULES.read_text(encoding="utf-8").strip()

    def assemble(self, task: str, budget_chars: int = 1200) -> str:
        """Compose the prompt of a turn: all of it, and then one thing less until it fits."""
        facts = self._relevant(task)
        recent = self._recent()
        todo = []
        for item in self.working["todo"]:
            todo.append(one_line(item))
        left_out = 0
        text = self._layout(facts, recent, todo, left_out)
        while len(text) > budget_chars:
            if len(recent) > 0:
                recent.pop(0)
            elif len(todo) > 1:
                todo.pop()
            elif len(facts) > 0:
                facts.pop()
            else:
                raise ValueError(f"the budget is {budget_chars}, but it must be at least {len(text)}")
            left_out = left_out + 1
            text = self._layout(facts, recent, todo, left_out)
        return text

    def _layout(self, facts: list[str], recent: list[str], todo: list[str], left_out: int) -> str:
        text = "[RULES]\n" + self.rules()
        if len(facts) > 0:
            text = text + "\n\n[FACTS]\n" + "\n".join(facts)
        if len(recent) > 0:
            text = text + "\n\n[RECENT]\n" + "\n".join(recent)
        if left_out > 0:
            text = text + f"\n\n({left_out} left out)"
        if len(todo) > 0:
            text = text + "\n\n[WORKING] task=" + one_line(self.working["task"]) + "\ntodo: " + ", ".join(todo)
            text = text + "\n\n[RECITE -> do next] " + ", ".join(todo)
        return text

    def _recent(self) -> list[str]:
        lines = []
        for episode in self.episodes():
            source = episode.get("source", "user")
            text = episode["kind"] + ": " + episode["detail"]
            if rank(source) > 0:
                lines.append(harmless(text))
            elif not gives_orders(episode["detail"]) and not gives_orders(text):
                lines.append(harmless("from " + source + ": " + text))
        return lines[-3:]

    def _relevant(self, task: str) -> list[str]:
        task_words = words_of(task)
        ours = []
        strangers = []
        for fact in self._facts().values():
            shared = 0
            for word in words_of(fact["description"]):
                if word in task_words:
                    shared = shared + 1
            if shared == 0:
                continue
            ok, problems = self._verify_fresh(fact["body"])
            if not ok:
                print("withheld: " + fact["body"])
                for problem in problems:
                    print("  - " + problem)
                continue
            source = fact.get("source", "user")
            if rank(source) > 0:
                ours.append((shared, harmless(fact["body"])))
            elif not gives_orders(fact["body"]):
                strangers.append((shared, harmless("from " + source + ": " + fact["body"])))
        best_first = []
        for group in [ours, strangers]:
            group.sort(key=lambda pair: -pair[0])
            for _, line in group:
                best_first.append(line)
        return best_first

    def promote_recurring(self, min_count: int = 2) -> list[tuple[str, str, int]]:
        """Copy each detail that recurs from the log to the facts, again whenever it is asked to."""
        counts: dict[str, int] = {}
        sessions: dict[str, list[Any]] = {}
        strange = []
        users = []
        for episode in self.episodes():
            detail = episode["detail"]
            source = episode.get("source", "user")
            if rank(source) == 0:
                strange.append(detail)
                continue
            if source == "user":
                users.append(detail)
            counts[detail] = counts.get(detail, 0) + 1
            session = episode.get("session")
            if detail not in sessions:
                sessions[detail] = []
            if session is not None and session not in sessions[detail]:
                sessions[detail].append(session)
        promoted = []
        for detail, count in counts.items():
            if count < min_count or len(sessions[detail]) == 1:
                continue
            if detail in strange and detail not in users:
                continue
            ok, problems = self._verify_fresh(detail)
            if not ok:
                print("SKIP (stale, not promoted): " + detail)
                for problem in problems:
                    print("  - " + problem)
                continue
            name = self._name_for(detail)
            self.write_fact(name, "learned from repeated episodes", detail, source="agent")
            promoted.append((name, detail, count))
        return promoted

    def _name_for(self, detail: str) -> str:
        facts = self._facts()
        name = "learned-" + hashlib.sha256(detail.encode("utf-8")).hexdigest()
        number = 2
        first = name
        while name in facts and (facts[name]["body"] != detail or rank(facts[name].get("source", "user")) > 1):
            name = first + "-" + str(number)
            number = number + 1
        return name

    def _verify_fresh(self, body: str) -> tuple[bool, list[str]]:
        problems = []
        unsure = []
        for chunk in cleaned_chunks(body):
            if is_path(chunk) and not Path(chunk).exists():
                problems.append("path does not exist: " + chunk)
            if is_far_path(chunk):
                unsure.append(chunk)
        for name in variables_in(body):
            if os.environ.get(name, "") == "":
                problems.append("variable is not set: " + name)
        command = ""
        for chunk in cleaned_chunks(body):
            if chunk in HELP:
                command = chunk
        for flag in flags_in(body):
            if command == "":
                unsure.append(flag)
            elif flag not in flags_in(HELP[command]):
                problems.append("flag does not exist: " + flag)
        if len(unsure) > 0:
            print("I cannot look these up, look yourself: " + ", ".join(unsure))
        return len(problems) == 0, problems


if __name__ == "__main__":
    mix = MemoryMix()
    mix.set_task("ship the labs page", ["build", "smoke test", "deploy"])
    mix.log_episode("deploy", "shipped labs v1 to prod, smoke green")
    mix.write_fact("deploy-cmd", "how this project ships", "Run scripts/deploy.sh from the repo root.")
    print("rules loaded:", len(mix.rules().splitlines()), "lines")
    print("working todo:", mix.working["todo"])
    print("episodes on disk:", len(mix.episodes()))
