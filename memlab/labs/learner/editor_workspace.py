"""A learner's folder: find the work on a lab in it, start a lab, or start it again."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from memlab.labs.lab import Lab, load, numbers
from memlab.labs.learner import progress as progress_file
from memlab.labs.learner.progress import Progress
from memlab.labs.learner.submission import student_file
from memlab.labs.learner.workspace import workspace_beside
from memlab.labs.rubric import Step

SKELETON, README, TEXT = "skeleton.py", "README.md", "lab.md"

BESIDE = """\
> This is the text of the notebook, to read beside your editor. Where a cell says `lab.check("STEP")`, type
> `memlab lab check STEP` in a terminal, and `memlab lab hint`, `play`, `chart` or `finish` likewise."""


class NoWorkFound(ValueError):
    """A folder contains no work on a lab, or on several. The message says what to do."""


@dataclass(frozen=True)
class EditorWorkspace:
    """A folder with a learner's work on one lab; `path` is their file or their notebook."""

    lab: Lab
    folder: Path
    path: Path

    @property
    def is_only_lab(self) -> bool:
        """True if the folder contains no work on another lab."""
        return not any(_work(load(one), self.folder) for one in numbers() if one != self.lab.number)

    @property
    def home(self) -> Path:
        """Return the folder of progress and charts: that of the file, or the notebook's own work folder."""
        return self.folder if self.path.suffix == ".py" else workspace_beside(self.folder, self.lab.name).work

    @property
    def text(self) -> str:
        """Return the name of the text that the learner reads."""
        return TEXT if self.path.suffix == ".py" else self.path.name

    def progress(self, warn: Callable[[str], None]) -> Progress:
        """Read the progress; `warn` is called if its file is corrupt."""
        return progress_file.read(self.home, self.lab.number, warn)

    def save(self, progress: Progress) -> None:
        """Write the progress."""
        progress_file.write(self.home, self.lab.number, progress)

    def first_open(self, progress: Progress) -> Step | None:
        """Return the first step that has not passed yet."""
        return next((one for one in self.lab.steps if one.name not in progress.held), None)

    @contextmanager
    def file(self) -> Iterator[Path]:
        """Return the learner's file; for a notebook, a temporary file made of its cells, for the `with` block."""
        if self.path.suffix == ".py":
            yield self.path
            return
        with tempfile.TemporaryDirectory(prefix="memlab-lab-") as folder:
            path = Path(folder) / self.lab.file
            path.write_text(student_file(self.path, self.lab.number), encoding="utf-8", newline="")
            yield path

    def restart(self) -> Path:
        """Rename the learner's work, write the starting file again, and return the new name of the work."""
        aside = progress_file.free_path(self.folder, self.path.stem, self.path.suffix)
        new = self.path.with_name(f"{self.path.name}.new")
        _create(new, beginning(self.lab, notebook=self.path.suffix != ".py").read_text(encoding="utf-8"))
        self.path.rename(aside)
        new.rename(self.path)
        self.save(Progress())
        return aside


def beginning(lab: Lab, *, notebook: bool) -> Path:
    """Return the path of the starting file: the lab's skeleton, or its notebook."""
    return lab.folder.parents[1] / "notebooks" / f"{lab.name}.ipynb" if notebook else lab.folder / SKELETON


def begin(lab: Lab, folder: Path, *, notebook: bool) -> Path:
    """Copy the starting file and the texts of a lab into a folder; return the learner's file. Raises NoWorkFound."""
    source = beginning(lab, notebook=notebook)
    path = folder / (source.name if notebook else lab.file)
    if path.exists() or path.is_symlink():
        raise NoWorkFound(
            f"{path} exists already and was not changed. Continue with `memlab lab check --dir {folder}`, "
            f"start again with `memlab lab reset --dir {folder}`, or name another folder."
        )
    _refuse_other_labs(lab, folder)
    texts = {README: (lab.folder / README).read_text(encoding="utf-8")}
    if not notebook:
        texts[TEXT] = _as_text(beginning(lab, notebook=True))
    folder.mkdir(parents=True, exist_ok=True)
    _create(path, source.read_text(encoding="utf-8"))
    for name, text in texts.items():
        with suppress(FileExistsError):  # an existing file may be the learner's
            _create(folder / name, text)
    return path


def _create(path: Path, text: str) -> None:
    """Write a new file completely or not at all; a link in its place is not followed."""
    with path.open("x", encoding="utf-8", newline="") as file:
        try:
            file.write(text)
            file.flush()
        except OSError:
            path.unlink()
            raise


def _refuse_other_labs(lab: Lab, folder: Path) -> None:
    """Raise NoWorkFound if a folder belongs to another lab, or would be created inside a lab's folder."""
    for one in map(load, numbers()):
        if one != lab and (work := _work(one, folder)):
            problem = f"{work} exists already, of lab {one.number}: each lab needs its own folder"
            raise NoWorkFound(f"{problem}. Name another folder.")
        if folder == Path(lab.name) and _work(one, Path()):
            go_on = "memlab lab check" if one == lab else f"cd ..; memlab lab start {lab.number}"
            raise NoWorkFound(f"The current folder is of lab {one.number} already. Continue with: {go_on}")


def _as_text(notebook: Path) -> str:
    """Return a notebook as Markdown, to read beside an editor."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    texts = [("".join(cell["source"]), cell["cell_type"]) for cell in cells]
    read = [text if kind == "markdown" else f"```python\n{text}\n```" for text, kind in texts]
    return "\n\n".join([BESIDE, *read]) + "\n"


def find(folder: Path, number: str = "") -> EditorWorkspace:
    """Find a learner's work in a folder, on one lab ("06") or on the only one there. Raises NoWorkFound."""
    labs = [load(number)] if number else [load(one) for one in numbers()]
    found = [EditorWorkspace(lab, folder, path) for lab in labs if (path := _work(lab, folder))]
    if not found:
        raise NoWorkFound(_nothing(folder, labs))
    if len(found) > 1:
        which = " and ".join(one.lab.number for one in found)
        raise NoWorkFound(f"{_shown(folder)} contains labs {which}: choose one with --lab {found[0].lab.number}.")
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
