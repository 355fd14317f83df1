"""Lab 07 by one who makes a dataclass of everything: episodes, facts and versions, the scratchpad, the prompt."""

from __future__ import annotations

import hashlib
import json
import os
import re
from dataclasses import asdict, dataclass, field, fields, replace
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

RANKS = {"user": 3, "tool": 2, "agent": 1}
SMALL = set(
    "a about all an and any are as at be been before but by can could did do does for from get go had has have he her "
    "here his how i if in into is it its let may me more most my no not of off on or our out over she should so some "
    "such than that the their them then there these they this those to up us was we were what when where which while "
    "who whom whose why will with would you your".split()
)
ORDERS = re.compile(
    r"(?:^|[.!?:;,]\s+|\n\s*|[-*>]\s+)(?:always|never|do not|don't|run|send|use|delete|ignore|forget|deploy|install|"
    r"remove|disable|enable|skip|stop|start|move|copy|post|push|give|tell|call|pay|open|visit|click|write|read|upload|"
    r"download|execute|switch|replace|change|set|add|make|put|take|ship|follow|obey|trust|drop|erase|buy|transfer)\b"
    r"|\bmust\b|\bshould\b|\bplease\b|\bfrom now on\b",
    re.IGNORECASE,
)


def rank(source: str) -> int:
    """How far is a source believed? Strangers: 0."""
    return RANKS.get(source, 0)


@dataclass(frozen=True)
class Episode:
    """One line of the log."""

    kind: str
    detail: str
    source: str = "user"
    session: str | None = None

    @classmethod
    def parse(cls, line: bytes) -> Episode | None:
        """Read a line that may be anything."""
        try:
            found = json.loads(line)
            return cls(**{one.name: found[one.name] for one in fields(cls) if one.name in found}).checked()
        except (ValueError, TypeError, KeyError, RecursionError):
            return None

    def checked(self) -> Episode:
        """Give itself; raises TypeError where a text is no text."""
        if not all(isinstance(one, str) for one in (self.kind, self.detail, self.source)):
            raise TypeError("an episode has a kind and a detail")
        return self

    @property
    def line(self) -> str:
        """What the prompt shows of it."""
        return f"{self.kind}: {self.detail}"


@dataclass(frozen=True)
class Version:
    """What a fact said, and who said so."""

    description: str
    body: str
    source: str = "user"
    session: str | None = None


@dataclass(frozen=True)
class Fact:
    """The newest version of a fact, and those that stood before it, oldest first."""

    now: Version
    before: tuple[Version, ...] = ()

    @classmethod
    def parse(cls, record: dict[str, Any]) -> Fact:
        """Take a fact out of the file; raises TypeError or KeyError where it is none."""
        named = {one.name for one in fields(Version)}
        now = Version(**{key: value for key, value in record.items() if key in named})
        if not isinstance(now.body, str) or not isinstance(now.description, str):
            raise TypeError("a fact has a description and a body")
        return cls(now, tuple(Version(**one) for one in record.get("before", [])))

    def record(self) -> dict[str, Any]:
        """Give the form in which it lies in the file."""
        before = [asdict(one) for one in self.before]
        return asdict(self.now) | ({"before": before} if before else {})

    def then(self, new: Version) -> Fact:
        """Give this fact with a newer version; the same words again are no version."""
        if (new.description, new.body) == (self.now.description, self.now.body):
            return replace(self, now=new)
        return Fact(new, (*self.before, self.now))


@dataclass
class Scratchpad:
    """The note on the desk."""

    task: str
    todo: list[str]


