"""What a notebook calls: `lab = open_lab("06")`, then lab.check, lab.hint, lab.play, lab.chart and the others."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from memlab.labs.checks.checking import open_steps
from memlab.labs.lab import Lab, load, numbers
from memlab.labs.learner import check_order, messages, progress
from memlab.labs.learner.cells import Cells
from memlab.labs.learner.check_order import StepResult
from memlab.labs.learner.kernel import executed_cells, shell, show
from memlab.labs.learner.live_names import explain_differences
from memlab.labs.learner.notebook_errors import ANSWERED, GONE, NotebookError, print_lines
from memlab.labs.learner.policies import policies
from memlab.labs.learner.reference import solution_cells
from memlab.labs.learner.sorting import sort_items
from memlab.labs.learner.submission import NotHandedIn
from memlab.labs.learner.workspace import LearnerWorkspace, is_folder_gone, workspace_beside
from memlab.labs.pictures import closing
from memlab.labs.pictures.drawings import draw_prompt, draw_stores
from memlab.labs.rubric import Step

UNKNOWN_NAME = re.compile(r"NameError: name '(\w+)' is not defined")
DONE = "Every step passes. Next: lab.finish()"


def open_lab(number: str) -> Notebook:
    """Open a lab ("06") with its work in lab06-work/ beside this notebook, and print the next step.

    >>> lab = memlab.open_lab("06")  # doctest: +ELLIPSIS
    Lab 06...
    """
    try:
        lab = load(str(number))
        opened = Notebook(lab, workspace_beside(Path.cwd(), lab.name))
    except ANSWERED as wrong:
        raise NotebookError(GONE if is_folder_gone() else str(wrong)) from None
    opened.welcome()
    return opened


class Notebook:
    """A lab in a notebook. Every method prints."""

    def __init__(self, lab: Lab, workspace: LearnerWorkspace) -> None:
        self._lab = lab
        self._workspace = workspace
        self._opened = len(executed_cells() or ())  # cells of an earlier run do not count

    @print_lines
    def welcome(self) -> Iterator[str]:
        """Print the title of the lab and the next step."""
        yield f"Lab {self._lab.number}: {self._lab.rubric.title}"
        yield f"What you write is kept in {self._workspace.work.name}/."
        yield from messages.progress_bars(self._lab, self._progress())
        if self._progress().held:
            yield "Your progress is kept, but Python has to see your cells again: run them from the top."
        yield self._next()

    @print_lines
    def fresh(
        self, *files: str, env: Mapping[str, str] | None = None, commands: Mapping[str, str] | None = None
    ) -> Iterator[str]:
        """Change into an empty folder with these files, variables, and commands (name to help text) in HELP."""
        self._workspace.fresh(files, env or {})
        content = [*files, *(f"{name}={value}" for name, value in (env or {}).items())]
        yield f"A fresh folder{', with ' + ', '.join(content) if content else ''}."
        running = shell()
        pages = running.user_ns.get("HELP") if running is not None else None
        if isinstance(pages, dict):
            pages.clear()
            pages.update(commands or {})
        elif commands and running is None:
            yield "The commands are registered in a notebook only: put them into the HELP of your own file."
        elif commands:
            yield "There is no HELP to register commands in yet: run the cell that defines it, then this one again."
        yield from self._out_of_order(Cells(self._lab, executed_cells(self._opened) or ()))

    @print_lines
    def check(self, step: object = "") -> Iterator[str]:
        """Check a step and the steps that it builds on; without a name, the first open step."""
        wanted = self._step(step)
        if wanted is None:
            yield DONE
            return
        cells = self._cells(f"check {wanted.name}")
        if missing := cells.missing(wanted):
            raise NotebookError(
                f"Not run yet since this lab was opened: {', '.join(missing)}. Run the cells with these first lines, "
                "from the top, then check again."
            )
        if lines := [*cells.without_base()]:
            yield from lines
            return
        path = self._file(cells)
        with self._workspace.without_trial_variables():
            if broken := check_order.loading_error(self._lab, path):
                yield from messages.does_not_load(broken)
                yield from self._stray_name(broken)
                yield "Next: correct that cell, and run it again."
            else:
                yield from self._checked(wanted, path, cells)

    @print_lines
    def hint(self, step: object = "") -> Iterator[str]:
        """Open one more hint of a step; without a name, of the first open step."""
        wanted = self._step(step)
        if wanted is None:
            yield DONE
            return
        kept = self._progress()
        opened = kept.open_hint(wanted.name, len(self._lab.hints.get(wanted.name, ())))
        self._keep(kept)
        yield from messages.hint(self._lab, wanted, opened)

    @print_lines
    def solution(self, step: object) -> Iterator[str]:
        """Show another solution of a step that passes, to compare it with yours."""
        wanted = self._lab.step(_named(step))
        check = f'lab.check("{wanted.name}")'
        yield from messages.solution(wanted, solution_cells(self._lab, wanted), self._progress(), check)

    @print_lines
    def status(self) -> Iterator[str]:
        """Print every step, and which of them pass."""
        yield from messages.status(self._lab, self._progress())

    @print_lines
    def tree(self) -> Iterator[str]:
        """Print the files in the current folder."""
        yield from self._workspace.tree()

    @print_lines
    def play(self, scenario: object) -> Iterator[str]:
        """Play a scenario of the lab to the cells that were run; print its story and the answers."""
        yield closing.play_story(self._lab, self._file(self._cells(f"play {scenario}")), str(scenario))

    @print_lines
    def chart(self, step: object) -> Iterator[str]:
        """Play all scenarios of the lab to the cells that were run, and draw the change since the last chart."""
        wanted = self._lab.step(_named(step))
        kept = self._progress()
        path = self._file(self._cells(f"chart {wanted.name}"))
        chart = closing.progress_chart(self._lab, path, wanted.name, kept.charts)
        kept.charts[wanted.name] = chart.shares
        self._keep(kept)
        yield from show(chart.picture, self._workspace.work / f"{self._lab.name}-{wanted.name}.png")
        yield chart.words

    @print_lines
    def draw_stores(self, mix: object = None) -> Iterator[str]:
        """Draw the four stores: the files in mix/ now, and the scratchpad of a MemoryMix."""
        picture = draw_stores(Path.cwd(), getattr(mix, "working", None))
        yield from show(picture, self._workspace.work / "stores.png")

    @print_lines
    def draw_prompt(self, text: object, budget_chars: object = 1200) -> Iterator[str]:
        """Draw a prompt by its sections, with the budget in characters as a line."""
        if not isinstance(text, str) or not isinstance(budget_chars, int):
            wanted = "draw_prompt takes the text that assemble returned and a number of characters"
            raise NotebookError(f"{wanted}, not {type(text).__name__} and {type(budget_chars).__name__}.")
        yield from show(draw_prompt(text, budget_chars), self._workspace.work / "prompt.png")

    @print_lines
    def policies(self, answers: Mapping[str, Iterable[str]] | None = None) -> Iterator[str]:
        """Print the choices of the table of stores; or say which answers are right, with hints for the others."""
        yield messages.sentence(policies(answers))

    @print_lines
    def sort(self, answers: Mapping[str, str] | None = None) -> Iterator[str]:
        """Print items to sort into the four stores; or say which answers are right, with hints for the others."""
        yield messages.sentence(sort_items(answers))

    @print_lines
    def finish(self) -> Iterator[str]:
        """Run every check, draw the closing chart, and say if the lab is done."""
        with self._workspace.without_trial_variables():
            path = self._file(self._cells("finish"))
            finished = closing.finish(self._lab, path, self._workspace.work, open_steps(self._lab, path))
        kept = self._progress()
        for one in self._lab.steps:
            (kept.reopen if one.name in finished.open_steps else kept.mark_passed)(one.name)
        self._keep(kept)
        yield from show(finished.picture, finished.png)
        yield finished.words
        yield f"The chart is kept as {self._workspace.work.name}/{finished.png.name}."
        later = [one for one in numbers() if one > self._lab.number]
        yield from messages.progress_bars(self._lab, kept)
        if later and not {one.name for one in self._lab.core} & set(finished.open_steps):
            yield f"Next, in a terminal: memlab lab start {later[0]} --notebook"

    def _step(self, name: object) -> Step | None:
        """Return the step of a name, or the first that does not pass; None if all pass."""
        if wanted := _named(name):
            return self._lab.step(wanted)
        held = self._progress().held
        return next((one for one in self._lab.steps if one.name not in held), None)

    def _next(self) -> str:
        kept = self._progress()
        done = messages.core_done(self._lab, kept, "lab.finish()")
        return done[0] if done else f"Next: {step.name}, {step.title}" if (step := self._step("")) else DONE

    def _cells(self, verb: str) -> Cells:
        """Return the cells that were run. Raises NotebookError outside a notebook."""
        cells = executed_cells(self._opened)
        if cells is None:
            problem = "This reads the cells that you ran, so it works in a notebook only."
            raise NotebookError(f"{problem}\nIn a terminal: memlab lab {verb}")
        return Cells(self._lab, cells)

    def _file(self, cells: Cells) -> Path:
        """Write the learner's file from the cells that were run. Raises NotebookError if there are none."""
        if cells.is_empty:
            raise NotebookError("You have not run any cell since this lab was opened: run the notebook from the top.")
        path = self._workspace.work / self._lab.file
        path.write_text(cells.file(), encoding="utf-8", newline="")
        return path

    def _checked(self, step: Step, path: Path, cells: Cells) -> Iterator[str]:
        """Check what a step needs and has not passed yet, the step itself, and then what passed before."""
        yield from cells.misspelt()
        kept = self._progress()
        steps = [one for one in check_order.with_needs(self._lab, step) if one == step or one.name not in kept.held]
        for result in check_order.check_until_failure(self._lab, steps, path, kept):
            self._keep(kept)
            if result.step != step and not result.passed:
                yield from messages.needs_first(step, result.step)
            if result.step == step or not result.passed:
                yield from result.lines
            if not result.passed:
                yield from self._after(result, cells)
                return
        others = [one for one in self._lab.steps if one not in steps and not cells.missing(one)]
        if broken := check_order.find_regression(self._lab, others, path, kept):
            self._keep(kept)
            yield from broken.lines
            yield from self._after(broken, cells, step)
            return
        yield f'Compare with another solution: lab.solution("{step.name}")'
        yield from [*cells.untagged(step)] or self._out_of_order(cells)
        if step == [one for one in self._lab.steps if one.part == "build"][-1]:
            yield from messages.built(self._lab, kept, "this notebook")
        yield from messages.progress_bars(self._lab, kept)
        yield self._next()

    def _after(self, result: StepResult, cells: Cells, changed: Step | None = None) -> Iterator[str]:
        """Say how to continue after a failed step; `changed` is the step whose cell was changed."""
        yield from self._stray_name(" ".join(one.message for one in result.results))
        yield from cells.explain_unchecked(result.step)
        if result.held_before:
            yield from messages.look_back(result.step, cells.tag(changed.name) if changed else "")
        yield f'Next: change the cell, run it, and check again; or lab.hint("{result.step.name}")'

    def _stray_name(self, message: str) -> Iterator[str]:
        """Say why a name of the notebook is unknown in the learner's file."""
        found, running = UNKNOWN_NAME.search(message), shell()
        if found and running is not None and found[1] in running.user_ns:
            yield f"{found[1]} is in a cell without a tag, and only tagged cells are checked. Add a first"
            yield f"line to that cell, such as '# {self._lab.name}: my-helpers', and run it again."

    def _out_of_order(self, cells: Cells) -> Iterator[str]:
        """Say which function of this notebook is not the one that a check runs."""
        running = shell()
        if running is not None and not cells.is_empty:
            with suppress(NotHandedIn, SyntaxError):  # a check reports these
                yield from explain_differences(self._lab, cells.file(), running.user_ns)

    def _progress(self) -> progress.Progress:
        return progress.read(self._workspace.work, self._lab.number, print)

    def _keep(self, kept: progress.Progress) -> None:
        progress.write(self._workspace.work, self._lab.number, kept)


def _named(step: object) -> str:
    """Return the name of a step, which may be given as the learner's function of that name."""
    return str(getattr(step, "__name__", step))
