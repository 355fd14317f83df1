"""How to act: rules loaded every turn, written by a person's hand only, and skills looked up by task."""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path

from memlab.memory import frontmatter
from memlab.memory.context import one_line
from memlab.memory.lock import Lock
from memlab.memory.naming import Refused, slug
from memlab.memory.trust import USER, Provenance

_RULE = re.compile(r"^\s*[-*]\s+(?P<text>.*?)(?:\s*<!-- (?P<name>[\w-]+)(?: (?P<id>\S+))? -->)?\s*$")


@dataclass(frozen=True, slots=True)
class Rule:
    """One standing order of the user, under the name by which it is replaced or withdrawn."""

    name: str
    text: str
    id: str = ""


class Rules:
    """rules.md, one list item a rule; read again only when the file has changed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._seen: tuple[int, int] = (0, 0)
        self._rules: tuple[Rule, ...] = ()
        self._lock = Lock(path)

    def all(self) -> tuple[Rule, ...]:
        """Give the rules in their order."""
        try:
            status = self.path.stat()
        except FileNotFoundError:
            return ()
        if (status.st_mtime_ns, status.st_size) != self._seen:
            lines = self.path.read_text(encoding="utf-8").splitlines()
            found = [match for match in map(_RULE.match, lines) if match and match["text"]]
            self._rules = tuple(Rule(match["name"] or "", match["text"], match["id"] or "") for match in found)
            self._seen = (status.st_mtime_ns, status.st_size)
        return self._rules

    def put(self, rule: Rule) -> None:
        """Add a rule, or replace the one of its name; a rule without text is withdrawn. Raises Refused if unknown."""
        with self._lock.held():
            kept = [known for known in self.all() if known.name != rule.name]
            if rule.text:
                place = next((at for at, known in enumerate(self.all()) if known.name == rule.name), len(kept))
                kept.insert(place, Rule(rule.name, one_line(rule.text).replace("<!--", "<!- -"), rule.id))
            elif len(kept) == len(self.all()):
                known_names = ", ".join(known.name for known in self.all()) or "none"
                raise Refused(f"rule {rule.name!r}: there is none to withdraw; known are: {known_names}")
            frontmatter.replace(self.path, "\n".join(["# Rules", *map(_line, kept), ""]))
            self._seen = (0, 0)

    def close(self) -> None:
        """Let go of the lock's file."""
        self._lock.close()


@dataclass(frozen=True, slots=True)
class Skill:
    """How one type of task is done: steps, with who taught them."""

    name: str
    steps: str
    description: str = ""
    type: str = ""
    origin: Provenance = field(default_factory=Provenance)
    rank: int = USER

    @property
    def text(self) -> str:
        """What is served: the steps."""
        return self.steps

    @property
    def id(self) -> str:
        """The id of the event that taught it."""
        return self.origin.id

    @property
    def key(self) -> str:
        """All the words by which it can be found."""
        return f"{self.name} {self.type} {self.description} {self.steps}"


class Skills:
    """skills/<name>/SKILL.md, one folder a skill."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._lock = Lock(directory)

    def all(self) -> list[Skill]:
        """Give the skills in the order of their names."""
        return [_skill(path) for path in sorted(self.directory.glob("*/SKILL.md"))]

    def put(self, skill: Skill) -> None:
        """Keep a skill. Raises Refused if a source of higher rank has taught one of that name."""
        with self._lock.held():
            self._put(skill, self.directory / slug(skill.name) / "SKILL.md")

    def _put(self, skill: Skill, path: Path) -> None:
        if path.exists() and (known := _skill(path)).rank > skill.rank:
            raise Refused(
                f"skill {skill.name}: {known.origin.source} taught it, and {skill.origin.source} ranks lower; "
                "teach it under another name, or have a higher rank teach it"
            )
        header = {"name": skill.name, "description": skill.description, "type": skill.type}
        frontmatter.write(path, header | frontmatter.header_of(skill.origin, skill.rank), skill.steps)

    def erase(self, name: str) -> None:
        """Remove a skill's folder."""
        shutil.rmtree(self.directory / slug(name))

    def close(self) -> None:
        """Let go of the lock's file."""
        self._lock.close()


def _line(rule: Rule) -> str:
    named = f" <!-- {rule.name} {rule.id}".rstrip() + " -->" if rule.name else ""
    return f"- {rule.text}{named}"


def _skill(path: Path) -> Skill:
    header, steps = frontmatter.read(path)
    name = path.parent.name
    return Skill(
        name, steps, header.get("description", ""), header.get("type", ""), *frontmatter.origin_of(header, name)
    )
