"""Lab 07 with a small class for each store and for the guard; MemoryMix only puts them together."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

Record = dict[str, Any]

HELP: dict[str, str] = {}
ROOT = Path("mix")
FIRST_RULES = """\
# Agent rules (procedural memory)
- Prefer pnpm. Never mix package managers.
- Before acting on a memory that names a file or a flag, see that it exists.
- Ship only when the smoke test on the live page is green.
"""


class Trust:
    """Who may do what."""

    RANKS = {"user": 3, "tool": 2, "agent": 1}  # noqa: RUF012 - nobody changes it
    COMMANDS = re.compile(
        r"(?i)(?:\A|(?<=[.!?:;\n]))\W*(?:(?:always|never|do not|don't|run|send|use|delete|ignore|forget|deploy|"
        r"install|remove|disable|enable|skip|stop|start|move|copy|post|push|give|tell|call|pay|open|visit|click|write|"
        r"upload|download|execute|switch|replace|change|set|add|make|put|take|ship|follow|trust|drop|erase|buy|transfer|"
        r"approve|accept|share|publish|rotate|revoke|grant|reset|restart|cancel|merge|pull|fetch|paste|reply|forward)\b)"
        r"|\bmust\b|\bshould\b|\bplease\b|\bfrom now on\b"
    )

    @classmethod
    def rank(cls, source: str) -> int:
        """Strangers have none."""
        return cls.RANKS.get(source, 0)

    @classmethod
    def admit(cls, source: str, what: str) -> None:
        """Let those in who are known. Raises ValueError for others."""
        if not cls.rank(source):
            raise ValueError(f"{what} is not for {source!r}; only {', '.join(cls.RANKS)} may do it")

    @classmethod
    def shown(cls, text: str, source: str) -> str | None:
        """Give a text as it may be shown, or None."""
        flat = " ".join(text.split())
        if not cls.rank(source):
            if cls.COMMANDS.search(text) or cls.COMMANDS.search(flat.partition(": ")[2]):
                return None
            flat = f"{flat} (so says {source}, unconfirmed)"
        return f"> {flat}" if re.match(r"[\s>*-]*\[", flat) else flat


class Words:
    """What a text is about."""

    SMALL = frozenset(
        "a about all an and any are as at be been before but by can could did do does for from get had has have he her "
        "here his how i if in into is it its may me my no not of off on or our out over she should so some such than "
        "that the their them then there these they this those to under up us was we were what when where which while "
        "who whom whose why will with would you your".split()
    )

    @classmethod
    def of(cls, text: str) -> Counter[str]:
        """Give the words that are not small, as they would be in the singular."""
        found = re.findall(r"[^\W_]+", text.casefold())
        return Counter(one.removesuffix("s") if len(one) > 3 else one for one in found if one not in cls.SMALL)

    @classmethod
    def likeness(cls, query: str, description: str) -> float:
        """Tell how much two texts share; a long list of words is about nothing in particular."""
        left, right = cls.of(query), cls.of(description)
        shared = len(left.keys() & right.keys())
        return shared / (len(right) ** 0.5) if shared else 0.0


class Scratchpad:
    """Working memory: one task and what is to be done for it."""

    def __init__(self) -> None:
        self.task, self.todo = "", list[str]()

    def begin(self, task: str, todo: list[str]) -> None:
        """Clear the scratchpad for another task; a repeated to-do is done once."""
        self.task, self.todo = task, list(dict.fromkeys(todo))

    def done(self, item: str) -> None:
        """Take an item away."""
        with suppress(ValueError):
            self.todo.remove(item)


class Diary:
    """Episodic memory: lines that nobody changes."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def add(self, **episode: str | None) -> None:
        """Write a line of its own."""
        line = json.dumps(episode, ensure_ascii=False).encode() + b"\n"
        with self.path.open("ab+") as file:
            if file.tell():
                file.seek(-1, os.SEEK_END)
                line = line if file.read(1) == b"\n" else b"\n" + line
            file.write(line)

    def __iter__(self) -> Iterator[Record]:
        if self.path.exists():
            for line in self.path.read_bytes().split(b"\n"):
                with suppress(ValueError):
                    found = json.loads(line)
                    if isinstance(found, dict) and {str} == {type(found.get("kind")), type(found.get("detail"))}:
                        # who tells no source is nobody we know
                        yield {"source": "unknown", "session": None} | found


