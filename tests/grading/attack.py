"""Reads the attacks in tests/grading/hostile/. Each is a learner's file, and its docstring describes it.

The docstring says what the attack tries. Then it has a line for each of these fields; the first three are required:

    Attack: 6                     its number or name
    Behind: solution.py           its code is appended to this file (of the lab, or another attack), or: nothing
    Keeps: write                  the tasks that get all points while the others get none; none; all; "none or all" if
                                  it is a race; or: at most 5 %
    Tasks: write, recall          the tasks to grade (by default the quickest two), or: all
    Status: ok or crashed         the statuses that its grade may have (by default ok)
    Limits: 1                     in how many tasks it may use the full time limit of the permitted number of calls
    Budgets: 1                    that it may use the full time of each task
    Needs: processes              the threats that a level must hold before this attack may run on a machine at all
    Where: files                  the threats that a level must hold for `Keeps` to apply
    Never: opened: /              a pattern that must not occur in its grade, if the level holds files and network
    Beside: conftest.py           files with the same code that are submitted with it

The code of an attack can use MARK, which it writes wherever it can; PORT, ABSTRACT and SOCKET, the addresses of
listeners; LOOK, the files that it must not read; FIND, which finds the secret of these files in bytes; and MOST, the
number of bytes that it may write to our disk.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Self

from memlab.labs.lab import Lab, load

HOSTILE = Path(__file__).parent / "hostile"
DEFAULT_TASKS = {"06": ("write", "recall"), "07": ("rules", "working")}
"""The quickest tasks of each lab."""
FIELD = re.compile(r"^([A-Z][a-z]+): (.+)$", re.MULTILINE)
FIELDS = {"Attack", "Behind", "Keeps", "Tasks", "Status", "Limits", "Budgets", "Needs", "Where", "Never", "Beside"}
UNBOUND = """
import gc

gc.unfreeze()  # what is frozen is not listed
for one in gc.get_objects():
    if type(one).__name__ == "FolderBound":
        one.is_active = False
"""
"""Code that turns off the explanations of the bounds: isolation must hold without them."""
PRELUDE = """
import os
import re

MARK, PORT, ABSTRACT, SOCKET, LOOK, MOST = {parameters!r}
FIND = re.compile(rb"canary-[0-9a-f]{{32}}").findall
try:
    open(f"{{os.environ.get('TMPDIR', '/tmp')}}/{{MARK}}", "w").close()
except OSError:
    pass

"""


@dataclass(frozen=True)
class AttackParameters:
    """What the code of an attack can use; see above."""

    mark: str = "mh-unmarked"
    port: int = 9
    abstract: str = "memlab-nobody"
    socket: str = "/nowhere/socket"
    secret_files: tuple[str, ...] = ("/etc/passwd",)
    max_bytes: int = 2**20


@dataclass(frozen=True)
class Attack:
    """An attack: its path, its lab, what it tries, and the fields of its docstring."""

    path: Path
    lab: Lab
    description: str
    fields: Mapping[str, str]

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read an attack. Raises ValueError if its docstring lacks a required field or has an unknown one."""
        docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"), str(path))) or ""
        fields = dict(FIELD.findall(docstring))
        if not {"Attack", "Behind", "Keeps"} <= fields.keys() or fields.keys() - FIELDS:
            required = "the docstring must have Attack, Behind and Keeps, and no other fields than"
            raise ValueError(f"{path}: {required} {sorted(FIELDS)}")
        return cls(path, load(path.parent.name), docstring.partition("\n")[0], fields)

    @property
    def name(self) -> str:
        """Its name: lab06/08_fork_bomb."""
        return f"{self.path.parent.name}/{self.path.stem}"

    @property
    def tasks(self) -> tuple[str, ...]:
        """The names of the tasks to grade; empty for all tasks."""
        names = self.fields.get("Tasks", "")
        return () if names == "all" else tuple(names.split(", ")) if names else DEFAULT_TASKS[self.lab.number]

    @property
    def needs(self) -> frozenset[str]:
        """The threats that a level must hold before the attack may run."""
        return _split(self.fields.get("Needs", ""), ", ")

    @property
    def points_apply_to(self) -> frozenset[str]:
        """The threats that a level must hold for the field `Keeps` to apply."""
        return _split(self.fields.get("Where", ""), ", ")

    @property
    def statuses(self) -> frozenset[str]:
        """The statuses that its grade may have."""
        return _split(self.fields.get("Status", "ok"), " or ")

    @property
    def base(self) -> Path | None:
        """The file to which its code is appended."""
        behind = self.fields["Behind"]
        ours = self.path.with_name(behind)
        return None if behind == "nothing" else ours if ours.exists() else self.lab.folder / behind

    @property
    def is_nondeterministic(self) -> bool:
        """Whether it may use a full time limit, or its result is random."""
        return "Limits" in self.fields or "Budgets" in self.fields or "30" in self.fields["Attack"]

    def number(self, field: str) -> int:
        """Return the number in a field, or 0 if the field is missing."""
        return int(self.fields.get(field, 0))

    def source(self, parameters: AttackParameters = AttackParameters()) -> str:
        """Return the complete source of the learner's file."""
        base = self.base.read_text(encoding="utf-8") if self.base else ""
        values = [list(one) if isinstance(one, tuple) else one for one in astuple(parameters)]
        return base + UNBOUND + PRELUDE.format(parameters=values) + self.path.read_text(encoding="utf-8")

    def files_beside(self, parameters: AttackParameters = AttackParameters()) -> dict[str, str]:
        """Return the files that are submitted with it, by path."""
        return dict.fromkeys(_split(self.fields.get("Beside", ""), ", "), self.source(parameters))


def attacks(lab: str = "lab*") -> list[Attack]:
    """Return the attacks of one lab, or of all, sorted by name."""
    return [Attack.read(path) for path in sorted(HOSTILE.glob(f"{lab}/*.py"))]


def _split(text: str, separator: str) -> frozenset[str]:
    return frozenset(text.split(separator)) if text else frozenset()
