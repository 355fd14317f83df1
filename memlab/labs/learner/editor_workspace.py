"""A learner's folder: which lab it holds, where their work is, how to begin, and how to begin again."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from memlab.labs.lab import Lab, Step, load, numbers
from memlab.labs.learner import progress as kept
from memlab.labs.learner.progress import Progress
from memlab.labs.learner.submission import student_file
from memlab.labs.learner.workspace import beside

SKELETON, README, TEXT = "skeleton.py", "README.md", "lab.md"

BESIDE = """\
> This is the text of the notebook, to read beside your editor. Where a cell says `lab.check("STEP")`, type
> `memlab lab check STEP` in a terminal, and `memlab lab hint`, `play`, `chart` or `finish` likewise."""


class NoWork(ValueError):
    """There is nothing to work with in a folder, or too much: the message says what to do."""


@dataclass(frozen=True)
class Workbench:
    """A folder with a learner's work on one lab: `path` is their file or their notebook."""

    lab: Lab
    folder: Path
    path: Path

    @property
    def alone(self) -> bool:
        """Tell whether the folder holds this lab only."""
        return not any(_work(load(one), self.folder) for one in numbers() if one != self.lab.number)

    @property
    def home(self) -> Path:
        """Give the folder where progress and charts are kept: beside a file, and for a notebook where it keeps them."""
        return self.folder if self.path.suffix == ".py" else beside(self.folder, self.lab.name).work

    @property
    def text(self) -> str:
        """Name what the learner reads."""
        return TEXT if self.path.suffix == ".py" else self.path.name

    def progress(self, warn: Callable[[str], None]) -> Progress:
        """Read how far the learner is; `warn` is told of progress that is spoiled."""
        return kept.read(self.home, self.lab.number, warn)

    def keep(self, progress: Progress) -> None:
        """Keep how far the learner is."""
        kept.write(self.home, self.lab.number, progress)

    def first_open(self, progress: Progress) -> Step | None:
        """Give the first step that is not known to hold."""
        return next((one for one in self.lab.steps if one.name not in progress.held), None)

    @contextmanager
    def file(self) -> Iterator[Path]:
        """Give the learner's file; that of a notebook is made of its cells and lasts as long as the `with` block."""
        if self.path.suffix == ".py":
            yield self.path
            return
        with tempfile.TemporaryDirectory(prefix="memlab-lab-") as folder:
            path = Path(folder) / self.lab.file
            path.write_text(student_file(self.path, self.lab.number), encoding="utf-8", newline="")
            yield path

    def begin_again(self) -> Path:
        """Put the learner's work aside under another name, which is given, and write the lab's beginning anew."""
        aside = kept.free(self.folder, self.path.stem, self.path.suffix)
        new = self.path.with_name(f"{self.path.name}.new")
        _create(new, beginning(self.lab, notebook=self.path.suffix != ".py").read_text(encoding="utf-8"))
        self.path.rename(aside)
        new.rename(self.path)
        self.keep(Progress())
        return aside


def beginning(lab: Lab, *, notebook: bool) -> Path:
    """Find what a learner starts from: the lab's skeleton, or its notebook."""
    return lab.folder.parents[1] / "notebooks" / f"{lab.name}.ipynb" if notebook else lab.folder / SKELETON


def begin(lab: Lab, folder: Path, *, notebook: bool) -> Path:
    """Write what a learner starts from into a folder, and what to read beside it; give the file that is theirs.

    Raises NoWork where their file or another lab's is there already, OSError where the folder cannot be written to.
    """
    source = beginning(lab, notebook=notebook)
    path = folder / (source.name if notebook else lab.file)
    if path.exists() or path.is_symlink():
        raise NoWork(
            f"{path} is there already, and is yours: it stays as it is. Go on with `memlab lab check --dir {folder}`, "
            f"begin again with `memlab lab reset --dir {folder}`, or name another folder."
        )
    _alone(lab, folder)
    texts = {README: (lab.folder / README).read_text(encoding="utf-8")}
    if not notebook:
        texts[TEXT] = _read_out(beginning(lab, notebook=True))
    folder.mkdir(parents=True, exist_ok=True)
    _create(path, source.read_text(encoding="utf-8"))
    for name, text in texts.items():
        with suppress(FileExistsError):  # what is there may be the learner's
            _create(folder / name, text)
    return path


def _create(path: Path, text: str) -> None:
    """Write a file that is not there yet, whole or not at all; a link that lies there is not followed."""
    with path.open("x", encoding="utf-8", newline="") as file:
        try:
            file.write(text)
            file.flush()
        except OSError:
            path.unlink()
            raise


def _alone(lab: Lab, folder: Path) -> None:
    """See that a folder is no other lab's, and does not come to lie in one unasked. Raises NoWork."""
    for one in map(load, numbers()):
        if one != lab and (work := _work(one, folder)):
            raise NoWork(
                f"{work} is there already, of lab {one.number}: each lab has a folder of its own. Name another folder."
            )
        if folder == Path(lab.name) and _work(one, Path()):
            go_on = "memlab lab check" if one == lab else f"cd ..; memlab lab start {lab.number}"
            raise NoWork(f"You stand in a folder of lab {one.number} already. Go on with: {go_on}")


def _read_out(notebook: Path) -> str:
    """Give a notebook as a text to read beside an editor."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    texts = [("".join(cell["source"]), cell["cell_type"]) for cell in cells]
    read = [text if kind == "markdown" else f"```python\n{text}\n```" for text, kind in texts]
    return "\n\n".join([BESIDE, *read]) + "\n"


def find(folder: Path, number: str = "") -> Workbench:
    """Find a learner's work in a folder: that of one lab ("06"), or of the only one that it holds. Raises NoWork."""
    labs = [load(number)] if number else [load(one) for one in numbers()]
    found = [Workbench(lab, folder, path) for lab in labs if (path := _work(lab, folder))]
    if not found:
        raise NoWork(_nothing(folder, labs))
    if len(found) > 1:
        which = " and ".join(one.lab.number for one in found)
        raise NoWork(f"{_shown(folder)} holds the labs {which}: say which with --lab {found[0].lab.number}.")
    return found[0]


def _work(lab: Lab, folder: Path) -> Path | None:
    """Find a learner's file in a folder, or their notebook."""
    places = (folder / lab.file, folder / beginning(lab, notebook=True).name)
    return next((place for place in places if place.is_file()), None)


def _nothing(folder: Path, labs: list[Lab]) -> str:
    wanted = " or ".join(one.file for one in labs)
    below = [folder / one.name for one in labs if _work(one, folder / one.name)]
    if len(below) > 1:
        advice = f"There is one in {' and in '.join(map(str, below))}: go to the one you mean, or add --dir {below[0]}."
    elif below:
        advice = f"There is one in {below[0]}: go there, or add --dir {below[0]}."
    else:
        advice = f"Begin with `memlab lab start {labs[0].number if labs else '06'}`, or name the folder with --dir."
    return f"{_shown(folder)} holds no {wanted}. {advice}"


def _shown(folder: Path) -> str:
    return "this folder" if folder == Path() else str(folder)
