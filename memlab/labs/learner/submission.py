"""Extracts a learner's file from a submission: a Python file as it is, or the tagged cells of a notebook.

A cell counts if its first line is a tag: `# lab06: recall`, or `# lab06: index (given)` if there is nothing to fill in.
All other cells are ignored. Submissions are untrusted: nothing here runs them, and every size is bounded.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LARGEST_NOTEBOOK = 5_000_000
LARGEST_FILE = 1_000_000
"""Bytes of a notebook with its pictures, and of a Python file. As JSON, 5 MB can fill 150 MB of memory."""
FORMAT = 4  # the notebook format that Jupyter has written since 2015

TAG = re.compile(r"#\s*+lab\s*+([0-9]{2})\s*+:\s*+([\w-]++)\s*+(\(given\))?\s*+")
FUTURE = re.compile(r"^from __future__ import .*$", re.MULTILINE)
DEFINED = re.compile(r"^[ \t]*(?:async[ \t]+)?def[ \t]+(\w+)|^(\w+)[ \t]*(?::[^=\n]*)?=", re.MULTILINE)
MAGICAL = ("%", "!")
MAGIC = re.compile(r"^[ \t]*(?:!|%{1,2}[A-Za-z]).*$", re.MULTILINE)
QUIET = re.compile(
    r"'''(?:\\.|(?!''')[^\\])*+(?:''')?"
    r'|"""(?:\\.|(?!""")[^\\])*+(?:""")?'
    r"|'(?:\\.|[^'\\\n])*+'?|\"(?:\\.|[^\"\\\n])*+\"?|#[^\n]*",
    re.DOTALL,
)
"""Strings and comments, closed or not: inside them a line may begin with anything."""
JOINED = "# from "
"""The beginning of a file that was joined from cells."""
PLACE = re.compile(r"\(line (\d+)\)|(?<=does not load, )line (\d+)")  # a line number of the learner's file in a message


class NotHandedIn(ValueError):
    """A submission cannot be read as a learner's file. The message says why, and what to do."""


@dataclass(frozen=True)
class Tagged:
    """A tagged cell: the lab and the label of its tag, whether its code was given, its code, and its place in words."""

    lab: str
    label: str
    given: bool
    code: str
    place: str

    @property
    def defines(self) -> set[str]:
        """Return the names of the functions, methods and constants that it defines."""
        return {function or constant for function, constant in DEFINED.findall(self.code)}

    @property
    def unfilled(self) -> bool:
        """Return whether the learner has not filled it in yet."""
        return f"raise NotImplementedError(\"step '{self.label}'\")" in self.code


def student_file(path: Path, lab: str | None = None) -> str:
    """Return the learner's file: a .py as it is, or the tagged cells of an .ipynb in order. Raises NotHandedIn.

    `lab` ("06"), if given, is the lab of the cells. Line ends are kept: write the file with newline="".
    """
    if not path.is_file():
        raise NotHandedIn(f"{path.name}: there is no such file. Check the name and the folder.")
    with path.open("rb") as file:
        return text_of(path.name, file.read(largest(path.name) + 1), lab)


def largest(name: str) -> int:
    """Return how many bytes a file of this name may have. Raises NotHandedIn if it is neither .py nor .ipynb."""
    if name.endswith((".py", ".ipynb")):
        return LARGEST_FILE if name.endswith(".py") else LARGEST_NOTEBOOK
    raise NotHandedIn(f"{name}: only a .py or an .ipynb can be handed in. Rename the file, or save it as one of these.")


def text_of(name: str, content: bytes, lab: str | None = None) -> str:
    """Return the learner's file of a submission's content, as `student_file` does."""
    text = _text(name, content, largest(name))
    if name.endswith(".py"):
        return text
    cells = list(_tagged(_code_cells(name, text)))
    if not cells:
        raise NotHandedIn(
            f"{name}: no code cell begins with a tag such as '# lab06: recall', so nothing is handed in. "
            "Keep the first line that the lab's cells have, or hand in the .py file."
        )
    _of_one_lab(cells, lab, name)
    return _file(_begun(cells), f"the notebook {name!r}")


def from_cells(executed: Iterable[str], labels: Sequence[str], lab: str | None = None) -> str:
    """Return the learner's file made of the cells run so far: the latest of each label, in the lab's order.

    `executed` are the inputs as typed, oldest first; `labels` are those of the lab. A cell with the learner's own label
    follows the last cell of the lab that was run before it. Raises NotHandedIn.
    """
    latest: dict[str, Tagged] = {}
    first: dict[str, int] = {}
    places = ((f"the cell run as number {number}", code) for number, code in enumerate(executed, start=1))
    for number, cell in enumerate(_tagged(places)):
        if lab in {None, cell.lab}:
            latest[cell.label] = cell
            first.setdefault(cell.label, number)
    _of_one_lab(list(latest.values()), lab, "the cells run")
    cells = _begun([latest[label] for label in labels if label in latest])
    for label in sorted(latest.keys() - set(labels), key=first.__getitem__):
        ahead = [number for number, cell in enumerate(cells, start=1) if first[cell.label] < first[label]]
        cells.insert(max(ahead, default=0), latest[label])
    return _file(cells, "the cells that were run")


