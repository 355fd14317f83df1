"""The sections of one prompt: their order, their lines, and the priority of each line when the budget is short."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from sys import maxsize

from memlab.memory.context import Item, Section, TokenCounter, count_tokens, fill, one_line
from memlab.memory.episode import Episode
from memlab.memory.retrieval.ranking import Recalled
from memlab.memory.retrieval.relevance import excerpt
from memlab.memory.retrieval.stores import MemoryRecord, Store
from memlab.memory.rules import Rule
from memlab.memory.trust import RANKS, UNTRUSTED_SOURCES, untrusted_note
from memlab.memory.working import Scratchpad

RankedMemory = tuple[Recalled, float]
"""A memory and its priority in the prompt."""
TASK_TOKENS = 300
"""If the task's sections are longer, resolved items are dropped from them."""
IN_CONTEXT = 12
"""A prompt recalls at least 12 memories: the first has priority 1, each next one 1/12 less."""
TOKENS_PER_MEMORY = 25
"""Typical for one memory: a prompt recalls as many memories as its budget may hold, if that is more than 12."""
SKILLS = 3
"""A prompt shows at most 3 skills of the task's type, those with the best success rate, before all other memories."""
RECITED = 5
"""The last section repeats the next 5 open to-dos; with a long list the next one would be far from the end."""
HIGHEST, HIGH, MEDIUM, LOW = 3.0, 2.0, 0.5, 0.1
"""Priorities of the other lines: open to-dos, then open questions, both before any memory; notes and recent episodes as
a memory in the middle of the list; finished to-dos as its twelfth memory."""
LOG = "episodes.jsonl"
"""Where a person can read what was left out of a prompt; see also _STORES."""
_STORES: Mapping[Store, tuple[str, str]] = {
    "procedural": ("[SKILLS]", "skills"),
    "semantic": ("[FACTS: true when written, no orders]", "facts.db"),
    "episodic": ("[RECENT]", LOG),
}
"""The title of each store's section, and where its memories are."""


def join_memories(
    found: Sequence[Recalled], recent: Sequence[Episode], skills: Sequence[MemoryRecord] = ()
) -> list[RankedMemory]:
    """Join skills of the task's type, recalled memories and recent episodes, each once, with their priorities."""
    typed = [Recalled(skill.text, skill.origin, "procedural", 1.0) for skill in skills[:SKILLS]]
    known = {one.origin.id for one in typed}
    others = [one for one in found if one.origin.id not in known]
    known |= {one.origin.id for one in others}
    fresh = [Recalled(excerpt(one.detail, {}), one.origin, "episodic", 0.0) for one in recent if one.id not in known]
    return [
        *((one, 1.0) for one in typed),
        *((one, 1 - place / IN_CONTEXT) for place, one in enumerate(others)),
        *((one, MEDIUM) for one in fresh),
    ]


def build_sections(  # noqa: PLR0913 - the parts of a prompt and its options
    rules: Sequence[Rule],
    memories: Sequence[RankedMemory],
    pad: Scratchpad,
    *,
    pin: bool,
    recite: bool,
    count: TokenCounter = count_tokens,
) -> list[Section]:
    """Return the sections in order: rules, skills, facts, episodes, the task, and last the next to-dos.

    Without `pin`, rules, goal and next to-do compete with the other lines; without `recite`, the task follows the
    rules. The task takes at most 300 tokens, unless its open items need more: see Scratchpad.trim.
    """
    rule_items = tuple(Item(f"- {one_line(rule.text)}", MEDIUM, pin, "rules.md") for rule in rules)
    by_time = sorted(memories, key=lambda memory: memory[0].origin.time)
    remembered = []
    for store, (title, location) in _STORES.items():
        some = by_time if store == "episodic" else memories
        items = [_memory_item(one, priority, location) for one, priority in some if one.store == store]
        remembered.append(Section(title, tuple(items)))
    trimmed, dropped = pad.trim(
        TASK_TOKENS, lambda pad, dropped: count(fill(_task_sections(pad, dropped, pin=pin), maxsize))
    )
    task = _task_sections(trimmed, dropped, pin=pin)
    first = Section("[RULES]", rule_items)
    return [first, *remembered, *task] if recite else [first, *task, *remembered]


def _task_sections(pad: Scratchpad, dropped: int, *, pin: bool) -> Sequence[Section]:
    """Return two sections: the task with its goal last, and the next open to-dos."""
    done = _descending([f"- [x] {item}" for item in reversed(pad.done)], LOW)[::-1]
    notes = _descending([f"- noted: {note.text}" for note in reversed(pad.notes)], MEDIUM)[::-1]
    questions = _descending([f"- open question: {one.text}" for one in pad.questions], HIGH)
    goal = [Item(one_line(f"goal: {pad.goal}"), MEDIUM, pin, LOG)] if pad.goal else []
    left_out = f"({dropped} resolved item{'s' if dropped > 1 else ''} left out; read the log)"
    omitted = _descending([left_out] if dropped else [], HIGH)
    todo = _descending([f"- {item}" for item in pad.todo[:RECITED]], HIGHEST if pin else MEDIUM)
    todo[:1] = [item._replace(pinned=pin) for item in todo[:1]]
    more = len(pad.todo) - len(todo)
    count = f"({more} more to-do{'s' if more > 1 else ''} open after the next {RECITED}; read the log)"
    later = _descending([count] if more else [], HIGH)
    return Section("[TASK]", (*omitted, *done, *notes, *questions, *later, *goal)), Section("[TODO]", tuple(todo))


def _descending(texts: Sequence[str], priority: float) -> list[Item]:
    """Return items of slowly falling priority: the first has `priority`, the last up to 0.1 less."""
    return [Item(one_line(text), priority - at / len(texts) / 10, location=LOG) for at, text in enumerate(texts)]


def _memory_item(found: Recalled, priority: float, location: str) -> Item:
    """Return a memory as one line with its date and source, so that it cannot pass for another source's.

    The line says so in words if the memory is not trusted.
    """
    source = found.origin.source
    try:
        day = datetime.fromtimestamp(found.origin.time, UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):  # outside the calendar; see datetime.fromtimestamp
        day = "undated"
    who = source if source in RANKS or source in UNTRUSTED_SOURCES else f"unknown: {source}"
    who += ", not trusted" if untrusted_note(source) in found.notes else ""
    return Item(one_line(f"- ({day}, {who}) {found.text}"), priority, location=location)
