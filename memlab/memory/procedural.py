"""Procedural memory: skills by type of task, with their success rates (rules that always apply are in rules.py)."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from itertools import chain, count
from pathlib import Path

from memlab.memory.context import one_line
from memlab.memory.storage import frontmatter
from memlab.memory.storage.folder import make_folder, replace_file, sync_folder
from memlab.memory.storage.lock import Lock
from memlab.memory.text import Refused, digest, fold, slug, to_bytes
from memlab.memory.trust import NOT_TRUSTED, USER, Provenance

DAY = 24 * 60 * 60
IDLE = 180 * DAY
"""A skill that was neither written nor used for this long (seconds) is forgotten ..."""
TRIES = 5
"""... and so is one that failed in most of at least 5 uses."""
LONGEST_DESCRIPTION = 1024  # characters, in the Agent Skills convention
_NOT_A_SKILL = {errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ELOOP}  # errors of an entry without a SKILL.md file


@dataclass(frozen=True, slots=True)
class Skill:
    """Steps for one type of task, with their source and uses; `last_used` in seconds since 1970, UTC (0: never).

    `last_run` is the id of the last run that was counted.
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
    last_run: str = ""

    @property
    def text(self) -> str:
        """The served text: the steps."""
        return self.steps

    @property
    def id(self) -> str:
        """The id of the event that wrote it."""
        return self.origin.id

    @property
    def heading(self) -> str:
        """Its name, its type and its description: what finds it beside its steps."""
        return f"{self.name} {self.type} {self.description}"

    @property
    def success_rate(self) -> float:
        """Estimated probability of success: Laplace's rule of succession (1814), 1/2 before the first use."""
        return (self.succeeded + 1) / (self.used + 2)


