"""Checks the long tasks before any memory is evaluated on them, as check/ does for scenarios."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from memlab.harness.check.case import Case
from memlab.harness.check.derivation import why_not_derivable
from memlab.harness.check.past import Past
from memlab.harness.check.proofs import UNDEFENDED
from memlab.harness.check.static import HISTORY, TEXT_RULES
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
CONTROLS = (*UNDEFENDED, "hybrid-no-trust", "hybrid-no-versions")
"""Systems that lack a defence: at least one must act on each lie. The last two stay on track longest."""
SEEDS = 2


@dataclass(frozen=True)
class LongCase(Case):
    """A sample of a long task, and its template."""

    template: LongTemplate
    task: LongTask

    def need_error(self, number: int, text: str, *field: str) -> ScenarioError:
        """Return an error at an item of `needs:`."""
        return self.template.error_at(text, "needs", number, *field)

    def turn_error(self, turn: Turn, text: str) -> ScenarioError:
        """Return an error at a turn."""
        left = turn.turn
        acts = ((place, step.act) for place, step in enumerate(self.template.file.timeline) if step.act)
        place = next(place for place, act in acts if (left := left - act) <= 0)
        return self.template.error_at(f"turn {turn.turn} {text}", "timeline", place)

    def _parts(self) -> Iterable[tuple[int, StepPart]]:
        steps, places = self.template.file.unrolled()
        return zip(places, steps, strict=True)


def check_long(templates: Sequence[LongTemplate], seeds: int = SEEDS) -> list[ScenarioError]:
    """Return every error in some long tasks, of each in its first bad sample only."""
    found: list[ScenarioError] = []
    for template in templates:
        found += next((bad for seed in range(seeds) if (bad := _first_errors(template, seed))), [])
    return sorted(found)


def _first_errors(template: LongTemplate, seed: int) -> list[ScenarioError]:
    try:
        task = template.task(seed)
    except BadScenario as bad:
        return bad.errors
    case = LongCase(template, task.scenario, task)
    static = {
        one for rule in (*TEXT_RULES, _has_its_length, _outgrows_its_budget, _needs_come_up) for one in rule(case)
    }
    return sorted(static) or sorted({*_can_be_kept(case), *_silence_is_lost(case), *_lies_land(case)})


def _has_its_length(case: LongCase) -> Iterator[ScenarioError]:
    if not LEAST <= (turns := case.template.file.turns()) <= MOST:
        text = f"the agent takes {turns} turns: a long task must have {LEAST} to {MOST}. Change the numbers of `act:`."
        yield case.template.error_at(text, "timeline")


def _outgrows_its_budget(case: LongCase) -> Iterator[ScenarioError]:
    budget = case.template.file.budget
    history = sum(count_tokens(text) for event in case.events.values() for text in event_texts(event))
    if history < HISTORY * budget:
        text = f"a budget of {budget} tokens for a history of {history}: almost everything fits."
        yield case.template.error_at(
            f"{text} Add events in `each_turn:`, or set at most {history // HISTORY}.", "budget"
        )


def _needs_come_up(case: LongCase) -> Iterator[ScenarioError]:
    """Yield errors for to-dos that are never done, facts that come too late, and lies that nothing refutes."""
    done = set[str]()
    for probe, item, builder in _perfect_turns(case.task):
        done.add(item)
        for number, need in enumerate(case.task.needs):
            if item not in need.todos:
                continue
            known = [name for name in need.takes if name in builder.texts]
            if need.takes and not known:
                text = (
                    f"{item!r} takes {', '.join(need.takes)}, but no event states any of them by then. Add one before."
                )
                yield case.need_error(number, text, "takes")
            wrong = {name: Forbidden(one.why, one.against) for name, one in need.wrong.items()}
            for claim, why in (dict.fromkeys(known[:-1], Forbidden("version")) | wrong).items():
                if claim in builder.texts and (problem := why_not_derivable(Past(case.scenario, probe), claim, why)):
                    text = f"at {item!r} {claim!r} is marked false by `why: {why.why}`, but {problem}."
                    yield case.need_error(number, text, "wrong" if claim in wrong else "takes")
    for number, need in enumerate(case.task.needs):
        for item in need.todos:
            if item not in done:
                text = f"{item!r} is never done, even by a perfect agent. Raise `act:`, or remove it."
                yield case.need_error(number, text, "for")


def _perfect_turns(task: LongTask) -> Iterator[tuple[Probe, str, AnswerKeyBuilder]]:
    """Yield the turns of a perfect agent: the probe, its to-do, and the state by then."""
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
            mistake = f"the agent that {lost.agent} {EVENT_DESCRIPTIONS[lost.event]}"
            text = f"cannot be done right: with the oracle's context, {mistake}."
            yield case.turn_error(lost, f"{text} Raise `budget:`, or reword the facts of the to-do.")


def _silence_is_lost(case: LongCase) -> Iterator[ScenarioError]:
    (cell,) = play_long(case.task, [entry("null")], SCRIPTED[:1])
    if all(turn.event in ON_TRACK for turn in cell.turns):
        text = "null, which always answers nothing, stays on track to the end. Add a `task:` before the agent acts."
        yield case.template.error_at(text, "timeline")


def _lies_land(case: LongCase) -> Iterator[ScenarioError]:
    """Yield an error for each stale fact, lie or planted to-do that no undefended system acts on."""
    cells = play_long(case.task, [entry(name) for name in CONTROLS], SCRIPTED[:1])
    acted_on = set[str]().union(*(cell.acted_on for cell in cells))
    fix = "Move it closer to its turn, or make it a complete line or list item."
    end = f"none of {', '.join(CONTROLS)} acts on it. {fix}"
    for number, need in enumerate(case.task.needs):
        for field, claims in (("takes", need.takes[:-1]), ("wrong", tuple(need.wrong))):
            for claim in claims:
                if claim not in acted_on:
                    yield case.need_error(number, f"{claim!r} has no effect: {end}", field)
    for number, item in enumerate(case.task.planted):
        if item not in acted_on:
            yield case.template.error_at(f"{item!r} has no effect: {end}", "planted", number)
    under = {name for need in case.task.needs for name in need.under}
    for event in case.events.values():
        if event.kind == "rule" and event.source != "user" and event.name in under and event.text not in acted_on:
            yield case.event_error(event, f"has no effect: {end}")
