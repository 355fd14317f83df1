"""The messages for learners, in lines of text: the terminal and the notebook print the same."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from memlab.harness.plural import plural
from memlab.labs.lab import Lab
from memlab.labs.learner.progress import Progress
from memlab.labs.rubric import Part, Step
from memlab.report.text import escape_invisible

if TYPE_CHECKING:  # it imports Hypothesis, which the messages do not need
    from memlab.labs.checks.checking import CheckResult

WIDTH = 79
SENTENCE = 88  # characters of a line of prose: in a small window JupyterLab breaks a longer one inside a word
EARLIER = 12  # calls that a message shows before a failed one, at most
HOLDS, OPEN = "✓", "✗"
DONE_STEP, OPEN_STEP = "\N{FULL BLOCK}", "\N{LIGHT SHADE}"
PARTS: tuple[Part, ...] = ("build", "fix")


def step_failed(step: Step, results: Sequence[CheckResult], *, held_before: bool = False) -> list[str]:
    """Show the first failed check of a step: its sentence, the answer, and the calls before it."""
    first = next(one for one in results if not one.passed)
    passed = sum(one.passed for one in results)
    regressed = " passed before and fails now" if held_before else ""
    return [
        f"{OPEN} {step.name}{regressed}: {step.title}",
        *_labelled("check", first.check.sentence),
        *_labelled("answer", first.message),
        *_calls(first.calls),
        *_labelled("so far", f"{passed} of {len(results)} checks of this step pass"),
    ]


def look_back(step: Step, changed: str = "") -> list[str]:
    """Say where a step was probably broken; `changed` names the cell, if it is known."""
    here = f", here the cell {changed}" if changed else ""
    return [f"{step.name} passed before: check first what you changed last{here}."]


def does_not_load(message: str) -> list[str]:
    """Say why a learner's file cannot be loaded."""
    return _wrapped(f"{OPEN} {message}", "", "  ")


def needs_first(step: Step, need: Step) -> list[str]:
    """Say that a step needs one that does not pass yet."""
    return [f"{step.name} builds on {need.name}, which comes first:"]


def hint(lab: Lab, step: Step, number: int) -> list[str]:
    """Show one hint of a step, counted from 1; after the last, all of them again."""
    hints = lab.hints.get(step.name, ())
    if not hints:
        return [f"There are no hints for {step.name}."]
    if number > len(hints):
        again = [line for one in range(1, len(hints) + 1) for line in hint(lab, step, one)]
        return [*again, f"There are no more hints for {step.name}: all {len(hints)} are open."]
    first, *others = hints[number - 1].strip().splitlines()
    return [
        *_wrapped(f"Hint {number} of {len(hints)} for {step.name}: {first}", "", "  "),
        *(f"  {line}".rstrip() for line in others),
    ]


def status(lab: Lab, progress: Progress) -> list[str]:
    """List every step with its part and time, how many are done, and the points of Build and of Fix."""
    width = max(len(one.name) for one in lab.steps)
    marks = dict.fromkeys(progress.held, HOLDS)
    rows = [
        f"{marks.get(one.name, ' ')} {one.name:{width}}  {'extra' if one.extra else one.part:5}  {one.minutes:2} min"
        f"  {one.title}"
        for one in lab.steps
    ]
    head = f"Lab {lab.number}: {lab.rubric.title}"
    return [head, "", *rows, "", *progress_bars(lab, progress), "", *points(lab, progress)]


def progress_bars(lab: Lab, progress: Progress) -> list[str]:
    """Show how many steps of the core are done and which are left; those of Extra apart."""
    rows = [("Core", lab.core), *([("Extra", lab.extra)] if lab.extra else [])]
    width = max(len(steps) for _, steps in rows)
    return [_bar(label, steps, progress, width) for label, steps in rows]


def _bar(label: str, steps: Sequence[Step], progress: Progress, width: int) -> str:
    left = [one.name for one in steps if one.name not in progress.held]
    done = len(steps) - len(left)
    bar = (DONE_STEP * done + OPEN_STEP * len(left)).ljust(width)
    named = f": {', '.join(left)}" if done else ""  # before the first step its list is that of the lab
    return f"{label:5}  {bar}  {done} of {len(steps)} done" + (f", {len(left)} left{named}" if left else "")


def core_done(lab: Lab, progress: Progress, finish: str) -> list[str]:
    """Say what follows when the core is done and steps of Extra are left; nothing otherwise."""
    left = [one for one in lab.steps if one.name not in progress.held]
    if not left or not all(one.extra for one in left):
        return []
    minutes = f"about {left[0].minutes} minutes"
    return [
        f"The core of lab {lab.number} is done: {finish} draws the closing chart. Extra: {left[0].name}, {minutes}."
    ]


def solution(step: Step, cells: Sequence[str], progress: Progress, check: str) -> list[str]:
    """Show another solution of a step that passes; until then, say that it is closed."""
    if step.name not in progress.held:
        return [f"{step.name} does not pass yet: its solution opens once {check} passes."]
    lines = [line.rstrip() for cell in cells for line in [*cell.splitlines(), ""]]
    return [f"Another solution of {step.name}. Yours may differ: the checks decide what is right.", "", *lines[:-1]]


def points(lab: Lab, progress: Progress) -> list[str]:
    """Count the passed steps of each part, and their points."""
    lines = []
    for part in PARTS:
        steps = [one for one in lab.steps if one.part == part]
        done = [one for one in steps if one.name in progress.held]
        earned, total = (sum(one.points for one in some) for some in (done, steps))
        lines.append(f"{part.capitalize():5}  {len(done)} of {len(steps)} steps, {earned:g} of {total:g} points")
    return lines


def built(lab: Lab, progress: Progress, text: str) -> list[str]:
    """Say that every step of Build passes, and where `text` continues; nothing once Fix has begun."""
    steps = [one for one in lab.steps if one.part == "build"]
    fix = next((one for one in lab.steps if one.part == "fix"), None)
    if fix is None or fix.name in progress.held or not {one.name for one in steps} <= set(progress.held):
        return []
    points = f"{sum(one.points for one in steps):g}"
    done = f"Build is done: {points} of {points} points."
    return [f"{done} Go on with Part 2, Break it, in {text}; then check goes on with `{fix.name}`."]


def sentence(words: str) -> str:
    """Wrap a message; a long word, such as a path, is not broken."""
    wrapper = textwrap.TextWrapper(SENTENCE, break_on_hyphens=False, break_long_words=False)
    return "\n".join(wrapper.fill(line) for line in words.splitlines())


def _labelled(label: str, words: str) -> list[str]:
    return _wrapped(words, f"  {label:8}", " " * 10)


def _calls(calls: Sequence[str]) -> Iterator[str]:
    if not calls:
        return
    shown = list(calls[-EARLIER:])
    if left_out := len(calls) - len(shown):
        shown.insert(0, f"({plural(left_out, 'call')} earlier)")
    for label, call in zip(["after", *[""] * len(shown)], shown, strict=False):
        yield from _labelled(label, call)


def _wrapped(words: str, first: str, rest: str) -> list[str]:
    return textwrap.wrap(
        escape_invisible(words), WIDTH, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False
    )
