"""Lab 07 with the newest facts in facts.json and all that they ever were in a small database beside it."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, ClassVar

HELP: dict[str, str] = {}
ROOT = Path("mix")
EPISODIC = ROOT / "episodes.jsonl"
SEMANTIC = ROOT / "facts.json"
HISTORY = ROOT / "history.sqlite3"
RULES = ROOT / "rules.md"
FIRST_RULES = """\
# Agent rules (procedural memory)
- Prefer pnpm. Never mix package managers.
- Before acting on a memory that names a file or a flag, see that it exists.
- Ship only when the smoke test on the live page is green.
"""
TABLE = """CREATE TABLE IF NOT EXISTS version (
    number INTEGER PRIMARY KEY, name TEXT, description TEXT, body TEXT, source TEXT, session TEXT)"""


class Untrusted(ValueError):
    """Somebody asked for what is not theirs to ask."""


class BudgetTooSmall(ValueError):
    """Rules, task and next to-do do not fit."""


def rank(source: str) -> int:
    """Give 3 for the user, 2 for a tool, 1 for the agent, 0 for a stranger."""
    return {"user": 3, "tool": 2, "agent": 1}.get(source, 0)


@contextmanager
def history() -> Iterator[sqlite3.Connection]:
    """Open the database; one that is none is put aside."""
    try:
        with closing(sqlite3.connect(HISTORY)) as database:
            database.execute(TABLE)
    except sqlite3.DatabaseError:
        print(f"{HISTORY} is no database any more and was put aside as {set_aside(HISTORY)}")
    with closing(sqlite3.connect(HISTORY)) as database, database:
        database.execute(TABLE)
        yield database


def set_aside(path: Path) -> Path:
    """Rename a file to a name that nothing has."""
    number = 0
    while (aside := path.with_name(f"{path.name}.bad{number}")).exists():
        number += 1
    return path.rename(aside)


def one_line(text: str) -> str:
    """Join the lines of a text."""
    return re.sub(r"\s+", " ", text).strip()


def safe(text: str) -> str:
    """Give a text that can open no section, on one line."""
    text = one_line(text)
    return text if not re.match(r"[^\w(]*\[", text) else f"> {text}"


def attributed(text: str, source: str) -> str:
    """Put the source of a stranger's text behind it."""
    return safe(text) if rank(source) else safe(text) + f" [said by: {one_line(source)}]"


STOP = set(
    """a about all an and any are as at be been but by can could did do does for from get had has have he her his how i
    if in into is it its me my no not of on or our out over she should so than that the their them then there these they
    this those to up us was we were what when where which while who whose why will with would you your""".split()
)


def keywords(text: str) -> set[str]:
    """Give the words of a text but the small ones; a plural is its singular."""
    keys = set()
    for word in re.findall(r"[^\W_]+", text.lower()):
        if word not in STOP:
            keys.add(word[:-1] if re.fullmatch(r"\w{2,}[^su]s", word) else word)
    return keys


VERBS = """always never do don't run send use delete ignore forget deploy install remove disable enable skip stop start
    move copy post push give tell call pay open visit click write read upload download execute switch replace change set
    add make put take ship follow trust drop erase buy transfer ask share publish print merge pull fetch reset restart
    cancel""".split()


def commanding(text: str) -> bool:
    """Does a text give orders?"""
    if re.search(r"\b(must|should|please|from now on)\b", one_line(text), re.IGNORECASE):
        return True
    sentences = re.split(r"[.!?:;\n]+", text.lower())
    firsts = (re.match(r"\W*([\w']+)", one) for one in sentences)
    return any(found and found[1] in VERBS for found in firsts)


