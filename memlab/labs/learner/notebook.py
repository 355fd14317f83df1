"""What a notebook calls: `lab = open_lab("06")`, then lab.check, lab.hint, lab.play, lab.chart and the others."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import wraps
from inspect import signature
from pathlib import Path
from typing import ParamSpec

from memlab.harness.scenarios.errors import BadScenario
from memlab.labs.checks.checking import open_steps
from memlab.labs.handout.text import BadText
from memlab.labs.lab import BadRubric, Lab, Step, UnknownLab, load, numbers
from memlab.labs.learner import check_order, messages, progress
from memlab.labs.learner.cells import Cells
from memlab.labs.learner.check_order import Checked
from memlab.labs.learner.kernel import executed, shell, show
from memlab.labs.learner.policies import policies
from memlab.labs.learner.submission import NotHandedIn
from memlab.labs.learner.workspace import LearnerWorkspace, Outside, beside, gone
from memlab.labs.pictures import closing
from memlab.labs.pictures.drawings import draw_prompt, draw_stores
from memlab.systems.entry import UnknownSystem

UNKNOWN_NAME = re.compile(r"NameError: name '(\w+)' is not defined")
P = ParamSpec("P")
GONE = "The folder in which this notebook stood is gone. Restart the kernel, and run the cells from the top."
DONE = "Every step holds. Next: lab.finish()"


class Told(Exception):
    """What a learner can do something about, in a sentence: IPython shows no traceback for it."""

    def _render_traceback_(self) -> list[str]:
        return [messages.sentence(str(self))]


ANSWERED = (Told, Outside, UnknownLab, BadRubric, BadText, NotHandedIn, UnknownSystem, BadScenario, OSError)
"""What is answered with its own words; anything else would be a mistake of ours."""


def open_lab(number: str) -> Notebook:
    """Open a lab ("06") in the folder of this notebook, and say where it stands.

    The learner's file, their progress and their trials lie in lab06-work/ beside the notebook.
    """
    try:
        lab = load(str(number))
        opened = Notebook(lab, beside(Path.cwd(), lab.name))
    except ANSWERED as wrong:
        raise Told(GONE if gone() else str(wrong)) from None
    opened.welcome()
    return opened


def printed(tell: Callable[P, Iterable[str]]) -> Callable[P, None]:
    """Make a method that gives lines print them; what goes wrong is the last line, and no traceback into memlab."""

    @wraps(tell)
    def method(*args: P.args, **named: P.kwargs) -> None:
        try:
            signature(tell).bind(*args, **named)
        except TypeError as wrong:
            print(f"lab.{tell.__name__}: {wrong}. {(tell.__doc__ or '').splitlines()[0]}")  # noqa: T201 - a notebook prints
            return
        try:
            for line in tell(*args, **named):
                print(line, flush=True)  # noqa: T201 - a notebook prints
        except ANSWERED as wrong:
            print(messages.sentence(GONE if gone() else str(wrong)))  # noqa: T201 - a notebook prints
        except KeyboardInterrupt:  # an error still, so that a run of all cells ends here
            raise Told(f"lab.{tell.__name__} was interrupted. Run the cell again when you like.") from None

    return method


class Notebook:
    """A lab in a notebook. Every method prints."""

    def __init__(self, lab: Lab, desk: LearnerWorkspace) -> None:
        self._lab = lab
        self._desk = desk
        self._opened = len(executed() or ())  # a notebook that is run from the top again begins anew

    @printed
    def welcome(self) -> Iterator[str]:
        """Say which lab this is, and where it stands."""
        yield f"Lab {self._lab.number}: {self._lab.title}"
        yield f"{len(self._lab.steps)} steps. What you write is kept in {self._desk.work.name}/."
        yield self._next()

    @printed
    def fresh(
        self, *files: str, env: Mapping[str, str] | None = None, commands: Mapping[str, str] | None = None
    ) -> Iterator[str]:
        """Stand in an empty folder with these files, variables, and commands (name to help text) in HELP."""
        self._desk.fresh(files, env or {})
        held = [*files, *(f"{name}={value}" for name, value in (env or {}).items())]
        yield f"A fresh folder{', with ' + ', '.join(held) if held else ''}."
        running = shell()
        pages = running.user_ns.get("HELP") if running is not None else None
        if isinstance(pages, dict):
            pages.clear()
            pages.update(commands or {})
        elif commands and running is None:
            yield "The commands are registered in a notebook only: put them into the HELP of your own file."
        elif commands:
            yield "There is no HELP to register commands in yet: run the cell that makes it, then this one again."

    @printed
    def check(self, step: object = "") -> Iterator[str]:
        """Check a step and the steps that it builds on; without a name, the first open step."""
        wanted = self._step(step)
        if wanted is None:
            yield DONE
            return
        cells = self._cells(f"check {wanted.name}")
        if missing := cells.missing(wanted):
            raise Told(
                f"Not run yet, since this lab was opened: {', '.join(missing)}. Run the cells that begin so, from the "
                "top, then check again."
            )
        path = self._file(cells)
        with self._desk.untried():
            if broken := check_order.does_not_load(self._lab, path):
                yield from messages.does_not_load(broken)
                yield from self._stray_name(broken)
                yield "Next: correct that cell, and run it again."
            else:
                yield from self._checked(wanted, path, cells)

    @printed
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

    @printed
    def status(self) -> Iterator[str]:
        """Print every step, and which of them hold."""
        yield from messages.status(self._lab, self._progress())

    @printed
    def tree(self) -> Iterator[str]:
        """Print the files in the folder where the notebook stands."""
        yield from self._desk.tree()

    @printed
    def play(self, scenario: object) -> Iterator[str]:
        """Play one of the lab's scenarios to the cells that were run; print its story and what came of it."""
        yield closing.tell(self._lab, self._file(self._cells(f"play {scenario}")), str(scenario))

    @printed
    def chart(self, step: object) -> Iterator[str]:
        """Play all of the lab's scenarios to the cells that were run, and draw what a step bought."""
        wanted = self._lab.step(_named(step))
        kept = self._progress()
        path = self._file(self._cells(f"chart {wanted.name}"))
        bought = closing.bought(self._lab, path, wanted.name, kept.charts)
        kept.charts[wanted.name] = bought.shares
        self._keep(kept)
        yield from show(bought.picture, self._desk.work / f"{self._lab.name}-{wanted.name}.png")
        yield bought.words

    @printed
    def draw_stores(self, mix: object = None) -> Iterator[str]:
        """Draw the four stores: what lies in mix/ now, and the scratchpad of a MemoryMix."""
        picture = draw_stores(Path.cwd(), getattr(mix, "working", None))
        yield from show(picture, self._desk.work / "stores.png")

    @printed
    def draw_prompt(self, text: object, budget_chars: object = 1200) -> Iterator[str]:
        """Draw a prompt by its sections, with the budget in characters as a line."""
        if not isinstance(text, str) or not isinstance(budget_chars, int):
            given = f"{type(text).__name__} and {type(budget_chars).__name__}"
            raise Told(f"draw_prompt takes the text that assemble gave, and a number of characters, not {given}.")
        yield from show(draw_prompt(text, budget_chars), self._desk.work / "prompt.png")

    @printed
    def policies(self, answers: Mapping[str, Iterable[str]] | None = None) -> Iterator[str]:
        """Print the choices of the table of stores; or say which answers are right, and what to think of."""
        yield policies(answers)

    @printed
    def finish(self) -> Iterator[str]:
        """Ask every check, draw the closing chart, and say if the lab is done."""
        with self._desk.untried():
            path = self._file(self._cells("finish"))
            finished = closing.finish(self._lab, path, self._desk.work, open_steps(self._lab, path))
        kept = self._progress()
        for one in self._lab.steps:
            (kept.reopen if one.name in finished.open_steps else kept.hold)(one.name)
        self._keep(kept)
        yield from show(finished.picture, finished.png)
        yield finished.words
        yield f"The chart is kept as {self._desk.work.name}/{finished.png.name}."
        later = [one for one in numbers() if one > self._lab.number]
        if finished.done and later:
            yield f"Next, in a terminal: memlab lab start {later[0]} --notebook"

    def _step(self, name: object) -> Step | None:
        """Give a step by its name, or else the first that does not hold; None where all do."""
        if wanted := _named(name):
            return self._lab.step(wanted)
        held = self._progress().held
        return next((one for one in self._lab.steps if one.name not in held), None)

    def _next(self) -> str:
        still = self._step("")
        return f"Next: {still.name}, {still.title}" if still else DONE

    def _cells(self, verb: str) -> Cells:
        """Give the cells that were run. Raises Told in a plain Python."""
        cells = executed(self._opened)
        if cells is None:
            why = "This reads the cells that you ran, so it works in a notebook only."
            raise Told(f"{why}\nIn a terminal: memlab lab {verb}")
        return Cells(self._lab, cells)

    def _file(self, cells: Cells) -> Path:
        """Write the learner's file from the cells that were run. Raises Told where none was."""
        if cells.none:
            raise Told("No cell of yours was run since this lab was opened: run the notebook from the top.")
        path = self._desk.work / self._lab.file
        path.write_text(cells.file(), encoding="utf-8", newline="")
        return path

    def _checked(self, step: Step, path: Path, cells: Cells) -> Iterator[str]:
        """Check a step, and first what it builds on that does not hold yet; then what held before."""
        yield from cells.misspelt()
        kept = self._progress()
        asked = [one for one in check_order.with_needs(self._lab, step) if one == step or one.name not in kept.held]
        for checked in check_order.upto_open(self._lab, asked, path, kept):
            self._keep(kept)
            if checked.step != step and not checked.holds:
                yield from messages.needs_first(step, checked.step)
            if checked.step == step or not checked.holds:
                yield from checked.lines
            if not checked.holds:
                yield from self._after(checked, cells)
                return
        others = [one for one in self._lab.steps if one not in asked and not cells.missing(one)]
        if broken := check_order.broken(self._lab, others, path, kept):
            self._keep(kept)
            yield from broken.lines
            yield from self._after(broken, cells, step)
            return
        yield from cells.untagged(step)
        if step == [one for one in self._lab.steps if one.part == "build"][-1]:
            yield from messages.built(self._lab, kept, "this notebook")
        yield self._next()

    def _after(self, checked: Checked, cells: Cells, changed: Step | None = None) -> Iterator[str]:
        """Say where to look, after the answer of a step that does not hold; `changed` is the step whose cell was."""
        yield from self._stray_name(" ".join(one.message for one in checked.findings))
        yield from cells.unseen(checked.step)
        if checked.held_before:
            yield from messages.look_back(checked.step, cells.tag(changed.name) if changed else "")
        yield f'Next: change the cell, run it, and check again; or lab.hint("{checked.step.name}")'

    def _stray_name(self, says: str) -> Iterator[str]:
        """Say why a name that the notebook knows is not known to the learner's file."""
        found, running = UNKNOWN_NAME.search(says), shell()
        if found and running is not None and found[1] in running.user_ns:
            yield f"{found[1]} stands in a cell without a tag, and only tagged cells are checked. Let it"
            yield f"begin with a line of its own, such as '# {self._lab.name}: my-helpers', and run it again."

    def _progress(self) -> progress.Progress:
        return progress.read(self._desk.work, self._lab.number, print)

    def _keep(self, kept: progress.Progress) -> None:
        progress.write(self._desk.work, self._lab.number, kept)


def _named(step: object) -> str:
    """Give the name of a step; a learner's function of that name will do."""
    return str(getattr(step, "__name__", step))