class AddressBook:
    """Semantic memory: one fact for each name, and a second book with what the facts were."""

    def __init__(self, path: Path) -> None:
        self.path, self.past = path, path.with_name("facts_before.json")

    def read(self) -> dict[str, Record]:
        """Give all facts; what is spoiled goes aside."""
        return self._read(self.path)

    def _read(self, path: Path) -> dict[str, Any]:
        if not path.exists():
            return {}
        try:
            found = json.loads(path.read_bytes())
            if path == self.path:
                found = {
                    name: {"source": "user"} | fact
                    for name, fact in found.items()
                    if fact["body"] + fact["description"]
                }
            return dict(found)
        except (ValueError, TypeError, KeyError, AttributeError):
            tries = (path.with_name(f"{path.stem}.aside-{number}.json") for number in range(1, 1000))
            aside = next(one for one in tries if not one.exists())
            path.rename(aside)
            print(f"{path} could not be read and lies aside as {aside}")
            return {}

    def write(self, name: str, **fact: str | None) -> None:
        """Enter a fact. Raises ValueError where somebody of a higher rank wrote the one that stands there."""
        facts = self.read()
        if old := facts.get(name):
            if Trust.rank(str(fact["source"])) < Trust.rank(old["source"]):
                raise ValueError(f"{name!r} was written by {old['source']}; {fact['source']} may not change it")
            if (old["body"], old["description"]) != (fact["body"], fact["description"]):
                past = self._read(self.past)
                self._save(self.past, past | {name: [*past.get(name, []), old]})
        self._save(self.path, facts | {name: fact})

    @staticmethod
    def _save(path: Path, content: dict[str, Any]) -> None:
        draft = path.with_name(path.name + "~")
        draft.write_text(json.dumps(content, indent=1, ensure_ascii=False), encoding="utf-8")
        draft.replace(path)


class HouseRules:
    """Procedural memory: a file that a person edits."""

    def __init__(self, path: Path) -> None:
        self.path = path
        if not path.exists():
            path.write_text(FIRST_RULES, encoding="utf-8")

    def __str__(self) -> str:
        return self.path.read_text(encoding="utf-8").strip()


class Guard:
    """What of a text can be looked up, and does not hold."""

    FILES = re.compile(
        r"(?:[\w.-]+/)*[\w.-]*\w\.(?:sh|py|rb|go|rs|js|mjs|ts|tsx|jsx|json|jsonl|toml|ya?ml|md|txt|html?|css|csv|sql|ini|"
        r"cfg|conf|lock|xml|svg|png|pdf|env|tf|ipynb|log|db)"
    )
    BARE = re.compile(r"(?:[\w.-]+/)*(?:Makefile|Dockerfile|Procfile|Gemfile|Rakefile|Jenkinsfile|Vagrantfile)")
    FOLDERS = re.compile(
        r"(?:scripts?|src|bin|lib|docs?|tests?|tools|config|app|data|ops|ci|etc|web|templates)/[\w./-]+"
    )
    HOST = re.compile(r"(?:localhost|[\w-]+(?:\.[\w-]+)*\.[a-z]{2,})(?::\d+)?/")
    LIBRARY = re.compile(r"(?i)(?:node|next|nuxt|vue|react|three|d3|express|chart|p5)\.js")
    FLAG = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*")

    def __init__(self, text: str) -> None:
        self.text = text
        self.problems: list[str] = []
        self.doubts: list[str] = []
        for word in re.split(r"[\s,;()\[\]<>\"'`]+", text):
            self._look_at(word.strip("!?:*").rstrip("."))
        self.problems += [
            f"${name} is not set" for name in dict.fromkeys(self._variables()) if not os.environ.get(name)
        ]
        for flag in self.FLAG.findall(text):
            self._look_up(flag)

    def _look_at(self, word: str) -> None:
        if re.match(r"/\w|~|\.\./|[A-Za-z]:\\", word):
            self.doubts.append(word)
        elif self._is_file(word) and not Path(word).exists():
            self.problems.append(f"{word} is not there")

    def _is_file(self, word: str) -> bool:
        if re.search(r"://|@|\$", word) or self.LIBRARY.fullmatch(word):
            return False
        if self.HOST.match(word) and not Path(word.partition("/")[0]).is_dir():
            return False
        return any(pattern.fullmatch(word.removeprefix("./")) for pattern in (self.FILES, self.BARE, self.FOLDERS))

    def _variables(self) -> list[str]:
        found = re.findall(r"\$\{?(\w*[A-Za-z_]\w*)", self.text) + re.findall(r"\b([A-Z][A-Z0-9_]+)=", self.text)
        if re.search(r"(?i)\benvironment\b|\benv\b", self.text):
            found += re.findall(r"\b[A-Z][A-Z0-9_]{2,}\b", self.text)
        return found

    def _look_up(self, flag: str) -> None:
        commands = [one for one in HELP if re.search(rf"(?<![\w-]){re.escape(one)}(?![\w-])", self.text)]
        if not commands:
            self.doubts.append(flag)
        elif not any(flag in self.FLAG.findall(HELP[one]) for one in commands):
            self.problems.append(f"{' / '.join(commands)}: no {flag}")