class Claims:
    """The claims of a text, and a method for each kind that looks them up."""

    KNOWN_ENDINGS: ClassVar = set(
        """c cfg cjs conf cpp css csv db env go h htm html ini ipynb java jpg js json jsonl jsx lock log md mjs pdf php
        png py rb rs rst sh sql svg tf toml ts tsx txt xml yaml yml""".split()
    )
    KNOWN_FILES: ClassVar = {"Makefile", "Dockerfile", "Procfile", "Gemfile", "Rakefile", "Jenkinsfile", "Vagrantfile"}
    KNOWN_FOLDERS: ClassVar = set(
        "app bin ci config data docs lab lib ops scripts src templates test tests tools web".split()
    )
    NO_FILES: ClassVar = {f"{one}.js" for one in "node next nuxt vue react three d3 express chart".split()}

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = [one.lstrip("*:!?").rstrip("*:!?.") for one in re.split(r"[\s,;()\[\]<>`\"']+", text)]
        self.wrong: list[str] = []
        self.unsure: list[str] = []
        self.check_paths()
        self.check_variables()
        self.check_flags()

    def check_paths(self) -> None:
        """Look for each path."""
        for token in self.tokens:
            if re.match(r"(~|\.\.|/\w)", token):
                self.unsure.append(token)
            elif self.is_path(token) and not Path(token).exists():
                self.wrong.append(f"there is no {token}")

    def is_path(self, token: str) -> bool:
        """Is a token a path of this folder?"""
        if not re.fullmatch(r"[\w./-]+", token) or token.lower() in self.NO_FILES or token.startswith("www."):
            return False
        *folders, name = token.removeprefix("./").split("/")
        stem, _, ending = name.rpartition(".")
        if name in self.KNOWN_FILES or not folders:
            return name in self.KNOWN_FILES or (stem != "" and ending in self.KNOWN_ENDINGS)
        if "." in folders[0].lstrip("."):
            return False
        return (
            (stem != "" and ending in self.KNOWN_ENDINGS)
            or folders[0] in self.KNOWN_FOLDERS
            or Path(folders[0]).is_dir()
        )

    def check_variables(self) -> None:
        """Look at each variable."""
        marks = [r"\$\{(\w+)", r"\$([A-Za-z_]\w*)", r"(?<![\w$-])([A-Z][A-Z0-9_]*)="]
        if re.search(r"\benv(ironment)?\b", self.text, re.IGNORECASE):
            marks.append(r"\b([A-Z][A-Z0-9_]{2,})\b")
        named = {name for mark in marks for name in re.findall(mark, self.text)}
        self.wrong += [f"{name} is not set" for name in sorted(named) if not os.environ.get(name)]

    def check_flags(self) -> None:
        """Look for each flag in the help of the command that is named last before it."""
        command = None
        for word in re.findall(r"(?<![\w-])--?[A-Za-z][\w-]*|[\w.]+(?:-\w+)*", self.text):
            if word in HELP:
                command = word
            elif word.startswith("-") and command is None:
                self.unsure.append(word)
            elif word.startswith("-") and command and not re.search(rf"(?<![\w-]){word}(?![\w-])", HELP[command]):
                self.wrong.append(f"{command} does not take {word}")


