"""Four stores written from the lab's text alone: sections are lists of lines, and a prompt is measured as it grows."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any

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
RANK = {"user": 3, "tool": 2, "agent": 1}
SMALL = frozenset(
    "a about all an and any are as at be been but by can could did do does for from get had has have he her"
    " his how i if in into is it its me my next no not of on or our out she should so some than that the their"
    " them then there these they this those to up us was we were what when where which who whom whose why will"
    " with would you your".split()
)
ENDINGS = "cfg conf css csv html ini ipynb js json lock md py rst sh sql toml ts txt xml yaml yml"
WITHOUT_ENDING = {"Makefile", "Dockerfile", "Procfile", "Gemfile", "Rakefile", "Jenkinsfile", ".env", ".gitignore"}
HOME_GROUND = {"bin", "src", "lib", "docs", "scripts", "tools", "config", "tests", ".", ".github"}
TOP_LEVEL = re.compile(
    r"[\w-]+(\.[\w-]+)*\.(com|org|net|io|dev|app|example|edu|gov|co|de|uk|test)(:\d+)?$", re.IGNORECASE
)
VERBS = (
    "ignore|forget|disregard|run|send|use|delete|remove|install|execute|call|click|open|visit|download|follow|tell|post"
    "|upload|copy|replace|move|deploy|pay|transfer|email|buy|make|add|set|write|publish|share|switch|give|put|do"
)
ORDER = re.compile(
    rf"(?:^|[.!?:;]\s*|\n\s*|-\s+)(?:{VERBS}|always|never)\b|\b(?:must|should|please)\s+(?:\w+ly\s+)?(?:not\s+)?(?:{VERBS}|always|never)\b"
    r"|\bfrom now on\b",
    re.IGNORECASE,
)
FLAG = re.compile(r"(?<![\w-])--[a-z][\w-]*")


def rank_of(source: Any) -> int:
    return RANK.get(source, 0) if isinstance(source, str) else 0


def is_entry(value: Any, *keys: str) -> bool:
    return isinstance(value, dict) and all(isinstance(value.get(key), str) for key in keys)


def telling(text: str) -> set[str]:
    return {one.removesuffix("s") for one in re.findall(r"[^\W_]+", text.lower()) if one not in SMALL}


def one_line(text: str) -> str:
    flat = " ".join(text.split())
    return f"> {flat}" if re.match(r"\W*\[", flat) else flat


def place_of(chunk: str) -> str:
    """Say where a chunk leads: "here", "elsewhere", or "" if it is no path."""
    first, slash, _ = chunk.partition("/")
    if "://" in chunk or "@" in chunk or set(chunk) & set("*?$=<>|&%#") or TOP_LEVEL.match(first):
        return ""
    if slash and (chunk.startswith(("/", "~", "../")) or ":" in first):
        return "elsewhere"
    ends = re.search(rf"\w\.(?:{ENDINGS.replace(' ', '|')})$", chunk)
    is_product = not slash and re.fullmatch(r"[A-Z]\w*\.(?:js|ts|io)", chunk)
    if (ends and not is_product) or chunk.rpartition("/")[2] in WITHOUT_ENDING:
        return "here"
    return "here" if slash and (first in HOME_GROUND or Path(first).is_dir()) else ""


def places(text: str) -> dict[str, str]:
    chunks = [one.rstrip(".:!?*_") for one in re.split(r"""[\s"'`()\[\],;\0]+""", text)]
    return {one: place_of(one) for one in chunks}


def exists(path: str) -> bool:
    try:
        return Path(path).exists()
    except OSError:
        return False


def variables(text: str) -> list[str]:
    found = re.findall(r"\$\{?([A-Za-z_]\w*)", text) + re.findall(r"(?<![\w$-])([A-Z][A-Z0-9_]+)=", text)
    for sentence in re.split(r"(?<=[.!?])\s", text):
        if re.search(r"\benv\b|\benvironment\b|\bvariables?\b|\bset\b|\bexport", sentence, re.IGNORECASE):
            found += re.findall(r"(?<![\w$-])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b", sentence)
    return list(dict.fromkeys(found))


def help_of(text: str) -> list[str]:
    return [page for name, page in HELP.items() if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text)]


