"""Proves the long tasks before any memory is judged by them, as check does scenarios."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from memlab.harness.check.case import Case
from memlab.harness.check.derivation import why_not_derivable
from memlab.harness.check.past import Past
from memlab.harness.check.proofs import UNDEFENDED
from memlab.harness.check.static import HISTORY, WORDS
from memlab.harness.scenarios.answer_keys import AnswerKeyBuilder, event_texts
from memlab.harness.scenarios.errors import BadScenario, ScenarioError
from memlab.harness.scenarios.schema import StepPart
from memlab.harness.turns.agent import SCRIPTED
from memlab.harness.turns.long_task import LongTask, LongTemplate
from memlab.harness.turns.play import EVENT_DESCRIPTIONS, ON_TRACK, Turn, play_long
from memlab.memory.context import count_tokens
from memlab.systems.registry import entry
from memlab.terms import Event, Forbidden, Probe

LEAST, MOST = 30, 100
"""So many turns has a long task."""
CONTROLS = (*UNDEFENDED, "hybrid-no-trust", "hybrid-no-versions")
"""Systems that lack a defence: what none of them acts on is no lie. The last two keep the thread longest."""
SEEDS = 2


@dataclass(frozen=True)
class LongCase(Case):
    """A sample of a long task, and the file that it was sampled from."""

    template: LongTemplate
    task: LongTask

    def need_error(self, number: int, text: str, *field: str) -> ScenarioError:
        """Complain about what to-dos take."""
        return self.template.error_at(text, "needs", number, *field)

    def turn_error(self, turn: Turn, text: str) -> ScenarioError:
        """Complain about what happens in a turn."""
        left = turn.turn
        acts = ((place, step.act) for place, step in enumerate(self.template.file.timeline) if step.act)
        place = next(place for place, act in acts if (left := left - act) <= 0)
        return self.template.error_at(f"turn {turn.turn} {text}", "timeline", place)

    def _parts(self) -> Iterable[tuple[int, StepPart]]:
        steps, places = self.template.file.unrolled()
        return zip(places, steps, strict=True)


def check_long(templates: Sequence[LongTemplate], seeds: int = SEEDS) -> list[ScenarioError]:
    """Say everything that is wrong with some long tasks, of each in its first bad sample only."""
    found: list[ScenarioError] = []
    for template in templates:
        found += next((bad for seed in range(seeds) if (bad := _wrong(template, seed))), [])
    return sorted(found)


def _wrong(template: LongTemplate, seed: int) -> list[ScenarioError]:
    try:
        task = template.task(seed)
    except BadScenario as bad:
        return bad.errors
    case = LongCase(template, task.scenario, task)
    static = {one for law in (*WORDS, _has_its_length, _outgrows_its_budget, _needs_come_up) for one in law(case)}
    return sorted(static) or sorted({*_can_be_kept(case), *_silence_is_lost(case), *_lies_land(case)})


def _has_its_length(case: LongCase) -> Iterator[ScenarioError]:
    if not LEAST <= (turns := case.template.file.turns()) <= MOST:
        text = f"the agent takes {turns} turns: a long task has {LEAST} to {MOST}. Change the numbers behind `act:`."
        yield case.template.error_at(text, "timeline")


def _outgrows_its_budget(case: LongCase) -> Iterator[ScenarioError]:
    budget = case.template.file.budget
    history = sum(count_tokens(text) for event in case.events.values() for text in event_texts(event))
    if history < HISTORY * budget:
        text = f"a budget of {budget} tokens for a history of {history}: everything nearly fits."
        yield case.template.error_at(
            f"{text} Tell more in `each_turn:`, or set at most {history // HISTORY}.", "budget"
        )


def _needs_come_up(case: LongCase) -> Iterator[ScenarioError]:
    """Complain of what no turn needs if all goes right, of what comes too late, and of what could not be known."""
    asked = set[str]()
    for probe, item, builder in _due(case.task):
        asked.add(item)
        for number, need in enumerate(case.task.needs):
            if item not in need.todos:
                continue
            told = [name for name in need.takes if name in builder.texts]
            if need.takes and not told:
                text = f"{item!r} takes {', '.join(need.takes)}, and none of them was told by then. Tell one before."
                yield case.need_error(number, text, "takes")
            wrong = {name: Forbidden(one.why, one.against) for name, one in need.wrong.items()}
            for claim, why in (dict.fromkeys(told[:-1], Forbidden("version")) | wrong).items():
                if claim in builder.texts and (problem := why_not_derivable(Past(case.scenario, probe), claim, why)):
                    text = f"at {item!r} {claim!r} is held to be false by `why: {why.why}`, but {problem}."
                    yield case.need_error(number, text, "wrong" if claim in wrong else "takes")
    for number, need in enumerate(case.task.needs):
        for item in need.todos:
            if item not in asked:
                text = f"{item!r} is never done, even if all goes right. Let the agent `act:` longer, or take it out."
                yield case.need_error(number, text, "for")


def _due(task: LongTask) -> Iterator[tuple[Probe, str, AnswerKeyBuilder]]:
    """Go through the turns as they are if all goes right: each with its to-do and what is known by then."""
    builder = AnswerKeyBuilder(task.scenario)
    for step in task.scenario.timeline:
        if isinstance(step, Event):
            builder.observe(step)
        elif isinstance(step, Probe) and builder.pins.todo:
            item = builder.pins.todo[0]
            yield step, item, builder
            builder.observe(Event(step.id, "done", step.time, "", "agent", item))


def _can_be_kept(case: LongCase) -> Iterator[ScenarioError]:
    for cell in play_long(case.task, [entry("oracle")]):
        lost = next((turn for turn in cell.turns if turn.event not in ON_TRACK), None)
        if lost:
            text = (
                f"cannot be got right: who {lost.agent} of what the oracle assembles {EVENT_DESCRIPTIONS[lost.event]}."
            )
            yield case.turn_error(lost, f"{text} Raise `budget:`, or reword what the to-do takes.")


def _silence_is_lost(case: LongCase) -> Iterator[ScenarioError]:
    (cell,) = play_long(case.task, [entry("null")], SCRIPTED[:1])
    if all(turn.event in ON_TRACK for turn in cell.turns):
        text = "null, which says nothing, keeps the thread to the end. Tell a `task:` before the agent acts."
        yield case.template.error_at(text, "timeline")


def _lies_land(case: LongCase) -> Iterator[ScenarioError]:
    """Complain of a stale fact, a planted lie or a planted to-do that no system without a defence acts on."""
    cells = play_long(case.task, [entry(name) for name in CONTROLS], SCRIPTED[:1])
    taken = set[str]().union(*(cell.taken for cell in cells))
    end = f"is acted on by none of {', '.join(CONTROLS)}. Tell it closer to its hour, or in a form that can be read."
    for number, need in enumerate(case.task.needs):
        for field, claims in (("takes", need.takes[:-1]), ("wrong", tuple(need.wrong))):
            for claim in claims:
                if claim not in taken:
                    yield case.need_error(number, f"{claim!r} cannot land: it {end}", field)
    for number, item in enumerate(case.task.planted):
        if item not in taken:
            yield case.template.error_at(f"{item!r} cannot land: it {end}", "planted", number)
    under = {name for need in case.task.needs for name in need.under}
    for event in case.events.values():
        if event.kind == "rule" and event.source != "user" and event.name in under and event.text not in taken:
            yield case.event_error(event, f"cannot land: it {end}")