class Prompt:
    """Rules, task and next to-do, and what else there is room for."""

    def __init__(self, rules: str, scratchpad: Scratchpad) -> None:
        self.rules, self.task = rules, " ".join(scratchpad.task.split())
        self.next, self.later = scratchpad.todo[:1], scratchpad.todo[1:]
        self.items: list[tuple[str, str]] = []

    def within(self, budget: int, wanted: list[tuple[str, str]]) -> str:
        """Take what fits, the most valuable first. Raises ValueError where not even the pins fit."""
        self.items = wanted
        if len(self.text(0)) <= budget:
            return self.text(0)
        self.items = []
        left = len(wanted)
        if len(self.text(left)) > budget:
            raise ValueError(f"{budget} characters are too few for the pins: {len(self.text(left))} would do")
        for item in wanted:
            self.items.append(item)
            if len(self.text(left - 1)) <= budget:
                left -= 1
            else:
                self.items.pop()
        return self.text(left)

    def text(self, left_out: int) -> str:
        """Lay it all out."""
        shelves = defaultdict(list)
        for shelf, line in self.items:
            shelves[shelf].append(line)
        todo = ", ".join(" ".join(one.split()) for one in [*self.next, *shelves["todo"]])
        parts = [f"[RULES]\n{self.rules}"]
        if shelves["facts"]:
            parts.append("\n".join(["[FACTS]", *shelves["facts"]]))
        if shelves["recent"]:
            parts.append("\n".join(["[RECENT]", *reversed(shelves["recent"])]))
        if left_out:
            parts.append(f"... {left_out} more items were left out ...")
        if todo:
            parts += [f"[WORKING] task={self.task}\ntodo: {todo}", f"[RECITE -> do next] {todo}"]
        return "\n\n".join(parts)