class Skills:
    """skills/<name>/SKILL.md, one folder per skill, in the Agent Skills format.

    A skill made or edited by hand has the user as its source. Forgotten skills move to skills/.forgotten; one that is
    moved back by hand is in use until the next `compact`, and stays if it is used before.
    """

    def __init__(self, directory: Path, *, links: bool = False) -> None:
        self.directory = directory
        self._forgotten_folder = directory / ".forgotten"
        self._lock = Lock(directory, links=links)
        self._cache: dict[str, tuple[tuple[int, int, int], Skill]] = {}

    def all(self) -> list[Skill]:
        """Return the skills sorted by name; a file is read again only if it changed."""
        return self._read(self.directory)

    def list_forgotten(self) -> list[Skill]:
        """Return the forgotten skills sorted by name."""
        return self._read(self._forgotten_folder)

    def all_and_forgotten(self) -> list[Skill]:
        """Return all skills, then the forgotten ones."""
        return self.all() + self.list_forgotten()

    def get(self, identity: str) -> Skill | None:
        """Return a skill, forgotten or not, by the id of the event that wrote it."""
        return next((skill for skill in self.all_and_forgotten() if skill.id == identity), None)

    def of_type(self, type: str) -> list[Skill]:
        """Return the trusted skills for a type of task, by success rate, then by rank."""
        wanted = fold(type)
        known = self.all() if wanted else ()
        found = [one for one in known if fold(one.type) == wanted and one.rank > NOT_TRUSTED]
        return sorted(found, key=lambda skill: (-skill.success_rate, -skill.rank, skill.name))

    def derived_ids(self, ids: Collection[str]) -> set[str]:
        """Return the ids of the skills, forgotten or not, that restate any of these."""
        return {skill.id for skill in self.all_and_forgotten() if any(one in ids for one in skill.origin.derived_from)}

    def put(self, skill: Skill) -> None:
        """Store a skill. Raises Refused if a source of higher rank wrote one of that name, forgotten or not.

        The same steps keep their counts of uses; other steps under the name start at 0.
        """
        skill = replace(skill, name=slug(skill.name))
        with self._lock:
            for known in self.all_and_forgotten():
                if known.name.partition(".")[0] == skill.name and known.rank > skill.rank:
                    raise Refused(
                        f"skill {skill.name}: {known.origin.source} wrote it, and {skill.origin.source} ranks lower; "
                        "choose another name, or let a source of that rank write it"
                    )
            old = next((one for one in self.all() if one.name == skill.name), None)
            if old and old.steps == skill.steps:
                skill = replace(
                    old, description=skill.description, type=skill.type, origin=skill.origin, rank=skill.rank
                )
            self._write(skill)

    def named(self, name: str) -> Skill:
        """Return the skill with a name. Raises Refused if there is none."""
        known = {fold(skill.name): skill for skill in self.all()}
        if fold(name) not in known:
            names = ", ".join(one.name for one in known.values()) or "none"
            raise Refused(f"skill {name!r}: there is none of that name; known skills: {names}")
        return known[fold(name)]

    def record_use(self, name: str, *, success: bool, time: float, run: str = "") -> None:
        """Count one use of a skill, at a time in seconds since 1970, unless `run` is the id of its last one.

        Raises Refused if the name is unknown.
        """
        with self._lock:
            skill = self.named(name)
            if not run or skill.last_run != run:
                used, succeeded, last = skill.used + 1, skill.succeeded + success, max(time, skill.last_used)
                self._write(replace(skill, used=used, succeeded=succeeded, last_used=last, last_run=run))

    def forget(self, now: float, log: Callable[[str], None] = lambda _: None) -> list[tuple[Skill, str]]:
        """Forget the skills that are of no use at a time; return each with the reason.

        Each is logged before it is put away, so that none disappears without a word. A folder moves to
        skills/.forgotten/<name>, or <name>.2 and so on if that exists; names contain no dots.
        """
        with self._lock:
            useless = [(skill, why) for skill in self.all() if (why := _why_useless(skill, now))]
            for skill, reason in useless:
                log(f"skill {skill.name} was put away in skills/.forgotten: {reason}")
                self._lock.require_inside(self._forgotten_folder)
                make_folder(self._forgotten_folder)
                names = chain([skill.name], (f"{skill.name}.{number}" for number in count(2)))
                place = next(path for path in map(self._forgotten_folder.joinpath, names) if not path.exists())
                (self.directory / skill.name).rename(place)
                sync_folder(self._forgotten_folder)
                sync_folder(self.directory)
        return useless

    def erase(self, ids: Collection[str]) -> None:
        """Delete the folders of these skills, forgotten or not."""
        with self._lock:
            for directory in (self.directory, self._forgotten_folder):
                for skill in self._read(directory):
                    if skill.id in ids:
                        folder = directory / skill.name
                        self._lock.require_inside(directory)
                        remove = Path.unlink if folder.is_symlink() else shutil.rmtree
                        remove(folder)
                        sync_folder(directory)

    def close(self) -> None:
        """Close the lock file."""
        self._lock.close()

    def _read(self, directory: Path) -> list[Skill]:
        found = []
        try:
            names = sorted(os.listdir(directory))  # noqa: PTH208 - runs at every write; much faster than iterdir
        except (FileNotFoundError, NotADirectoryError):
            return []
        for name in names:
            path = f"{directory}/{name}/SKILL.md"
            try:
                status = os.stat(path)  # noqa: PTH116 - likewise
                state = (status.st_mtime_ns, status.st_size, status.st_ino)
                if path not in self._cache or self._cache[path][0] != state:
                    self._cache[path] = state, _read_skill(Path(path), status.st_mtime)
                found.append(self._cache[path][1])
            except OSError as error:
                if error.errno not in _NOT_A_SKILL:
                    raise
        return found

    def _write(self, skill: Skill) -> None:
        """Write a skill's file; header fields that a person added are kept."""
        path = self.directory / skill.name / "SKILL.md"
        self._lock.require_inside(path)
        others = frontmatter.read(path)[0] if path.exists() else {}
        described = skill.description or one_line(skill.steps)[:LONGEST_DESCRIPTION]
        ours = {"name": skill.name, "description": described, "metadata.type": skill.type}
        ours |= frontmatter.header_of(skill.origin, skill.rank) | {"metadata.steps": digest(skill.steps)}
        counted = {"used": skill.used, "succeeded": skill.succeeded, "last_used": skill.last_used}
        ours |= {f"metadata.{key}": repr(value) if value else "" for key, value in counted.items()}
        ours["metadata.last_run"] = skill.last_run
        replace_file(path, [to_bytes(frontmatter.render(others | ours, skill.steps))])
        self._cache.pop(str(path), None)


def _why_useless(skill: Skill, now: float) -> str:
    """Return why a skill is to be forgotten; empty if it is not."""
    failed, since = skill.used - skill.succeeded, max(skill.last_used, skill.origin.time)
    if skill.used >= TRIES and failed * 2 > skill.used:
        return f"it failed in {failed} of {skill.used} uses"
    return f"it was not used for {int((now - since) // DAY)} days" if now - since > IDLE else ""


def _read_skill(path: Path, saved: float) -> Skill:
    """Read one skill; one made or edited by hand has the user as source and the file's time."""
    header, steps = frontmatter.read(path)
    name = path.parent.name
    fields = {key.removeprefix("metadata."): value for key, value in header.items()}
    origin, rank = frontmatter.origin_of(header, name)
    if fields.get("steps", digest(steps)) != digest(steps):
        origin, rank = Provenance("user", "", saved, digest(name, steps)), USER
    elif not origin.time:
        origin = replace(origin, time=saved)
    described, kind, last_run = (fields.get(key, "") for key in ("description", "type", "last_run"))
    counted = (frontmatter.parse_number(fields.get(key, "")) for key in ("used", "succeeded", "last_used"))
    used, succeeded, last_used = (max(0.0, number) for number in counted)
    return Skill(name, steps, described, kind, origin, rank, int(used), int(min(used, succeeded)), last_used, last_run)