class MemoryMix:
    """Four kinds of memory: working memory in this object, the other three on disk."""

    def __init__(self) -> None:
        self.working: dict[str, Any] = {}
        ROOT.mkdir(exist_ok=True)
        if not RULES.exists():
            RULES.write_text(FIRST_RULES, encoding="utf-8")

    # procedural and working memory

    def rules(self) -> str:
        return RULES.read_bytes().decode("utf-8", "replace").strip() if RULES.is_file() else ""

    def set_task(self, task: str, todo: Iterable[str], *, source: str = "user", session: Any = None) -> None:
        self._refuse_strangers("set a task", source)
        self.working = {"task": task, "todo": [*todo]}

    def check_off(self, item: str, *, source: str = "user", session: Any = None) -> None:
        self._refuse_strangers("check off a to-do", source)
        if item in self.working.get("todo", ()):
            self.working["todo"].remove(item)

    def _refuse_strangers(self, what: str, source: str) -> None:
        if not rank_of(source):
            raise ValueError(f"{source!r} may not {what}: only {', '.join(RANK)} may")

    # episodic memory

    def log_episode(self, kind: str, detail: str, *, source: str = "user", session: str | int | None = None) -> None:
        entry = {"kind": kind, "detail": detail, "source": source}
        if not is_entry(entry, "kind", "detail", "source"):
            raise ValueError(f"kind, detail and source are texts, not {entry}")
        if session is not None:
            entry["session"] = session
        text = EPISODIC.read_bytes() if EPISODIC.is_file() else b""
        lead = "\n" if text and not text.endswith(b"\n") else ""
        with EPISODIC.open("a", encoding="utf-8", newline="") as log:
            log.write(f"{lead}{json.dumps(entry)}\n")

    def episodes(self) -> list[dict[str, Any]]:
        found = []
        for line in EPISODIC.read_bytes().split(b"\n") if EPISODIC.is_file() else []:
            try:
                entry = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if is_entry(entry, "kind", "detail"):
                found.append(entry)
        return found

    # semantic memory

    def _facts(self) -> dict[str, dict[str, Any]]:
        if not SEMANTIC.is_file():
            return {}
        try:
            facts = json.loads(SEMANTIC.read_bytes())
        except (ValueError, RecursionError):
            facts = None
        if isinstance(facts, dict) and all(is_entry(fact, "description", "body") for fact in facts.values()):
            return facts
        aside = next(one for n in range(1, 10**6) if not (one := ROOT / f"facts.damaged-{n}.json").exists())
        SEMANTIC.rename(aside)
        print(f"{SEMANTIC} cannot be read. It is now {aside}")
        return {}

    def write_fact(
        self, name: str, description: str, body: str, *, source: str = "user", session: str | int | None = None
    ) -> None:
        fact: dict[str, Any] = {"description": description, "body": body, "source": source}
        if not is_entry({**fact, "name": name}, "name", "description", "body", "source"):
            raise ValueError(f"name, description, body and source are texts, not {name!r}, {fact}")
        if session is not None:
            fact["session"] = session
        facts = self._facts()
        old = facts.get(name)
        if old:
            if rank_of(old.get("source", "user")) > rank_of(source):
                raise ValueError(f"{name!r} is from {old.get('source', 'user')}; {source!r} may not replace it")
            earlier = old.pop("earlier", [])
            is_same = all(old.get(key) == fact.get(key) for key in ("description", "body", "source"))
            fact["earlier"] = earlier if is_same else [*earlier, old]
        facts[name] = fact
        draft = ROOT / "facts.json.new"
        draft.write_text(json.dumps(facts, indent=1), encoding="utf-8")
        draft.replace(SEMANTIC)

    # what a text claims

    def _problems(self, text: str) -> list[str]:
        found = [
            f"path does not exist: {one}" for one, where in places(text).items() if where == "here" and not exists(one)
        ]
        found += [f"env var is not set: {one}" for one in variables(text) if not os.environ.get(one)]
        known = {flag for page in help_of(text) for flag in FLAG.findall(page)}
        flags = dict.fromkeys(FLAG.findall(text)) if help_of(text) else ()
        return found + [f"flag is not in the help: {one}" for one in flags if one not in known]

    def _note_doubts(self, text: str) -> None:
        doubts = [one for one, where in places(text).items() if where == "elsewhere"]
        doubts += [] if help_of(text) else FLAG.findall(text)
        for one in doubts:
            print(f"note: nobody can check {one} here")

    # the prompt

    def _facts_about(self, task: str) -> list[str]:
        about, ranked = telling(task), []
        for fact in self._facts().values():
            shared = about & telling(fact["description"])
            source = fact.get("source", "user")
            if not shared or (not rank_of(source) and ORDER.search(fact["body"])):
                continue
            if problems := self._problems(fact["body"]):
                print("STALE (not shown):", fact["body"], *(f"\n  - {one}" for one in problems))
                continue
            self._note_doubts(fact["body"])
            mark = "" if rank_of(source) else f" (from {one_line(str(source))}, not confirmed)"
            ranked.append((bool(rank_of(source)), len(shared), one_line(fact["body"]) + mark))
        return [line for *_, line in sorted(ranked, key=lambda one: one[:2], reverse=True)]

    def _latest(self) -> list[str]:
        shown = []
        for entry in reversed(self.episodes()):
            source = entry.get("source", "user")
            if rank_of(source) or not ORDER.search(entry["detail"]):
                mark = "" if rank_of(source) else f" (from {one_line(str(source))}, not confirmed)"
                shown.append(one_line(f"{entry['kind']}: {entry['detail']}") + mark)
            if len(shown) == 3:
                break
        return shown

    def _compose(self, facts: list[str], recent: list[str], todo: list[str], left_out: int) -> str:
        task = one_line(self.working.get("task", ""))
        parts = [f"[RULES]\n{self.rules()}"] if self.rules() else []
        parts += ["\n".join(["[FACTS]", *facts])] if facts else []
        parts += ["\n".join(["[RECENT]", *reversed(recent)])] if recent else []
        parts += [f"({left_out} left out)"] if left_out else []
        if todo:
            parts += [f"[WORKING] task={task}\ntodo: {', '.join(todo)}", f"[RECITE -> do next] {', '.join(todo)}"]
        return "\n\n".join(parts)

    def assemble(self, task: str, budget_chars: int = 1200) -> str:
        todo = [one_line(item) for item in self.working.get("todo", ())]
        stores = [self._facts_about(task), todo[1:], self._latest()]
        count = sum(map(len, stores))
        taken: list[list[str]] = [[], [], []]

        def prompt() -> str:
            return self._compose(taken[0], taken[2], todo[:1] + taken[1], count - sum(map(len, taken)))

        if len(self._compose(stores[0], stores[2], todo, 0)) <= budget_chars:
            return self._compose(stores[0], stores[2], todo, 0)
        if len(prompt()) > budget_chars:
            raise ValueError(
                f"a budget of {budget_chars} is too small: rules, task and next to-do need {len(prompt())}"
            )
        for store, chosen in zip(stores, taken, strict=True):
            for item in store:
                chosen.append(item)
                if len(prompt()) > budget_chars:
                    chosen.pop()
        return prompt()

    # promotion

    def promote_recurring(self, min_count: int = 2) -> list[tuple[str, str, int]]:
        said: dict[str, list[dict[str, Any]]] = {}
        for entry in self.episodes():
            said.setdefault(entry["detail"], []).append(entry)
        promoted = []
        for detail, entries in said.items():
            sources = [entry.get("source", "user") for entry in entries]
            counted = entries
            if not all(map(rank_of, sources)):
                counted = [entry for entry in entries if entry.get("source", "user") == "user"]
            sessions = {entry.get("session") for entry in counted}
            if len(counted) < min_count or not counted or (sessions != {None} and len(sessions) < 2):
                continue
            if problems := self._problems(detail):
                print(f"SKIP (stale, not promoted): {detail}", *(f"  - {one}" for one in problems), sep="\n")
                continue
            self._note_doubts(detail)
            facts, digest = self._facts(), sha256(detail.encode("utf-8", "replace")).hexdigest()
            for length in range(8, len(digest) + 1):
                name = f"learned-{digest[:length]}"
                first = [*facts[name].get("earlier", []), facts[name]][0]["body"] if name in facts else None
                if first is None:
                    self.write_fact(name, "learned from repeated episodes", detail, source="agent")
                    promoted.append((name, detail, len(counted)))
                if first in (None, detail):
                    break
        return promoted


if __name__ == "__main__":
    mix = MemoryMix()
    mix.set_task("ship the labs page", ["build", "smoke test", "deploy"])
    mix.log_episode("deploy", "shipped labs v1 to prod, smoke green")
    mix.write_fact("deploy-cmd", "how this project ships", "Run scripts/deploy.sh from the repo root.")
    print("rules loaded:", len(mix.rules().splitlines()), "lines")
    print("working todo:", mix.working["todo"])
    print("episodes on disk:", len(mix.episodes()))
