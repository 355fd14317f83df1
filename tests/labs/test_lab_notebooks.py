"""The generated files of each lab are current, and a learner can hand them in."""

from __future__ import annotations

import ast
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest

from memlab.labs import lab as rubrics
from memlab.labs.checks.checking import check_step
from memlab.labs.handout import make_notebooks, text
from memlab.labs.handout.pages import Pages
from memlab.labs.handout.text import Cell
from memlab.labs.learner.cells import Cells
from memlab.labs.learner.submission import from_cells, student_file

LABS = make_notebooks.folders()
SHOWING = {"print", "play", "chart", "tree", "draw_stores", "draw_prompt"}
"""What a run cell calls to show something; a check, a hint or the closing is no experiment."""


@pytest.fixture(params=LABS, ids=lambda path: path.name)
def lab(request: pytest.FixtureRequest) -> Path:
    """Give the folder of a lab that memlab ships."""
    found: Path = request.param
    return found


def committed(pages: Pages, ending: str = "") -> Path:
    return make_notebooks.ROOT / "notebooks" / f"{pages.name}{ending}.ipynb"


def labels_of(lab: Path) -> list[str]:
    return [cell.label for cell in text.read(lab / "lab.md") if cell.label]


def test_the_skeleton_is_current(lab: Path) -> None:
    assert (lab / "skeleton.py").read_text(encoding="utf-8") == Pages(lab).skeleton(), "run: make labs"


def test_the_learners_notebook_is_current(lab: Path) -> None:
    pages = Pages(lab)
    assert committed(pages).read_text(encoding="utf-8") == make_notebooks.to_json(make_notebooks.learner(pages)), (
        "run: make labs"
    )


def test_the_solved_notebook_is_current_but_for_its_outputs(lab: Path) -> None:
    pages = Pages(lab)
    found = nbformat.read(committed(pages, "_solved"), as_version=4)  # type: ignore[no-untyped-call] # it has no hints
    for cell in found.cells:
        if cell.cell_type == "code":
            cell.update(outputs=[], execution_count=None)
    assert make_notebooks.to_json(found) == make_notebooks.to_json(make_notebooks.solved(pages)), "run: make labs"


def test_a_notebook_contains_nothing_of_the_machine_that_ran_it(lab: Path) -> None:
    for path in (make_notebooks.ROOT / "notebooks").glob(f"{lab.name}*.ipynb"):
        found = path.read_text(encoding="utf-8")
        for place in (str(make_notebooks.ROOT), str(Path.home()), tempfile.gettempdir(), "/dev/shm/", "site-packages"):  # noqa: S108 - sought
            assert f"{place.rstrip('/')}/" not in found


def test_each_step_has_a_cell_to_fill_then_its_check_and_hints(lab: Path) -> None:
    steps = rubrics.load(lab.name)
    cells = Pages(lab).cells
    to_fill = {cell.label: number for number, cell in enumerate(cells) if cell.kind == "fill"}
    assert [label for label in to_fill if label in {one.name for one in steps.steps}] == [
        one.name for one in steps.steps
    ]
    for step in steps.steps:
        after = cells[to_fill[step.name] + 1 :]
        checks = [number for number, cell in enumerate(after) if f'lab.check("{step.name}")' in cell.source]
        assert checks, f"no check behind the cell {step.name}"
        between = [cell.label for cell in after[: checks[0]] if cell.kind == "fill"]
        assert not {one.name for one in steps.steps} & set(between), f"another step before the check of {step.name}"
        assert len(steps.hints[step.name]) > 1, f"{step.name} has no hints to open one after another"


def shows(cell: Cell) -> bool:
    """Tell if a cell is an experiment: what it shows can be predicted."""
    calls = [node.func for node in ast.walk(ast.parse(cell.source)) if isinstance(node, ast.Call)]
    return bool({getattr(one, "attr", getattr(one, "id", "")) for one in calls} & SHOWING)


def experiments(cells: list[Cell]) -> Iterator[tuple[Cell, list[Cell]]]:
    """Give each cell that shows something, with the prose between it and the experiment before."""
    prose: list[Cell] = []
    for cell in cells:
        if cell.kind == "text":
            prose.append(cell)
        elif cell.kind == "run" and shows(cell):
            yield cell, prose
            prose = []


def test_every_experiment_asks_for_a_prediction_first(lab: Path) -> None:
    for cell, prose in experiments(Pages(lab).cells):
        assert any(re.search(r"^> \*\*Predict\.\*\*", one.source, re.MULTILINE) for one in prose), (
            f"line {cell.line} of {lab.name}/lab.md shows something that nobody was asked to predict"
        )


def test_the_submitted_solved_notebook_passes_every_check(lab: Path, tmp_path: Path) -> None:
    pages, steps = Pages(lab), rubrics.load(lab.name)
    path = tmp_path / steps.file
    path.write_text(student_file(committed(pages, "_solved"), steps.number), encoding="utf-8", newline="")
    failed = [
        finding.message for step in steps.steps for finding in check_step(steps, step, path) if not finding.passed
    ]
    assert failed == []


def test_each_step_passes_with_the_cells_up_to_it_even_if_all_cells_were_run(lab: Path, tmp_path: Path) -> None:
    steps, labels = rubrics.load(lab.name), labels_of(lab)
    begun, solved = (
        {cell.label: cell.source for cell in cells} for cells in (Pages(lab).learner(), Pages(lab).solved())
    )
    path = tmp_path / steps.file
    for step in steps.steps:
        last = max(number for number, label in enumerate(labels) if f"{label}-".startswith(f"{step.name}-"))
        run = [(solved if number <= last else begun)[label] for number, label in enumerate(labels)]
        path.write_text(from_cells(run, labels), encoding="utf-8", newline="")
        failed = [finding.message for finding in check_step(steps, step, path) if not finding.passed]
        assert failed == [], step.name


def test_each_extra_step_passes_with_the_core_and_the_cells_of_its_own_section(lab: Path, tmp_path: Path) -> None:
    steps, solved = rubrics.load(lab.name), list(Pages(lab).solved())
    first = next(number for number, cell in enumerate(solved) if cell.source.startswith("# Extra"))
    path = tmp_path / steps.file
    for step in steps.extra:
        begins = next(n for n, cell in enumerate(solved) if f"(`{step.name}`, " in cell.source.partition("\n")[0])
        ends = next(n for n, cell in enumerate(solved) if n > begins and cell.source.startswith("## "))
        run = [cell.source for cell in [*solved[:first], *solved[begins:ends]] if cell.label]
        assert Cells(steps, run).missing(step) == []
        path.write_text(from_cells(run, labels_of(lab)), encoding="utf-8", newline="")
        failed = [finding.message for finding in check_step(steps, step, path) if not finding.passed]
        assert failed == [], step.name


def test_the_cells_of_a_notebook_run_in_their_order_make_the_file_that_the_notebook_makes(lab: Path) -> None:
    pages = Pages(lab)
    run = from_cells([cell.source for cell in pages.solved() if cell.kind != "text"], labels_of(lab))
    assert run.splitlines()[1:] == student_file(committed(pages, "_solved")).splitlines()[1:]


def test_the_unchanged_learners_notebook_is_submitted_as_valid_python(lab: Path) -> None:
    compile(student_file(committed(Pages(lab))), "handed in", "exec", dont_inherit=True)
