"""The cells that were run in a notebook: the learner's file they make, what is missing, and what no check sees."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property

from memlab.labs.handout.text import TAGGED, Cell, read
from memlab.labs.lab import Lab
from memlab.labs.learner import messages
from memlab.labs.learner.submission import TAG, from_cells
from memlab.labs.rubric import Step

CLOSE = 0.8  # similarity of a misspelt label to one of the lab, 0 to 1


@dataclass(frozen=True)
class Cells:
    """The cells that were run, as typed, the oldest first."""

    lab: Lab
    run: Sequence[str]

    def file(self) -> str:
        """Return the learner's file made of the cells. Raises NotHandedIn."""
        return from_cells(self.run, [one.label for one in self._tagged], self.lab.number)

    @property
    def is_empty(self) -> bool:
        """True if no cell of this lab was run."""
        return not any(True for _ in self._latest())

    def missing(self, step: Step) -> list[str]:
        """Return the tags of the cells that a step needs and that were not run: given cells before it, and its own."""
        run = {label for label, _ in self._latest()}
        return [self.tag(one) for one in dict.fromkeys(self._needed(step)) if one not in run]

    def _needed(self, step: Step) -> list[str]:
        """Return the labels of the cells that a step needs; a step of Extra needs no given cell of another one."""
        own = labels_of_step([one.label for one in self._tagged], step)
        if not own:
            return []
        places = {one.label: place for place, one in enumerate(self._tagged)}
        filled = [place for place, one in enumerate(self._tagged) if one.kind == "fill" and place < places[own[0]]]
        core_end = max(places[label] for one in self.lab.core for label in labels_of_step(places, one))
        others = range(core_end + 1, filled[-1]) if step.extra else ()
        given = [one.label for place, one in enumerate(self._tagged[: places[own[-1]]]) if place not in others]
        return [*(label for label in given if self._tagged[places[label]].kind == "given"), *own]

    def explain_unchecked(self, step: Step) -> Iterator[str]:
        """Say why a check does not see what was written for a step: a missing tag, or code outside the class."""
        latest = dict(self._latest())
        written = {name: cell for cell in self.run for name in self.lab.rubric.interface if _defines(cell, name)}
        untagged = list(self.untagged(step))
        yield from untagged
        for label in labels_of_step(latest, step):
            if not untagged and f"raise NotImplementedError(\"step '{label}'\")" in latest[label]:
                yield f"You haven't changed the cell {self.tag(label)} yet."
                yield "Fill it in and run it. Keep its first line: without it no check sees the cell."
        own = self.lab.class_name
        for name, cell in written.items():
            is_method = _defines(cell, name, indent="[ \t]+") and re.search(rf"^class[ \t]+{own}\b", cell, re.MULTILINE)
            if own and _tag(cell) and not is_method:
                yield f"{name} is outside the class {own}. After its first line the cell needs the line"
                yield f"class {own}({own}): with your functions indented below it."

    def without_base(self) -> Iterator[str]:
        """Say which cells begin the class anew, without the methods of the cells before them."""
        own = self.lab.class_name
        anew = {label: cell for label, cell in dict(self._latest()).items() if own and _begins_class(cell, own)}
        for label, cell in anew.items():
            if "(given)" not in cell.partition("\n")[0] and not _defines(cell, "__init__"):
                yield f"{messages.OPEN} The cell {self.tag(label)} has `class {own}:` without its base,"
                yield "so the new class loses every earlier method, also `__init__`."
                yield f"Write `class {own}({own}):` in that cell, and run the cells from"
                yield f"{self.tag(next(iter(anew)))} down again."

    def untagged(self, step: Step) -> Iterator[str]:
        """Say which functions were last run in a cell without a tag, which no check sees."""
        for name in self.lab.rubric.interface:
            written = [cell for cell in self.run if _defines(cell, name)]
            if written and not _tag(written[-1]):
                labels = [label for label, cell in self._latest() if _defines(cell, name)]
                yield f"{name} was last run in a cell without a tag, and only tagged cells are checked."
                yield f"Add the first line {self.tag([step.name, *labels][-1])} to that cell, and run it."

    def misspelt(self) -> Iterator[str]:
        """Say which tags are probably misspelt: such a cell counts as one of the learner's own."""
        known = [one.label for one in self._tagged]
        for label in dict.fromkeys(label for label, _ in self._latest() if label not in known):
            if near := get_close_matches(label, known, n=1, cutoff=CLOSE):
                yield f"The cell {self.tag(label)} counts as one of your own. If you mean {self.tag(near[0])},"
                yield "correct it, and run the notebook from the top."

    def tag(self, label: str) -> str:
        """Return the first line of a cell, in quotes."""
        return f"'# {self.lab.name}: {label}'"

    @cached_property
    def _tagged(self) -> list[Cell]:
        return [cell for cell in read(self.lab.folder / "lab.md") if cell.kind in TAGGED]

    def _latest(self) -> Iterator[tuple[str, str]]:
        """Return the label and the code of each cell of this lab, the oldest first."""
        for cell in self.run:
            tag = _tag(cell)
            if tag and tag[1] == self.lab.number:
                yield tag[2], cell


def labels_of_step(labels: Iterable[str], step: Step) -> list[str]:
    """Return the labels of a step: its name, or its name with a suffix such as -2."""
    return [label for label in labels if label == step.name or label.startswith(f"{step.name}-")]


def _tag(cell: str) -> re.Match[str] | None:
    return TAG.fullmatch(cell.lstrip().partition("\n")[0])


def _begins_class(cell: str, name: str) -> bool:
    """Return whether a cell defines a class of this name that does not extend the one before."""
    found = re.search(rf"^class[ \t]+{name}[ \t]*(?:\(([^)]*)\))?[ \t]*:", cell, re.MULTILINE)
    return found is not None and name not in re.findall(r"\w+", found[1] or "")


def _defines(cell: str, name: str, indent: str = "[ \t]*") -> bool:
    """Return whether a cell defines a function of this name with this indentation."""
    return re.search(rf"^{indent}def[ \t]+{name}[ \t]*\(", cell, re.MULTILINE) is not None
