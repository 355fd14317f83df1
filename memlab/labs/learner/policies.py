"""The quiz of Lab 07: when each store is written, and when it is recalled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from memlab.systems.entry import did_you_mean

WRITTEN = {
    "a": "rarely, and edited by a person",
    "b": "one line is appended on every event",
    "c": "at every action, without a decision (implicit)",
    "d": "deliberately, when somebody decides to keep it (explicit)",
}
RECALLED = {
    "a": "when it is relevant to the task",
    "b": "every turn, last",
    "c": "every turn, first",
    "d": "the most recent few, or all of it on replay",
}
COLUMNS = {"written": WRITTEN, "recalled": RECALLED}
RIGHT = {"working": ("c", "b"), "episodic": ("b", "d"), "semantic": ("d", "a"), "procedural": ("a", "c")}
JOB = {
    "working": (
        "the scratchpad is the state of the task, and that changes with each thing the agent does.",
        "the agent must not lose what it is in the middle of. Which end of the prompt stands next to what it does now?",
    ),
    "episodic": (
        "the log says what happened, all of it and in order. A log that somebody picked from cannot be replayed.",
        "the log grows for ever. A turn has room for a small piece of it; the whole is for looking back.",
    ),
    "semantic": (
        "a fact outlives its task and is believed later, so it must not slip in by itself.",
        "there are many facts, and few of them concern what is being done. All of them in each prompt would drown it.",
    ),
    "procedural": (
        "the rules say how the agent behaves. If whatever it reads or does could change them, they would bind nobody.",
        "a rule that is left out of a turn does not hold in that turn, and nothing may push it out of view.",
    ),
}
"""For each store a hint to when it is written, and one to when it is recalled."""
EXAMPLE = ", ".join(f'"{store}": ("?", "?")' for store in RIGHT)


def policies(answers: Mapping[str, Iterable[str]] | None = None) -> str:
    """Return the lists of choices; or which answers, two letters for each store, are right, with hints for others."""
    if not isinstance(answers, Mapping):
        return _lists()
    lines = [f"{store!r} is not a store.{did_you_mean(str(store), RIGHT)}" for store in answers if store not in RIGHT]
    judged = [_judged(store, answers.get(store)) for store in RIGHT]
    right = sum(one.endswith("right") for one in judged)
    end = "All four: four jobs, four lifetimes." if right == len(RIGHT) else "Change those and run the cell again."
    return "\n".join([*lines, *judged, "", f"{right} of {len(RIGHT)} right. {end}"])


def _lists() -> str:
    lines = []
    for column, choices in COLUMNS.items():
        lines += [f"When is it {column}?", *(f"  {letter}  {words}" for letter, words in choices.items()), ""]
    return "\n".join(
        [*lines, "Give each store a letter of the first list and one of the second:", f"  lab.policies({{{EXAMPLE}}})"]
    )


def _judged(store: str, answer: object) -> str:
    letters = _letters(answer)
    if letters is None:
        return f"{store}: not answered yet. It takes two letters, as in {store!r}: ('a', 'a')."
    wrong = [
        f"{column} {letter!r} is not a letter of the list ({', '.join(COLUMNS[column])})."
        if letter not in COLUMNS[column]
        else f"{column} when? Not {COLUMNS[column][letter]!r}: {job}"
        for column, letter, right, job in zip(COLUMNS, letters, RIGHT[store], JOB[store], strict=True)
        if letter != right
    ]
    return f"{store}: " + ("\n  ".join(["not yet", *wrong]) if wrong else "right")


def _letters(answer: object) -> tuple[str, str] | None:
    """Return the two letters of an answer; None if it has not two, or one is still open."""
    letters = [str(one).strip().lower() for one in answer] if isinstance(answer, Iterable) else []
    if len(letters) != len(COLUMNS) or not all(one.strip("?. ") for one in letters):
        return None
    return letters[0], letters[1]
