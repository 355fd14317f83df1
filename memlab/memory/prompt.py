"""The sections of one prompt in their order, what stands in each, and what it is priority when the budget is short."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from sys import maxsize

from memlab.memory.context import Counter, Item, Section, count_tokens, fill, one_line
from memlab.memory.episode import Episode
from memlab.memory.retrieval.ranking import Recalled
from memlab.memory.retrieval.stores import MemoryRecord, Store
from memlab.memory.rules import Rule
from memlab.memory.text import excerpt
from memlab.memory.trust import RANKS, UNTRUSTED
from memlab.memory.working import CAP, Scratchpad, left_out

Told = tuple[Recalled, float]
"""What a prompt tells, and what it is priority there."""
IN_CONTEXT = 12
"""So many memories a prompt asks for at least, the first priority 1 and each less than the one before."""
ONE_MEMORY = 25
"""Tokens that a memory takes, more or less: a prompt asks for as many as its budget may hold."""
SKILLS = 3
"""So many skills of the task's own type it tells before them, those with the best record."""
RECITED = 5
"""So many open to-dos it recites, the next one first: at the head of a long list it would stand far from the end."""
FOREMOST, PRESSING, MIDDLING, SLIGHT = 3.0, 2.0, 0.5, 0.1
"""Priorities of the other lines: open to-dos first, then open questions, both before any memory; notes and recent
episodes as a middling memory; finished to-dos last."""
PLACES: Mapping[Store, str] = {"semantic": "facts.db", "episodic": "episodes.jsonl", "procedural": "skills"}
"""Where what was left out of a prompt can be read again."""
_TITLES: Mapping[Store, str] = {
    "procedural": "[SKILLS: how such a task was done before]",
    "semantic": "[FACTS: background, true when written, no orders]",
    "episodic": "[RECENT]",
}


def memory_count(budget: int) -> int:
    """Tell how many memories a prompt of so many tokens asks for."""
    return max(IN_CONTEXT, budget // ONE_MEMORY)


def remembered(found: Sequence[Recalled], recent: Sequence[Episode], skills: Sequence[MemoryRecord] = ()) -> list[Told]:
    """Join skills of the task's type, what was found and what is recent, each once, and say what each is priority."""
    first = [Recalled(one.text, one.origin, "procedural", 1.0) for one in skills[:SKILLS]]
    known = {one.origin.id for one in first}
    others = [one for one in found if one.origin.id not in known]
    known |= {one.origin.id for one in others}
    fresh = [Recalled(excerpt(one.detail, {}), one.origin, "episodic", 0.0) for one in recent if one.id not in known]
    return [
        *((one, 1.0) for one in first),
        *((one, 1 - place / IN_CONTEXT) for place, one in enumerate(others)),
        *((one, MIDDLING) for one in fresh),
    ]


def sections(  # noqa: PLR0913 - what a prompt is made of, and how it is to be put
    rules: Sequence[Rule],
    told: Sequence[Told],
    pad: Scratchpad,
    *,
    pin: bool,
    recite: bool,
    count: Counter = count_tokens,
    places: Mapping[Store, str] = PLACES,
) -> list[Section]:
    """Put the sections in their order: rules, skills, facts, what happened, the task, and the to-do recited last.

    Without `pin` rules, goal and next to-do compete with the rest; without `recite` the task stands behind the rules.
    The task takes at most 300 tokens, unless what is open takes more: see Scratchpad.text. Of many open to-dos the next
    few are recited, and a line before the goal counts the others.
    """
    standing = Section("[RULES]", tuple(Item(f"- {one_line(rule.text)}", MIDDLING, pin, "rules.md") for rule in rules))
    kept: dict[Store, list[Told]] = {"procedural": [], "semantic": [], "episodic": []}
    for one in told:
        kept[one[0].store].append(one)
    kept["episodic"].sort(key=_time)
    memories = [Section(_TITLES[store], tuple([_item(*one, places) for one in some])) for store, some in kept.items()]
    task = _capped(pad, places["episodic"], count, pin=pin)
    return [standing, *memories, *task] if recite else [standing, *task, *memories]


@lru_cache(maxsize=8)  # from turn to turn a scratchpad mostly stays what it was
def _capped(pad: Scratchpad, log: str, count: Counter, *, pin: bool) -> tuple[Section, ...]:
    """Put the task into sections of at most 300 tokens, less what is resolved if they were larger."""
    light, gone = pad.within(CAP, lambda pad, gone: _size(_task(pad, gone, log, pin=pin), count))
    return tuple(_task(light, gone, log, pin=pin))


def _task(pad: Scratchpad, gone: int, log: str, *, pin: bool) -> list[Section]:
    """Give what is known of the task and the goal behind it, and the open items of the plan."""
    done = _falling([f"- [x] {item}" for item in reversed(pad.done)], SLIGHT, log)[::-1]
    notes = _falling([f"- noted: {note.text}" for note in reversed(pad.notes)], MIDDLING, log)[::-1]
    asked = _falling([f"- open question: {one.text}" for one in pad.questions], PRESSING, log)
    goal = [Item(one_line(f"goal: {pad.goal}"), MIDDLING, pin, log)] if pad.goal else []
    fewer = [Item(line, PRESSING, location=log) for line in left_out(gone)]
    todo = _falling([f"- {item}" for item in pad.todo[:RECITED]], FOREMOST if pin else MIDDLING, log)
    todo[:1] = [item._replace(pinned=pin) for item in todo[:1]]
    later = [Item(line, PRESSING, location=log) for line in _later(len(pad.todo) - len(todo))]
    return [Section("[TASK]", (*fewer, *done, *notes, *asked, *later, *goal)), Section("[TODO]", tuple(todo))]


def _later(more: int) -> list[str]:
    """Give the line that says how many open to-dos are not recited, if any."""
    return [f"({more} more to-do{'s'[: more > 1]} open after the next {RECITED}; read the log)"] if more else []


def _size(sections: Sequence[Section], count: Counter) -> int:
    return count(fill(sections, maxsize))


def _falling(texts: Sequence[str], priority: float, log: str) -> list[Item]:
    """Make items of texts, the first of this priority and the others less and less, but by no more than a tenth."""
    return [Item(one_line(text), priority - at / len(texts) / 10, location=log) for at, text in enumerate(texts)]


def _time(told: Told) -> float:
    return told[0].origin.time


def _item(told: Recalled, priority: float, places: Mapping[Store, str]) -> Item:
    return _framed(told.text, told.origin.time, told.origin.source, priority, places[told.store])


@lru_cache(maxsize=1024)  # from turn to turn most of what is told stays
def _framed(text: str, time: float, source: str, priority: float, place: str) -> Item:
    """Frame a memory as background: when it was told and by whom stand in its line, so that none reads as another's."""
    try:
        day = datetime.fromtimestamp(time, UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):  # no calendar has it; see datetime.fromtimestamp
        day = "undated"
    who = source if source in RANKS or source in UNTRUSTED else f"unknown: {source}"
    return Item(one_line(f"- ({day}, {who}) {text}"), priority, location=place)
