"""A story: what might be told to a memory, as data, so that it can be told twice, in part, or to a model."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from hypothesis import strategies as st
from strategies import NOON

from memlab.memory import MemoryMix, Provenance, Refused
from memlab.memory.episode import Run


@dataclass(frozen=True)
class Move:
    """One thing told: what, about which subject, by whom, and how many moves before stands what it restates."""

    what: str
    name: str
    about: str
    source: str
    back: int


KINDS = ["fact", "turn", "recurring", "skill", "task", "done", "note", "durable", "rule", "ask", "answer", "run", "end"]
NO_PARENTS = {"done", "note", "durable", "ask", "answer"}
"""Steps that may be refused because of what was erased before: nothing restates them."""
moves = st.builds(
    Move,
    st.sampled_from(KINDS),
    st.sampled_from(["lamp", "stove"]),
    st.sampled_from(["", "", "light"]),
    st.sampled_from(["user", "user", "agent", "web"]),
    st.sampled_from([0, 0, 0, 1, 2]),
)
stories = st.lists(moves, min_size=3, max_size=10)


def tell_story(mix: MemoryMix, story: Sequence[Move], left_out: Collection[int] = ()) -> set[int]:
    """Tell a story; give the places of what was refused and not even held."""
    refused = set[int]()
    for place in range(len(story)):
        try:
            if place not in left_out:
                tell(mix, story, place)
        except Refused:
            refused.add(place)
    held = {record["id"] for record in mix.quarantined()}
    return {place for place in refused if f"id{place}" not in held}


def tell(mix: MemoryMix, story: Sequence[Move], place: int) -> None:
    """Tell one move of a story, each a minute after the one before. Raises Refused as the verb that it takes."""
    move = story[place]
    parents = tuple(f"id{parent}" for parent in restated(story, place))
    origin = Provenance(move.source, f"s{place % 3}", NOON + place, f"id{place}", parents)
    text = f"The {move.name} has the colour word{place}."
    question = f"Which colour has the {move.name}?"
    applied = (f"{move.name}-{place - move.back}",) if move.back else ()
    verbs: dict[str, Callable[[], object]] = {
        "fact": lambda: mix.write_fact(move.name, "note", text, about=move.about, origin=origin),
        "turn": lambda: mix.log_episode("turn", text, move.about, origin),
        "recurring": lambda: mix.log_episode("note", f"The valve of the {move.name} sticks.", origin=origin),
        "skill": lambda: mix.write_skill(f"{move.name}-{place}", f"Light the {move.name} word{place}.", origin=origin),
        "run": lambda: mix.log_run(Run(f"mend the {move.name}", result=f"word{place}", skills=applied), origin),
        "task": lambda: mix.set_task(f"mend the {move.name} {place}", ["open it", "close it"], origin),
        "done": lambda: mix.check_off("open it", origin),
        "note": lambda: mix.note(text, origin=origin),
        "durable": lambda: mix.note(text, f"kept-{move.name}", origin),
        "rule": lambda: mix.write_rule(f"Mind the {move.name} word{place}.", f"{move.name}-{place}", origin),
        "ask": lambda: mix.ask(question, origin),
        "answer": lambda: mix.answer(question, f"word{place}", origin),
        "end": lambda: mix.end_task(f"The {move.name} is mended {place}.", origin),
    }
    verbs[move.what]()


def restated(story: Sequence[Move], place: int) -> list[int]:
    """Give the place of what a move restates, if that is something that can be restated; a rule restates nothing."""
    parent = place - story[place].back if story[place].what != "rule" else -1
    return [parent] if 0 <= parent < place and story[parent].what not in NO_PARENTS else []