class MemoryMix:
    """Four kinds of memory: working lives in this object, the other three on disk."""

    def __init__(self) -> None:
        self.working: dict[str, Any] = {}
        ROOT.mkdir(parents=True, exist_ok=True)
        if not RULES.exists():
            RULES.write_text(FIRST_RULES, encoding="utf-8")

    def set_task(self, task: str, todo: list[str], *, source: str = "user", session: str | None = None) -> None:
        """Working memory: begin a task. Raises Untrusted."""
        if rank(source) == 0:
            raise Untrusted(f"a task from {source} is not taken")
        self.working = {"task": task, "todo": todo.copy()}

    def check_off(self, item: str, *, source: str = "user", session: str | None = None) -> None:
        """Working memory: one to-do is done. What a stranger says is done stays to be done."""
        todo = self.working.get("todo", [])
        if rank(source) and item in todo:
            todo.remove(item)

    def log_episode(self, kind: str, detail: str, *, source: str = "user", session: str | None = None) -> None:
        """Episodic memory: append what happened."""
        line = json.dumps({"kind": kind, "detail": detail, "source": source, "session": session})
        with EPISODIC.open("a+b") as log:
            size = log.seek(0, os.SEEK_END)
            log.seek(max(0, size - 1))
            if size and log.read() != b"\n":
                log.write(b"\n")
            log.write(line.encode() + b"\n")

    def episodes(self) -> list[dict[str, Any]]:
        """Episodic memory: replay the log, oldest first; who told it, too."""
        if not EPISODIC.exists():
            return []
        episodes = []
        for line in EPISODIC.read_text(encoding="utf-8", errors="replace").split("\n"):
            try:
                record = json.loads(line)
                kind, detail = record["kind"], record["detail"]
            except (ValueError, TypeError, KeyError):
                continue
            if isinstance(kind, str) and isinstance(detail, str):
                session = record.get("session")
                episodes.append(
                    {"kind": kind, "detail": detail, "source": record.get("source", "user"), "session": session}
                )
        return episodes

    def write_fact(
        self, name: str, description: str, body: str, *, source: str = "user", session: str | None = None
    ) -> None:
        """Semantic memory: keep a fact under its name. Raises Untrusted where a higher rank wrote it."""
        facts = self._facts()
        old = facts.get(name, {})
        if old and rank(old.get("source", "user")) > rank(source):
            raise Untrusted(f"{source} may not write {name!r}: it is from {old.get('source', 'user')}")
        with history() as database:
            if (old.get("description"), old.get("body")) != (description, body):
                row = (name, description, body, source, session)
                database.execute(
                    "INSERT INTO version (name, description, body, source, session) VALUES (?,?,?,?,?)", row
                )
        facts[name] = {"description": description, "body": body, "source": source}
        draft = SEMANTIC.with_name("facts.json.draft")
        with draft.open("w", encoding="utf-8") as file:
            json.dump(facts, file, indent=2)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(SEMANTIC)

    def _facts(self) -> dict[str, dict[str, str]]:
        if not SEMANTIC.exists():
            return {}
        try:
            facts = json.loads(SEMANTIC.read_text(encoding="utf-8"))
            return {
                name: {**fact, "body": fact["body"], "description": fact["description"]} for name, fact in facts.items()
            }
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            print(f"{SEMANTIC} is spoiled ({error}); it was put aside as {set_aside(SEMANTIC)}")
            return {}

    def rules(self) -> str:
        """Procedural memory: read the rules, every turn."""
        return RULES.read_text(encoding="utf-8").strip()

    def assemble(self, task: str, budget_chars: int = 1200) -> str:
        """Compose the prompt of a turn. Raises BudgetTooSmall, which names the least budget."""
        todo = [one_line(one) for one in self.working.get("todo", [])]
        lots: list[tuple[str, str]] = [("facts", one) for one in self._relevant(task)]
        lots += [("recent", one) for one in reversed(self._recent())]
        lots += [("todo", one) for one in todo[1:]]
        chosen = list(lots)
        if len(self._compose(todo[:1], chosen, 0)) > budget_chars:
            chosen = []
            least = len(self._compose(todo[:1], [], len(lots)))
            if least > budget_chars:
                raise BudgetTooSmall(f"budget_chars={budget_chars} is too small: at least {least}")
            for lot in lots:
                with_it = [*chosen, lot]
                if len(self._compose(todo[:1], with_it, len(lots) - len(with_it))) <= budget_chars:
                    chosen = with_it
        return self._compose(todo[:1], chosen, len(lots) - len(chosen))

    def _compose(self, pinned: list[str], chosen: list[tuple[str, str]], missing: int) -> str:
        facts, recent, later = ([text for kind, text in chosen if kind == one] for one in ("facts", "recent", "todo"))
        note = [f"--- {missing} items trimmed ---"] if missing else []
        todo = ", ".join(pinned + later)
        goal = f"[WORKING] task={one_line(self.working.get('task', ''))}"
        blocks = [["[RULES]", self.rules()]]
        blocks += [["[FACTS]", *facts]] if facts else []
        blocks += [["[RECENT]", *reversed(recent)]] if recent else []
        blocks += [note] if note else []
        blocks += [[goal, f"todo: {todo}"], [f"[RECITE -> do next] {todo}"]] if pinned else []
        return "\n\n".join("\n".join(block) for block in blocks)

    def _recent(self) -> list[str]:
        shown = []
        for one in reversed(self.episodes()):
            text = f"{one['kind']}: {one['detail']}"
            if rank(one["source"]) or not commanding(text):
                shown.append(attributed(text, one["source"]))
            if len(shown) == 3:
                break
        return shown[::-1]

    def _relevant(self, task: str) -> list[str]:
        task_words = keywords(task)
        scored = []
        for fact in self._facts().values():
            about = keywords(fact["description"])
            source = fact.get("source", "user")
            if task_words & about and (rank(source) or not commanding(fact["body"])) and self._fresh(fact["body"]):
                scored.append((bool(rank(source)), len(task_words & about), attributed(fact["body"], source)))
        scored.sort(key=lambda one: one[:2], reverse=True)
        return [text for _, _, text in scored]

    def _fresh(self, body: str) -> bool:
        ok, problems = self._verify_fresh(body)
        if not ok:
            print(f"not in the prompt: {body} ({'; '.join(problems)})")
        return ok

    def promote_recurring(self, min_count: int = 2) -> list[tuple[str, str, int]]:
        """Copy each detail that recurs from the log to the facts; what is there already is given again, not written."""
        counted: dict[str, list[dict[str, Any]]] = {}
        for one in self.episodes():
            counted.setdefault(one["detail"], []).append(one)
        promoted = []
        for detail, episodes in counted.items():
            heard = self._who_counts(episodes)
            sessions = {one["session"] for one in heard if one["session"] is not None}
            if len(heard) < min_count or len(sessions) == 1:
                continue
            ok, problems = self._verify_fresh(detail)
            if not ok:
                print(f"SKIP (stale, not promoted): {detail}")
                for problem in problems:
                    print(f"  - {problem}")
                continue
            promoted.append((self._promote(detail), detail, len(heard)))
        return promoted

    def _who_counts(self, episodes: list[dict[str, Any]]) -> list[dict[str, Any]]:
        if any(one["source"] == "user" for one in episodes):
            return [one for one in episodes if rank(one["source"])]
        return episodes if all(rank(one["source"]) for one in episodes) else []

    def _promote(self, detail: str) -> str:
        facts = self._facts()
        digest = hashlib.blake2b(detail.encode(), digest_size=32).hexdigest()
        for end in range(10, 65):
            name = f"learned-{digest[:end]}"
            if name not in facts:
                self.write_fact(name, "learned from repeated episodes", detail, source="agent")
                return name
            if facts[name]["body"] == detail:
                return name
        raise RuntimeError(f"no name is free for {detail}")

    def _verify_fresh(self, body: str) -> tuple[bool, list[str]]:
        claims = Claims(body)
        if claims.unsure:
            print(f"not checked, have a look: {', '.join(claims.unsure)}")
        return not claims.wrong, claims.wrong


if __name__ == "__main__":
    mix = MemoryMix()
    mix.set_task("ship the labs page", ["build", "smoke test", "deploy"])
    mix.log_episode("deploy", "shipped labs v1 to prod, smoke green")
    mix.write_fact("deploy-cmd", "how this project ships", "Run scripts/deploy.sh from the repo root.")
    print("rules loaded:", len(mix.rules().splitlines()), "lines")
    print("working todo:", mix.working["todo"])
    print("episodes on disk:", len(mix.episodes()))