@dataclass(frozen=True)
class Prompt:
    """What goes into a prompt; `render` writes it."""

    rules: str
    facts: tuple[str, ...]
    recent: tuple[str, ...]
    task: str
    todo: tuple[str, ...]
    left_out: int = 0

    def render(self) -> str:
        """Write the sections, from what changes least to what changes most."""
        parts = ["[RULES]\n" + self.rules]
        if self.facts:
            parts.append("\n".join(["[FACTS]", *self.facts]))
        if self.recent:
            parts.append("\n".join(["[RECENT]", *self.recent]))
        if self.left_out:
            parts.append(f"...[{self.left_out} left out]...")
        if self.todo:
            todo = ", ".join(self.todo)
            parts += [f"[WORKING] task={self.task}\ntodo: {todo}", f"[RECITE -> do next] {todo}"]
        return "\n\n".join(parts)

    def smaller(self) -> Prompt | None:
        """Give the prompt without its least valuable item; None where only the pins are left."""
        out = self.left_out + 1
        if self.recent:
            return replace(self, recent=self.recent[1:], left_out=out)
        if len(self.todo) > 1:
            return replace(self, todo=self.todo[:-1], left_out=out)
        if self.facts:
            return replace(self, facts=self.facts[:-1], left_out=out)
        return None


def on_one_line(text: str) -> str:
    """Nothing stored begins a line of its own, or begins one like a heading."""
    flat = " ".join(text.split())
    return "> " + flat if flat.lstrip("-*>#+ ").startswith("[") else flat


def words(text: str) -> set[str]:
    """Give the words that say something, in the singular."""
    found = set(re.findall(r"[^\W_]+", text.lower())) - SMALL
    return {one[:-1] if len(one) > 3 and one.endswith("s") and not one.endswith("ss") else one for one in found}


def may_show(source: str, text: str) -> bool:
    """A stranger gives no orders."""
    return rank(source) > 0 or not ORDERS.search(text)


def marked(source: str, text: str) -> str:
    """Show who said so, where it was a stranger."""
    return on_one_line(text if rank(source) else f"({source} says) {text}")


