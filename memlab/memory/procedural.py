"""How to act: skills, looked up by the type of task, each with its record (the rules of every turn are rules.py)."""

from __future__ import annotations

import errno
import math
import os
import shutil
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path

from memlab.memory.context import one_line
from memlab.memory.storage import frontmatter
from memlab.memory.storage.lock import Lock
from memlab.memory.text import Refused, digest, fold, slug
from memlab.memory.trust import NOT_TRUSTED, USER, Provenance

DAY = 24 * 60 * 60
IDLE = 180 * DAY
"""A skill that was neither taught nor used for so many seconds is forgotten ..."""
TRIES = 5
"""... and so is one that has failed more often than not, once it was tried so many times."""
LONGEST_DESCRIPTION = 1024
"""So many letters the Agent Skills convention allows a description."""
_NO_SKILL = {errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ELOOP}
"""What the system says of a file, of a folder without a SKILL.md that is a file, and of a link to itself."""


@dataclass(frozen=True, slots=True)
class Skill:
    """How one type of task is done: steps, with who taught them, how often they were used, and with what success.

    `last_used` is in seconds since 1970, UTC; 0 is never.
    """

    name: str
    steps: str
    description: str = ""
    type: str = ""
    origin: Provenance = field(default_factory=Provenance)
    rank: int = USER
    used: int = 0
    succeeded: int = 0
    last_used: float = 0.0

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

    @property
    def success_rate(self) -> float:
        """How likely it is to succeed the next time: Laplace's rule of succession (1814), 1/2 before the first use."""
        return (self.succeeded + 1) / (self.used + 2)


class Skills:
    """skills/<name>/SKILL.md, one folder a skill, in the form of the Agent Skills convention.

    A skill that a person made or edited by hand is the user's. What is forgotten moves to skills/.forgotten: moved back
    by hand, it is known again.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._put_away = directory / ".forgotten"
        self._lock = Lock(directory)
        self._seen: dict[Path, tuple[tuple[int, int, int], Skill]] = {}

    def all(self) -> list[Skill]:
        """Give the skills in the order of their names; a file is read again only when it has changed."""
        return self._read(self.directory)

    def list_forgotten(self) -> list[Skill]:
        """Give the skills that are served no more, in the order of their names."""
        return self._read(self._put_away)

    def get(self, identity: str) -> Skill | None:
        """Give one skill by the id of the event that taught it, forgotten or not."""
        return next((skill for skill in self.all() + self.list_forgotten() if skill.id == identity), None)

    def of_type(self, type: str) -> list[Skill]:  # noqa: A002 - the field's own word
        """Give the trusted skills for a type of task, those with the best record first, then the most trusted."""
        wanted = fold(type)
        known = self.all() if wanted else ()
        found = [one for one in known if fold(one.type) == wanted and one.rank > NOT_TRUSTED]
        return sorted(found, key=lambda skill: (-skill.success_rate, -skill.rank, skill.name))

    def derived_ids(self, ids: Collection[str]) -> set[str]:
        """Give the ids of the skills, forgotten or not, that restate any of these."""
        known = self.all() + self.list_forgotten()
        return {skill.id for skill in known if not set(ids).isdisjoint(skill.origin.derived_from)}

    def put(self, skill: Skill) -> None:
        """Keep a skill. Raises Refused if a source of higher rank has taught one of that name, forgotten or not.

        The same steps told again keep their record; other steps under the name start a new one.
        """
        path = self.directory / slug(skill.name) / "SKILL.md"
        with self._lock.hold():
            for known in self.all() + self.list_forgotten():
                if known.name.partition(".")[0] == path.parent.name and known.rank > skill.rank:
                    raise Refused(
                        f"skill {skill.name}: {known.origin.source} taught it, and {skill.origin.source} ranks lower; "
                        "teach it under another name, or have a higher rank teach it"
                    )
            old = next((one for one in self.all() if one.name == path.parent.name), None)
            if old and old.steps == skill.steps:
                skill = replace(skill, used=old.used, succeeded=old.succeeded, last_used=old.last_used)
            self._write(replace(skill, name=path.parent.name))

    def named(self, name: str) -> Skill:
        """Give the skill of a name. Raises Refused if there is none."""
        known = {fold(skill.name): skill for skill in self.all()}
        if fold(name) not in known:
            names = ", ".join(one.name for one in known.values()) or "none"
            raise Refused(f"skill {name!r}: there is none of that name; known are: {names}")
        return known[fold(name)]

    def record_use(self, name: str, *, success: bool, time: float) -> None:
        """Count one use of a skill, at a time in seconds since 1970. Raises Refused if there is none of that name."""
        with self._lock.hold():
            skill = self.named(name)
            used, succeeded, last = skill.used + 1, skill.succeeded + success, max(time, skill.last_used)
            self._write(replace(skill, used=used, succeeded=succeeded, last_used=last))

    def forget(self, now: float, idle: float = IDLE, tries: int = TRIES) -> list[tuple[Skill, str]]:
        """Put away what was not used for `idle` seconds or mostly failed in `tries` uses; give each with the reason.

        It moves to skills/.forgotten/<name>, or <name>.2 and so on if there is one: no name has a dot.
        """
        with self._lock.hold():
            useless = [(skill, why) for skill in self.all() if (why := _useless(skill, now, idle, tries))]
            for skill, _ in useless:
                place = self._put_away / skill.name
                place.parent.mkdir(exist_ok=True)
                for number in count(2):
                    if not place.exists():
                        break
                    place = place.with_name(f"{skill.name}.{number}")
                (self.directory / skill.name).rename(place)
        return useless

    def erase(self, ids: Collection[str]) -> None:
        """Remove the folders of these skills for good, forgotten or not."""
        with self._lock.hold():
            for directory in (self.directory, self._put_away):
                for skill in self._read(directory):
                    if skill.id in ids:
                        _remove(directory / skill.name)

    def close(self) -> None:
        """Let go of the lock's file."""
        self._lock.close()

    def _read(self, directory: Path) -> list[Skill]:
        try:
            names = sorted(os.listdir(directory))  # noqa: PTH208 - asked at every write, and much faster than iterdir
        except (FileNotFoundError, NotADirectoryError):
            return []
        found = []
        for name in names:
            path = directory / name / "SKILL.md"
            try:
                status = path.stat()
                state = (status.st_mtime_ns, status.st_size, status.st_ino)
                known, skill = self._seen.get(path, (None, None))
                if skill is None or known != state:
                    skill = _skill(path, status.st_mtime)
                    self._seen[path] = (state, skill)
            except OSError as error:
                if error.errno not in _NO_SKILL:
                    raise
            else:
                found.append(skill)
        return found

    def _write(self, skill: Skill) -> None:
        """Write a skill's file; fields of the header that are not ours stay as a person has put them there."""
        path = self.directory / skill.name / "SKILL.md"
        others = frontmatter.read(path)[0] if path.exists() else {}
        described = skill.description or one_line(skill.steps)[:LONGEST_DESCRIPTION]
        ours = {"name": skill.name, "description": described, "metadata.type": skill.type}
        ours |= frontmatter.header_of(skill.origin, skill.rank) | {"metadata.steps": digest(skill.steps)}
        counted = {"used": skill.used, "succeeded": skill.succeeded, "last_used": skill.last_used}
        ours |= {f"metadata.{key}": repr(value) if value else "" for key, value in counted.items()}
        frontmatter.write(path, others | ours, skill.steps)
        self._seen.pop(path, None)


