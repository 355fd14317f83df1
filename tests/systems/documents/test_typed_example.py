"""The worked examples of the essay on memory types (document 003), word for word, are what `typed` does."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from enum import Enum
from typing import Any

import pytest

from memlab.systems.documents.parts.reflector import Conclusion, Observation
from memlab.systems.documents.parts.stand_ins import RULES, StandIns
from memlab.systems.documents.typed.memories import KINDS
from memlab.systems.documents.typed.scratchpad import MOST_TOKENS, Scratchpad
from memlab.systems.documents.typed.system import Typed
from memlab.terms import Event, Workspace

Tell = Callable[..., Event]
TYPES = """
from enum import Enum
from dataclasses import dataclass

class Kind(Enum):
    EPISODIC   = "episodic"
    SEMANTIC   = "semantic"
    PROCEDURAL = "procedural"

@dataclass
class Memory:
    text: str
    kind: Kind
    ts: float            # event time (episodic) / write time
    salience: float      # importance, drives decay & eviction
    last_used: float     # for recency-aware scoring
    source: str          # turn id / user / derived
"""
REFLECT = '''
REFLECT = """Here are recent events the agent observed:
{episodes}

Infer up to 3 durable, general conclusions that will
still be true and useful in future, unrelated tasks.
Output one per line. No speculation, no restatement
of a single event."""

def reflect(episodes: list[Memory], llm) -> list[Memory]:
    joined = "\\n".join(f"- {e.text}" for e in episodes)
    out = llm(REFLECT.format(episodes=joined))
    return [
        Memory(text=line.strip("- "), kind=Kind.SEMANTIC,
               ts=now(), salience=0.7, last_used=now(),
               source="reflection")
        for line in out.splitlines() if line.strip()
    ]
'''
SCRATCHPAD = """
SCRATCHPAD (rewritten each turn, ~300 tok cap)
  goal:     migrate users table to add `tier` column
  plan:     [x] write migration  [x] test on staging
            [ ] get approval     [ ] apply to prod
  facts:    prod deploys gated on staging check (semantic)
            migration is reversible (verified turn 4)
  open:     awaiting approver response
"""
ANSWER = "- Prod deploys wait for the staging check.\n- Migrations are reversible.\n- Approvals take a day.\n"
NOW = 5.0


@pytest.fixture
def published() -> dict[str, Any]:
    """Run the essay's two listings, with a clock."""
    names: dict[str, Any] = {"now": lambda: NOW}
    exec(TYPES + REFLECT, names)  # noqa: S102 - the essay's own code
    return names


def lines_of(block: str) -> list[str]:
    """Return the items of a scratchpad as the essay prints it: one a line, each fact and question with its heading."""
    items, heading = list[str](), ""
    for line in block.strip().splitlines()[1:]:
        name, value = line[:12].strip(), line[12:].strip()
        heading = name or heading
        prefix = "" if heading == "plan:" else f"{heading} "
        items += [prefix + one for one in (re.split(r"\s{2,}|\s+(?=\[)", value) if heading == "plan:" else [value])]
    return items


def migration(tell: Tell) -> list[Event]:
    """Make the events of the migration, up to the moment that the essay prints."""
    todo = ("write migration", "test on staging", "get approval", "apply to prod")
    return [
        tell("task", "migrate users table to add `tier` column", todo=todo),
        tell("episode", "prod deploys gated on staging check (semantic)", type="note"),
        tell("done", "write migration"),
        tell("done", "test on staging"),
        tell("episode", "migration is reversible (verified turn 4)", type="note"),
        tell("episode", "awaiting approver response", type="ask", name="approval"),
    ]


def test_the_scratchpad_of_the_migration_is_the_one_that_the_essay_prints(tell: Tell) -> None:
    pad = Scratchpad()
    for event in migration(tell):
        pad.follow(event)
    assert pad.lines() == lines_of(SCRATCHPAD)
    assert len(pad.lines()) == 8
    assert f"~{MOST_TOKENS} tok cap" in SCRATCHPAD


def test_at_the_end_of_the_migration_its_facts_and_its_outcome_are_kept_and_the_rest_is_discarded(
    workspace: Workspace, tell: Tell
) -> None:
    system = Typed(workspace)
    for event in [*migration(tell), tell("end", "the tier column is in prod")]:
        system.observe(event)
    kept = Typed(workspace).recall("migration tier column staging approval approver", 50)
    stored = {(one.store, one.text) for one in kept}
    facts = [line.removeprefix("facts: ") for line in lines_of(SCRATCHPAD) if line.startswith("facts: ")]
    assert {text for store, text in stored if store == "semantic"} == set(facts)
    assert ("episodic", "the tier column is in prod") in stored
    assert not [text for _, text in stored if text.startswith(("goal:", "[x]", "[ ]", "open:"))]


def test_a_memory_has_the_fields_and_kinds_of_the_essay(
    published: dict[str, Any], workspace: Workspace, tell: Tell
) -> None:
    kinds: type[Enum] = published["Kind"]
    assert tuple(one.value for one in kinds) == KINDS
    system = Typed(workspace)
    system.observe(tell("turn", "The deploy failed with error Z."))
    (record,) = system._memories._list.values()  # noqa: SLF001 - what is stored
    assert [name for name in record if name in {one.name for one in fields(published["Memory"])}] == [
        one.name for one in fields(published["Memory"])
    ]


def test_reflection_stores_what_the_published_function_returns(
    published: dict[str, Any], workspace: Workspace, tell: Tell
) -> None:
    def conclude(episodes: Sequence[Observation], most: int) -> list[Conclusion]:
        assert f"up to {most} durable" in published["REFLECT"]
        return [Conclusion(line.strip("- "), tuple(one.id for one in episodes)) for line in ANSWER.splitlines()]

    system = Typed(replace(workspace, clock=lambda: NOW), StandIns(RULES.extract, RULES.importance, conclude))
    system.observe(tell("turn", "The migration was tested on staging."))
    system.observe(tell("compact"))
    stored = [one for one in system._memories._list.values() if one["kind"] == "semantic"]  # noqa: SLF001 - likewise
    expected = published["reflect"]([], lambda prompt: ANSWER if "up to 3" in prompt else "")
    assert [vars(one) | {"kind": one.kind.value} for one in expected] == [
        {name: one[name] for name in vars(expected[0])} for one in stored
    ]
    assert len(stored) == 3
