"""A lab's text with the code of its files put in: the cells of both notebooks, and the file a learner starts from."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from memlab.labs.handout import text
from memlab.labs.handout.code import IMPORTS, Piece, Source, joined
from memlab.labs.handout.text import Cell
from memlab.labs.lab import RUBRIC, read_rubric
from memlab.systems.entry import did_you_mean

FILES = ("published", "solution")
STUB, HELP = "stub", "HELP"
LONGEST = 25
"""Lines of a cell."""
FAILS = "{fails}"
REFERENCE = re.compile(r"(\w+): *([\w.]+(?:, *[\w.]+)*)")
CLASS = re.compile(r"^class (\w+)", re.MULTILINE)
FOR_TOOLS = re.compile(r"  # (?:noqa|type: ignore)\b.*$", re.MULTILINE)
"""What our checkers are told, and no learner needs to read."""
EMPTY = "# Write here what is asked for above."
SKELETON = '''"""{title}. Your file, to fill in from top to bottom.

`memlab lab check` in this folder says which step is open, what it asks for, and what your code gave instead.
`memlab lab hint` opens a hint for that step. Run the file itself to see what the lab prints.
"""
'''


@dataclass(frozen=True)
class Reference:
    """A name that a cell shows, the file that it is in, and whether a learner is given its head, to write the rest."""

    file: Source
    name: str
    public: bool

    def whole(self, step: str) -> Piece | None:
        """Give all of it, whatever the step."""
        del step
        return self.file.piece(self.name)

    def begun(self, step: str) -> Piece | None:
        """Give what a learner begins the step with: the head of what is public, and nothing of a helper."""
        return self.file.stub(self.name, step) if self.public else None


class Pages:
    """The lab in a folder, by its lab.md, rubric.toml, published.py and solution.py.

    Raises BadText where these do not fit each other, BadRubric where the rubric is none.
    """

    def __init__(self, folder: Path) -> None:
        self.name = folder.name
        self.cells = text.read(folder / "lab.md")
        self._path = folder / "lab.md"
        self._files = {which: Source(folder / f"{which}.py") for which in FILES}
        self._interface = read_rubric(folder / RUBRIC).interface
        self._shown = {cell.label: list(self._references(cell)) for cell in self.cells if cell.label}
        first = self.cells[0].source if self.cells else ""
        if not first.startswith("# ") or FAILS not in first:
            what = f"the first cell does not begin with '# ' and the title, or has no {FAILS}"
            raise text.bad(
                self._path, 1, what, "Let it say what the lab is, and which cells fail until they are solved"
            )
        self.title = first.splitlines()[0].removeprefix("# ")

    def learner(self) -> list[Cell]:
        """Give the cells of the learner's notebook, with heads in those that are to be filled."""
        return list(self._filled("learner", Reference.begun))

    def solved(self) -> list[Cell]:
        """Give the cells of the solved notebook."""
        return list(self._filled("solved", Reference.whole))

    def skeleton(self) -> str:
        """Give the file to start from, in the published order: constants, what the lab gives, and heads to write.

        HELP is there from the beginning, even if only a mend reads it: it is a part of the interface.
        """
        published = self._files["published"]
        given, steps = self._told("given"), self._told("fill")
        pieces = [published.piece(IMPORTS)]
        if HELP not in published.names and HELP in self._files["solution"].names:
            pieces.append(self._files["solution"].piece(HELP))
        for name in published.names[1:]:
            one = Reference(published, name, self._public(name))
            if name in given or not (name in steps or published.is_function(name)):
                pieces.append(published.piece(name))
            elif name in steps and (begun := one.begun(steps[name])):
                pieces.append(begun)
        demonstration = published.demonstration()
        return SKELETON.format(title=self.title) + "\n" + joined([*pieces, Piece(demonstration)]).rstrip() + "\n"

    def _told(self, kind: str) -> dict[str, str]:
        """Give the published names that the cells of a kind show, each with the label where it is first."""
        published = self._files["published"]
        cells = [cell for cell in self.cells if cell.kind == kind]
        pairs = [(one.name, cell.label) for cell in cells for one in self._shown[cell.label] if one.file is published]
        return dict(reversed(pairs))

    def _filled(self, reader: str, fill: Callable[[Reference, str], Piece | None]) -> Iterator[Cell]:
        """Give the cells that a reader ("learner" or "solved") sees, with what `fill` shows of each reference."""
        known: set[str] = set()
        for cell in self.cells:
            if cell.kind in {"learner", "solved"} - {reader}:
                continue
            source = cell.source
            if cell.label:
                code = source
                if shown := self._shown[cell.label]:
                    show = fill if cell.kind == "fill" else Reference.whole
                    pieces = [(one.file, piece) for one in shown if (piece := show(one, cell.label))]
                    code = FOR_TOOLS.sub("", joined(_with_classes(pieces, known))) or EMPTY
                given = " (given)" if cell.kind == "given" else ""
                source = f"# {self.name}: {cell.label}{given}\n{code}"
            elif cell is self.cells[0]:
                source = source.replace(FAILS, ", ".join(f"`{one.label}`" for one in self.cells if one.kind == "fill"))
            if cell.kind != text.TEXT:
                known |= set(CLASS.findall(source))
            yield self._short(replace(cell, source=source))

    def _short(self, cell: Cell) -> Cell:
        lines = cell.source.splitlines()
        if len(lines) > LONGEST:
            what = f"the cell that begins with {lines[0]!r} has {len(lines)} lines"
            raise text.bad(self._path, cell.line, what, f"At most {LONGEST} are valid: cut it in two")
        return cell

    def _references(self, cell: Cell) -> Iterator[Reference]:
        """Read what a tagged cell shows: one reference a line, or nothing where the cell is code itself."""
        lines = [(number, line) for number, line in enumerate(cell.source.splitlines(), cell.line) if line.strip()]
        found = [(number, line, REFERENCE.fullmatch(line.strip())) for number, line in lines]
        if cell.kind == "given" and not any(match for _, _, match in found):
            return
        for number, line, match in found:
            file = self._files.get(match[1]) if match else None
            if match is None or file is None:
                valid = " or ".join(f"'{which}: name, name'" for which in FILES)
                raise text.bad(self._path, number, f"{line.strip()!r} is no reference", f"Valid: {valid}")
            names = re.split(r", *", match[2])
            for name in names:
                if name not in {*file.names, STUB}:
                    advice = f"{did_you_mean(name, file.names)} It has: {', '.join(file.names)}".strip()
                    raise text.bad(self._path, number, f"{match[1]}.py has no {name!r}", advice)
            marked = STUB in names
            yield from (
                Reference(file, name, file.is_function(name) and (marked or self._public(name)))
                for name in names
                if name != STUB
            )

    def _public(self, name: str) -> bool:
        return name.rpartition(".")[2] in self._interface


def _with_classes(pieces: Iterable[tuple[Source, Piece]], known: set[str]) -> Iterator[Piece]:
    """Put the line of its class above a method: the class itself, or, once that is `known`, one that adds to it."""
    open_class = ""
    for file, piece in pieces:
        owner = piece.owner
        is_method = piece.text.startswith(" ")
        if is_method and owner != open_class:
            head = f"class {owner}({owner}):" if owner in known else file.piece(owner).text + "\n"
            known.add(owner)
            yield replace(piece, text=f"{head}\n{piece.text}")
        else:
            yield piece
        open_class = owner