def _useless(skill: Skill, now: float, idle: float, tries: int) -> str:
    """Say why a skill is to be forgotten; nothing if it is not."""
    failed, since = skill.used - skill.succeeded, max(skill.last_used, skill.origin.time)
    if skill.used >= tries and failed * 2 > skill.used:
        return f"it failed in {failed} of {skill.used} uses"
    return f"it was not used for {int((now - since) // DAY)} days" if now - since > idle else ""


def _remove(folder: Path) -> None:
    if folder.is_symlink():
        folder.unlink()
    else:
        shutil.rmtree(folder)


def _skill(path: Path, saved: float) -> Skill:
    """Read one skill; one that was made or edited by hand is the user's, said when its file was saved."""
    header, steps = frontmatter.read(path)
    name = path.parent.name
    said = {key.removeprefix("metadata."): value for key, value in header.items()}
    origin, rank = frontmatter.origin_of(header, name)
    if said.get("steps", digest(steps)) != digest(steps):
        origin, rank = Provenance("user", "", saved, digest(name, steps)), USER
    elif not origin.time:
        origin = replace(origin, time=saved)
    used, succeeded, last_used = (_number(said.get(key, "")) for key in ("used", "succeeded", "last_used"))
    described, kind = said.get("description", ""), said.get("type", "")
    return Skill(name, steps, described, kind, origin, rank, int(used), int(min(used, succeeded)), last_used)


def _number(text: str) -> float:
    """Read a count or a time; what a person has made unreadable counts as none."""
    try:
        number = float(text)
    except ValueError:
        return 0.0
    return number if 0 <= number < math.inf else 0.0