def by_cell(message: str, source: str) -> str:
    """Replace line numbers in a message by cells, and lines in them, if the file was joined from cells."""
    if not source.startswith(JOINED):
        return message
    lines = source.splitlines()

    def place(found: re.Match[str]) -> str:
        number = int(found[1] or found[2])
        above = range(min(number, len(lines)), 0, -1)
        first = next((one for one in above if TAG.fullmatch(lines[one - 1])), 0)
        where = f"line {number - first + 1} of the cell {lines[first - 1]!r}" if first else f"line {number}"
        return f"({where})" if found[1] else where

    return PLACE.sub(place, message)


def _text(name: str, content: bytes, most: int) -> str:
    if len(content) > most:
        raise NotHandedIn(f"{name}: more than {most:,} bytes. Clear the outputs, or remove pasted content.")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotHandedIn(f"{name}: byte {error.start} is not UTF-8. Save the file as UTF-8.") from None


def _code_cells(name: str, notebook: str) -> Iterable[tuple[str, str]]:
    """Return the place and the code of each code cell of a notebook."""
    for number, cell in enumerate(_cells(name, notebook), start=1):
        place = f"{name}, cell {number}"
        if not isinstance(cell, dict):
            raise _broken(place, "is not a cell")
        if cell.get("cell_type") == "code":
            yield place, _source(cell.get("source"), place)


def _cells(name: str, notebook: str) -> list[Any]:
    try:
        found = json.loads(notebook.removeprefix("\ufeff"))
    except RecursionError:
        raise _broken(name, "is nested too deeply") from None
    except ValueError as error:
        raise _broken(name, f"is not JSON ({error})") from None
    if not isinstance(found, dict) or found.get("nbformat") != FORMAT or not isinstance(found.get("cells"), list):
        raise _broken(name, f"is not a notebook of format {FORMAT} with a list of cells")
    cells: list[Any] = found["cells"]
    return cells


def _source(source: object, place: str) -> str:
    lines = [source] if isinstance(source, str) else source
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        raise _broken(place, "has a source that is not text")
    code = "".join(lines)
    try:
        code.encode()
    except UnicodeEncodeError:
        raise _broken(place, "holds half a character") from None
    return code


def _broken(place: str, how: str) -> NotHandedIn:
    return NotHandedIn(f"{place} {how}. Open the notebook in Jupyter, save it, and hand in that file.")


def _tagged(cells: Iterable[tuple[str, str]]) -> Iterable[Tagged]:
    for place, code in cells:
        first, *others = code.lstrip().split("\n", 2)
        if first.startswith(MAGICAL) and others:  # such a cell is refused below, not ignored
            first = others[0]
        if tag := TAG.fullmatch(first):
            lab, label, given = tag.groups()
            if magic := MAGIC.search(QUIET.sub("''", code)):
                raise NotHandedIn(
                    f"{place} (# lab{lab}: {label}) has the line {magic[0].strip()[:60]!r}, which is for Jupyter, not "
                    "Python. Move it to a cell without a tag."
                )
            yield Tagged(lab, label, bool(given), code, place)


def _of_one_lab(cells: Sequence[Tagged], lab: str | None, whose: str) -> None:
    wanted = lab or (cells[0].lab if cells else "")
    for cell in cells:
        if cell.lab != wanted:
            raise NotHandedIn(
                f"{whose}: {cell.place} is tagged '# lab{cell.lab}: {cell.label}', and lab {wanted} was expected. "
                "Hand in one lab at a time."
            )


def _file(cells: Sequence[Tagged], origin: str) -> str:
    """Join cells to a file, with all `from __future__` lines first."""
    futures = sorted({line.strip() for cell in cells for line in FUTURE.findall(cell.code)})
    parts = [FUTURE.sub("", cell.code).strip() for cell in cells]
    text = "\n".join([f"{JOINED}{origin}", *futures, ""]) + "\n\n".join(f"\n{part}" for part in parts) + "\n"
    if len(text.encode()) > LARGEST_FILE:
        raise NotHandedIn(f"{origin}: more than {LARGEST_FILE:,} bytes of code. Remove pasted content.")
    return text


def _begun(cells: Sequence[Tagged]) -> list[Tagged]:
    """Leave out cells that would only replace working code, because a fix has not been started.

    These are unfilled cells that define nothing new, and, after the last cell that the learner filled in, every cell
    that redefines something: given code there calls functions that are still to be written.
    """
    filled = [number for number, cell in enumerate(cells) if not (cell.given or cell.unfilled)]
    reached = max(filled, default=-1)
    kept: list[Tagged] = []
    defined: set[str] = set()
    for number, cell in enumerate(cells):
        idle = cell.unfilled and cell.defines <= defined
        if not idle and (number <= reached or not cell.defines & defined):
            kept.append(cell)
            defined |= cell.defines
    return kept