@dataclass(frozen=True)
class Guard:
    """What a text claims, and which of it does not hold."""

    text: str
    missing: list[str] = field(default_factory=list)
    open: list[str] = field(default_factory=list)

    ENDINGS = frozenset(
        "bash c cfg conf cpp css csv db env go h html ini ipynb java js json jsonl jsx lock log md php pl png pdf py "
        "rb rs rst sh sql svg tf toml ts tsx txt xml yaml yml zsh".split()
    )
    WHOLE = frozenset("Makefile Dockerfile Procfile Gemfile Rakefile Jenkinsfile Vagrantfile Justfile justfile".split())
    FOLDERS = frozenset(
        "app assets bin build ci conf config configs data deploy dist doc docs etc infra jobs lab labs lib migrations "
        "ops pages public scripts server site src static templates test tests tools web".split()
    )
    PRODUCTS = frozenset("node.js next.js vue.js nuxt.js three.js d3.js express.js react.js ember.js chart.js".split())

    def look(self) -> Guard:
        """Look everything up."""
        for chunk in re.split(r"[\s()\[\]<>\"'`,;“”]+", self.text):
            self._path(chunk.rstrip(".:!?").removeprefix("./"))
        self._variables()
        self._flags()
        return self

    def _path(self, chunk: str) -> None:
        if chunk.startswith(("/", "~", "../", "\\")) and "/" in chunk[1:]:
            self.open.append(f"path elsewhere: {chunk}")
        elif self._is_path(chunk):
            path = re.sub(r"(:\d+)+$|[?#].*$", "", chunk)
            if not Path(path).exists():
                self.missing.append(f"path does not exist: {path}")

    def _is_path(self, chunk: str) -> bool:
        if "://" in chunk or "@" in chunk or "\\" in chunk or chunk.lower() in self.PRODUCTS or "$" in chunk:
            return False
        if chunk in self.WHOLE:
            return True
        first, slash, rest = chunk.partition("/")
        ending = re.sub(r":\d+$|[?#].*$", "", chunk).rpartition(".")[2]
        if not slash:
            return "." in chunk.strip(".") and ending in self.ENDINGS
        if "." in first.strip(".") or ":" in first or first == "www":
            return False
        return ("." in rest and ending in self.ENDINGS) or first in self.FOLDERS or Path(first).is_dir()

    def _variables(self) -> None:
        named = re.findall(r"\$\{?([A-Za-z_]\w*)", self.text) + re.findall(r"\b([A-Z][A-Z0-9_]+)=", self.text)
        if re.search(r"\benv(ironment)?\b", self.text, re.IGNORECASE):
            named += re.findall(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b|\b[A-Z]{4,}\b", self.text)
        for name in dict.fromkeys(named):
            if not os.environ.get(name):
                self.missing.append(f"variable is not set: {name}")

    def _flags(self) -> None:
        for flag in re.findall(r"(?<![\w-])--?[A-Za-z][\w-]*", self.text):
            helps = [text for command, text in HELP.items() if re.search(rf"\b{re.escape(command)}\b", self.text)]
            if not helps:
                self.open.append(f"no help tells of: {flag}")
            elif not any(flag in re.findall(r"(?<![\w-])--?[A-Za-z][\w-]*", one) for one in helps):
                self.missing.append(f"flag is not known: {flag}")


class MemoryMix:
    """Four kinds of memory: working lives in this object, the other three on disk."""

    def __init__(self) -> None:
        self._pad: Scratchpad | None = None
        ROOT.mkdir(exist_ok=True)
        if not RULES.exists():
            RULES.write_text(FIRST_RULES, encoding="utf-8")

    @property
    def working(self) -> dict[str, Any]:
        """The scratchpad as a dict."""
        return asdict(self._pad) if self._pad else {}

    def set_task(self, task: str, todo: list[str], *, source: str = "user", session: str | None = None) -> None:
        """Working memory: begin a task."""
        if not rank(source):
            raise ValueError(f"{source} may not give a task")
        self._pad = Scratchpad(task, list(todo))

    def check_off(self, item: str, *, source: str = "user", session: str | None = None) -> None:
        """Working memory: one to-do is done."""
        if not rank(source):
            raise ValueError(f"{source} may not check off")
        if self._pad and item in self._pad.todo:
            self._pad.todo.remove(item)

    def log_episode(self, kind: str, detail: str, *, source: str = "user", session: str | None = None) -> None:
        """Episodic memory: append what happened."""
        torn = EPISODIC.exists() and not EPISODIC.read_bytes().endswith(b"\n") and EPISODIC.stat().st_size
        with EPISODIC.open("a", encoding="utf-8") as log:
            log.write(("\n" if torn else "") + json.dumps(asdict(Episode(kind, detail, source, session))) + "\n")

    def _episodes(self) -> list[Episode]:
        lines = EPISODIC.read_bytes().split(b"\n") if EPISODIC.exists() else []
        return [found for line in lines if (found := Episode.parse(line))]

    def episodes(self) -> list[dict[str, Any]]:
        """Episodic memory: replay the log, oldest first."""
        return [asdict(one) for one in self._episodes()]

    def _facts(self) -> dict[str, Fact]:
        if not SEMANTIC.exists():
            return {}
        try:
            found = json.loads(SEMANTIC.read_bytes())
            return {name: Fact.parse(record) for name, record in found.items()}
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            number = 1 + len(list(ROOT.glob("facts.spoiled-*.json")))
            aside = SEMANTIC.rename(ROOT / f"facts.spoiled-{number}.json")
            print(f"facts.json cannot be read; it was put aside as {aside}")
            return {}

    def write_fact(
        self, name: str, description: str, body: str, *, source: str = "user", session: str | None = None
    ) -> None:
        """Semantic memory: keep a fact under its name."""
        facts = self._facts()
        new = Version(description, body, source, session)
        old = facts.get(name)
        if old and rank(source) < rank(old.now.source):
            raise ValueError(f"{source} may not change {name}, which {old.now.source} wrote")
        facts[name] = old.then(new) if old else Fact(new)
        draft = SEMANTIC.with_suffix(".draft")
        draft.write_text(json.dumps({key: one.record() for key, one in facts.items()}, indent=2), encoding="utf-8")
        draft.replace(SEMANTIC)

    def rules(self) -> str:
        """Procedural memory: read the rules, every turn."""
        return RULES.read_text(encoding="utf-8").strip()

    def assemble(self, task: str, budget_chars: int = 1200) -> str:
        """Compose the prompt of a turn."""
        pad = self._pad or Scratchpad("", [])
        shown = [one for one in self._episodes() if may_show(one.source, one.line)]
        prompt: Prompt | None = Prompt(
            self.rules(),
            tuple(self._relevant(task)),
            tuple(marked(one.source, one.line) for one in shown[-3:]),
            " ".join(pad.task.split()),
            tuple(" ".join(one.split()) for one in pad.todo),
        )
        least = 0
        while prompt:
            text = prompt.render()
            if len(text) <= budget_chars:
                return text
            least = len(text)
            prompt = prompt.smaller()
        raise ValueError(f"a budget of {budget_chars} does not hold rules, task and next to-do: give at least {least}")

    def _relevant(self, task: str) -> list[str]:
        task_words = words(task)
        found = []
        for fact in (one.now for one in self._facts().values()):
            shared = len(task_words & words(fact.description))
            if not shared or not may_show(fact.source, fact.body + " " + fact.description):
                continue
            ok, problems = self._verify_fresh(fact.body)
            if ok:
                found.append((rank(fact.source) > 0, shared, marked(fact.source, fact.body)))
            else:
                print(f"WITHHELD: {fact.body}\n  - " + "\n  - ".join(problems))
        return [text for *_, text in sorted(found, key=lambda one: one[:2], reverse=True)]

    def promote_recurring(self, min_count: int = 2) -> list[tuple[str, str, int]]:
        """Copy each detail that recurs from the log to the facts, unless it claims what is not so."""
        by_detail: dict[str, list[Episode]] = {}
        for one in self._episodes():
            by_detail.setdefault(one.detail, []).append(one)
        promoted = []
        for detail, by in by_detail.items():
            if not self._taught(by, min_count):
                continue
            ok, problems = self._verify_fresh(detail)
            if not ok:
                print(f"SKIP (stale, not promoted): {detail}\n  - " + "\n  - ".join(problems))
            elif name := self._free_name(detail):
                self.write_fact(name, "learned from repeated episodes", detail, source="agent")
                promoted.append((name, detail, len(by)))
        return promoted

    def _taught(self, by: list[Episode], min_count: int) -> bool:
        trusted = [one for one in by if rank(one.source)]
        if len(trusted) < len(by) and not any(one.source == "user" for one in by):
            return False
        sessions = {one.session for one in trusted if one.session is not None}
        return len(trusted) >= min_count and (not sessions or len(sessions) > 1)

    def _free_name(self, detail: str) -> str | None:
        facts = self._facts()
        digest = hashlib.sha256(detail.encode()).hexdigest()
        for length in range(8, 65):
            name = "learned-" + digest[:length]
            if name not in facts:
                return name
            if detail in [one.body for one in (facts[name].now, *facts[name].before)]:
                return None
        return None

    def _verify_fresh(self, body: str) -> tuple[bool, list[str]]:
        guard = Guard(body).look()
        if guard.open and not guard.missing:
            print("nobody here can check: " + ", ".join(guard.open))
        return not guard.missing, guard.missing


if __name__ == "__main__":
    mix = MemoryMix()
    mix.set_task("ship the labs page", ["build", "smoke test", "deploy"])
    mix.log_episode("deploy", "shipped labs v1 to prod, smoke green")
    mix.write_fact("deploy-cmd", "how this project ships", "Run scripts/deploy.sh from the repo root.")
    print("rules loaded:", len(mix.rules().splitlines()), "lines")
    print("working todo:", mix.working["todo"])
    print("episodes on disk:", len(mix.episodes()))
