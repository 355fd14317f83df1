"""Inserts code into a lab's text: the cells of both notebooks, and the file that a learner starts from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from memlab.labs.handout import text
from memlab.labs.handout.code import IMPORTS, Piece, Source, join_pieces
from memlab.labs.handout.text import Cell
from memlab.labs.lab import RUBRIC, in_words
from memlab.labs.rubric import Step, read_rubric
from memlab.systems.entry import did_you_mean

FILES = ("published", "solution")
STUB, HELP = "stub", "HELP"
LONGEST = 25  # lines of a cell, at most
FAILS = "{fails}"
CORE, EXTRA, MINUTES = "{core time}", "{extra time}", "{minutes}"
STEP = re.compile(r"## .*\(`([\w-]+)`, ")
"""The heading of a step."""
REFERENCE = re.compile(r"(\w+): *([\w.]+(?:, *[\w.]+)*)")
CLASS = re.compile(r"^class (\w+)", re.MULTILINE)
FOR_TOOLS = re.compile(r"  # (?:noqa|type: ignore)\b.*$", re.MULTILINE)
"""Comments for linters, which learners do not need."""
EMPTY = "# Write here what is asked for above."
SKELETON = '''"""{title}. Your file, to fill in from top to bottom.

`memlab lab check` in this folder says which step is open, what it asks for, and what your code gave instead.
`memlab lab hint` opens a hint for that step. Run the file itself to see what the lab prints.
"""
'''


@dataclass(frozen=True)
class Reference:
    """A name that a cell shows, its file, and whether learners get its signature, to write the body."""

    file: Source
    name: str
    public: bool

    def stub(self, step: str) -> Piece | None:
        """Return what a learner starts the step with: the signature of a public function, nothing of a helper."""
        return self.file.stub(self.name, step) if self.public else None


class Pages:
    """The files generated from a lab's folder. Raises BadText if its sources contradict each other, or BadRubric."""

    def __init__(self, folder: Path) -> None:
        self.name = folder.name
        self.cells = text.read(folder / "lab.md")
        self._path = folder / "lab.md"
        self._files = {which: Source(folder / f"{which}.py") for which in FILES}
        self._rubric = read_rubric(folder / RUBRIC)
        self._shown = {cell.label: list(self._references(cell)) for cell in self.cells if cell.label}
        first = self.cells[0].source if self.cells else ""
        if not first.startswith("# ") or FAILS not in first:
            problem = f"the first cell does not begin with '# ' and the title, or has no {FAILS}"
            advice = "Let it name the lab and the cells that fail until they are solved"
            raise text.text_error(self._path, 1, problem, advice)
        self.title = first.splitlines()[0].removeprefix("# ")

    def learner(self) -> list[Cell]:
        """Return the cells of the learner's notebook, with signatures in those to fill in."""
        return list(self._filled("learner"))

    def solved(self) -> list[Cell]:
        """Return the cells of the solved notebook."""
        return list(self._filled("solved"))

    def skeleton(self) -> str:
        """Return the file to start from, in the published order; it has HELP even if only a fix uses it."""
        published = self._files["published"]
        given, steps = self._labels_by_name("given"), self._labels_by_name("fill")
        pieces = [published.piece(IMPORTS)]
        if HELP not in published.names and HELP in self._files["solution"].names:
            pieces.append(self._files["solution"].piece(HELP))
        for name in published.names[1:]:
            one = Reference(published, name, self._public(name))
            if name in given or not (name in steps or published.is_function(name)):
                pieces.append(published.piece(name))
            elif name in steps and (stub := one.stub(steps[name])):
                pieces.append(stub)
        pieces.append(Piece(published.demonstration()))
        return SKELETON.format(title=self.title) + "\n" + join_pieces(pieces).rstrip() + "\n"

    def _labels_by_name(self, kind: str) -> dict[str, str]:
        """Return the published names that the cells of a kind show, each with the label of its first cell."""
        published = self._files["published"]
        cells = [cell for cell in self.cells if cell.kind == kind]
        pairs = [(one.name, cell.label) for cell in cells for one in self._shown[cell.label] if one.file is published]
        return dict(reversed(pairs))

    def _filled(self, reader: str) -> Iterator[Cell]:
        """Return the cells for a reader, "learner" or "solved"."""
        known: set[str] = set()
        for cell in self.cells:
            if cell.kind in {"learner", "solved"} - {reader}:
                continue
            source = cell.source
            if cell.label:
                code = source
                if shown := self._shown[cell.label]:
                    to_fill = reader == "learner" and cell.kind == "fill"
                    found = ((one.file, one.stub(cell.label) if to_fill else one.file.piece(one.name)) for one in shown)
                    pieces = [(file, piece) for file, piece in found if piece]
                    code = FOR_TOOLS.sub("", join_pieces(_with_classes(pieces, known))) or EMPTY
                given = " (given)" if cell.kind == "given" else ""
                source = f"# {self.name}: {cell.label}{given}\n{code}"
            elif cell.kind == text.TEXT:
                source = self._with_times(source)
                fails = ", ".join(f"`{one.label}`" for one in self.cells if one.kind == "fill")
                source = source.replace(FAILS, fails) if cell is self.cells[0] else source
            if cell.kind != text.TEXT:
                known |= set(CLASS.findall(source))
            yield self._short(replace(cell, source=source))

    def _with_times(self, source: str) -> str:
        """Write the times of the rubric into a cell of prose."""
        minutes = {one.name: one.minutes for one in self._rubric.task if isinstance(one, Step)}
        if (step := STEP.match(source)) and step[1] in minutes:
            source = source.replace(MINUTES, f"{minutes[step[1]]} minutes", 1)
        core, extra = in_words(self._rubric.core_minutes), in_words(self._rubric.extra_minutes)
        return source.replace(CORE, core).replace(EXTRA, extra)

    def _short(self, cell: Cell) -> Cell:
        lines = cell.source.splitlines()
        if len(lines) > LONGEST:
            problem = f"the cell that begins with {lines[0]!r} has {len(lines)} lines"
            raise text.text_error(self._path, cell.line, problem, f"At most {LONGEST} are valid: split it")
        return cell

    def _references(self, cell: Cell) -> Iterator[Reference]:
        """Parse the references of a tagged cell, one per line; none if the cell is code itself."""
        lines = [(number, line) for number, line in enumerate(cell.source.splitlines(), cell.line) if line.strip()]
        found = [(number, line, REFERENCE.fullmatch(line.strip())) for number, line in lines]
        if cell.kind == "given" and not any(match for _, _, match in found):
            return
        for number, line, match in found:
            file = self._files.get(match[1]) if match else None
            if match is None or file is None:
                valid = " or ".join(f"'{which}: name, name'" for which in FILES)
                raise text.text_error(self._path, number, f"{line.strip()!r} is not a reference", f"Valid: {valid}")
            names = re.split(r", *", match[2])
            for name in names:
                if name not in {*file.names, STUB}:
                    advice = f"{did_you_mean(name, file.names)} It has: {', '.join(file.names)}".strip()
                    raise text.text_error(self._path, number, f"{match[1]}.py has no {name!r}", advice)
            for name in names:
                if name != STUB:
                    yield Reference(file, name, file.is_function(name) and (STUB in names or self._public(name)))

    def _public(self, name: str) -> bool:
        return name.rpartition(".")[2] in self._rubric.interface


def _with_classes(pieces: Iterable[tuple[Source, Piece]], known: set[str]) -> Iterator[Piece]:
    """Put a class line above each method: the class itself, or a subclass of it once it is `known`."""
    open_class = ""
    for file, piece in pieces:
        owner = piece.owner
        if piece.text.startswith(" ") and owner != open_class:
            head = f"class {owner}({owner}):" if owner in known else file.piece(owner).text + "\n"
            known.add(owner)
            yield replace(piece, text=f"{head}\n{piece.text}")
        else:
            yield piece
        open_class = owner