class MemoryMix:
    """Four stores behind one front."""

    def __init__(self) -> None:
        ROOT.mkdir(exist_ok=True)
        self._scratchpad = Scratchpad()
        self._diary = Diary(ROOT / "episodes.jsonl")
        self._facts = AddressBook(ROOT / "facts.json")
        self._rules = HouseRules(ROOT / "rules.md")

    @property
    def working(self) -> Record:
        """The scratchpad as a dict."""
        return vars(self._scratchpad)

    def set_task(self, task: str, todo: list[str], *, source: str = "user", session: str | None = None) -> None:
        """Begin a task. Raises ValueError for strangers."""
        Trust.admit(source, "giving a task")
        self._scratchpad.begin(task, todo)

    def check_off(self, item: str, *, source: str = "user", session: str | None = None) -> None:
        """One to-do is done. Raises ValueError for strangers."""
        Trust.admit(source, "checking off")
        self._scratchpad.done(item)

    def log_episode(self, kind: str, detail: str, *, source: str = "user", session: str | None = None) -> None:
        """Append what happened."""
        self._diary.add(kind=kind, detail=detail, source=source, session=session)

    def episodes(self) -> list[Record]:
        """Replay the log, oldest first."""
        return list(self._diary)

    def write_fact(
        self, name: str, description: str, body: str, *, source: str = "user", session: str | None = None
    ) -> None:
        """Keep a fact. Raises ValueError where its source may not."""
        self._facts.write(name, description=description, body=body, source=source, session=session)

    def rules(self) -> str:
        """Read the rules."""
        return str(self._rules)

    def assemble(self, task: str, budget_chars: int = 1200) -> str:
        """Compose the prompt of a turn. Raises ValueError where the budget is too small."""
        prompt = Prompt(self.rules(), self._scratchpad)
        facts = [("facts", line) for line in self._relevant(task)]
        later = [("todo", one) for one in prompt.later]
        lines = [Trust.shown(f"{one['kind']}: {one['detail']}", one["source"]) for one in self._diary]
        recent = [("recent", line) for line in lines if line][-3:]
        return prompt.within(budget_chars, facts + later + recent[::-1])

    def _relevant(self, task: str) -> list[str]:
        found = []
        for fact in self._facts.read().values():
            like = Words.likeness(task, fact["description"])
            line = Trust.shown(fact["body"], fact["source"])
            if like and line and self._verify_fresh(fact["body"], "withheld"):
                found.append((Trust.rank(fact["source"]) > 0, like, line))
        return [line for *_, line in sorted(found, key=lambda one: one[:2], reverse=True)]

    def promote_recurring(self, min_count: int = 2) -> list[tuple[str, str, int]]:
        """Copy what recurs into the address book, once."""
        by_detail: defaultdict[str, list[Record]] = defaultdict(list)
        for one in self._diary:
            by_detail[one["detail"]].append(one)
        return [
            (self._learn(detail), detail, len(by))
            for detail, by in by_detail.items()
            if len(by) >= min_count and self._may_teach(by) and not self._knows(detail)
            if self._verify_fresh(detail, "SKIP (stale, not promoted)")
        ]

    @staticmethod
    def _may_teach(by: list[Record]) -> bool:
        # a page among those who said it spoils it, unless the user said it as well
        sources = {one["source"] for one in by}
        sessions = {one["session"] for one in by if Trust.rank(one["source"])} - {None}
        return ("user" in sources or all(map(Trust.rank, sources))) and len(sessions) != 1

    def _knows(self, detail: str) -> bool:
        return any(fact["body"] == detail for name, fact in self._facts.read().items() if name.startswith("learned-"))

    def _learn(self, detail: str) -> str:
        digest, taken = hashlib.sha256(detail.encode()).hexdigest(), self._facts.read()
        name = next(one for one in (f"learned-{digest[:size]}" for size in range(8, 65)) if one not in taken)
        self.write_fact(name, "learned from repeated episodes", detail, source="agent")
        return name

    @staticmethod
    def _verify_fresh(body: str, otherwise: str = "stale") -> bool:
        guard = Guard(body)
        if guard.problems:
            print("\n  - ".join([f"{otherwise}: {body}", *guard.problems]))
        elif guard.doubts:
            print(f"nobody here can check {', '.join(guard.doubts)}: look before you act on: {body}")
        return not guard.problems


if __name__ == "__main__":
    mix = MemoryMix()
    mix.set_task("ship the labs page", ["build", "smoke test", "deploy"])
    mix.log_episode("deploy", "shipped labs v1 to prod, smoke green")
    mix.write_fact("deploy-cmd", "how this project ships", "Run scripts/deploy.sh from the repo root.")
    print("rules loaded:", len(mix.rules().splitlines()), "lines")
    print("working todo:", mix.working["todo"])
    print("episodes on disk:", len(mix.episodes()))
