"""The exercise of Lab 07: sort items into the four stores by the query that should retrieve them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from memlab.labs.learner.policies import RIGHT
from memlab.systems.entry import did_you_mean

QUERIES = {
    "working": "What am I doing now?",
    "episodic": "What happened, and when?",
    "semantic": "What is true?",
    "procedural": "How do I do this kind of task?",
}


class Item(NamedTuple):
    """Something that an agent could keep: its text, its store, and the query that should retrieve it."""

    text: str
    store: str
    query: str


ITEMS = {
    "a": Item("The database is Postgres 16.", "semantic", "Which database is it?"),
    "b": Item("Tuesday, 14:10: the deploy failed, the disk was full.", "episodic", "When did a deploy fail last?"),
    "c": Item("Left to do: get approval, apply to prod.", "working", "What comes next?"),
    "d": Item("To roll back: stop the workers, migrate down, restart.", "procedural", "How do I roll back?"),
    "e": Item("Ana wants short answers.", "semantic", "What does Ana prefer?"),
    "f": Item("Run the linter before each commit.", "procedural", "How do I commit?"),
}
EXAMPLE = ", ".join(f'"{letter}": "?"' for letter in ITEMS)


def sort_items(answers: Mapping[str, str] | None = None) -> str:
    """Return the items to sort; or which answers, a store for each letter, are right, with a hint for each other."""
    if not isinstance(answers, Mapping):
        asked = [f"  {store:10}  {query}" for store, query in QUERIES.items()]
        items = [f"  {letter}  {item.text}" for letter, item in ITEMS.items()]
        return "\n".join(["Each store answers one query:", *asked, "", "Sort these items:", *items])
    unknown = [
        f"{letter!r} is not an item.{did_you_mean(str(letter), ITEMS)}" for letter in answers if letter not in ITEMS
    ]
    judged = [_judged(letter, answers.get(letter, "?")) for letter in ITEMS]
    right = sum(one.endswith("right") for one in judged)
    end = "The query decides, not the topic." if right == len(ITEMS) else "Change those and run the cell again."
    return "\n".join([*unknown, *judged, "", f"{right} of {len(ITEMS)} right. {end}"])


def _judged(letter: str, answer: object) -> str:
    item, store = ITEMS[letter], str(answer).strip().lower()
    if store == item.store:
        return f"{letter}: right"
    if store not in RIGHT:
        near = did_you_mean(store, RIGHT) if store.strip("?. ") else ""
        return f"{letter}: not sorted yet.{near} The stores are {', '.join(RIGHT)}."
    return f"{letter}: not {store}. It should be found by {item.query!r}: which store answers such a query?"
