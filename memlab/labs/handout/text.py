"""Parses a lab's text, lab.md: prose, and the fenced blocks that become code cells."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

TEXT = "text"
TAGGED = ("fill", "given")  # cells with a label, which are handed in
LITERAL = ("run", "learner", "solved")
KINDS = (*TAGGED, *LITERAL)

FENCE = re.compile(r"(`{3,})(.*)")
HEADING = re.compile(r"#{1,6} ")
LABEL = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")


class BadText(ValueError):
    """A lab.md is invalid. The message names the file, the line, the value, what is valid and what to do."""


@dataclass(frozen=True)
class Cell:
    """One cell of lab.md: prose (kind "text") or code. `line` is where its source begins."""

    kind: str
    label: str
    source: str
    line: int


def read(path: Path) -> list[Cell]:
    """Read the cells of a lab.md; each heading begins a new one. Raises BadText."""
    cells: list[Cell] = []
    lines: dict[str, int] = {}
    for cell in _cells(path):
        if cell.label in lines:
            problem = f"the label {cell.label!r} is also that of line {lines[cell.label]}"
            raise text_error(path, cell.line, problem, "Change one")
        if cell.label:
            lines[cell.label] = cell.line
        cells.append(cell)
    return cells


def text_error(path: Path, line: int, problem: str, advice: str) -> BadText:
    """Return the error for a place in a lab.md."""
    return BadText(f"{path.parent.name}/{path.name}, line {line}: {problem}. {advice}.")


def _cells(path: Path) -> Iterator[Cell]:
    lines = enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
    prose: list[str] = []
    begins = 1
    for number, line in lines:
        fence = FENCE.fullmatch(line)
        if fence is None and not HEADING.match(line):
            prose.append(line)
            continue
        kind, label = _kind(fence[2], path, number) if fence else (TEXT, "")
        code = list(_fenced(lines, fence[1], path, number)) if fence else []
        if fence and kind == TEXT:
            prose += [line, *code, fence[1]]
            continue
        yield from _prose(prose, begins)
        prose, begins = ([], number + len(code) + 2) if fence else ([line], number)
        if fence:
            source = "\n".join(code)
            blank = len(source) - len(source.lstrip("\n"))
            yield Cell(kind, label, source.strip("\n"), number + 1 + blank)
    yield from _prose(prose, begins)


def _prose(lines: list[str], begins: int) -> Iterator[Cell]:
    if source := "\n".join(lines).strip():
        yield Cell(TEXT, "", source, begins)


def _fenced(lines: Iterator[tuple[int, str]], fence: str, path: Path, begins: int) -> Iterator[str]:
    for _, line in lines:
        if line.rstrip() == fence:
            return
        yield line
    raise text_error(path, begins, "this block is never closed", f"End it with a line {fence}")


def _kind(info: str, path: Path, number: int) -> tuple[str, str]:
    """Parse the words after an opening fence: the kind of the cell and its label; a plain block is text."""
    language, *words = info.split()[:4] or [""]
    if language not in {"python", *KINDS} or (language == "python" and not words):
        return TEXT, ""
    kind, *names = words or [""]
    if language != "python" or kind not in KINDS:
        problem = f"{info.strip()!r} is not a kind of cell"
        raise text_error(path, number, problem, f"Valid: {', '.join(f'python {one}' for one in KINDS)}")
    if kind in LITERAL and names:
        raise text_error(path, number, f"a {kind!r} cell has no label, but {names[0]!r} was given", "Remove it")
    if kind in TAGGED and (len(names) != 1 or not LABEL.fullmatch(names[0])):
        problem = f"{info.strip()!r} needs one label of lowercase words joined by dashes"
        raise text_error(path, number, problem, f"Write for instance: python {kind} recall")
    return kind, names[0] if names else ""
