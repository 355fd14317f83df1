"""The cells of a lab's own solution, step by step."""

from __future__ import annotations

from memlab.labs.handout.pages import Pages
from memlab.labs.lab import Lab
from memlab.labs.learner.cells import labels_of_step
from memlab.labs.rubric import Step


class NoSolution(ValueError):
    """This copy of memlab has no solutions."""


def solution_cells(lab: Lab, step: Step) -> list[str]:
    """Return the solved cells of a step. Raises NoSolution, or BadText if the text of the lab is invalid."""
    try:
        solved = [cell for cell in Pages(lab.folder).solved() if cell.kind == "fill"]
    except FileNotFoundError as error:
        raise NoSolution(
            f"lab {lab.number}: {error.filename} is not in this copy of memlab; ask your teacher"
        ) from None
    own = labels_of_step([cell.label for cell in solved], step)
    return [cell.source for cell in solved if cell.label in own]
