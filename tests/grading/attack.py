"""The attacks in tests/grading/hostile/: each a learner's file that its head tells about.

The head is a docstring: what the attack tries, then a line for each of

    Attack: 6                     its number, or what it is called
    Behind: solution.py           the file that its lines are put behind (of the lab, or of the attacks), or: nothing
    Asked: write, recall          the tasks that it is asked (these unless told), or: all
    Keeps: write                  the tasks that earn all their points while the others earn none; none; all; a "none or
                                  all" that depends on who is quicker; or: at most 5 %
    Status: ok or crashed         how it may be said to have fared (ok unless told)
    Limits: 1                     in how many tasks it may use up the time of as many calls as may
    Budgets: 1                    that it may use up the time of each task
    Needs: processes              what a level must hold for this to be let loose on a machine at all
    Where: files                  what a level must hold for it to get no more than it may
    Never: opened: /              what must not stand in its grade, where a level holds files and network
    Beside: conftest.py           files that lie beside it with the same lines in them

An attack knows MARK, which it leaves wherever it can, so that we find it; PORT, ABSTRACT and SOCKET, where we listen;
LOOK, the files that it must not read, and FIND, which finds in bytes what stands in them; MOST, the bytes that it may
write to a disk of ours.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from memlab.labs.lab import Lab, load

HOSTILE = Path(__file__).parent / "hostile"
USUALLY = {"06": ("write", "recall"), "07": ("rules", "working")}
"""The tasks that an attack is asked, by lab: the quickest."""
FIELD = re.compile(r"^([A-Z][a-z]+): (.+)$", re.MULTILINE)
KNOWN = {"Attack", "Behind", "Asked", "Keeps", "Status", "Limits", "Budgets", "Needs", "Where", "Never", "Beside"}
PRELUDE = """
import os
import re

MARK, PORT, ABSTRACT, SOCKET, LOOK, MOST = {knows!r}
FIND = re.compile(rb"canary-[0-9a-f]{{32}}").findall
try:
    open(f"{{os.environ.get('TMPDIR', '/tmp')}}/{{MARK}}", "w").close()
except OSError:
    pass

"""


@dataclass(frozen=True)
class Knows:
    """What an attack is told of the machine; see above."""

    mark: str = "mh-unmarked"
    port: int = 9
    abstract: str = "memlab-nobody"
    socket: str = "/nowhere/socket"
    look: tuple[str, ...] = ("/etc/passwd",)
    most: int = 2**20


@dataclass(frozen=True)
class Attack:
    """A file of attacks: its path, its lab, what it tries, and the fields of its head."""

    path: Path
    lab: Lab
    tries: str
    fields: Mapping[str, str]

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read an attack. Raises ValueError where its head does not tell what it is."""
        told = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"), str(path))) or ""
        fields = dict(FIELD.findall(told))
        if not {"Attack", "Behind", "Keeps"} <= fields.keys() or fields.keys() - KNOWN:
            raise ValueError(f"{path}: its head must tell Attack, Behind and Keeps, and else only {sorted(KNOWN)}")
        return cls(path, load(path.parent.name), told.partition("\n")[0], fields)

    @property
    def name(self) -> str:
        """Name it as it lies there: lab06/08_fork_bomb."""
        return f"{self.path.parent.name}/{self.path.stem}"

    @property
    def asked(self) -> tuple[str, ...]:
        """Name the tasks that it is asked; none for all of them."""
        told = self.fields.get("Asked", "")
        return () if told == "all" else tuple(told.split(", ")) if told else USUALLY[self.lab.number]

    @property
    def needs(self) -> frozenset[str]:
        """Name what a level must hold for it to be let loose."""
        return _listed(self.fields.get("Needs", ""), ", ")

    @property
    def where(self) -> frozenset[str]:
        """Name what a level must hold for its points to be as they are told."""
        return _listed(self.fields.get("Where", ""), ", ")

    @property
    def statuses(self) -> frozenset[str]:
        """Name how it may be said to have fared."""
        return _listed(self.fields.get("Status", "ok"), " or ")

    @property
    def base(self) -> Path | None:
        """Give the file that it is put behind."""
        behind = self.fields["Behind"]
        ours = self.path.with_name(behind)
        return None if behind == "nothing" else ours if ours.exists() else self.lab.folder / behind

    @property
    def hangs(self) -> bool:
        """Tell if it may use up a time, or falls as chance has it."""
        return "Limits" in self.fields or "Budgets" in self.fields or "30" in self.fields["Attack"]

    def number(self, field: str) -> int:
        """Give a number that its head tells, 0 where it tells none."""
        return int(self.fields.get(field, 0))

    def source(self, knows: Knows = Knows()) -> str:
        """Give the whole of a learner's file."""
        base = self.base.read_text(encoding="utf-8") if self.base else ""
        told = (knows.mark, knows.port, knows.abstract, knows.socket, list(knows.look), knows.most)
        return base + PRELUDE.format(knows=told) + self.path.read_text(encoding="utf-8")

    def beside(self, knows: Knows = Knows()) -> dict[str, str]:
        """Give the files that lie beside it, by their path."""
        return dict.fromkeys(_listed(self.fields.get("Beside", ""), ", "), self.source(knows))


def attacks(lab: str = "lab*") -> list[Attack]:
    """Read the attacks, of one lab or of all, in the order of their names."""
    return [Attack.read(path) for path in sorted(HOSTILE.glob(f"{lab}/*.py"))]


def _listed(told: str, between: str) -> frozenset[str]:
    return frozenset(told.split(between)) if told else frozenset()
