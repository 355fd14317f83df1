"""What a learner is told, in lines of text: the terminal and the notebook print the same ones."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from memlab.labs.lab import Lab, Part, Step
from memlab.labs.learner.progress import Progress
from memlab.report.text import escape_invisible

if TYPE_CHECKING:  # what asks needs Hypothesis, and what is told here does not
    from memlab.labs.checks.checking import CheckResult

WIDTH = 79
SENTENCE = 88
"""Letters of a line of prose: JupyterLab breaks a longer one within a word, where the window is small."""
EARLIER = 12
"""Calls before a wrong answer that are told."""
HOLDS, OPEN = "✓", "✗"
PARTS: tuple[Part, ...] = ("build", "fix")


def held(step: Step) -> list[str]:
    """Tell that a step holds."""
    return [f"{HOLDS} {step.name}: {step.title}"]


def wrong(step: Step, findings: Sequence[CheckResult], *, held_before: bool = False) -> list[str]:
    """Tell the first check of a step that does not hold, what was answered, and which calls led there."""
    first = next(one for one in findings if not one.passed)
    hold = sum(one.passed for one in findings)
    regressed = " held before, and does not any more" if held_before else ""
    return [
        f"{OPEN} {step.name}{regressed}: {step.title}",
        *_labelled("check", first.check.sentence),
        *_labelled("answer", first.message),
        *_before(first.calls),
        *_labelled("so far", f"{hold} of {len(findings)} checks of this step pass"),
    ]


def look_back(step: Step, changed: str = "") -> list[str]:
    """Tell where to look for what broke a step that held: `changed` names the cell, where one is known."""
    here = f", here the cell {changed}" if changed else ""
    return [f"{step.name} held before: look first at what you changed last{here}."]


def does_not_load(says: str) -> list[str]:
    """Tell why a learner's file cannot be asked at all."""
    return _wrapped(f"{OPEN} {says}", "", "  ")


def needs_first(step: Step, need: Step) -> list[str]:
    """Tell that a step builds on one that does not hold."""
    return [f"{step.name} builds on {need.name}, which comes first:"]


def hint(lab: Lab, step: Step, number: int) -> list[str]:
    """Tell one hint of a step, counted from 1; after the last, all of them again."""
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
    """Tell every step with its part and time, and the points of Build and Fix, each by themselves."""
    width = max(len(one.name) for one in lab.steps)
    marks = dict.fromkeys(progress.held, HOLDS)
    rows = [
        f"{marks.get(one.name, ' ')} {one.name:{width}}  {one.part:5}  {one.minutes:2} min  {one.title}"
        for one in lab.steps
    ]
    return [f"Lab {lab.number}: {lab.title}", "", *rows, "", *points(lab, progress)]


def points(lab: Lab, progress: Progress) -> list[str]:
    """Tell how many steps of each part hold, and their points."""
    lines = []
    for part in PARTS:
        steps = [one for one in lab.steps if one.part == part]
        done = [one for one in steps if one.name in progress.held]
        got, of = (sum(one.points for one in some) for some in (done, steps))
        lines.append(f"{part.capitalize():5}  {len(done)} of {len(steps)} steps, {got:g} of {of:g} points")
    return lines


def built(lab: Lab, progress: Progress, text: str) -> list[str]:
    """Tell that every step of Build holds, and where `text` goes on; nothing where one does not, or Fix is begun."""
    steps = [one for one in lab.steps if one.part == "build"]
    fix = next((one for one in lab.steps if one.part == "fix"), None)
    if fix is None or fix.name in progress.held or not {one.name for one in steps} <= set(progress.held):
        return []
    points = f"{sum(one.points for one in steps):g}"
    done = f"Build is done: {points} of {points} points."
    return [f"{done} Go on with Part 2, Break it, in {text}; then check goes on with `{fix.name}`."]


def so_far(lab: Lab, progress: Progress) -> list[str]:
    """Tell how many steps hold."""
    held = [one for one in lab.steps if one.name in progress.held]
    if len(held) == len(lab.steps):
        return [f"All {len(held)} steps of lab {lab.number} hold."]
    return [f"{len(held)} of {len(lab.steps)} steps hold."]


def sentence(words: str) -> str:
    """Break a message to lines of prose; a long word, such as a path, is left whole."""
    lines = [
        textwrap.wrap(line, SENTENCE, break_on_hyphens=False, break_long_words=False) for line in words.splitlines()
    ]
    return "\n".join("\n".join(line) for line in lines)


def _labelled(label: str, words: str) -> list[str]:
    return _wrapped(words, f"  {label:8}", " " * 10)


def _before(calls: Sequence[str]) -> Iterator[str]:
    if not calls:
        return
    told = list(calls[-EARLIER:])
    if left_out := len(calls) - len(told):
        told.insert(0, f"({left_out} calls earlier)")
    for label, call in zip(["after", *[""] * len(told)], told, strict=False):
        yield from _labelled(label, call)


def _wrapped(words: str, first: str, rest: str) -> list[str]:
    return textwrap.wrap(
        escape_invisible(words), WIDTH, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False
    )
