"""Lab 06 by somebody who thinks in classes: a page, a guard, a store, and the five functions in front of them.

Refuses an unsafe name; the guard gives (ok, problems); old pages lie in a folder; words are compared by Jaccard; the
index is sorted.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import ClassVar

MEM_DIR = Path("memory")
INDEX = MEM_DIR / "MEMORY.md"
HELP: dict[str, str] = {}


class Words:
    """A text as the set of words that tell something."""

    SMALL = frozenset(
        "a about an and any are as at be by can did do does for from had has have how i if in is it its me my no not "
        "of on or our should so than that the their them then there these they this those to us was we were what "
        "when where which who whom whose why will with would you your".split()
    )

    def __init__(self, text: str) -> None:
        self.words = set(re.findall(r"[^\W_]+", text.casefold())) - self.SMALL

    def likeness(self, other: Words) -> float:
        """Shared words as a share of all words."""
        everything = self.words | other.words
        return len(self.words & other.words) / len(everything) if everything else 0.0


class Page:
    """One memory on disk: labels above, a body below."""

    RANKS: ClassVar = {"user": 4, "tool": 3, "agent": 2}
    ORDERS = re.compile(
        r"(?:^|[.!?:;,]\s)[\s>*-]*(?:please |now |then |first )*(?:always|never|do not|don't|ignore|disregard|forget|"
        r"run|execute|use|send|mail|copy|delete|remove|install|download|upload|push|deploy|tell|approve|pay)\b"
        r"|\byou (?:must|should|have to|need to)\b|\bmust (?:now|always|never)\b|\bfrom now on\b",
        re.IGNORECASE | re.MULTILINE,
    )

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = path.stem
        self.labels: dict[str, str] = {}
        self.body = ""
        if path.is_file():
            self._parse(path.read_text(encoding="utf-8", errors="replace"))

    def _parse(self, text: str) -> None:
        lines = text.split("\n")
        if lines[0] != "---" or "---" not in lines[1:]:
            self.body = text.strip()
            return
        end = lines.index("---", 1)
        for line in lines[1:end]:
            key, colon, value = line.partition(":")
            if colon:
                self.labels[key.strip()] = value.strip()
        self.body = "\n".join(lines[end + 1 :]).strip()

    @property
    def source(self) -> str:
        if not self.labels:
            return "unknown"
        return self.labels.get("source", "user")

    @property
    def rank(self) -> int:
        return self.rank_of(self.source)

    @classmethod
    def rank_of(cls, source: str) -> int:
        return cls.RANKS.get(source, 1)

    @property
    def trusted(self) -> bool:
        return self.rank > 1

    @property
    def gives_orders(self) -> bool:
        return bool(self.ORDERS.search(self.body))

    def save(self) -> None:
        head = "\n".join(f"{key}: {value}" for key, value in self.labels.items())
        self.path.write_text(f"---\n{head}\n---\n\n{self.body}\n", encoding="utf-8")


class Guard:
    """Looks up what a text names. It runs nothing."""

    NAMES: ClassVar = {"Makefile", "Dockerfile", "Procfile", "Gemfile", "Pipfile", ".env"}
    ENDINGS: ClassVar = set("sh py js ts json yaml yml toml md txt html css csv sql ini cfg lock xml".split())
    FOLDERS: ClassVar = {"scripts", "bin", "src", "docs", "tools", "config", ".", "tests"}
    VARIABLE = re.compile(r"\$\{?([A-Z_][A-Z0-9_]*)|\b([A-Z][A-Z0-9_]*)=|\benv(?:ironment)? var(?:iable)?s? ([A-Z]\w*)")

    def __init__(self, text: str) -> None:
        self.text = text
        self.problems: list[str] = []
        self.notes: list[str] = []
        self._look_at_paths()
        self._look_at_variables()
        self._look_at_flags()

    def _look_at_paths(self) -> None:
        for word in dict.fromkeys(re.findall(r"[^\s\"'`()\[\]<>,;]+", self.text)):
            path = word.rstrip(".:!?*")
            if not self._is_path(path):
                continue
            if self._leads_out(path):
                self.notes.append(f"note: {path} is not in this folder, nobody checked it")
            elif not Path(path).exists():
                self.problems.append(f"path does not exist: {path}")

    def _is_path(self, word: str) -> bool:
        if not word or re.search(r"://|[@=$*{}%?\0]|^--|^[A-Z]\w*\.js$", word):
            return False
        first, slash, _ = word.partition("/")
        if slash and re.fullmatch(r"(?:[\w-]+\.)+[a-z]{2,}", first):
            return False
        last = word.rsplit("/", 1)[-1]
        stem, dot, ending = last.rpartition(".")
        if last in self.NAMES or (dot and stem and ending in self.ENDINGS):
            return True
        return bool(slash) and (first in self.FOLDERS or first in ("", "~", "..") or Path(first).is_dir())

    @staticmethod
    def _leads_out(path: str) -> bool:
        if path.startswith(("/", "~")) or ".." in path.split("/") or "\\" in path or ":" in path:
            return True
        return not Path(path).resolve().is_relative_to(Path.cwd().resolve())

    def _look_at_variables(self) -> None:
        names = ["".join(groups) for groups in self.VARIABLE.findall(self.text)]
        for sentence in re.split(r"[.!?]\s|\n", self.text):
            if re.search(r"\benv(ironment)? var|\benvironment\b", sentence, re.IGNORECASE):
                names += re.findall(r"\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b", sentence)
        for name in dict.fromkeys(names):
            if not os.environ.get(name):
                self.problems.append(f"env var is not set: {name}")

    def _look_at_flags(self) -> None:
        commands = set(re.findall(r"[\w.-]+", self.text))
        helps = [text for command, text in HELP.items() if command in commands]
        known = {flag for text in helps for flag in re.findall(r"--[a-z][\w-]*", text)}
        for flag in dict.fromkeys(re.findall(r"(?<![\w-])--[a-z][\w-]*", self.text)):
            if not helps:
                self.notes.append(f"note: no help at hand for {flag}, nobody checked it")
            elif flag not in known:
                self.problems.append(f"flag is not in the help: {flag}")


class Store:
    """All the memories, and the index that leads to them."""

    ROW = re.compile(r"- \[(.+?)\]\(.+?\) -- (.*)")

    def page(self, name: str) -> Page:
        return Page(MEM_DIR / f"{name}.md")

    def descriptions(self) -> dict[str, str]:
        listed: dict[str, str] = {}
        if INDEX.is_file():
            for line in INDEX.read_text(encoding="utf-8", errors="replace").splitlines():
                row = self.ROW.fullmatch(line)
                if row:
                    listed[row[1]] = row[2]
        found: dict[str, str] = {}
        for path in sorted(MEM_DIR.glob("*.md")):
            if path.name == INDEX.name or not path.is_file():
                continue
            found[path.stem] = listed.get(path.stem) or Page(path).labels.get("description", path.stem)
        return found

    def write(
        self, name: str, description: str, mtype: str, body: str, *, source: str = "user", session: str | None = None
    ) -> None:
        """Write one fact, or raise ValueError."""
        if len(name) > 80 or not re.fullmatch(r"[a-z0-9]+(?:[-_][a-z0-9]+)*", name) or name == "memory":
            raise ValueError(f"{name[:80]!r} is no name for a memory: take a few lowercase words joined by dashes.")
        page = self.page(name)
        if page.path.exists() and page.rank > Page.rank_of(source):
            raise ValueError(f"{name} was written by {page.source}: {source} may not change it.")
        MEM_DIR.mkdir(exist_ok=True)
        self._archive(page)
        page.labels = {"name": name, "description": description, "type": mtype}
        if source != "user":
            page.labels["source"] = source if source == " ".join(source.split()) else "unknown"
        if session is not None:
            page.labels["session"] = session
        page.labels = {key: " ".join(value.split()) for key, value in page.labels.items()}
        page.body = body.strip()
        page.save()
        self._write_index({**self.descriptions(), name: page.labels["description"]})
        print(f"wrote {page.path}")

    def _archive(self, page: Page) -> None:
        if not page.path.exists():
            return
        folder = MEM_DIR / "history" / page.name
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(page.path, folder / f"{len(list(folder.iterdir())) + 1:04}.md")

    def _write_index(self, descriptions: dict[str, str]) -> None:
        lines = [f"- [{name}]({name}.md) -- {text}" for name, text in sorted(descriptions.items())]
        INDEX.write_text("\n".join(lines) + "\n", encoding="utf-8")

    def search(self, query: str) -> list[Page]:
        query_words = Words(query)
        scored: list[tuple[float, Page]] = []
        for name, description in self.descriptions().items():
            likeness = query_words.likeness(Words(description))
            if likeness == 0:
                continue
            page = self.page(name)
            if not page.trusted and page.gives_orders:
                print(f"{name} is withheld: it comes from {page.source} and gives orders")
                continue
            scored.append((likeness * page.rank, page))
        scored.sort(key=lambda pair: -pair[0])
        return [page for _, page in scored]

    @staticmethod
    def serve(page: Page) -> str:
        if not page.trusted:
            print(f"note: only {page.source} says so ({page.name})")
        return page.body

    def recall(self, query: str) -> str | None:
        """Give the body of the best memory, or None."""
        pages = self.search(query)
        return self.serve(pages[0]) if pages else None

    def plant_stale(self) -> None:
        """Write a fact that was true until the script moved."""
        body = "To ship, run scripts/old_deploy.sh from the repo root."
        self.write("deploy-script-old", "where the deploy script lives", "reference", body)

    def recall_and_trust(self, query: str) -> str | None:
        """Give the best memory that reality does not refute, or None."""
        for page in self.search(query):
            guard = Guard(page.body)
            if not guard.problems:
                for note in guard.notes:
                    print(note)
                return self.serve(page)
            print("STALE -- not serving as fact. flag for refresh:")
            for problem in guard.problems:
                print(f"  - {problem}")
        return None


def verify_before_trust(memory: str) -> tuple[bool, list[str]]:
    """Check what a memory names; give (ok, problems)."""
    guard = Guard(memory)
    return not guard.problems, guard.problems


STORE = Store()
write_memory = STORE.write
recall = STORE.recall
plant_stale = STORE.plant_stale
recall_and_trust = STORE.recall_and_trust
