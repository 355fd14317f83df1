"""Finds the steps that a learner's file leaves as the lab gave them: nobody has tried them yet.

The file is untrusted: it is compared as text, and neither run nor parsed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from memlab.labs.handout.pages import Pages
from memlab.labs.lab import Lab
from memlab.labs.learner.submission import DEFINED, JOINED, TAG
from memlab.labs.rubric import Step


@dataclass(frozen=True)
class CellToFill:
    """A cell of the learner's notebook: its label, and its code as the lab gives it."""

    label: str
    code: str

    @property
    def names(self) -> set[str]:
        """Return the names of the functions and constants that it defines."""
        return _names(self.code)

    def is_stub(self, name: str, squeezed: str) -> bool:
        """Return whether a source without white space has a function of this name as the lab gives it."""
        found = re.search(rf"def {name}\b.*?raise NotImplementedError\(.*?\)", self.code, re.DOTALL)
        return found is not None and _squeeze(found[0]) in squeezed


def untouched_steps(source: str, lab: Lab) -> frozenset[str]:
    """Return the names of the steps that nobody has tried in a learner's file.

    In a file made of a notebook's cells, a step was tried if one of its cells was changed. In any other file, it was
    tried if the file defines a function that this step introduces, and not as the lab gives it. A step whose functions
    have no fixed names was also tried if one that builds on it was, and one without functions, if any of its part was.
    """
    cells = _cells_to_fill(lab.folder)
    written = _cells(source) if source.startswith(JOINED) else {}
    own = "\n".join(code for label, code in written.items() if label not in _labels(lab.folder)) if written else source
    names = {step.name: _introduced(step, lab) for step in lab.steps if _of(step, cells)}
    stubs, defined = _squeeze(own), _names(own)
    tried = {step for step in names if _is_changed(lab.step(step), cells, written)}
    for step, introduced in names.items():
        if any(not introduced[name].is_stub(name, stubs) for name in defined & introduced.keys()):
            tried.add(step)
    if not written:
        needs = {need for step in tried for need in lab.step(step).needs} & names.keys()
        tried |= {need for need in needs if _has_free_names(lab.step(need), lab)}
        parts = {lab.step(step).part for step in tried}
        tried |= {step for step in names if not names[step] and lab.step(step).part in parts}
    return frozenset(names.keys() - tried)


def _is_changed(step: Step, cells: Sequence[CellToFill], written: dict[str, str]) -> bool:
    """Return whether a cell of a step is not as the lab gives it."""
    return any(_squeeze(written.get(one.label, one.code)) != _squeeze(one.code) for one in _of(step, cells))


def _has_free_names(step: Step, lab: Lab) -> bool:
    """Return whether a step of Build introduces no function with a fixed name."""
    return step.part == "build" and not _introduced(step, lab).keys() & set(lab.rubric.interface)


def _introduced(step: Step, lab: Lab) -> dict[str, CellToFill]:
    """Return the names that the cells of a step define first, each with its cell; none that learners are given."""
    own = _of(step, _cells_to_fill(lab.folder))
    return {name: cell for name, cell in _cells_by_name(lab.folder).items() if cell in own}


def _of(step: Step, cells: Sequence[CellToFill]) -> list[CellToFill]:
    return [one for one in cells if one.label == step.name or one.label.startswith(f"{step.name}-")]


@cache
def _cells_to_fill(folder: Path) -> tuple[CellToFill, ...]:
    found = (cell for cell in Pages(folder).learner() if cell.kind == "fill")
    return tuple(CellToFill(cell.label, cell.source.partition("\n")[2]) for cell in found)


@cache
def _cells_by_name(folder: Path) -> dict[str, CellToFill]:
    """Return the first cell that defines each name, without names that the skeleton defines completely."""
    skeleton = (folder / "skeleton.py").read_text(encoding="utf-8")
    given, stubs = _names(skeleton), _squeeze(skeleton)
    found: dict[str, CellToFill] = {}
    for cell in _cells_to_fill(folder):
        for name in cell.names:
            found.setdefault(name, cell)
    return {name: cell for name, cell in found.items() if name not in given or cell.is_stub(name, stubs)}


@cache
def _labels(folder: Path) -> frozenset[str]:
    return frozenset(cell.label for cell in Pages(folder).cells if cell.label)


def _cells(source: str) -> dict[str, str]:
    """Return the code of each cell of a joined file, by label."""
    return dict(_split(source))


def _split(source: str) -> Iterator[tuple[str, str]]:
    label, lines = "", list[str]()
    for line in source.splitlines():
        if tag := TAG.fullmatch(line):
            yield label, "\n".join(lines)
            label, lines = tag[2], []
        else:
            lines.append(line)
    yield label, "\n".join(lines)


def _names(code: str) -> set[str]:
    return {function or constant for function, constant in DEFINED.findall(code)}


def _squeeze(code: str) -> str:
    return "".join(code.split())
